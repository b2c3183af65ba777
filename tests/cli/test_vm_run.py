# SPDX-License-Identifier: MIT
"""spemu vm --run: the status and message of every rejected command, the arguments of QEMU and the
guest, and the handling of their messages. The stand-in for QEMU (fake_qemu.py) also plays the agent
in the guest. tests/vm/test_run.py uses a real one.
"""
import gzip
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, child_setup, compile_c, nm, refuses, run, write
from fake_machine import DIAGNOSTIC, Machine, READY, SUMMARY

TOTALS = ("[ spemu vm: 70 samples on 2 CPUs (50 recorded, 11 filtered, 7 collisions, 2 lost), "
          "3 interrupts ]\n")
GOOD = (("s", ""), ("exit", 0))
BASE = b"base archive!"  # 13 bytes, so the next archive must be aligned
IMAGE = b"\0" * 56 + b"ARM\x64" + b"\0" * 100


class Guest(Machine):
    """A machine that also has a packaged guest and a working directory."""

    def __init__(self, folder):
        super().__init__(folder)
        os.mkdir(f"{folder}/guest")
        for name, data in (("initrd", BASE), ("protocol", "1\n"), ("vmlinuz", IMAGE)):
            write(folder, f"guest/{name}", data)
        os.mkdir(f"{folder}/work, here")
        self.directory = os.path.realpath(f"{folder}/work, here")
        self.environment["SPEMU_VM_GUEST"] = f"{folder}/guest"

    def command(self, *options, arguments=()):
        return [SPEMU, "vm", "--qemu", self.qemu, *options, *(("--", *arguments) if arguments else ())]

    def run(self, *options, guest=GOOD, arguments=(), events=(READY, SUMMARY), data=None,
            text="true", cwd=None, **more):
        self.tells(*events)
        environment = self.env(FAKE_GUEST=json.dumps(guest), **more)
        # subprocess.run passes the input by a pipe, so the guest gets it.
        return subprocess.run(self.command("--run", text, *options, arguments=arguments),
                              env=dict(ENVIRONMENT, **environment), cwd=cwd or self.directory,
                              capture_output=True, text=True, timeout=60, check=False,
                              preexec_fn=child_setup(),
                              **({"input": data} if data is not None else
                                 {"stdin": subprocess.DEVNULL}))

    def files(self):
        """Return {name: contents} of the archive after BASE."""
        with open(f"{self.folder}/initrd", "rb") as file:
            data = file.read()
        assert data[:16] == BASE + bytes(3)
        at, found = 16, {}
        while True:
            assert data[at:at + 6] == b"070701"
            fields = [int(data[at + 6 + 8 * i:at + 14 + 8 * i], 16) for i in range(13)]
            name = data[at + 110:at + 109 + fields[11]].decode()
            at += (110 + fields[11] + 3) & ~3
            if name == "TRAILER!!!":
                return found
            found[name] = data[at:at + fields[6]] if fields[1] & 0o100000 else None
            at += (fields[6] + 3) & ~3


def shares(files):
    return files["spemu/shares"].decode().splitlines()


@pytest.fixture
def m(tmp_path):
    return Guest(tmp_path)


def test_refusals(m):
    os.mkdir(f"{m.folder}/x86")
    os.mkdir(f"{m.folder}/x86/bin")
    os.symlink("/bin/true", f"{m.folder}/x86/bin/sh")
    text = write(m.folder, "text", "x" * 100)
    bad = write(m.folder, "bzImage", b"MZ" + bytes(200))
    os.mkdir(f"{m.folder}/two\nlines")
    for name, pattern, args in (
            ("an empty command", "--run has no command; use --run 'COMMAND'", ("--run", "")),
            ("--cpus 0", "--cpus: expected a number from 1 to 8, got '0'", ("--run", "x", "--cpus", "0")),
            ("--cpus 9", "--cpus: expected a number from 1 to 8, got '9'", ("--run", "x", "--cpus", "9")),
            ("--cpus of letters", "--cpus: expected a number from 1 to 8, got 'two'", ("--run", "x", "--cpus", "two")),
            ("--memory too small", "--memory: expected a size from 256M to 128G, got '255M'",
             ("--run", "x", "--memory", "255M")),
            ("--memory in QEMU's unit", "--memory: expected a size from 256M to 128G, got '1024'", ("--run", "x", "--memory", "1024")),
            ("--memory too large", "--memory: expected a size from 256M to 128G, got '129G'", ("--run", "x", "--memory", "129G")),
            ("--timeout 0", "--timeout: expected a number from 1 to 1000000, got '0'",
             ("--run", "x", "--timeout", "0")),
            ("--timeout of letters", "--timeout: expected a number from 1 to 1000000, got 'soon'", ("--run", "x", "--timeout", "soon")),
            ("a kernel that is missing", "cannot read the kernel '/nowhere/Image': .*; correct --kernel",
             ("--run", "x", "--kernel", "/nowhere/Image")),
            ("a text as kernel", "is not an image of an arm64 kernel; use arch/arm64/boot/Image",
             ("--run", "x", "--kernel", text)),
            ("x86's kernel", "bzImage' is not an image of an arm64 kernel", ("--run", "x", "--kernel", bad)),
            ("a kernel's program", "is not an image of an arm64", ("--run", "x", "--kernel", "/bin/true")),
            ("modules without a kernel", "--modules requires --kernel FILE",
             ("--run", "x", "--modules", "/")),
            ("modules that are missing", "cannot read '.*/modules.order': .*; name the kernel's build tree",
             ("--run", "x", "--kernel", f"{m.folder}/guest/vmlinuz", "--modules", f"{m.folder}/guest")),
            ("a root that is missing", "cannot use --root '/nowhere': .*; correct it",
             ("--run", "x", "--root", "/nowhere")),
            ("a root that is a file", "--root '.*text' is not a folder", ("--run", "x", "--root", text)),
            ("a root without a shell", "--root '.*guest' has no /bin/sh for arm64; 'debootstrap",
             ("--run", "x", "--root", f"{m.folder}/guest")),
            ("a root whose shell is the host's", "has no /bin/sh for arm64",
             ("--run", "x", "--root", f"{m.folder}/x86")),
            ("a folder that is missing", "cannot use --rodir '/nowhere': .*; correct it",
             ("--run", "x", "--rodir", "/nowhere")),
            ("a file as folder", "--rwdir '.*' is not a folder; name the one that has it",
             ("--run", "x", "--rwdir", text)),
            ("the root as folder", "--rwdir '/' would hide the guest's own folder; use a folder",
             ("--run", "x", "--rwdir", "/")),
            ("/usr as folder", "--rodir '/usr' would hide", ("--run", "x", "--rodir", "/usr/share/..")),
            ("a folder of /proc", "--rodir '/proc/.*' is not a folder of files",
             ("--run", "x", "--rodir", "/proc/self")),
            ("a folder of /sys", "--rodir '/sys/.*' is not a folder of files", ("--run", "x", "--rodir", "/sys/fs")),
            ("a folder of /dev", "--rwdir '/dev/.*' is not a folder of files", ("--run", "x", "--rwdir", "/dev/shm")),
            ("a folder of two lines", "the path of --rwdir has control characters",
             ("--run", "x", "--rwdir", f"{m.folder}/two\nlines")),
            ("a folder twice", "is shared twice; leave one out",
             ("--run", "x", "--rwdir", "/tmp", "--rodir", "/tmp/.")),
            ("nine folders", "a guest takes 8 folders at most", ("--run", "x") + ("--rodir", "/tmp") * 9),
            ("--kernel alone", "--kernel requires --run COMMAND", ("--kernel", text, "--", "-S")),
            ("--modules alone", "--modules requires --kernel FILE", ("--modules", "/", "--", "-S")),
            ("--root alone", "--root requires --run COMMAND", ("--root", "/", "--", "-S")),
            ("--rwdir alone", "--rwdir requires --run COMMAND", ("--rwdir", "/", "--", "-S")),
            ("--rodir alone", "--rodir requires --run COMMAND", ("--rodir", "/", "--", "-S")),
            ("--cpus alone", "--cpus requires --run COMMAND", ("--cpus", "1", "--", "-S")),
            ("--memory alone", "--memory requires --run COMMAND", ("--memory", "1G", "--", "-S")),
            ("--append alone", "--append requires --run COMMAND", ("--append", "x", "--", "-S")),
            ("--timeout alone", "--timeout requires --run COMMAND", ("--timeout", "9", "--", "-S")),
            ("-kernel", "--run sets QEMU's -kernel itself; use --kernel",
             ("--run", "x", "--", "-kernel", "y")),
            ("-initrd", "-initrd itself; use --root", ("--run", "x", "--", "-initrd", "y")),
            ("--append of QEMU", "--append itself; use --append", ("--run", "x", "--", "--append", "y")),
            ("-nographic", "-nographic itself; use -v", ("--run", "x", "--", "-nographic")),
            ("-serial", "-serial itself; use -v", ("--run", "x", "--", "-serial", "stdio")),
            ("a command without --", "must follow '--', but 'ls' precedes it", ("--run", "x", "ls")),
            ("nine CPUs for QEMU", "-smp 9 has 9 CPUs", ("--run", "x", "--", "-smp", "9"))):
        # These arguments name unsuitable files and programs, which is not a usage error.
        outside = ("a kernel that is missing", "a text as kernel", "x86's kernel", "a kernel's program",
                   "modules that are missing", "a root that is missing", "a root that is a file", "a root without a shell",
                   "a root whose shell is the host's", "a folder that is missing", "a file as folder", "a folder of /proc",
                   "a folder of /sys", "a folder of /dev")
        refuses(f"refused: {name}", 125 if name in outside else 2, pattern, "vm", "--qemu", m.qemu, *args, env=m.env(),
                cwd=m.directory)


def test_guest_is_found(m):
    def refused(name, pattern, **more):
        refuses(name, 125, pattern, "vm", "--qemu", m.qemu, "--run", "x", env=m.env(**more),
                cwd=m.directory)

    refused("no guest", "no guest was found; 'scripts/fetch guest /.*/guest' of spemu's sources makes one there, or in "
            "another DIR, to be named with SPEMU_VM_GUEST=DIR", SPEMU_VM_GUEST="/nowhere")
    protocol = f"{m.folder}/guest/protocol"
    for text in ("2\n", "", "1"):
        write(m.folder, "guest/protocol", text)
        refused(f"a guest of another release: {text!r}", "the guest was made by a different version of spemu; make it again with "
                "'make demo-vm'")
    os.remove(protocol)
    refused("a guest of a release without one", "the guest was made by a different version")
    write(m.folder, "guest/protocol", "1\n")


def test_installed(m):
    """An installation has bin/spemu. share/spemu contains the files that scripts of the source tree
    make."""
    os.makedirs(f"{m.folder}/usr/bin")
    os.makedirs(f"{m.folder}/usr/share/spemu")
    os.mkdir(f"{m.folder}/path")
    os.symlink(sys.executable, f"{m.folder}/path/python3")  # the stand-in is Python
    with open(SPEMU, "rb") as file:
        spemu = write(m.folder, "usr/bin/spemu", file.read())
    os.chmod(spemu, 0o755)
    m.tells(READY)
    environment = dict(m.env(FAKE_GUEST=json.dumps(GOOD), PATH=f"{m.folder}/path"))
    del environment["SPEMU_VM_GUEST"]
    share = os.path.realpath(f"{m.folder}/usr") + "/share/spemu"

    def installed(*options):
        return run(spemu, "vm", *options, "--run", "x", env=environment, cwd=m.directory)

    result = installed()
    assert ((result.returncode, result.stderr) ==
            (125, f"spemu vm: no guest was found; 'scripts/fetch guest {share}/guest' of spemu's sources makes one there, "
             "or in another DIR, to be named with SPEMU_VM_GUEST=DIR\n")), \
                 "installed without a guest: the message names its place"
    os.symlink(f"{m.folder}/guest", share + "/guest")
    result = installed()
    assert ((result.returncode, result.stderr) ==
            (125, f"spemu vm: QEMU 'qemu-system-aarch64' was not found; 'scripts/fetch qemu-system {share}/qemu-system' of "
             "spemu's sources makes one there, or in another DIR, to be named with --qemu "
             "DIR/bin/qemu-system-aarch64\n")), "installed without QEMU: the message names its place"
    result = installed("--qemu", m.qemu)
    assert (result.returncode, m.given()[m.given().index("-kernel") + 1]) == (0, f"{m.folder}/usr/bin/../share/spemu/guest/vmlinuz"), \
        "an installed guest is found"
    os.makedirs(share + "/qemu-system/bin")
    os.symlink(m.qemu, share + "/qemu-system/bin/qemu-system-aarch64")
    os.remove(f"{m.folder}/arguments")
    result = installed()
    assert (result.returncode, "-kernel" in m.given()) == (0, True), "an installed QEMU is found"


def test_machine(m):
    assert m.run().returncode == 0, "a run without options succeeds"
    given = m.given()
    own = ["-m", "1024M", "-smp", "2", "-nic", "none", "-display", "none", "-monitor", "none",
           "-no-reboot"]
    assert given[8:8 + len(own)] == own, "the default machine"
    with open(f"{m.folder}/dumped") as file:
        dumped = json.load(file)["arguments"]
    assert dumped[:-2] == given[:8 + len(own)], "the first start of QEMU has the machine, but not the guest"
    rest = given[8 + len(own):]
    value = {k: [rest[i + 1] for i in range(0, len(rest), 2) if rest[i] == k] for k in rest[::2]}
    assert value["-kernel"] == [f"{m.folder}/guest/vmlinuz"], "the packaged kernel"
    assert value["-append"] == ["console=ttyAMA0 panic=-1 nokaslr quiet"], "the command line of the packaged kernel"
    assert value["-device"] == ["virtio-serial-pci", "virtserialport,chardev=spemu-port,name=spemu"], \
        "a serial port for the agent"
    assert value["-virtfs"] == ["local,path=" + m.directory.replace(",", ",,") + ",mount_tag=spemu0,"
                                "security_model=none,multidevs=remap"], "the working directory is shared, and its commas are doubled"
    m.run("--cpus", "4", "--memory", "2G", "--append", "a=b c", arguments=("-cpu", "neoverse-n1"))
    given = m.given()
    assert (given[given.index("-m") + 1], given[given.index("-smp") + 1],
            given[given.index("-append") + 1].split(" quiet ")[1], given[given.index("-cpu") + 1],
            given.count("-cpu")) == ("2048M", "4", "a=b c", "neoverse-n1", 1), \
                "--cpus, --memory, --append and arguments for QEMU apply"
    result = m.run("--strict", "--spe", "v1p5", "--seed", "7", "--inject", "collision once",
                   "--choose", "all=random", "--machine", "generic", "--trace", f"{m.folder}/trace")
    config = dict(m.config())
    assert (result.returncode, config["spe"], config["seed"], config["strict"], config["trace"],
            config["choose"], config["machine"], "inject" in config) == (0, "v1p5", "7", "yes", "yes", "all=random", "generic", True), \
        "the options of the SPU"


def test_task(m):
    text = "echo 'a' \"b\"\n\techo $c | d; `e` \\ ü"
    m.run(text=text)
    files = m.files()
    assert files == {"spemu": None, "spemu/command": text.encode(), "spemu/directory": m.directory.encode(),
                     "spemu/shares": f"rw {m.directory}\n".encode()}, \
                         "the guest gets the task, whatever bytes it contains"
    m.run(data="")
    assert m.files().get("spemu/input") == b"", "the guest gets input if it comes from a pipe"
    inside = f"{m.folder}/work, here/inside"
    os.makedirs(inside)
    os.makedirs(f"{m.folder}/other")
    real = os.path.realpath(m.folder)
    for name, options, cwd, expected in (
            ("another folder for reading", ("--rodir", f"{m.folder}/other"), None,
             [f"ro {real}/other", f"rw {m.directory}"]),
            ("the working directory for reading", ("--rodir", "."), None, [f"ro {m.directory}"]),
            ("the working directory is in one that is shared", ("--rwdir", m.directory), inside,
             [f"rw {m.directory}"]),
            ("a folder in one: the outer one first", ("--rwdir", inside, "--rodir", "."), None,
             [f"ro {m.directory}", f"rw {m.directory}/inside"])):
        m.run(*options, cwd=cwd)
        assert sorted(shares(m.files())) == sorted(expected), name
        assert [len(s) for s in shares(m.files())] == sorted(len(s) for s in shares(m.files())), \
            f"{name}: shorter paths first\n{shares(m.files())}"
        tags = [a for a in m.given() if a.startswith("local,")]
        assert [("ro" if t.endswith(",readonly=on") else "rw",
                 re.search("mount_tag=([^,]*)", t)[1]) for t in tags] == [(s[:2], f"spemu{i}") for i, s in enumerate(shares(m.files()))], \
            f"{name}: QEMU gets a device for each folder"
    # A root file system for arm64. Its shell is an absolute link, which leads to a program within
    # this root.
    root = f"{m.folder}/root"
    os.makedirs(root + "/usr/bin")
    program = compile_c(m.folder, "shell", "int main(void) { return 0; }\n", "-static")
    os.rename(program, root + "/usr/bin/dash")
    os.symlink("/usr/bin", root + "/bin")
    os.symlink("dash", root + "/usr/bin/sh")
    assert (m.run("--root", root).returncode, m.files().get("spemu/root")) == (0, b""), "--root is passed to the guest"
    assert ([a for a in m.given() if "mount_tag=spemu-root" in a] ==
            [f"local,path={os.path.realpath(root)},mount_tag=spemu-root,security_model=none,"
             "multidevs=remap,readonly=on"]), "the guest cannot write to the root"


def module(depends):
    return b"\x7fELF...\0license=GPL\0depends=" + depends + b"\0vermagic=7\0"


def list_of(files):
    return files.get("modules/arm_spe_pmu.load", b"").decode().split()


def test_own_kernel(m):
    tree = f"{m.folder}/linux"
    os.makedirs(tree + "/arch/arm64/boot")
    for name in ("drivers/perf", "drivers/virtio", "fs/9p", "net/9p"):
        os.makedirs(f"{tree}/{name}")
    image = write(m.folder, "linux/arch/arm64/boot/Image", IMAGE)
    assert (m.run("--kernel", image).returncode, list_of(m.files())) == (0, []), \
        "for a tree without modules, none is loaded"
    written = {"drivers/perf/arm_spe_pmu": b"", "drivers/virtio/virtio-pci": b"virtio_ring,virtio",
               "drivers/virtio/virtio_ring": b"virtio", "drivers/virtio/virtio": b"",
               "fs/9p/9p": b"9pnet", "net/9p/9pnet": b"", "drivers/perf/other": b""}
    for name, depends in written.items():
        write(m.folder, f"linux/{name}.ko", module(depends))
    expected = ["arm_spe_pmu", "virtio", "virtio_ring", "virtio_pci", "9pnet", "9p"]
    for suffix, prefix in ((".o", ""), (".ko", "kernel/")):
        write(m.folder, "linux/modules.order", "".join(f"{prefix}{n}{suffix}\n" for n in written))
        assert (m.run("--kernel", image).returncode, list_of(m.files())) == (0, expected), \
            f"modules of a build tree, listed as {suffix}: required modules come first"
    files = m.files()
    assert files["modules/virtio_pci.ko"] == module(b"virtio_ring,virtio"), "a module is unchanged"
    assert [n for n in files if n.endswith(".load") and files[n]] == ["modules/arm_spe_pmu.load"], \
        "modules of the packaged kernel are not loaded"
    given = m.given()
    assert given[given.index("-kernel") + 1] == os.path.realpath(image), "QEMU gets the image of the build tree"
    write(m.folder, "linux/fs/9p/9p.ko", module(b"9pnet,9p"))
    assert m.run("--kernel", image).returncode == 0, "a module that requires itself is accepted"
    os.makedirs(f"{m.folder}/inst/boot")
    os.makedirs(f"{m.folder}/inst/lib/modules")
    os.symlink(tree, f"{m.folder}/inst/lib/modules/7.7.7")
    installed = write(m.folder, "inst/boot/vmlinuz-7.7.7", IMAGE)
    m.run("--kernel", installed)
    assert "virtio_pci" in list_of(m.files()), "modules of an installed kernel are loaded"
    alone = write(m.folder, "alone", IMAGE)
    m.run("--kernel", alone, "--modules", tree)
    assert "virtio_pci" in list_of(m.files()), "--modules names the folder of modules"
    for head in (b"\x1f\x8b" + bytes(100), b"MZ\0\0zimg" + bytes(100)):
        write(m.folder, "packed", head)
        assert m.run("--kernel", f"{m.folder}/packed").returncode == 0, \
            f"a kernel that begins with {head[:8]!r} is accepted"


def test_package(m):
    """An unpacked kernel package has compressed modules. Since Linux 7.0, it has no
    modules.order."""
    folder = "root/usr/lib/modules/7.7.7"
    for name in ("root/boot", f"{folder}/kernel/fs/9p", f"{folder}/kernel/net"):
        os.makedirs(f"{m.folder}/{name}")
    compressors = {".gz": gzip.compress, ".xz": lzma.compress}
    if not shutil.which("xz"):
        del compressors[".xz"]
    for suffix, compress in compressors.items():
        write(m.folder, f"{folder}/kernel/fs/9p/9p.ko{suffix}", compress(module(b"9pnet")))
        write(m.folder, f"{folder}/kernel/net/9pnet.ko{suffix}", compress(module(b"")))
        for kernel in (f"{folder}/vmlinuz", "root/boot/vmlinuz-7.7.7"):
            m.run("--kernel", write(m.folder, kernel, IMAGE))
            files = m.files()
            assert (list_of(files), files.get("modules/9p.ko")) == (["9pnet", "9p"], module(b"9pnet")), f"{kernel}: modules of {suffix}"
        for name in ("fs/9p/9p.ko", "net/9pnet.ko"):
            os.remove(f"{m.folder}/{folder}/kernel/{name}{suffix}")

    def refused(name, pattern, **more):
        refuses(name, 125, pattern, "vm", "--qemu", m.qemu, "--kernel", f"{m.folder}/{folder}/vmlinuz", "--run", "x",
                env=m.env(**more), cwd=m.directory)

    refused("no module at all", "cannot read '.*/7.7.7/modules.order': .*; name the kernel's build tree")
    write(m.folder, f"{folder}/kernel/fs/9p/9p.ko.gz", gzip.compress(module(b""))[:-9])
    refused("a compressed module that is cut", "/gzip cannot uncompress the module .*/9p.ko.gz; name the kernel's build "
            "tree with --modules")
    refused("a compressed module, and nothing that reads it", "the module .*/9p.ko.gz is compressed, and 'gzip' is not "
            "in PATH; install it, or name the kernel's build tree", PATH="/nowhere")


def test_symbols(m):
    source = "void inside(void) { __asm__(\"nop; nop\"); }\nint main(void) { inside(); return 0; }\n"
    vmlinux = compile_c(m.folder, "vmlinux", source, "-static")
    at = nm(vmlinux)["inside"]
    event = dict(DIAGNOSTIC, pc=hex(at + 4))
    write(m.folder, "guest/symbols", f"{at:016x} T packaged\n{at + 64:016x} T next\n")
    result = m.run("--strict", events=(READY, event, SUMMARY))
    assert "packaged+0x4 on CPU 1" in result.stderr, f"the packaged kernel's symbols\n{result.stderr}"
    os.makedirs(f"{m.folder}/own/arch/arm64/boot")
    image = write(m.folder, "own/arch/arm64/boot/Image", IMAGE)
    result = m.run("--strict", "--kernel", image, events=(READY, event, SUMMARY))
    assert "packaged" not in result.stderr and f"at {at + 4:#x} on CPU 1" in result.stderr, \
        f"another kernel does not get these symbols\n{result.stderr}"
    os.rename(vmlinux, f"{m.folder}/own/vmlinux")
    result = m.run("--strict", "--kernel", image, events=(READY, event, SUMMARY))
    assert "inside+0x4 on CPU 1" in result.stderr, f"a build tree has its own symbols\n{result.stderr}"
    assert m.run("--strict", "--error-exitcode", "9", events=(READY, event, SUMMARY)).returncode == 9, \
        "--error-exitcode applies if the command succeeded"
    assert m.run("--strict", "--error-exitcode", "9", events=(READY, event, SUMMARY),
                 guest=(("s", ""), ("exit", 3))).returncode == 3, "the status of a failed command has priority"


def test_output(m):
    result = m.run(guest=(("console", "kernel\n"), ("s", ""), ("o", "out\n"), ("e", "err\n"),
                          ("o", "more"), ("exit", 0)))
    assert (result.returncode, result.stdout, result.stderr) == (0, "out\nmore", "err\n" + TOTALS), \
        "output and errors are separate, without the console and QEMU's own output"
    result = m.run("-q", guest=(("s", ""), ("says", "QEMU: careful"), ("prints", "QEMU's help"),
                                ("exit", 0)))
    assert (result.stdout, result.stderr) == ("", "QEMU: careful\nQEMU's help\n"), "messages of QEMU are on standard error"
    for status in (0, 1, 77, 125, 137, 255):
        assert m.run("-q", guest=(("s", ""), ("exit", status))).returncode == status, \
            f"the command's status {status} is passed on"
    assert m.run("-q", guest=(("s", ""), ("exit", 0)), FAKE_STATUS="1").returncode == 0, \
        "the status of the command overrides that of QEMU"
    result = m.run("-q", guest=(("s", ""), ("much", 10_000_000), ("exit", 0)))
    assert (result.returncode, len(result.stdout), set(result.stdout)) == (0, 10_000_000, {"x"}), \
        "10 MB of output arrive"
    result = m.run("-q", guest=(("raw", "7300000000" "6f02000000" "6869" "6500000000" "7801000000" "05"),
                                ("sleep", 0.2)))
    assert (result.returncode, result.stdout) == (5, "hi"), "frames that arrive byte by byte"
    result = m.run("-q", guest=(("w", "no SPU\x1b[2J here"), ("s", ""), ("exit", 0)))
    assert (result.returncode, result.stderr) == (0, ""), "-q suppresses warnings"
    result = m.run(guest=(("w", "no SPU\x1b[2J here"), ("s", ""), ("exit", 0)))
    assert result.stderr.splitlines()[0] == "spemu vm: no SPU?[2J here", "a warning is shown without control characters"
    result = m.run("-v", guest=(("console", "Booting\r\n"), ("s", ""), ("exit", 0)))
    assert ("Booting\r\n" in result.stderr.replace("\n", "\r\n").replace("\r\r", "\r") and
            " quiet" not in m.given()[m.given().index("-append") + 1] and not result.stdout), \
        f"-v shows the console on standard error\n{result.stderr}"


def test_input(m):
    text = "line\n" * 100_000
    result = m.run("-q", guest=(("s", ""), ("echo", None), ("exit", 0)), data=text)
    assert (result.returncode, result.stdout) == (0, text), "input of 500 KB arrives, and its end"
    result = m.run("-q", guest=(("s", ""), ("echo", None), ("exit", 0)), data="")
    assert (result.returncode, result.stdout) == (0, ""), "empty input is accepted"
    result = m.run("-q", guest=(("s", ""), ("sleep", 0.3), ("exit", 4)), data="x" * 5_000_000)
    with open(f"{m.folder}/after") as file:
        kinds = json.load(file)
    assert (result.returncode, kinds[-1], set(kinds[:-1])) == (4, "d", {"i"}), \
        "input that is not read does not delay the end of the guest"


def test_ends(m):
    cases = (
        ("a guest that powers off", (("s", ""), ("console", "\nreboot: Power down\n")),
         "the guest ended before the command did: reboot: Power down; -v shows its console"),
        ("a guest that says nothing", (("s", ""),),
         "the guest ended before the command did; -v shows its console"),
        ("a panic", (("s", ""), ("console", "x\n[ 1.2] Kernel panic - not syncing: Oops\x1b[0m\nend\n")),
         r"the guest's kernel panicked: not syncing: Oops\?\[0m; -v shows its console"),
        ("a failure", (("f", "the guest's kernel lacks CONFIG_9P_FS"), ("sleep", 0.2)),
         "the guest's kernel lacks CONFIG_9P_FS"),
        ("a failure before there is a port",
         (("console", "\nspemu: the guest's kernel lacks CONFIG_VIRTIO_CONSOLE\r\n"),),
         "the guest's kernel lacks CONFIG_VIRTIO_CONSOLE"),
        ("what is not a frame", (("raw", "7100000000"), ("sleep", 5)),
         "unknown message from the guest's agent"),
        ("a frame that is too large", (("raw", "6f01000100"), ("sleep", 5)),
         "unknown message from the guest's agent"),
        ("a status without a byte", (("s", ""), ("x", "")), "the guest ended before the command did"))
    for name, guest, pattern in cases:
        result = m.run("-q", guest=guest)
        assert result.returncode == 125 and re.fullmatch(f"spemu vm: {pattern}.*\n", result.stderr), \
            f"{name}\n{result.returncode} {result.stderr}"
    result = m.run("-q", guest=(), events=(), FAKE_STATUS="1")
    assert (result.returncode, result.stderr) == (125, ""), "the message of a QEMU that cannot start is enough"
    result = m.run("-q", FAKE_DUMP="fails")
    assert (result.returncode, result.stderr) == (125, "fake: no such machine\n"), "QEMU refuses its arguments in its own words"
    for name, options, guest, status, pattern, least, most in (
            ("a command that takes too long", ("--timeout", "1"), (("s", ""), ("sleep", 30)), 124,
             "the command had not ended after 1 s, and the guest was stopped; use a larger --timeout",
             1, 8),
            ("a boot that takes too long", ("--timeout", "1"), (("sleep", 30),), 124,
             "the command had not ended after 1 s", 1, 8),
            ("a QEMU that does not end", ("--timeout", "1"), (("deaf", ""), ("sleep", 30)), 124,
             "the command had not ended", 11, 25)):
        begin = time.monotonic()
        result = m.run("-q", *options, guest=guest)
        took = time.monotonic() - begin
        assert (result.returncode == status and re.search(f"^spemu vm: {pattern}", result.stderr) and
                result.stderr.count("\n") == 1 and least <= took <= most), f"{name}\n{result.returncode} {took:.1f} s\n{result.stderr}"


def start(m, *options, guest, **more):
    environment = dict(ENVIRONMENT, **m.env(FAKE_GUEST=json.dumps(guest)))
    return subprocess.Popen(m.command("-q", "--run", "x", *options), env=environment, cwd=m.directory,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=child_setup(), **more)


def test_signals(m):
    m.tells(READY)
    guest = (("s", ""), ("o", "ready\n"), ("sleep", 30))
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        child = start(m, guest=guest)
        child.stdout.readline()
        child.send_signal(sig)
        errors = child.communicate(timeout=20)[1]
        assert child.returncode == -sig, f"{sig.name} ends QEMU and spemu by this signal"
        assert "spemu vm:" not in errors, f"{sig.name}: no message\n{errors}"
    child = start(m, guest=(("s", ""), ("o", "first\n"), ("sleep", 0.3), ("much", 10_000_000),
                            ("sleep", 30)))
    child.stdout.readline()
    child.stdout.close()
    assert child.wait(timeout=20) == -signal.SIGPIPE, "without a reader of the output, spemu ends by SIGPIPE"
    child.stderr.close()
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run(m.command("-q", "--run", "x"), cwd=m.directory, stdout=full,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False,
                                env=dict(ENVIRONMENT, **m.env(FAKE_GUEST=json.dumps(guest))), timeout=60)
    assert (result.returncode, result.stderr) == (125, "spemu vm: cannot write the command's output: No space left on device\n"), \
        "a full disk is reported"
