# SPDX-License-Identifier: MIT
"""scripts/setup on simulated systems. Each has an os-release file, a machine, and a PATH with
package managers. These know some packages, have some of them installed, and log their arguments.
"""
import os
import pathlib
import subprocess

import pytest

from clilib import ROOT

TOOLS = ["cat", "dirname", "env", "grep", "mktemp", "rm", "sed", "sh", "sort", "tail", "tr"]
QUERY = {
    "dpkg-query": 'for last; do :; done; grep -qx -- "$last" "$SYSTEM/installed" && printf installed',
    "rpm": 'grep -qx -- "$2" "$SYSTEM/installed"',
}
INSTALL = 'echo "{name} $*" >>"$SYSTEM/calls"; cat "$SYSTEM/says" >&2; exit "$(cat "$SYSTEM/status")"'
FEDORA = {"ID": "fedora", "VERSION_ID": "43"}
UBUNTU = {"ID": "ubuntu", "VERSION_ID": '"24.04"'}
DEBIAN = {"ID": "debian", "VERSION_ID": '"13"'}
ONLY_ARM64_LACKS = {"gcc-aarch64-linux-gnu", "g++-aarch64-linux-gnu", "libc6-dev-arm64-cross"}


class System:
    def __init__(self, folder, manager, release, machine="x86_64", user=0, sudo=None):
        self.folder = pathlib.Path(folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            found = next(d for d in ("/usr/bin", "/bin") if os.path.exists(f"{d}/{tool}"))
            (self.bin / tool).symlink_to(f"{found}/{tool}")
        for name in {"apt": ("dpkg-query", "apt-get"), "dnf": ("rpm", "dnf"), None: ()}[manager]:
            self.program(name, QUERY.get(name) or INSTALL.format(name=name))
        self.program("uname", f"echo {machine}")
        self.program("id", f"echo {user}")
        if sudo is not None:
            self.program("sudo", f'[ "$1" = -v ] && exit {sudo}; echo sudo >>"$SYSTEM/calls"; exec "$@"')
        self.write("os-release", "".join(f"{k}={v}\n" for k, v in release.items()))
        self.write("installed", "")
        self.answer(0, "")

    def program(self, name, text):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def answer(self, status, says):
        self.write("status", f"{status}\n")
        self.write("says", says)
        self.write("calls", "")

    def calls(self):
        return (self.folder / "calls").read_text(encoding="utf-8").splitlines()

    def setup(self, *arguments):
        environment = {"PATH": str(self.bin), "SYSTEM": str(self.folder),
                       "OS_RELEASE": str(self.folder / "os-release")}
        return subprocess.run([ROOT / "scripts/setup", *arguments], env=environment, text=True,
                              capture_output=True, check=False)

    def printed(self, manager, *lists):
        return self.setup("--print", manager, *lists).stdout.split()


def one_line(result, words, name):
    """Check that the result is a failure with one line on standard error that contains all the
    words."""
    lines = result.stderr.splitlines()
    assert (result.returncode == 1 and len(lines) == 1 and lines[0].startswith("setup: ") and
            all(w in lines[0] for w in words)), f"{name}\nstatus {result.returncode}\n{result.stderr}"


def test_names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    debian = System(folder, "apt", DEBIAN).printed("apt")
    assert ONLY_ARM64_LACKS | {"linux-perf", "g++", "qemu-user"} <= set(debian), \
        f"the names of packages on Debian\n{debian}"
    folder = tmp_path_factory.mktemp("names")
    arm64 = System(folder, "apt", DEBIAN, "aarch64").printed("apt")
    assert [w for w in debian if w not in ONLY_ARM64_LACKS] == arm64, \
        "an arm64 Debian uses its native compiler, and the same other packages"
    folder = tmp_path_factory.mktemp("names")
    ubuntu = System(folder, "apt", UBUNTU).printed("apt")
    assert [w.replace("linux-perf", "linux-tools-generic") for w in debian] == ubuntu, "Ubuntu has another name for perf"
    folder = tmp_path_factory.mktemp("names")
    fedora = System(folder, "dnf", FEDORA).printed("dnf")
    assert ({"gcc-c++", "elfutils-devel", "libasan", "sysroot-aarch64-fc43-glibc"} <= set(fedora) and
            not any(w.endswith("-dev") for w in fedora)), f"the names of packages on Fedora, with its release\n{fedora}"
    assert len(fedora) == len(set(fedora)), "no name occurs twice"
    folder = tmp_path_factory.mktemp("names")
    arm64 = System(folder, "dnf", FEDORA, "aarch64").printed("dnf")
    assert [w for w in fedora if "aarch64" not in w] == arm64, "an arm64 Fedora uses its native compiler"
    folder = tmp_path_factory.mktemp("names")
    other = System(folder, "apt", UBUNTU).printed("dnf")
    assert [w.replace("fc43", "fc44") for w in fedora] == other, \
        "on another system, the names of the newest known Fedora are printed"


def test_print(tmp_path):
    system = System(tmp_path, "apt", DEBIAN, user=1000)
    result = system.setup("--print", "apt", "packages-long.txt")
    assert (result.returncode, len(result.stdout.splitlines()), system.calls()) == (0, 1, []), \
        "--print prints one line and installs nothing"
    assert "debootstrap" in result.stdout and "meson" not in result.stdout, \
        f"only the named list is printed\n{result.stdout}"
    assert system.setup("--print", "yum").returncode == 2, "an unknown package manager is a usage error"


@pytest.mark.parametrize("manager, release, words", (
    ("apt", DEBIAN, ["apt-get update", "apt-get install -y --no-install-recommends jq"]),
    ("dnf", FEDORA, ["dnf install -y --setopt=install_weak_deps=False jq"])))
def test_install(tmp_path_factory, manager, release, words):
    folder = tmp_path_factory.mktemp("install")
    system = System(folder, manager, release, sudo=0)
    names = system.printed(manager)
    system.write("installed", "\n".join(n for n in names if n != "jq") + "\n")
    result = system.setup()
    assert (result.returncode, system.calls()) == (0, words), f"{manager}: root installs the missing packages"
    system.program("id", "echo 1000")
    system.answer(0, "")
    system.setup()
    assert system.calls() == ["sudo", *words], f"{manager}: another user installs with sudo"
    system.write("installed", "\n".join(names) + "\n")
    system.answer(1, "")
    result = system.setup()
    assert (result.returncode, result.stdout, system.calls()) == (0, "", []), \
        f"{manager}: without missing packages, nothing is done"


def test_trouble(tmp_path_factory):
    command = "apt-get update; apt-get install -y --no-install-recommends "
    for name, user, sudo, says, words in (
            ("no sudo", 1000, None, "", ["sudo is not here", "as root: " + command]),
            ("sudo refuses", 1000, 1, "", ["sudo does not let you", command]),
            ("no network", 0, None, "E: Failed to fetch http://m/x  Could not connect to m\nE: Unable to fetch",
             ["check the network", command]),
            ("no network and no lists", 0, None, "W: Failed to fetch http://m/x\nE: Unable to locate package jq",
             ["check the network", command]),
            ("a source without the package", 0, None, "E: Unable to locate package jq\n"
             "E: Package 'linux-perf' has no installation candidate\n",
             ["no package source", " jq linux-perf: ", command]),
            ("a lock", 0, None, "E: Could not get lock /var/lib/dpkg/lock\n", ["Could not get lock", command])):
        folder = tmp_path_factory.mktemp("trouble")
        system = System(folder, "apt", DEBIAN, user=user, sudo=sudo)
        system.answer(100, says)
        one_line(system.setup(), words, f"apt: {name}")
    for name, says, words in (
            ("no network", "Curl error (6): Could not resolve hostname for https://m", ["check the network"]),
            ("a source without the package", "No match for argument: jq\nError: Unable to find a match: jq",
             ["no package source", "has jq: "])):
        folder = tmp_path_factory.mktemp("trouble")
        system = System(folder, "dnf", FEDORA)
        system.answer(1, says)
        one_line(system.setup(), [*words, "dnf install "], f"dnf: {name}")
    folder = tmp_path_factory.mktemp("trouble")
    system = System(folder, None, {"ID": "arch"})
    one_line(system.setup(), ["neither apt nor dnf", "docker build", "SETUP=true"], "neither apt nor dnf")
