# SPDX-License-Identifier: MIT
"""scripts/fetch qemu-user: its results on each system, and a one-line message with a remedy for
every failure. Also the QEMU that `spemu record` chooses.

Stand-ins that do nothing replace QEMU, apt and the build tools. The real steps need a network. `make demo` runs them if
necessary, and `make check-long` always runs them.

usage: test_qemu_user.py SOURCE_ROOT
"""
import os
import shutil

import pytest

from clilib import COMPILER, ROOT, SPEMU, compile_c, run, write

SCRIPT = ROOT / "scripts/fetch"
NEEDED = ("sh", "awk", "cat", "cp", "dirname", "dpkg", "find", "flock", "grep", "head", "ln", "ls", "mkdir",
          "mktemp", "mv", "pwd", "rm", "sed", "sort", "tail", "tar")
QEMU = """#!/bin/sh
case $1 in
--version) echo 'qemu-aarch64 version {version} (stand-in)' ;;
-h) echo '-strace    log system calls'; {plugin} ;;
esac
"""
TAKES = "echo '-plugin    [file=]<file>'"
NO_NETWORK = "#!/bin/sh\necho 'E: Failed to fetch: no route' >&2\nexit 100\n"
TARGET = '#!/bin/sh\n[ "$1" != --help ] || { echo --disable-download; exit 0; }\n'


class Machine:
    """A private PATH that contains only programs added by a test."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = f"{folder}/bin"
        os.mkdir(self.bin)
        for name in NEEDED:
            if shutil.which(name):
                os.symlink(shutil.which(name), os.path.join(self.bin, name))

    def has(self, name, text):
        return write(self.folder, "bin/" + name, text, 0o755)

    def qemu(self, version, plugin=TAKES):
        return self.has("qemu-aarch64", QEMU.format(version=version, plugin=plugin))

    def apt(self, text=NO_NETWORK):
        self.has("apt-get", text)
        self.has("apt-cache", text)

    def source(self, name, version, **files):
        os.makedirs(f"{self.folder}/{name}")
        if version:
            write(self.folder, name + "/VERSION", version + "\n")
        for file, text in dict({"configure": TARGET, "meson.build": ""}, **files).items():
            write(self.folder, f"{name}/{file.replace('_', '.')}", text, 0o755)
        return f"{self.folder}/{name}"

    def builds(self, ninja):
        for name in ("cc", "pkg-config", "python3", "meson"):
            self.has(name, "#!/bin/sh\necho 99\n")
        self.has("ninja", ninja)

    def run(self, *arguments):
        return run("sh", SCRIPT, "qemu-user", *arguments, env={"PATH": self.bin})

    def refuses(self, name, words, *arguments):
        r = self.run(*arguments)
        lines = [line for line in r.stderr.splitlines() if "takes some minutes" not in line]
        assert (r.returncode == 1 and len(lines) == 1 and lines[0].startswith("scripts/fetch qemu-user: ") and
                all(w in lines[0] for w in words)), f"{name}\nstatus {r.returncode}\n{r.stderr}"


@pytest.fixture
def m(tmp_path):
    return Machine(tmp_path)


def test_usage(m):
    m.refuses("a series that is none", ("'new' is not a series", "as in 10.2"), "--series", "new",
              f"{m.folder}/out")


@pytest.mark.parametrize("name, arguments", (("no folder", ()), ("an option for a folder", ("--series",)),
                                             ("an unknown option", ("--fast", "1", "x")), ("an empty name", ("",))))
def test_wrong_usage(m, name, arguments):
    r = m.run(*arguments)
    assert r.returncode == 2 and r.stderr.startswith("usage: scripts/fetch qemu-user"), f"{name}\n{r.stderr}"


def test_present(m):
    out = f"{m.folder}/out"
    there = m.qemu("7.2.18")
    r = m.run(out)
    assert (r.returncode, os.path.realpath(out + "/bin/qemu-aarch64"), r.stderr) == (0, there, ""), \
        "a QEMU in PATH is used if it supports plugins"
    os.remove(there)
    target = write(m.folder, "other", QEMU.format(version="10.2.2", plugin=TAKES), 0o755)
    os.remove(out + "/bin/qemu-aarch64")
    os.symlink(target, out + "/bin/qemu-aarch64")
    assert m.run("--series", "10.2", out).returncode == 0, "an earlier result is kept"
    assert os.readlink(out + "/bin/qemu-aarch64") == target, "an earlier link is kept"
    m.refuses("but not for another series", ("of series 10", "there is no apt", "--source"),
              "--series", "10.1", out)


def test_unusable(m):
    out = f"{m.folder}/out"
    for name, version, plugin in (("no plugins", "10.0.2", "true"), ("too old", "6.2.0", TAKES)):
        m.qemu(version, plugin)
        m.refuses(name + ", and no apt", ("no qemu-aarch64 on PATH takes plugins", "no apt",
                                          "name a QEMU's sources with --source"), out)
    m.apt()
    m.has("dpkg-source", "#!/bin/sh\n")
    m.refuses("no network", ("that takes plugins, nor its source package", "E: Failed to fetch",
                             "--source"), out)
    m.refuses("no network, a series", ("of series 11.1 that takes", "E: Failed to fetch"),
              "--series", "11.1", out)
    os.remove(m.bin + "/dpkg-source")
    m.refuses("no dpkg-source", ("install the package dpkg-dev",), out)
    assert not os.path.lexists(out + "/bin/qemu-aarch64"), "a failure leaves no program behind"


def test_release_missing(m):
    """The list of sources names a package that does not exist. Mirrors have such lists between two
    releases."""
    m.has("dpkg-source", "#!/bin/sh\n")
    m.apt("#!/bin/sh\ncase \"$*\" in\n*showsrc*) echo 'Version: 1:11.1.3+ds-1' ;;\n"
          "*source*) echo 'E: Failed to fetch qemu.tar.xz  404' >&2; exit 100 ;;\nesac\n")
    out = f"{m.folder}/out"
    m.refuses("a source package that is listed and absent",
              ("cannot download the source package qemu 1:11.1.3+ds-1", "404", "--source"), out)
    m.refuses("a release that is not listed", ("no qemu-aarch64 of series 10.2 that takes plugins",),
              "--series", "10.2", out)


def test_source(m):
    out = f"{m.folder}/out"
    m.refuses("no such source", ("there is no '/nowhere'", "--source"), "--source", "/nowhere", out)
    m.refuses("a source that is no tarball", ("is not a tarball",), "--source",
              write(m.folder, "file", "text"), out)
    m.refuses("a folder that is no QEMU", ("has no file VERSION",), "--source",
              m.source("empty", None), out)
    m.refuses("a source too old", ("is QEMU 6.2.0, not one that the plugin was made for",), "--source",
              m.source("old", "6.2.0"), out)
    m.refuses("a source that no plugin fits", ("is QEMU 11.0.1, not one that the plugin was made for",),
              "--source", m.source("between", "11.0.1"), out)
    good = m.source("good", "10.2.2")
    m.refuses("a source of another series", ("is QEMU 10.2.2, not 11.1",), "--series", "11.1",
              "--source", good, out)
    m.has("pkg-config", "#!/bin/sh\nexit 1\n")
    m.refuses("no compiler, no Ninja", ("apt-get install gcc ninja-build pkg-config libglib2.0-dev",),
              "--source", good, out)
    m.builds("#!/bin/sh\necho 'FAILED: vl.o'\nexit 1\n")
    m.refuses("a build that fails", ("QEMU 10.2.2 cannot be built: FAILED: vl.o", "build.log"),
              "--source", good, out)
    m.builds("#!/bin/sh\ncp '%s' qemu-aarch64\n" %
             write(m.folder, "plain", QEMU.format(version="10.2.2", plugin="true"), 0o755))
    m.refuses("a build without plugins", ("gave no qemu-aarch64 that takes plugins",), "--source",
              good, out)
    m.builds("#!/bin/sh\nprintf '%%s\\n' x >>../../runs\ncp '%s' qemu-aarch64\n" %
             write(m.folder, "full", QEMU.format(version="10.2.2", plugin=TAKES), 0o755))
    run("tar", "-C", m.folder, "-cf", f"{m.folder}/q.tar", "good")
    for turn in ("built", "kept"):
        r = m.run("--series", "10", "--source", f"{m.folder}/q.tar", out)
        assert (r.returncode == 0 and os.access(out + "/bin/qemu-aarch64", os.X_OK) and
                ("takes some minutes" in r.stderr) == (turn == "built")), f"a tarball's QEMU is {turn}\n{r.stderr}"
    with open(f"{m.folder}/runs") as file:
        assert file.read() == "x\n", "QEMU is built once"


def test_record(m):
    """A spemu that has been moved. SPEMU_PLUGIN names its plugin."""
    qemu = os.environ.get("SPEMU_QEMU") or shutil.which("qemu-aarch64")
    if shutil.which(COMPILER) is None or qemu is None or "-plugin" not in run(qemu, "-h").stdout:
        pytest.skip("the cross compiler or a qemu-aarch64 with support for plugins is not installed")
    program = compile_c(m.folder, "program", "int main(void) { return 7; }\n", "-static")
    os.makedirs(f"{m.folder}/tree/tools")
    os.makedirs(f"{m.folder}/tree/qemu-user/bin")
    spemu = f"{m.folder}/tree/tools/spemu"
    shutil.copy(SPEMU, spemu)
    os.symlink("/bin/true", m.bin + "/qemu-aarch64")
    env = {"PATH": m.bin, "SPEMU_QEMU": ""}

    def record(*options, **more):
        return run(spemu, "record", "-v", "-o", f"{m.folder}/data", *options, "--", program,
                   env=dict(env, **more))

    r = record()
    assert r.returncode == 125 and "was built without plugins; 'scripts/fetch qemu-user DIR' makes" in r.stderr, \
        f"the QEMU in PATH does not support plugins, and none was built\n{r.stderr}"
    os.remove(m.bin + "/qemu-aarch64")
    r = record()
    assert r.returncode == 125 and "was not found; 'scripts/fetch qemu-user DIR' makes" in r.stderr, \
        f"no QEMU is in PATH, and none was built\n{r.stderr}"
    made = f"{m.folder}/tree/qemu-user/bin/qemu-aarch64"
    os.symlink(qemu, made)
    r = record()
    assert (r.returncode, "tree/tools/../qemu-user/bin/qemu-aarch64" in r.stderr) == (7, True), "the built QEMU is found"
    for name, options, more in (("--qemu", ("--qemu", "/bin/true"), {}),
                                ("SPEMU_QEMU", (), {"SPEMU_QEMU": "/bin/true"})):
        r = record(*options, **more)
        assert r.returncode == 125 and "/bin/true" in r.stderr, f"{name} selects the QEMU\n{r.stderr}"
    r = record("--qemu", made, SPEMU_QEMU="/bin/true")
    assert r.returncode == 7, "--qemu overrides SPEMU_QEMU"
