# SPDX-License-Identifier: MIT
"""scripts/fetch qemu-system: accepted and rejected arguments. Also, its list of QEMU series is that
of spemu vm and the plugin.

    test_qemu_system.py SOURCE_ROOT
"""
import os
import re
import subprocess

import pytest

from clilib import ENVIRONMENT, ROOT, write

SCRIPT = os.path.join(ROOT, "scripts", "fetch")
REMEDY = "name a QEMU that you have with spemu vm --qemu"


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class Machine:
    """A PATH with the system programs that the script needs and stand-ins for all others."""

    def __init__(self, folder):
        self.folder = folder
        self.path = f"{folder}/path"
        os.mkdir(self.path)
        for name in ("sh", "awk", "basename", "cat", "chmod", "cp", "dirname", "flock", "grep", "head", "ln",
                     "ls", "mkdir", "mktemp", "mv", "readlink", "rm", "sed", "sort", "tail", "tr"):
            os.symlink(f"/usr/bin/{name}" if os.path.exists(f"/usr/bin/{name}") else f"/bin/{name}",
                       os.path.join(self.path, name))

    def program(self, name, *lines, folder=None):
        file = os.path.join(folder or self.path, name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8") as out:
            out.write("#!/bin/sh\n" + "\n".join(lines) + "\n")
        os.chmod(file, 0o755)

    def qemu(self, version, folder=None):
        self.program("qemu-system-aarch64", f"echo 'QEMU emulator version {version}'", folder=folder)

    def apt(self, update, madison="", download="exit 0"):
        self.program("dpkg", "echo amd64")
        self.program("dpkg-architecture", "echo x86_64-linux-gnu")
        self.program("apt-get", 'case "$*" in',
                     f"*' update'*) {update} ;;",
                     "*indextargets*) echo bookworm http://mirror/debian/ main ;;",
                     f"*download-only*) {download} ;;", "esac")
        self.program("apt-cache", f'echo "{madison}"')

    def run(self, *arguments):
        return subprocess.run([SCRIPT, "qemu-system", *arguments], env=dict(ENVIRONMENT, PATH=self.path),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def refuses(self, name, status, line, *arguments):
        got = self.run(*arguments)
        lines = got.stderr.splitlines()
        assert (got.returncode == status and len(lines) == 1 and re.search(line, lines[0]) and
                not got.stdout), f"refused: {name}\n{got.returncode}\n{got.stderr}{got.stdout}"


@pytest.fixture
def m(tmp_path):
    return Machine(tmp_path)


def test_series():
    """Three files list the same series of QEMU. They have different licenses or languages, so they
    cannot share a list."""
    script = re.search(r"^table='(.*?)'", read("scripts", "recipes", "qemu-system.sh"), re.M | re.S)[1]
    of_script = [line.split()[0] for line in script.splitlines()]
    tool = re.search(r"series\[\] = \{(.*?)\};", read("tools", "vm", "vm_arguments.c"))[1]
    rows = re.findall(r"\.major = (\d+),\s*\.minor = (\d+),",
                      read("hosts", "qemu-system", "system_series.c"))
    assert [s + "." for s in of_script] == re.findall(r'"(.*?)"', tool), "the script and spemu vm list the same series"
    assert of_script == [f"{major}.{minor}" for major, minor in rows], "the script and the plugin list the same series"


def test_arguments(m):
    usage = r"^usage: scripts/fetch qemu-system \[--series N\.N\] \[--release RELEASE\] DIR$"
    m.refuses("no folder", 2, usage)
    m.refuses("too many", 2, usage, f"{m.folder}/a", "more")
    m.refuses("an option of another thing", 2, usage, "--kernel", "linux-image-arm64", f"{m.folder}/a")
    m.refuses("another series", 2, r"'12\.0' is not a series that spemu vm runs; use 10\.0 or 11\.1$",
              "--series", "12.0", f"{m.folder}/a")
    m.refuses("a part of a series", 2, r"'11' is not a series", "--series", "11", f"{m.folder}/a")
    m.refuses("what is no release", 2, "'13.1' is not a release of Debian; name one as in",
              "--series", "11.1", "--release", "13.1", f"{m.folder}/a")
    write(m.folder, "file", "")
    m.refuses("no folder there", 1, "cannot make '.*/file'; name another folder", f"{m.folder}/file")
    assert not os.path.exists(f"{m.folder}/a"), "rejected arguments make no folder"


def test_present(m):
    here = f"{m.folder}/here"
    m.qemu("11.1.3 (of the folder)", folder=here + "/bin")
    assert m.run("--series", "11.1", here).returncode == 0, "an existing QEMU is kept, and apt is not used"
    m.refuses("no apt", 1, f"no QEMU 10.0 on PATH, and there is no apt to get one; {REMEDY}$",
              f"{m.folder}/none")
    m.qemu("10.0.13 (of PATH)")
    assert (m.run(f"{m.folder}/linked").returncode,
            os.readlink(f"{m.folder}/linked/bin/qemu-system-aarch64")) == (0, m.path + "/qemu-system-aarch64"), "a QEMU in PATH is linked"
    m.refuses("the one on PATH is of another series", 1, "no QEMU 11.1 on PATH", "--series", "11.1",
              f"{m.folder}/b")
    m.refuses("the one on PATH is not a release's", 1, "no QEMU 10.0 on PATH", "--release", "trixie",
              f"{m.folder}/c")
    os.remove(m.path + "/qemu-system-aarch64")


def test_sources(m):
    m.apt("echo E: Could not resolve mirror >&2; exit 100")
    m.refuses("no network", 1,
              f"no source of packages has qemu-system-arm 10.0: E: Could not resolve mirror; {REMEDY}$",
              f"{m.folder}/d")
    m.apt("exit 0")
    for series, release, more in (("11.1", (), ""), ("10.0", ("--release", "trixie-backports"), " of trixie-backports")):
        m.refuses(f"no source has {series}{more}", 1,
                  f"no source of packages has qemu-system-arm {series}{more}: no network\\?; {REMEDY}$",
                  "--series", series, *release, f"{m.folder}/e")
    row = "qemu-system-arm | 1:11.1.3+ds-1~bpo13+1 | http://mirror/debian trixie-backports/main amd64 Packages"
    m.apt("exit 0", row, "echo E: No space left >&2; exit 100")
    m.refuses("a download that fails", 1, "cannot download qemu-system-arm 1:11.1.3\\+ds-1~bpo13\\+1: "
              f"E: No space left; {REMEDY}$", "--series", "11.1", f"{m.folder}/f")
    m.refuses("other versions are not of the series", 1, "no source of packages has qemu-system-arm 10.0",
              f"{m.folder}/f")
    m.apt("exit 0", row)
    m.refuses("packages without a loader", 1, f"the C library of trixie-backports has no loader; {REMEDY}$",
              "--series", "11.1", "--release", "trixie-backports", f"{m.folder}/g")
    m.refuses("a QEMU that does not run", 1,
              f"qemu-system-arm 1:11.1.3.* does not run here: .*; {REMEDY}$", "--series", "11.1", f"{m.folder}/h")
    assert not os.path.exists(f"{m.folder}/h/bin/qemu-system-aarch64"), "a QEMU that does not work is not left behind"
