# SPDX-License-Identifier: MIT
"""spemu record: the status and message of every rejected command, and recordings of real
programs."""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import clilib

import pytest
from clilib import SPEMU, compile_c, refuses, run, spemu, write
from recorded_program import own_folder, program


def test_usage(program):
    refuses("a value missing", 2, "option '-c' needs a value", "record", "-c")
    refuses("a long option's value missing", 2, "option '--machine' needs a value", "record",
            "--machine")


@pytest.mark.parametrize("name, pattern, args", (
    ("no program", "no program given; use", ()),
    ("no program after --", "no program given", ("--",)),
    ("unknown option", "unknown option '--cuont'; did you mean '--count'", ("--cuont", "1")),
    ("unknown letter", "unknown option '-Z'", ("-Z",)),
    ("a value where none goes", "'--jitter=3' takes no value", ("--jitter=3",)),
    ("period too small", "--count: expected a number from 256 to 4294967040, got '255'", ("-c", "255")),
    ("period zero", "--count: expected a number from 256 to 4294967040, got '0'", ("-c", "0")),
    ("period too large", "--count: expected a number from 256 to 4294967040, got '4294967296'", ("-c", "4294967296")),
    ("period beyond 64 bits", "--count: expected a number from 256 to 4294967040, got '99999999999999999999'", ("-c", "99999999999999999999")),
    ("period negative", "--count: expected a number from 256 to 4294967040, got '-5'", ("-c", "-5")),
    ("period no number", "--count: expected a number from 256 to 4294967040, got 'often'", ("-c", "often")),
    ("unknown filter", "unknown filter 'laod'; did you mean 'load'", ("--filter", "laod")),
    ("unknown branches", "--branches: expected all, taken or previous, got 'alll'", ("--branches", "alll")),
    ("branches and loads", "leave one of them out", ("--branches", "all", "--filter", "load")),
    ("metadata of no version", "--perf-metadata: expected 1 or 2, got '3'", ("--perf-metadata", "3")),
    ("unknown event", "unknown event 'mispredict'; did you mean 'mispredicted'",
     ("--event-filter", "mispredict")),
    ("no event", "has no events", ("--event-filter", "0")),
    ("event both ways", "in both --event-filter and", ("--event-filter", "tlb-walk",
                                                      "--inv-event-filter", "0x20")),
    ("events of SVE on a machine without it", "'neoverse-n1' does not have SVE, .* use --machine neoverse-v1",
     ("--event-filter", "sve-partial-pred")),
    ("no events of SVE on a machine without it", "'none' does not have SVE",
     ("--machine", "none", "--inv-event-filter", "sve-empty-pred")),
    ("unknown machine", "unknown machine 'neoverse-n7'; did you mean 'neoverse-n1'",
     ("--machine", "neoverse-n7")),
    ("machine of no likeness", "use generic, neoverse-n1, .*, cortex-a76 or none", ("--machine", "pdp11")),
    ("unknown part of a machine", "unknown part of a machine 'l1d_sice'; did you mean "
     "'l1d_size'", ("--uarch", "l1d_sice=32K")),
    ("part of a machine without a number", "is not a valid value",
     ("--uarch", "l2_ways=8,l1d_size=big")),
    ("a cache that cannot be", "L1 data cache: value out of range", ("--uarch", "l1d_size=48K")),
    ("a machine like no other", "unknown machine 'zzzz'; use generic, neoverse-n1, neoverse-v1, neoverse-n2, neoverse-v2, ampereone, cortex-a76 or none",
     ("--machine", "zzzz")),
    ("parts of no machine", "--machine none has none", ("--machine", "none", "--uarch",
                                                          "l1d_size=32K")),
    ("unknown layout", "unknown layout 'dens'; did you mean 'dense'", ("--layout", "dens")),
    ("unknown option of a layout", "'color=red' is not an option of a layout",
     ("--layout", "dense,color=red")),
    ("unknown packet in a layout", "'pcs' is not an option of a layout",
     ("--layout", "dense,order=type:pcs:va")),
    ("a layout too long", "--layout takes 95 characters at most$", ("--layout", "neoverse,order=" + "pc:" * 50)),
    ("records too long", "use align=64 or less", ("--layout", "dense,align=128")),
    ("latency beyond the counters", "above the counters' maximum",
     ("--min-latency", "65536")),
    ("latency without a model", "--machine none has none", ("--machine", "none",
                                                          "--min-latency", "5")),
    ("buffer too small", "--buffer: expected a size from 4K to 64M, got '100'", ("-m", "100")),
    ("buffer no number", "--buffer: expected a size from 4K to 64M, got 'big'", ("-m", "big")),
    ("output is a folder", "is a directory", ("-o", "/")),
    ("output's folder missing", "create the directory", ("-o", "/nonexistent/x")),
    ("output's folder is a file", "is not a directory", ("-o", "program/x")),
    ("output is full", "cannot write to '/dev/full': No space left", ("-o", "/dev/full")),
    ("output is an open file", "open file of this process; name the file itself", ("-o", "/proc/self/exe")),
    ("sysroot missing", "cannot use the sysroot", ("-L", "/nonexistent")),
    ("QEMU missing", "'scripts/fetch qemu-user DIR' makes one", ("--qemu", "no-such-qemu")),
    ("QEMU without plugins", "was built without plugins; 'scripts/fetch qemu-user DIR'",
     ("--qemu", "/bin/true"))))
def test_wrong_usage(program, name, pattern, args):
    tail = () if "program" in name and "no" in name else ("--", program)
    # These arguments name unsuitable files and programs, which is not a usage error.
    outside = ("output is a folder", "output's folder missing", "output's folder is a file", "output is full",
               "output is an open file", "sysroot missing", "QEMU missing", "QEMU without plugins")
    refuses(name, 125 if name in outside else 2, pattern, "record", *args, *tail)


def test_features(program):
    """The machine has the oldest version of SPE with the events of the filters (D24.7.11)."""
    sve = r"v8.5,\+FEAT_SVE"
    for args, version in (("", "v8.2"), ("--event-filter mispredicted", "v8.2"), ("--event-filter not-taken", "v8.7"),
                          ("--event-filter bit11", "v8.7"), ("--event-filter bit19", "v8.9"),
                          ("--machine generic", r"v8.9,\+FEAT_SVE"), ("--machine ampereone", "v8.2"),
                          ("--machine cortex-a76", "v8.9"),
                          *((f"--machine neoverse-{core}", sve) for core in ("v1", "n2", "v2")),
                          ("--machine neoverse-v2 --event-filter sve-partial-pred", sve),
                          ("--machine neoverse-v2 --event-filter not-taken", r"v8.7,\+FEAT_SVE")):
        refuses(f"features of {args}", 2, f"no option realm with the features of {version}: it needs FEAT_RME", "record",
                "--machine", "neoverse-n1", *args.split(), "--choose", "reserved-nspb=realm", program)


def test_programs(tmp_path, program):
    refuses("program missing", 127, "No such file or directory; check the path", "record",
            f"{tmp_path}/absent")
    refuses("program not in PATH", 127, "not found in PATH", "record", "no-such-program")
    refuses("program here but not in PATH", 127, r"say \./program", "record", "program",
            cwd=tmp_path)
    refuses("program with an empty name", 127, "empty", "record", "")
    refuses("program is a folder", 126, "is a directory", "record", tmp_path)
    refuses("program not executable", 126, "not executable; try chmod", "record",
            write(tmp_path, "plain", "x", 0o644))
    refuses("program is a device", 126, "not a regular file", "record", "/dev/null")
    refuses("script", 126, "is a script whose interpreter '/bin/sh' is not an AArch64 program; .* -L",
            "record", write(tmp_path, "script", "#!/bin/sh -e\ntrue\n", 0o755))
    refuses("script without interpreter", 126, "names no interpreter", "record",
            write(tmp_path, "blank", "#! \n", 0o755))
    refuses("neither ELF nor script", 126, "not an ELF file", "record",
            write(tmp_path, "text", "hello\n", 0o755))
    refuses("empty file", 126, "not an ELF file", "record", write(tmp_path, "empty", "", 0o755))
    with open(program, "rb") as f:
        image = bytearray(f.read())
    other = bytearray(image)
    struct.pack_into("<H", other, 18, 62)
    refuses("x86-64", 126, "is for x86-64, not for AArch64", "record",
            write(tmp_path, "x86", bytes(other), 0o755))
    other[18:20] = struct.pack("<H", 40)
    refuses("32-bit Arm", 126, "is for 32-bit Arm", "record",
            write(tmp_path, "arm", bytes(other), 0o755))
    other = bytearray(image)
    struct.pack_into("<H", other, 16, 1)
    refuses("object file", 126, "not a program; link it", "record",
            write(tmp_path, "object", bytes(other), 0o755))
    loader = b"/lib/ld-linux-aarch64.so.1\0"
    other = bytearray(image)
    at = other.index(loader)
    other[at:at + len(loader)] = b"/lib/xx-linux-aarch64.so.1\0"
    refuses("loader missing", 126, "loader '/lib/xx-linux-aarch64.so.1'.*is not in the sysroot",
            "record", write(tmp_path, "noloader", bytes(other), 0o755))
    other = bytearray(image)
    at = other.index(b"libc.so.6\0")
    other[at:at + 10] = b"libq.so.6\0"
    refuses("library missing", 126, "library 'libq.so.6'", "record",
            write(tmp_path, "nolib", bytes(other), 0o755))
    for tag in ("--enable-new-dtags", "--disable-new-dtags"):
        found = compile_c(tmp_path, "runpath" + tag, "int main(void) { return 3; }\n", f"-Wl,{tag},-rpath,{tmp_path}/lib")
        with open(found, "rb") as f:
            moved = f.read().replace(b"libc.so.6\0", b"libq.so.6\0")
        result = spemu("record", "-o", f"{tmp_path}/runpath.data", "--", write(tmp_path, "moved", moved, 0o755))
        assert "library 'libq.so.6' of" not in result.stderr and "libq.so.6: cannot open shared object" in result.stderr, \
            f"a run path is left to the loader: {tag}\n{result.stderr}"
    refuses("plugin missing", 125, "cannot use SPEMU_PLUGIN", "record", program,
            env={"SPEMU_PLUGIN": "/nonexistent.so"})
    assert not os.path.exists("perf.data"), "rejected commands leave no file behind"
    result = spemu("record", "-o", f"{tmp_path}/unloaded", "--", program,
                   env={"SPEMU_PLUGIN": write(tmp_path, "plugin.so", "not one", 0o644)})
    assert (result.returncode, "QEMU did not start the plugin" in result.stderr,
            "samples" in result.stderr) == (125, True, False), \
        "a plugin that QEMU cannot load: no program ran, so there is no status of a program and no sample"


def test_run(tmp_path, program):
    data = f"{tmp_path}/perf.data"
    result = spemu("record", "-o", data, "-c", "1k", "--", program, "exit", "42")
    assert result.returncode == 42, "the exit status of the program is passed on"
    summary = re.fullmatch(
        r"\[ spemu record: (\d+) samples \((\d+) filtered, (\d+) collisions, (\d+) lost\), "
        r"(\d+) bytes written to (\S+); (\S+ ?[kMG]?) operations in (\S+) s, (\S+) MIPS; "
        r"period (\d+) \]\n", result.stderr)
    assert summary, f"the summary has one line\n{result.stderr}"
    samples = int(summary[1])
    assert (int(summary[5]), summary[6], summary[10]) == (os.path.getsize(data), data, "1024"), \
        "the summary has the bytes, the file and the rounded period"
    report = json.loads(spemu("report", "--json", data).stdout)
    assert report["samples"] == samples, "the report has the number of samples of the summary"
    top = report["functions"][0]
    assert (top["symbol"], top["command"]) == ("busy", "program"), "the hot function is found"
    # The loop has 300000 rounds of 6 or more instructions, and one in 1025 or fewer is sampled.
    assert samples > 300000 * 5 / 1100, f"the number of samples agrees with the period\n{samples}"

    result = spemu("record", "-o", data, "-q", program, "args", "a b", "-x", "--", "")
    assert result.stdout == f"{program}\nargs\na b\n-x\n--\n\n", "the program gets its arguments unchanged"
    assert result.stderr == "", "-q suppresses all messages"
    assert os.path.exists(data + ".old"), "an older recording is kept as .old"

    with open(write(tmp_path, "input", "one\ntwo\n")) as stdin:
        result = spemu("record", "-q", "-o", data, program, "cat", stdin=stdin)
    assert (result.stdout, result.stderr) == ("one\ntwo\n", "to stderr\n"), "the program has its own standard streams"
    result = spemu("record", "-o", "x,y.data", os.path.join(".", "program"), cwd=tmp_path)
    assert result.returncode == 0 and os.path.exists(f"{tmp_path}/x,y.data"), \
        f"names may contain a comma\n{result.stderr}"
    os.mkdir(f"{tmp_path}/bin")
    os.symlink(program, f"{tmp_path}/bin/prog-in-path")
    result = spemu("record", "-q", "-o", data, "prog-in-path", "exit", "3",
                   env={"PATH": f"{tmp_path}/bin" + ":" + os.environ["PATH"]})
    assert result.returncode == 3, "programs are found in PATH"


def test_options(tmp_path, program):
    data = f"{tmp_path}/options.data"

    def report(*args):
        result = spemu("record", "-q", "-o", data, "-c", "512", *args, program)
        if result.returncode:
            assert False, f"record {args}\n{result.stderr}"
        return json.loads(spemu("report", "--json", "-n", "0", data).stdout)

    def groups(r):
        return {x["group"]: x["samples"] for x in r["operations"] if x["detail"] is None}

    got = groups(report("--filter", "store"))
    assert got["store"] > 0 and got["load"] + got["branch"] + got["other"] == 0, \
        f"--filter store keeps stores only\n{got}"
    got = groups(report("--filter", "load,branch"))
    assert got["load"] > 0 and got["branch"] > 0 and got["store"] + got["other"] == 0, f"--filter load,branch keeps both\n{got}"
    r = report("--event-filter", "l1d-access")
    events = {e["bit"]: e["samples"] for e in r["events"]}
    assert events.get(2) == r["samples"], "--event-filter: all samples have the event"
    r = report("--inv-event-filter", "0x4")
    assert r["samples"] > 100 and 2 not in {e["bit"] for e in r["events"]}, \
        f"--inv-event-filter: no sample has the event\n{r['events']}"
    r = report("--min-latency", "5")
    assert r["samples"] and all(x["to"] >= 5 for x in r["latency"] if x["total"]), \
        f"--min-latency: no sample has a lower latency\n{r['latency']}"
    r = report("--machine", "none")
    assert not r["sources"] and r["samples"] and not any(
         e["bit"] == 2 for e in r["events"]), f"--machine none: no events or latencies are modeled\n{r['events']}"
    r = report("--uarch", "l1d_cycles=29,l2_cycles=29,llc_cycles=29,dram_cycles=29,peer_cycles=29")
    assert r["samples"] and "l1d_cycles=29" in json.dumps(r["header"] if "header" in r else r), \
        f"--uarch: the recording lists the changes\n{list(r)}"
    # The size of a record: its packets, padded to a multiple of 4 bytes, or of 16 bytes in the layout that begins with
    # the operation type.
    plain = report()["samples"]
    for layout, multiple, first in (("dense", 1, "64"), ("words", 4, "64"),
                                    ("dense,align=16,order=type:pc", 16, "4")):
        samples = report("--layout", layout)["samples"]
        records = [json.loads(line) for line in
                   spemu("dump", "--records", "--json", data).stdout.splitlines()]
        packets = [json.loads(line) for line in
                   spemu("dump", "--json", data).stdout.splitlines()]
        ends = {"timestamp", "end"}
        starts = [q["bytes"] for p, q in zip(packets, packets[1:]) if p["type"] in ends and
                  q["type"] != "padding" and q["queue"] == p["queue"]]
        assert (samples == len(records) and abs(samples - plain) * 10 < plain and
                all(r["offset"] % multiple == 0 for r in records) and
                len({r["size"] for r in records}) > 1 and starts and
                all(b.startswith(first) for b in starts)), f"--layout {layout}\n{samples} {plain} {records[:2]} {starts[:4]}"
    # The recorder pads a delivery whose size is not a multiple of 8.
    for seed in range(1, 9):
        told = spemu("record", "-o", data, "-c", "256", "--seed", seed, "-m", "4K", "--layout", "dense", "--machine", "none", program)
        count = int(re.search(r"(\d+) samples", told.stderr)[1])
        assert told.returncode == 0 and spemu("dump", "--records", data).stdout.count("\n") == count, \
            f"--layout dense, seed {seed}: each delivery has complete records\n{told.stderr}"
    report()
    result = spemu("dump", "--records", "--json", data)
    assert "timestamp" in json.loads(result.stdout.splitlines()[0]), "timestamps by default"
    report("--no-timestamps")
    first = json.loads(spemu("dump", "--records", "--json", data).stdout.splitlines()[0])
    assert "timestamp" not in first, f"--no-timestamps\n{first}"
    refused = spemu("record", "-q", "-o", data, "--pa", program)
    if os.geteuid() == 0 and not refused.returncode:
        records = [json.loads(line) for line in
                   spemu("dump", "--records", "--json", data).stdout.splitlines()]
        both = [(int(r["va"], 0), int(r["pa"], 0)) for r in records if "pa" in r]
        assert len(both) > 20 and all(v & 0xfff == p & 0xfff for v, p in both), \
            f"--pa: addresses differ by page, and have the same offset in the page\n{both[:3]}"
    else:
        assert "CAP_SYS_ADMIN" in refused.stderr, f"--pa without the capability is rejected\n{refused.stderr}"
    report("--jitter", "--seed", "1")
    one = spemu("dump", "--records", data).stdout
    assert one.count("\n") > 100, f"--jitter records\n{one[:200]}"
    # Whether stores have cache events is a choice (D18.2.6).
    for option, expected in (("recorded", True), ("not-recorded", False)):
        report("--filter", "store", "--choose", f"store-events={option}")
        # Atomic operations both load and store. They pass the filter and keep their events, so they
        # are excluded here.
        stores = [r for r in map(json.loads, spemu("dump", "--records", "--json", data)
                                 .stdout.splitlines()) if r["op"].startswith("store, general")]
        assert (len(stores) > 20, any(int(r["event_bits"], 0) & 4 for r in stores)) == (True, expected), f"--choose store-events={option}"
    # The target of a branch that is not taken (D17.6.3). The Neoverse machines record the address after the branch.
    for options, recorded in (((), True), (("--machine", "neoverse-v2"), True),
                              (("--machine", "generic"), False), (("--machine", "none"), False),
                              (("--choose", "not-taken-target=omitted"), False),
                              (("--machine", "none", "--choose", "not-taken-target=recorded"), True)):
        report("--filter", "branch", *options)
        branches = [r for r in map(json.loads, spemu("dump", "--records", "--json", data)
                                   .stdout.splitlines()) if "not-taken" in r["events"]]
        assert (len(branches) > 4 and
                all(("target" in r) == recorded and
                    (not recorded or int(r["target"], 0) == int(r["pc"], 0) + 4) for r in branches)), \
            f"{' '.join(options) or 'neoverse-n1'}: targets of branches that are not taken\n{branches[:2]}"
    r = report("--choose", "all=random", "--seed", "5")
    assert r["samples"] > 20, f"--choose all=random records\n{r['samples']}"
    # Record one program twice, without jitter. In strict mode, records that come late are not lost,
    # and the program breaks no rule. The smallest buffer is often full. With interrupts, up to 16
    # samples are lost each time.
    for size, least in (("1M", 1.0), ("4K", 0.75)):
        counts = []
        for strict in ([], ["--strict", "--seed", "7"]):
            told = spemu("record", "-o", data, "-c", "1024", "-m", size, *strict, program)
            assert told.returncode == 0 and "strict mode:" not in told.stderr, \
                f"record {' '.join(strict)} -m {size}: no diagnostics\n{told.stderr}"
            counts.append(spemu("dump", "--records", data).stdout.count("\n"))
        assert counts[0] > 100 and least * counts[0] <= counts[1] <= counts[0] + 1, \
            f"--strict -m {size}: no unexpected loss of records\n{counts}"
    refuses("unknown choice", 2, "did you mean 'store-events'", "record", "--choose",
            "store-event=recorded", program)
    refuses("unknown option", 2, "store-events has no option", "record", "--choose",
            "store-events=no", program)
    refuses("an option that the features forbid", 2, "needs -FEAT_SPEv1p3", "record",
            "--machine", "generic", "--choose", "external-abort=reported-synchronously", program)


def wait_ready(process):
    line = process.stdout.readline()
    time.sleep(0.2)
    return line == "ready\n"


def start(program, data, *args, **kwargs):
    return clilib.start(SPEMU, "record", "-o", data, program, *args, **kwargs)


def children_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as stream:
        return [int(word) for word in stream.read().split()]


AGAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const unsigned char *random = (void *)getauxval(AT_RANDOM);
	printf("%lx %02x%02x%02x%02x %s\n", getauxval(AT_HWCAP), random[0], random[1], random[2], random[3],
	       getenv("GIVEN") ? getenv("GIVEN") : "none");
	fflush(stdout);
	for (volatile int i = 0; i < 20000; i++)
		;
	if (argc == 1) {
		unsetenv("GIVEN");
		execl(argv[0], argv[0], "again", NULL);
	}
	return argc;
}
"""


def test_qemu_options(tmp_path):
    """QEMU's options also apply to executed programs, except for the options about the first
    image."""
    program = compile_c(tmp_path, "again", AGAIN, "-static")
    qemu = shutil.which(os.environ.get("SPEMU_QEMU", "qemu-aarch64"))
    options = "-cpu cortex-a53 -E GIVEN=here -seed 7 -0 ./again"
    wrapper = write(tmp_path, "qemu", f"#!/bin/sh\nexec {qemu} {options} \"$@\"\n", 0o755)
    once = run(wrapper, program, "alone").stdout.split()
    result = spemu("record", "--qemu", wrapper, "-o", f"{tmp_path}/again.data", "-c", "1000", "--", program)
    assert (result.returncode, [line.split() for line in result.stdout.splitlines()]) == (2, [once, once[:2] + ["none"]]), \
        "the executed program has the CPU and the seed of the first image, but not its variables"
    comms = json.loads(spemu("report", "--json", "-s", "comm", f"{tmp_path}/again.data").stdout)
    assert comms["samples"] > 200, f"both programs are recorded\n{comms['samples']}"


REFUSES = """#include <errno.h>
#include <sys/types.h>
ssize_t process_vm_readv(void)
{
	errno = EPERM;
	return -1;
}
"""


def test_refused_reading(tmp_path, program):
    """If the kernel refuses process_vm_readv(), the program runs normally, and a note names the
    missing data."""
    library = f"{tmp_path}/librefuses.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, write(tmp_path, "refuses.c", REFUSES)], check=True)
    qemu = shutil.which(os.environ.get("SPEMU_QEMU", "qemu-aarch64"))
    said = []
    for name, preload in (("refusing", f"LD_PRELOAD={library} "), ("usual", "")):
        wrapper = write(tmp_path, f"qemu-{name}", f"#!/bin/sh\n{preload}exec {qemu} \"$@\"\n", 0o755)
        result = spemu("record", "--qemu", wrapper, "--call-graph", "fp", "-o", f"{tmp_path}/{name}.data", program)
        assert result.returncode == 0, f"{name} kernel: the program runs"
        said.append("this kernel refuses process_vm_readv()" in result.stderr)
    assert said == [True, False], "a note appears if, and only if, the kernel refuses process_vm_readv()"


CPU_TIME = """#include <sys/resource.h>
int getrusage(int who, struct rusage *used)
{
	*used = (struct rusage){0};
	if (who == RUSAGE_CHILDREN) {
		used->ru_utime.tv_sec = SECONDS;
		used->ru_stime.tv_usec = 500000;
	}
	return 0;
}
"""


@pytest.mark.parametrize("seconds, options, advised", (
    (10, (), True), (9, (), False), (10, ("-q",), False), (10, ("--machine", "none"), False),
    (10, ("--fidelity", "sampled"), False), (10, ("--memory-callbacks",), False)))
def test_advice_for_long_runs(tmp_path, program, seconds, options, advised):
    """A library reports the CPU time of the program, so the test is quick."""
    library = f"{tmp_path}/libtime.so"
    source = write(tmp_path, "time.c", CPU_TIME)
    subprocess.run(["cc", "-shared", "-fPIC", f"-DSECONDS={seconds}", "-o", library, source], check=True)
    preload = {"LD_PRELOAD": library, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    result = spemu("record", *options, "--", program, env=preload)
    lines = [line for line in result.stderr.splitlines() if "--fidelity sampled" in line]
    assert len(lines) == advised, result.stderr
    if not advised:
        return
    said = re.search(r"; ([\d.]+) ?([kM]) operations in .*\n"
                     r"\[ spemu record: 10\.5 s of CPU time, ([\d.]+) k operations per second, ", result.stderr)
    operations = float(said[1]) * {"k": 1, "M": 1000}[said[2]]
    assert abs(float(said[3]) - operations / 10.5) <= operations / 1000, "the speed is the quotient"


def test_signals(tmp_path, program):
    data = f"{tmp_path}/signals.data"
    for what, number in (("segv", signal.SIGSEGV), ("abort", signal.SIGABRT)):
        result = spemu("record", "-o", data, program, what)
        assert result.returncode == -number, f"{what}: the recorder ends by the signal of the program"
        report = json.loads(spemu("report", "--json", data).stdout)
        assert report["samples"] > 100, f"{what}: the file has the samples until then\n{report['samples']}"
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = start(program, data, "wait")
        assert wait_ready(process), "the program runs"
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        assert process.returncode == -number, f"{number.name} is passed on"
        assert "[ spemu record: " in err, f"{number.name}: the file is finished\n{err}"
        assert spemu("report", "--json", data).returncode == 0, f"{number.name}: the file is valid"
    process = start(program, data, "catch")
    wait_ready(process)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (7, "caught\n"), "a program may catch its signal"
    process = start(program, data, "wait")
    wait_ready(process)
    children = children_of(process)
    process.kill()
    process.wait()
    for child in children:
        os.kill(child, signal.SIGKILL)
    report = spemu("report", "--json", data)
    assert report.returncode in (0, 1) and json.loads(report.stdout)["samples"] > 100, \
        "after SIGKILL, the file has all samples until then\n" + report.stderr + report.stdout[:300]


def test_nohup(tmp_path, program):
    data = f"{tmp_path}/nohup.data"
    process = start(program, data, "wait", ignored=(signal.SIGHUP,))
    assert wait_ready(process), "SIGHUP ignored: the program runs"
    for number in (process.pid, *children_of(process)):
        os.kill(number, signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None, "SIGHUP ignored, as by nohup: the recorder and the program continue to ignore it"
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM, "SIGHUP ignored: other signals are passed on"
    assert "[ spemu record: " in err, f"SIGHUP ignored: the file is finished\n{err}"


def test_full_disk(tmp_path, program):
    data = f"{tmp_path}/limited.data"
    result = spemu("record", "-o", data, "-c", "256", program,
                   limits=[(resource.RLIMIT_FSIZE, 393216)])
    assert (result.returncode == 125 and "is incomplete, writing failed: File too large, "
            in result.stderr), \
                f"a file that must not grow: status 125 and the cause\n{result.returncode} {result.stderr}"
    held = json.loads(spemu("report", "--json", data).stdout)["samples"]
    assert held > 0, "the written part can be read"
    assert json.loads(spemu("report", "--json", data).stdout)["truncated_buffers"] == 1, "the file is marked as truncated"
    said = re.search(r"(\d+) samples \(\d+ filtered, \d+ collisions, (\d+) lost", result.stderr)
    assert said and int(said[1]) == held and int(said[2]) > 0, \
        f"the summary counts the samples in the file, and the others as lost\n{held} held\n{result.stderr}"

    result = spemu("record", "-o", data + "2", program, limits=[(resource.RLIMIT_FSIZE, 100)])
    assert result.returncode == 125 and re.search("cannot write to .*File too large; raise the file size limit",
                                                  result.stderr), \
                                                      f"a limit below the size of the header\n{result.returncode} {result.stderr}"
