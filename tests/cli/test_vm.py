# SPDX-License-Identifier: MIT
"""spemu vm: the status and message of every rejected command, the arguments of QEMU and the plugin,
and the handling of the plugin's messages. A stand-in plays QEMU (fake_qemu.py). The tests of
tests/vm use a real guest.
"""
import json
import os
import re
import signal
import struct
import subprocess
import time

import clilib
import fdt

import pytest
from clilib import ENVIRONMENT, SPEMU, compile_c, nm, refuses, spemu, write
from fake_machine import DIAGNOSTIC, GIC, Machine, READY, SUMMARY, tree
from tracelib import trace_events


@pytest.fixture(scope="module")
def vmlinux(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("vmlinux"), "vmlinux", "void inside(void) { __asm__(\"nop; nop; nop\"); }\n"
                     "int main(void) { inside(); return 0; }\n", "-static")


@pytest.fixture
def m(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("name, pattern, args", (
    ("no arguments", "no arguments for QEMU; use 'spemu vm -- ", ()),
    ("none after --", "no arguments for QEMU", ("--",)),
    ("no --", "must follow '--', but 'kernel' precedes it", ("kernel",)),
    ("unknown option", "unknown option '--trcae'; did you mean '--trace'", ("--trcae", "x")),
    ("SPE level", "--spe: expected v1p0, v1p1, v1p2, v1p3, v1p4 or v1p5, got 'v1p6'", ("--spe", "v1p6")),
    ("max-size of no power", "--max-size: expected a power of two from 64 to 2048, got '96'",
     ("--max-size", "96")),
    ("max-size too small", "--max-size: expected a power of two from 64 to 2048, got '32'",
     ("--max-size", "32")),
    ("max-size too large", "--max-size: expected a power of two from 64 to 2048, got '4096'", ("--max-size", "4096")),
    ("align too large", "--align: expected a power of two from 1 to 2048, got '4096'",
     ("--align", "4096")),
    ("align no number", "--align: expected a power of two from 1 to 2048, got 'big'", ("--align", "big")),
    ("align above the size", "aligned to 256 bytes are larger than --max-size 128; use "
     "--max-size 256", ("--align", "256", "--max-size", "128")),
    ("layout's align above the size", "aligned to 64 bytes|aligned to 128",
     ("--layout", "neoverse,align=128", "--max-size", "64")),
    ("count size", "--count-size: expected 12 or 16, got '14'", ("--count-size", "14")),
    ("interval", "--min-interval: expected 256, 512, 768, 1024, 1536, 2048, 3072 or 4096, got '300'", ("--min-interval", "300")),
    ("layout", "unknown layout 'dence'; did you mean 'dense'", ("--layout", "dence")),
    ("layout's change", "'wide' is not an option of a layout; see --layout in 'man spemu-vm'",
     ("--layout", "dense,wide")),
    ("machine", "unknown machine 'neoverse-n7'; did you mean", ("--machine", "neoverse-n7")),
    ("choice", "unknown choice", ("--choose", "nothing=1")),
    ("seed", "--seed: expected a number, got 'x'", ("--seed", "x")),
    ("PMU snapshots", "--pmu-snapshot: expected yes or no, got 'maybe'", ("--pmu-snapshot", "maybe")),
    ("alternate clock", "--alternate-clock: expected smcu or impdef, got 'cpu'", ("--alternate-clock", "cpu")),
    ("alternate clock without latencies", "--alternate-clock requires --machine PROFILE", ("--alternate-clock", "impdef")),
    ("alternate clock of no mode", "--alternate-clock smcu requires --sme",
     ("--alternate-clock", "smcu", "--machine", "generic")),
    ("injection", "--inject 'buffer-ful once': unknown event .*; see 'inject' in 'man "
     "spemu-scenario'", ("--inject", "buffer-ful once")),
    ("injection without when", "--inject 'collision': at ADDRESS, once",
     ("--inject", "collision")),
    ("two in one injection", "one injection expected",
     ("--inject", "collision once; inject collision once")),
    ("no injection", "one injection expected", ("--inject", "none")),
    ("too many injections", "takes 8 --inject at most", ("--inject", "collision once") * 9),
    ("exit status", "--error-exitcode: expected a number from 1 to 255, got '256'", ("--error-exitcode", "256")),
    ("trace", "cannot write '/nowhere/x': .*; name another file with --trace",
     ("--trace", "/nowhere/x")),
    ("a trace's limit that is small", "--trace-limit: expected a size, 64K or more, got '63K'",
     ("--trace", "x", "--trace-limit", "63K")),
    ("a trace's limit that is none", "--trace-limit: expected a size, 64K or more, got 'x'",
     ("--trace", "x", "--trace-limit", "x")),
    ("a trace's form", "--trace-format: expected text or perfetto, got 'json'",
     ("--trace", "x", "--trace-format", "json")),
    ("a form without a trace", "--trace-format requires --trace FILE",
     ("--trace-format", "perfetto")),
    ("a limit without a trace", "--trace-limit requires --trace FILE",
     ("--trace-limit", "64K")),
    ("suppressions", "/nowhere/s", ("--suppressions", "/nowhere/s")),
    ("reports", "cannot write '/nowhere/x': .*; name another file with --report",
     ("--report", "/nowhere/x")),
    ("vmlinux", "cannot read '/nowhere/v': .*; correct --vmlinux", ("--vmlinux", "/nowhere/v")),
    ("vmlinux with an address", "cannot read '/nowhere/v': ", ("--vmlinux", "/nowhere/v@0x1000")),
    ("no address", "--vmlinux '/nowhere/v@top': 'top' is not an address; use FILE@ADDRESS",
     ("--vmlinux", "/nowhere/v@top")),
    ("no image", "'/dev/null'", ("--vmlinux", "/dev/null@0x1000"))))
def test_options(m, name, pattern, args):
    tail = args if name in ("no arguments", "none after --", "no --") else \
        (*args, "--", "-nographic")
    # These arguments name unsuitable files and programs, which is not a usage error.
    outside = ("trace", "suppressions", "reports", "vmlinux", "vmlinux with an address", "no image")
    refuses(f"refused: {name}", 125 if name in outside else 2, pattern, "vm", "--qemu", m.qemu, *tail, env=m.env())


def test_qemu(m):
    for version in ("7.2.13 (Debian)", "10.1.0", "11.0.3", "11.10.0", "100.0.1"):
        refuses(f"QEMU {version}", 125,
                rf"fake_qemu.py is QEMU {re.escape(version.split()[0])}, but spemu vm "
                "requires 10.0 or 11.1; 'scripts/fetch qemu-system /.*/qemu-system' of spemu's sources makes one there, "
                "or in another DIR, to be named with --qemu DIR/bin/qemu-system-aarch64", "vm", "--qemu", m.qemu, "--", "-S",
                env=m.env(FAKE_VERSION=version))
    refuses("no such QEMU", 125, "QEMU '/nowhere/qemu' was not found; 'scripts/fetch qemu-system /.*/qemu-system'",
            "vm", "--qemu", "/nowhere/qemu", "--", "-S", env=m.env())
    refuses("no QEMU in PATH", 125, "QEMU 'qemu-nothing' was not found", "vm", "--qemu",
            "qemu-nothing", "--", "-S", env=m.env())
    refuses("no such plugin", 125, "cannot use SPEMU_VM_PLUGIN '/nowhere': .*; unset it", "vm",
            "--qemu", m.qemu, "--", "-S", env=m.env(SPEMU_VM_PLUGIN="/nowhere"))
    folder = f"{m.folder}/bin"
    os.mkdir(folder)
    os.symlink(m.qemu, folder + "/qemu-system-aarch64")
    m.tells(READY)
    assert spemu("vm", "--", "-nographic",
                 env=m.env(PATH=folder + ":" + ENVIRONMENT["PATH"])).returncode == 0, "QEMU is found in PATH"


@pytest.mark.parametrize("name, pattern, args", (
    ("-enable-kvm", "with -enable-kvm .* no SPU", ("-enable-kvm",)),
    ("--enable-kvm", "with -enable-kvm", ("--enable-kvm",)),
    ("-accel kvm", "accelerator 'kvm' .*; use -accel tcg", ("-accel", "kvm")),
    ("-accel kvm with properties", "accelerator 'kvm'", ("-accel", "kvm,dirty-ring-size=8")),
    ("-accel hvf", "accelerator 'hvf'", ("-accel", "hvf")),
    ("-accel accel=kvm", "accelerator 'kvm'", ("-accel", "accel=kvm")),
    ("one thread", "thread=single .*; use thread=multi", ("-accel", "tcg,thread=single")),
    ("accel=kvm", "accelerator 'kvm'", ("-M", "virt,accel=kvm")),
    ("accel=kvm:tcg", "accelerator 'kvm'", ("-machine", "accel=kvm:tcg,type=virt")),
    ("another machine", "machine 'sbsa-ref' .*; use -machine virt", ("-M", "sbsa-ref")),
    ("another machine by type=", "machine 'raspi3b'", ("-machine", "type=raspi3b")),
    ("GICv2", "gic-version=2: .* needs a GICv3; use gic-version=3",
     ("-M", "virt,gic-version=2")),
    ("the host's GIC", "gic-version=host", ("-M", "virt", "-M", "gic-version=host")),
    ("nine CPUs", "-smp 9 has 9 CPUs, .* at most 8; use -smp 8", ("-smp", "9")),
    ("nine by cpus=", "has 9 CPUs", ("-smp", "maxcpus=12,cpus=9")),
    ("sixteen by topology", "has 16 CPUs", ("-smp", "sockets=2,cores=4,threads=2")),
    ("-icount", "-icount .*; leave it out", ("-icount", "shift=1")),
    ("-daemonize", "-daemonize .*; leave it out", ("-daemonize",))))
def test_wrong_qemu(m, name, pattern, args):
    refuses(f"refused: {name}", 2, pattern, "vm", "--qemu", m.qemu, "--", *args, env=m.env())


@pytest.mark.parametrize("args", (("-accel", "tcg,thread=multi"), ("-accel", "accel=tcg,thread=multi"), ("-accel", "tcg,tb-size=64"), ("-M", "virt,accel=tcg"), ("-M", "virt-10.0"),
                                  ("-M", "virt,gic-version=4,virtualization=on"), ("-smp", "8"),
                                  ("-smp", "sockets=1,cores=4,threads=2"), ("-append", "-enable-kvm"),
                                  ("-M", "virt,secure=on")))
def test_accelerator(m, args):
    result = m.vm(arguments=args)
    assert (result.returncode, m.given()[-4 - len(args):-4]) == (0, list(args)), f"accepted and passed on: {' '.join(args)}"


def test_command_line(m):
    assert m.vm(arguments=("-m", "1G")).returncode == 0, "a run without options succeeds"
    given = m.given()
    assert given[:10] == ["-machine", "virt", "-machine", "gic-version=3", "-machine", "acpi=off",
                          "-cpu", "max,pauth-impdef=on", "-m", "1G"], "missing arguments get defaults"
    assert (given[10], given[12]) == ("-dtb", "-plugin"), "the device tree and the plugin are the last arguments"
    assert given[13].startswith(m.plugin.replace(",", ",,") + ",config="), f"a comma in the plugin's path is doubled\n{given[13]}"
    with open(f"{m.folder}/dumped") as file:
        dumped = json.load(file)
    assert dumped["arguments"][:-2] == given[:10], "QEMU makes the device tree with the same arguments"
    assert dumped["file"].startswith(f"{m.folder}/tmp,,1"), \
        f"the device tree is in a folder of TMPDIR\n{dumped['file']}"
    assert dumped["terminal"] == "/dev/null", "the first start of QEMU does not use the terminal"
    assert os.listdir(f"{m.folder}/tmp,1") == [], "nothing is left in TMPDIR"
    m.vm(arguments=("-M", "virt,gic-version=4,acpi=on", "-cpu", "neoverse-n1"))
    assert m.given()[:4] == ["-M", "virt,gic-version=4,acpi=on", "-cpu", "neoverse-n1"], "given arguments are kept"
    m.vm(arguments=("-machine", "secure=on",))
    assert m.given()[:2] == ["-machine", "virt"], "a -machine without a type gets the default type"


def test_config(m):
    m.vm()
    config = m.config()
    assert [c for c in config if c[0] != "events-fd"] == [("ppi", "21")], "the default configuration"
    m.vm("--spe", "v1p5", "--max-size", "1K", "--align", "128", "--count-size", "16",
         "--min-interval", "4096", "--layout", "words,order=pc:events", "--machine", "generic",
         "--choose", "all=random", "--choose", "reserved-nspb=realm", "--seed", "0x10",
         "--sme", "--alternate-clock", "smcu", "--strict", "--vm-rules", "--pmu-snapshot", "no", "--trace", f"{m.folder}/t")
    assert (sorted(c for c in m.config() if c[0] != "events-fd") ==
            sorted([("spe", "v1p5"), ("ppi", "21"), ("max-size", "1024"),
                    ("layout", "words,order=pc:events"), ("align", "128"), ("count-size", "16"),
                    ("min-interval", "4096"), ("seed", "16"), ("machine", "generic"),
                    ("choose", "all=random"), ("choose", "reserved-nspb=realm"),
                    ("pmu-snapshot", "no"), ("strict", "yes"),
                    ("vm-rules", "yes"), ("sme", "yes"), ("alternate-clock", "smcu"),
                    ("trace", "yes")])), "every option reaches the plugin"
    m.vm("--layout", "neoverse,align=256")
    assert ("max-size", "256") in m.config(), f"the maximal record size is at least the alignment\n{m.config()}"
    m.vm("--machine", "none")
    assert [c for c in m.config() if c[0] == "machine"] == [("machine", "none")], "--machine none reaches the plugin"
    m.vm("--inject", "impdef mss=0x12 mss2=0x3456 nth 7", "--inject", "collision rate 9 times 2")
    injections = [bytes.fromhex(v) for k, v in m.config() if k == "inject"]
    # struct spemu_injection: size, when, event, mss, mss2, times, (4 bytes), nth, first, last, rate
    fields = [struct.unpack_from("<QBBHIIxxxxQQQI", i) for i in injections]
    assert ([(f[0] == len(i), *f[1:7]) for f, i in zip(fields, injections)] ==
            [(True, 0, 4, 0x12, 0x3456, 1, 7), (True, 2, 5, 0, 0, 2, 1)]), \
                "injections have the layout of struct spemu_injection"
    assert fields[1][9] == 9, "the rate of an injection"


def test_tree(m):
    expected = {"compatible": b"arm,statistical-profiling-extension-v1\0",
                "interrupts": fdt.cells(1, 5, 4), "interrupt-parent": fdt.cells(GIC)}
    m.vm()
    properties, children = m.node()
    assert children.pop("spe-pmu", None) == (expected, {}), "the node of the SPU: PPI 5, level-sensitive, active high"
    assert (properties, children) == fdt.read(tree()), "the rest of the tree is unchanged"
    own = write(m.folder, "own.dtb", tree(cells=4))
    before = tree(cells=4)
    os.remove(f"{m.folder}/dumped")
    m.vm(arguments=("-dtb", own, "-m", "1G"))
    assert m.node()[1]["spe-pmu"][0]["interrupts"] == fdt.cells(1, 5, 4, 0), \
        "a tree of the user, and a GIC with four interrupt cells"
    assert own not in m.given() and m.given().count("-dtb") == 1, f"QEMU gets only the changed copy\n{m.given()}"
    assert not os.path.exists(f"{m.folder}/dumped"), "with a tree of the user, QEMU is started once"
    with open(own, "rb") as file:
        assert file.read() == before, "the user's file is not changed"
    write(m.folder, "own.dtb", tree(spe=dict(expected, interrupts=fdt.cells(1, 9, 4))))
    m.vm(arguments=("--dtb", own))
    assert (m.node()[1].get("old-name"), "spe-pmu" in m.node()[1]) == ((expected, {}), False), "an existing node gets the interrupt"
    for name, data, pattern in (
            ("GICv2", tree(gic="arm,cortex-a15-gic"), "has no GICv3 .*; use one of -machine virt"),
            ("nothing", b"", "is not a device tree"),
            ("text", b"/dts-v1/; / { };\n" * 9, "is not a device tree"),
            ("cut short", tree()[:-40], "is not a device tree, or damaged; leave -dtb out"),
            ("damaged", tree()[:60] + b"\xff" * 40 + tree()[100:], "is not a device tree")):
        write(m.folder, "own.dtb", data)
        refuses(f"a device tree of {name}", 125, pattern, "vm", "--qemu", m.qemu, "--", "-dtb", own,
                env=m.env())
    refuses("a device tree that is missing", 125,
            "cannot read the device tree '/nowhere/tree': .*; correct -dtb, or leave it out", "vm",
            "--qemu", m.qemu, "--", "-dtb", "/nowhere/tree", env=m.env())
    refuses("TMPDIR that is missing", 125, "cannot make a folder '/nowhere/.*; set TMPDIR", "vm",
            "--qemu", m.qemu, "--", "-S", env=m.env(TMPDIR="/nowhere"))


def test_status(m):
    for status in (0, 1, 3, 77):
        assert m.vm(FAKE_STATUS=str(status)).returncode == status, f"QEMU's exit status {status}"
    assert m.vm(FAKE_STATUS="-15").returncode == -15, "QEMU's end by a signal is passed on"
    result = m.vm(FAKE_DUMP="fails")
    assert (result.returncode, result.stderr) == (1, "fake: no such machine\n"), "QEMU refuses its arguments in its own words"
    result = m.vm(FAKE_DUMP="help", arguments=("-M", "help"))
    assert (result.returncode, result.stderr) == (0, "the help\n"), "QEMU prints its own help"
    result = m.vm(events=())
    assert (result.returncode, "did not start the plugin" in result.stderr) == (125, True), \
        "a missing message of the plugin is reported"
    result = m.vm(events=({"type": "error", "text": "cause; remedy"},), FAKE_STATUS="1")
    assert (result.returncode, result.stderr) == (125, "spemu vm: cause; remedy\n"), "an error of the plugin is shown"
    warning = {"type": "warning", "vcpu": 0, "pc": "0x10", "text": "cause; remedy"}
    result = m.vm(events=(READY, warning, SUMMARY))
    assert (result.returncode, result.stderr.splitlines()[0]) == (0, "spemu vm: cause; remedy"), \
        "a warning of the plugin is shown"
    assert m.vm("-q", events=(READY, warning, SUMMARY)).stderr == "", "-q suppresses warnings of the plugin"
    result = m.vm(events=("{\"type\":", READY))
    assert result.returncode == 0 and "unknown message from the plugin: {\"type\":" in result.stderr, \
        f"a message that is not JSON is reported\n{result.stderr}"
    result = m.vm()
    assert result.stdout == "guest output\n", "QEMU's output is unchanged"
    assert (result.stderr ==
            "[ spemu vm: 70 samples on 2 CPUs (50 recorded, 11 filtered, 7 collisions, "
            "2 lost), 3 interrupts ]\n"), "the totals"
    assert m.vm(events=(READY, SUMMARY, dict(SUMMARY, vcpu=1))).stderr.split()[3] == "140", "the totals cover all CPUs"
    assert m.vm("-q").stderr == "", "-q suppresses the totals"
    assert "argument 0: " in m.vm("-v").stderr, "-v shows the arguments"


def test_reports(m, vmlinux):
    inside = nm(vmlinux)["inside"]
    at = dict(DIAGNOSTIC, pc=hex(inside + 4))
    text = ("interval-below-minimum (RABCDE)\n"
            f"    at {inside + 4:#x} inside+0x4 on CPU 1\n"
            "    PMSIRR_EL1.INTERVAL=0x7\n"
            "    cause: Software did it.\n    remedy: It should not.\n")
    result = m.vm("--strict", "--vmlinux", vmlinux, events=(READY, at, SUMMARY))
    assert (result.returncode, result.stderr.split("[ spemu")[0]) == (0, text), "a report is shown as text"
    assert result.stderr.endswith("\n1 diagnostics, 0 suppressed\n"), f"a line counts the reports\n{result.stderr}"
    assert m.vm("--error-exitcode", "42", events=(READY, at)).returncode == 42, \
        "--error-exitcode sets the status if there are reports"
    assert m.vm("--error-exitcode", "42", events=(READY,)).returncode == 0, \
        "--error-exitcode has no effect without reports"
    assert m.vm("--error-exitcode", "42", events=(READY, at), FAKE_STATUS="5").returncode == 5, \
        "QEMU's own status has priority"
    known = write(m.folder, "known", "interval-below-minimum symbol=ins*\n")
    result = m.vm("--error-exitcode", "42", "--suppressions", known, "--vmlinux", vmlinux,
                  "--sarif", f"{m.folder}/sarif", "--strict", events=(READY, at))
    assert (result.returncode, "0 diagnostics, 1 suppressed" in result.stderr) == (0, True), \
        "a suppressed report is counted"
    with open(f"{m.folder}/sarif") as file:
        assert len(json.load(file)["runs"][0]["results"]) == 1, "the SARIF log has the report"
    access = {"type": "access", "vcpu": 0, "pc": hex(inside), "el": 1, "security": "Non-secure",
              "write": True, "register": "PMSCR_EL1", "value": "0x1", "outcome": "ok"}
    other = dict(access, pc="0x10")
    m.vm("--trace", f"{m.folder}/trace", "--vmlinux", vmlinux,
         events=(READY, access, other, at, SUMMARY))
    with open(f"{m.folder}/trace") as file:
        lines = [json.loads(line) for line in file]
    assert lines == [READY, dict(access, symbol="inside+0x0"), other, dict(at, symbol="inside+0x4"),
                     SUMMARY], "the trace has every line, with the known symbols"
    mask = os.umask(0)
    os.umask(mask)
    assert os.stat(f"{m.folder}/trace").st_mode & 0o777 == 0o666 & ~mask, "the trace is an ordinary file"
    listing = write(m.folder, "kallsyms", f"0000000000000008 T before\n{inside:016x} t $x\n"
                    f"{inside:016x} t inner\t[module]\n{inside + 64:016x} D data\n"
                    f"{inside + 8:016x} W after\n")
    m.vm("--trace", f"{m.folder}/trace", "--vmlinux", os.path.relpath(listing),
         events=(READY, access, at, dict(at, pc=hex(inside + 12))))
    with open(f"{m.folder}/trace") as file:
        assert [json.loads(line).get("symbol") for line in file] == [None, "inner+0x0", "inner+0x4", "after+0x4"], \
            "symbols come from a list in the format of kallsyms"
    hidden = write(m.folder, "hidden", "0000000000000000 T before\n0000000000000000 T after\n")
    refuses("a list without addresses", 125, "its addresses are all 0; read /proc/kallsyms as root",
            "vm", "--qemu", m.qemu, "--vmlinux", hidden, "--", "-S", env=m.env())
    many = [dict(access, value=hex(i)) for i in range(20000)]
    m.vm("--trace", f"{m.folder}/trace", events=(READY, *many))
    with open(f"{m.folder}/trace") as file:
        assert [json.loads(line)["value"] for line in list(file)[1:]] == [e["value"] for e in many], \
            "a trace of 20000 lines is complete"


def test_report_file(m):
    """--report writes the text to the file immediately. Standard error only shows the number of
    reports."""
    known = dict(DIAGNOSTIC, name="context-switched-in-flight", rule="IPDDCL")
    regime = dict(known, name="regime-switched-in-flight")
    text = m.vm("--strict", events=(READY, DIAGNOSTIC, known)).stderr
    result = m.vm("--strict", "--report", f"{m.folder}/reports", "--error-exitcode", "3",
                  events=(READY, DIAGNOSTIC, known))
    with open(f"{m.folder}/reports") as file:
        written = file.read()
    totals = [line for line in text.splitlines(True) if line.startswith("[ spemu vm")]
    assert (result.returncode, written) == (3, text.replace(totals[0], "")), "the file has the text of the reports"
    assert result.stderr == totals[0] + f"2 diagnostics in '{m.folder}/reports'\n", \
        "standard error shows the totals and names the file"
    result = m.vm("--strict", "--report", f"{m.folder}/reports", "-q")
    with open(f"{m.folder}/reports") as file:
        assert (result.stderr, file.read()) == ("", "0 diagnostics, 0 suppressed\n"), \
            "-q prints nothing, and the file says that there are no reports"
    result = m.vm("--report", "/dev/full", events=(READY, known, SUMMARY))
    assert ((result.returncode, result.stdout, result.stderr.splitlines()[0], result.stderr.splitlines()[-1]) ==
            (125, "guest output\n",
             "spemu vm: cannot write the reports: No space left on device; the rest is omitted",
             "spemu vm: the reports are incomplete: No space left on device")), \
                 "a full disk does not end the virtual machine"
    assert m.vm("--report", "/dev/full", events=(READY, known), FAKE_STATUS="7").returncode == 7, \
        "QEMU's own status has priority"
    os.mkfifo(f"{m.folder}/pipe")
    m.tells(READY, known)
    child = start(m, "--report", f"{m.folder}/pipe", FAKE_STATUS="wait")
    with open(f"{m.folder}/pipe") as pipe:
        assert pipe.readline() == "context-switched-in-flight (IPDDCL)\n", "a report is written while QEMU runs"
        child.terminate()
        child.communicate(timeout=20)
    result = m.vm("--strict", "--ignore-context-switches", "--error-exitcode", "3", "--sarif", f"{m.folder}/sarif",
                  events=(READY, known))
    assert (result.returncode, "1 suppressed" in result.stderr, "IPDDCL" in result.stderr) == (0, True, False), \
        "--ignore-context-switches suppresses reports of context switches"
    with open(f"{m.folder}/sarif") as file:
        assert [bool(r.get("suppressions")) for r in json.load(file)["runs"][0]["results"]] == [True], \
            "the SARIF log marks them as suppressed"
    result = m.vm("-v", "--ignore-context-switches", "--error-exitcode", "3", events=(READY, regime))
    assert (result.returncode, "regime-switched-in-flight (IPDDCL)\n" in result.stderr, "matched" in result.stderr) == (3, True, False), \
        "reports of the translation regime remain"


FIRMWARE = """
int boot(void) { __asm__("mov x7, #0x1357; ret"); return 0; }
int _start(void) { __asm__("mov x7, #0x2468; nop; ret"); return boot(); }
"""


def test_images(m, vmlinux):
    """--vmlinux FILE@ADDRESS: a PC in a flat image is found by the bytes at the address."""
    firmware = compile_c(m.folder, "firmware", FIRMWARE, "-O0", "-nostdlib", "-static", "-Wl,-N,-Ttext=0x8000")
    flat = f"{m.folder}/flat"
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", firmware, flat], check=True)
    with open(flat, "rb") as file:
        data = file.read()
    # The encodings of mov x7, #0x1357 and mov x7, #0x2468 (C6.2, MOVZ), each at its offset in the image.
    words = [struct.pack("<I", 0xd2800007 | value << 5) for value in (0x1357, 0x2468)]
    names = nm(firmware)
    inside = nm(vmlinux)["inside"]
    load = 0xe0a0000

    def places(pcs, *images):
        m.vm("--trace", f"{m.folder}/trace", *(w for i in images for w in ("--vmlinux", i)),
             events=(READY, *(dict(ACCESS, pc=hex(pc % 2**64)) for pc in pcs)))
        with open(f"{m.folder}/trace") as file:
            return [json.loads(line).get("symbol") for line in file][1:]

    pcs = [load + data.index(word) for word in words]
    expected = [f"{name}+{0x8000 + data.index(word) - names[name]:#x}"
                for name, word in zip(("boot", "_start"), words)]
    assert places([*pcs, inside + 4, 0x10], f"{firmware}@{load:#x}", vmlinux) == [*expected, "inside+0x4", None], \
        "a flat image at an address, and a kernel at its link address"
    assert places([*pcs, inside + 4], vmlinux, f"{firmware}@{load}") == [*expected, "inside+0x4"], \
        "files in any order, with a decimal address"
    assert places([pcs[0] - load + 0x8000, pcs[0]], firmware) == [expected[0], None], "a file without an address"
    assert places([pcs[0], pcs[0] + 0x1000000], f"{firmware}@{load:#x}", f"{firmware}@{load + 0x1000000:#x}") == [expected[0]] * 2, \
        "a file at two addresses, for an image that moves itself"
    odd = f"{m.folder}/odd@0x10"
    os.rename(firmware, odd)
    assert places([pcs[0]], f"{odd}@{load:#x}") == expected[:1], "a file name with @"
    high = 0xffff800008000000
    listing = write(m.folder, "list", f"{high - 0x1000:016x} t early\n{high:016x} T _text\n{high + 0x100:016x} T later\n")
    assert places([0x40200104, 0x401ff004, high + 8], f"{listing}@0x40200000") == ["later+0x4", "early+0x4", None], \
        "for a list of symbols, the address is that of _text"
    assert places([0x40200104, pcs[1]], f"{listing}@0x40200000", f"{odd}@{load:#x}") == ["later+0x4", expected[1]], \
        "a nearer symbol of another image takes precedence over one from a list"


ACCESS = {"type": "access", "vcpu": 0, "pc": "0x1000", "el": 1, "security": "Non-secure",
          "write": True, "register": "PMSCR_EL1", "value": "0x1", "outcome": "ok"}


def trace_of(m, limit, events, *options):
    """Run spemu vm with a trace. Return (result, lines of the trace, size in bytes)."""
    result = m.vm("--trace", f"{m.folder}/trace", "--trace-limit", limit, *options, events=events)
    with open(f"{m.folder}/trace") as file:
        lines = [json.loads(line) for line in file]
    return result, lines, os.path.getsize(f"{m.folder}/trace")


def test_trace_limit(m, vmlinux):
    many = [dict(ACCESS, value=hex(i)) for i in range(2000)]
    result, whole, size = trace_of(m, "1G", (READY, *many, SUMMARY))
    assert (whole == [READY, *many, SUMMARY] and result.returncode == 0 and
            "limit" not in result.stderr), f"below its limit, a trace is complete\n{result.stderr}"
    eight = [dict(SUMMARY, vcpu=i, samples=2**63, recorded=2**63) for i in range(8)]
    result, lines, size = trace_of(m, "64K", (READY, *many, *eight))
    written = lines[1:-9]
    left = many[len(written):]
    assert (lines[0], written, lines[-9:-1]) == (READY, many[:len(written)], eight), \
        "at its limit, a trace has the earlier lines and the summaries"
    lost = sum(len(json.dumps(line, separators=(",", ":"))) + 1 for line in left)
    assert lines[-1] == {"type": "limit", "lines": len(left), "bytes": lost}, \
        "the last line of the trace counts the missing lines"
    assert 64 * 1024 - 5000 < size <= 64 * 1024, f"the file uses its limit\n{size}"
    assert ((result.returncode, result.stderr.splitlines()[0]) ==
            (0, "spemu vm: the trace has reached its limit, and the rest is omitted; use a larger "
             "--trace-limit")), "a limited trace is reported once and is not a failure"
    assert result.stderr.count("reached") == 1 and result.stderr.endswith(
         f" interrupts; {len(left)} lines ({lost} bytes) not in the trace ]\n"), \
             f"the totals count the missing lines\n{result.stderr}"
    assert trace_of(m, "64K", (READY, *many, SUMMARY), "-q")[0].stderr == "", "-q suppresses the message"
    inside = nm(vmlinux)["inside"]
    _, lines, size = trace_of(m, "64K", (READY, *[dict(ACCESS, pc=hex(inside))] * 2000, SUMMARY),
                              "--vmlinux", vmlinux)
    assert (lines[1]["symbol"] == "inside+0x0" and lines[-1]["type"] == "limit" and
            64 * 1024 - 5000 < size <= 64 * 1024), f"symbols count towards the limit\n{size}"
    shown = m.vm("--strict", "--trace", f"{m.folder}/trace", "--trace-limit", "64K",
                 events=(READY, *many, DIAGNOSTIC, SUMMARY)).stderr
    assert "1 diagnostics, 0 suppressed" in shown, f"reports are shown after the limit as well\n{shown}"


def test_perfetto(m, vmlinux):
    inside = nm(vmlinux)["inside"]
    at = {"vcpu": 1, "time": 2000001234}
    events = (READY, dict(ACCESS, vcpu=1, time=2000000001, pc=hex(inside + 8)),
              {"type": "sampling", **at, "on": True},
              {"type": "exception", **at, "pc": "0x400100", "from": 0, "el": 1, "target": "0xff0400",
               "kind": "synchronous", "syndrome": "0x56000000"},
              {"type": "sampling", "vcpu": 0, "time": 5, "on": True},
              {"type": "sampling", "vcpu": 1, "time": 2000002000, "on": False},
              {"type": "return", "vcpu": 1, "time": 2000003000, "pc": "0xff0500", "from": 1, "el": 0},
              {"type": "control", "vcpu": 1, "time": 2000004000, "register": "HCR_EL2", "value": "0x1"},
              {"type": "event", "vcpu": 0, "time": 7, "register": "PMBSR_EL1", "meaning": "buffer full"},
              {"type": "interrupt", "vcpu": 0, "time": 8, "level": True},
              {"type": "interrupt", "vcpu": 0, "time": 8, "level": False},
              {"type": "collision", "vcpu": 0, "time": 9}, dict(DIAGNOSTIC, time=2000005000),
              dict(ACCESS, write=False, time=10), dict(SUMMARY, time=11))
    result = m.vm("--trace", f"{m.folder}/trace", "--trace-format", "perfetto", "--vmlinux", vmlinux, events=events)
    assert result.returncode == 0, "a trace for Perfetto is written"
    got = trace_events(f"{m.folder}/trace")
    assert ([(e["ph"], e["name"], e["tid"], e.get("ts")) for e in got] ==
            [("M", "thread_name", 0, None), ("M", "thread_name", 1, None), ("i", "MSR PMSCR_EL1", 1, 2000000.001),
             ("B", "sampling", 1, 2000001.234), ("i", "exception to EL1", 1, 2000001.234), ("B", "sampling", 0, 0.005),
             ("E", "sampling", 1, 2000002), ("i", "return to EL0", 1, 2000003), ("i", "MSR HCR_EL2", 1, 2000004),
             ("i", "buffer full", 0, 0.007), ("i", "PMBIRQ asserted", 0, 0.008), ("i", "PMBIRQ deasserted", 0, 0.008),
             ("i", "collision", 0, 0.009), ("i", "interval-below-minimum", 1, 2000005), ("i", "MRS PMSCR_EL1", 0, 0.01),
             ("i", "summary", 0, 0.011), ("E", "sampling", 0, 0.011), ("M", "process_name", 0, None)]), \
        "each line is an event of its CPU's track"
    assert [e["args"]["name"] for e in got if e["ph"] == "M"] == ["CPU 0", "CPU 1", "guest"], "tracks have names"
    assert got[2]["args"] == {**{k: v for k, v in ACCESS.items() if k not in ("type", "vcpu")}, "pc": hex(inside + 8),
                              "symbol": "inside+0x8"}, "an event has the members of its line, and the symbol"
    many = [{"type": "sampling", "vcpu": i % 8, "time": i, "on": i % 16 < 8} for i in range(4001)]
    eight = [dict(SUMMARY, vcpu=i, time=5000, samples=2**63, recorded=2**63) for i in range(8)]
    result = m.vm("--trace", f"{m.folder}/trace", "--trace-format", "perfetto", "--trace-limit", "64K",
                  events=(dict(READY, vcpus=8), *many, *eight))
    got = trace_events(f"{m.folder}/trace")
    names = [e["name"] for e in got]
    written = sum(e["name"] == "sampling" and e["ts"] < 5 for e in got)
    limit = [e["args"] for e in got if e["name"] == "limit"]
    assert (names.count("summary") == 8 and len(limit) == 1 and limit[0]["lines"] == len(many) - written and
            56 * 1024 < os.path.getsize(f"{m.folder}/trace") <= 64 * 1024 and result.returncode == 0), \
        f"at its limit, a Perfetto trace is well-formed and has the summaries\n{limit} {written} {os.path.getsize(m.folder / 'trace')}"


def test_slow_trace(m):
    """The trace goes to a FIFO with a slow reader, while signals arrive all the time. Every line
    arrives once and complete."""
    many = [dict(ACCESS, value=hex(i)) for i in range(8000)]
    m.tells(READY, *many, SUMMARY)
    os.mkfifo(f"{m.folder}/fifo")
    child = start(m, "--trace", f"{m.folder}/fifo", FAKE_STATUS="deaf")
    got = b""
    with open(f"{m.folder}/fifo", "rb", buffering=0) as fifo:
        while part := fifo.read(16384):
            got += part
            child.send_signal(signal.SIGUSR2)
            time.sleep(0.005)
    errors = child.communicate(timeout=60)[1]
    assert (child.returncode, errors.count("70 samples")) == (0, 1), "the totals are printed"
    assert [json.loads(line) for line in got.splitlines()] == [READY, *many, SUMMARY], "a trace survives signals while its reader is slow"


def test_lost_trace(m):
    """A trace that cannot be written does not stop the machine; a message and the exit status report it."""
    many = [ACCESS] * 3000
    size = sum(len(json.dumps(e, separators=(",", ":"))) + 1 for e in (READY, *many, SUMMARY))
    for status, expected in (("0", 125), ("7", 7)):
        result = m.vm("--trace", "/dev/full", events=(READY, *many, SUMMARY), FAKE_STATUS=status)
        lines = ["spemu vm: cannot write the trace: No space left on device; the rest is omitted",
                 "[ spemu vm: 70 samples on 2 CPUs (50 recorded, 11 filtered, 7 collisions, 2 lost), "
                 f"3 interrupts; 3002 lines ({size} bytes) not in the trace ]"]
        lines += ["spemu vm: the trace is incomplete: No space left on device"] * (status == "0")
        assert (result.returncode, result.stdout, result.stderr.splitlines()) == (expected, "guest output\n", lines), \
            f"a full disk, and QEMU's status {status}"
    os.mkfifo(f"{m.folder}/gone")
    m.tells(READY, *many, SUMMARY)
    child = start(m, "--trace", f"{m.folder}/gone")
    with open(f"{m.folder}/gone", "rb", buffering=0) as fifo:
        fifo.read(1)
    output, errors = child.communicate(timeout=60)
    assert (child.returncode == 125 and output == "guest output\n" and
            "cannot write the trace: Broken pipe" in errors and "70 samples" in errors), \
        f"a lost reader of the trace\n{child.returncode} {output} {errors}"


def start(m, *more, **env):
    return clilib.start(SPEMU, "vm", "--qemu", m.qemu, *more, "--", "-nographic", env=m.env(**env))


def test_signals(m):
    m.tells(READY, SUMMARY)
    for sig, status in ((signal.SIGTERM, -15), (signal.SIGINT, -2), (signal.SIGUSR1, 9)):
        child = start(m, FAKE_STATUS="wait")
        child.stdout.readline()
        child.stdout.readline()
        child.send_signal(sig)
        errors = child.communicate(timeout=60)[1]
        assert child.returncode == status and "70 samples" in errors, \
            f"signal {sig.name} is passed on, and the totals are printed\n{child.returncode} {errors}"
    m.tells(READY, DIAGNOSTIC)
    child = start(m, FAKE_STATUS="wait")
    assert child.stderr.readline() == "interval-below-minimum (RABCDE)\n", "a report appears while QEMU runs"
    child.terminate()
    child.communicate(timeout=60)
    child = start(m, FAKE_STATUS="wait")
    child.stdout.readline()
    child.kill()
    child.communicate(timeout=60)  # QEMU has the same outputs
    assert child.wait() == -signal.SIGKILL, "QEMU ends when spemu is killed"
    if os.path.exists(f"{m.folder}/dumped"):
        os.remove(f"{m.folder}/dumped")
    child = start(m, FAKE_DUMP="waits")
    end = time.monotonic() + 60
    while not os.path.exists(f"{m.folder}/dumped") and time.monotonic() < end:
        time.sleep(0.02)
    child.terminate()
    child.communicate(timeout=60)
    assert (child.returncode, os.listdir(f"{m.folder}/tmp,1")) == (-15, []), "a signal during the first start leaves nothing behind"
