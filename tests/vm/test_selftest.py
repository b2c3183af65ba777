# SPDX-License-Identifier: MIT
"""The bare-metal self-tests: the program of tests/vm/selftest runs on QEMU machines that start at
EL3 with and without the Realm Management Extension, at EL2, and at EL1. It runs with several levels
of SPE, and in strict mode. Each check of the guest is a check of this test.

The environment variables are SPEMU, SPEMU_VM_PLUGIN, and those of series.py.
"""
import json
import os
import re
import subprocess
import time

import pytest

import series
from clilib import SPEMU

series.need_plugin()

# Name, additional properties of -M virt, -cpu, number of PEs, options of spemu vm
SERROR = "external-abort=serror"
EXCEPTIONS = ("--spe", "v1p5")
EL3 = ",secure=on,virtualization=on"
MACHINES = [
    ("EL3", EL3, "max", 2, ()),
    ("EL3 with FEAT_RME", EL3, "max,x-rme=on", 2, ("--spe", "v1p3")),
    ("EL3, v1p0", EL3, "max", 2, ("--spe", "v1p0", "--layout", "words", "--count-size", "16")),
    ("EL3, v1p5", EL3, "max", 4, ("--spe", "v1p5", "--layout", "neoverse", "--max-size", "128",
                                       "--previous-target")),
    ("EL3, SME", EL3, "max", 2, ("--sme",)),
    ("EL3, SMCU", EL3, "max", 2, ("--spe", "v1p1", "--sme", "--machine", "neoverse-n1", "--alternate-clock", "smcu")),
    ("EL3, SError", EL3, "max", 2, ("--choose", SERROR)),
    ("EL3, SError, v1p4", EL3, "max", 2, ("--spe", "v1p4", "--choose", SERROR)),
    ("EL3, SError, Profiling exceptions", EL3, "max", 2, (*EXCEPTIONS, "--choose", SERROR)),
    ("EL3, SError without RAS", EL3, "cortex-a72", 1, ("--spe", "v1p0", "--choose", SERROR)),
    ("EL3, neoverse-n1", EL3, "neoverse-n1", 2, ()),
    ("EL3, cortex-a72", EL3, "cortex-a72", 2, ("--spe", "v1p0")),
    ("EL3, strict", EL3, "max", 2, ("--strict",)),
    ("EL3 with FEAT_RME, Profiling exceptions", EL3, "max,x-rme=on", 2, EXCEPTIONS),
    ("EL3, strict, Profiling exceptions", EL3, "max", 2, (*EXCEPTIONS, "--strict")),
    ("EL2", ",virtualization=on", "max", 2, ()),
    ("EL2, Profiling exceptions", ",virtualization=on", "max", 2, EXCEPTIONS),
    ("EL1, Profiling exceptions", "", "max", 2, EXCEPTIONS),
    ("EL1", "", "max", 2, ()),
]
# Diagnostics that the program causes on purpose: writes of ones to all bits of a register, a repeated fault, and a
# change of the owner of an enabled buffer.
ON_PURPOSE = {"regime-switched-while-enabled", "reserved-bits-set", "reserved-value", "status-cleared-cause-persists"}
SECONDS = 120
# Machines with a trace, and their highest Exception level.
TRACED = {"EL3": 3, "EL3, strict": 3}


def command(machine, cpu, pes, options):
    word = "strict" if "--strict" in options else "plain"
    only = "serrors" if SERROR in options else "all"
    clock = options[-1] if "--alternate-clock" in options else "none"
    return [SPEMU, "vm", "--qemu", series.PROGRAM, "--quiet", *options,
            "--", "-M", f"virt,gic-version=3{machine}", "-cpu", cpu,
            "-smp", str(pes), "-m", "128", *series.BARE,
            "-semihosting-config", f"enable=on,target=native,arg=selftest,arg={word},arg={clock},arg={only}",
            "-kernel", series.SELFTEST]


def decoded(folder, words):
    """Return the records that the guest decoded in its own buffer, and those that spemu dump
    decodes in a copy of the buffer."""
    out = subprocess.run([SPEMU, "dump", "--records", "--json", "--raw",
                          os.path.join(folder, words[0])],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    records = [json.loads(line) for line in out.stdout.splitlines()]
    times = 0
    for record in records:
        times ^= record.get("timestamp", 0)
    got = [len(records), sum(int(r.get("pc", "0"), 16) for r in records) % 2**64,
           sum(int(r.get("va", "0"), 16) for r in records) % 2**64, times]
    expected = [int(w) for w in words[1:]]
    assert out.returncode == 0 and not out.stderr and got == expected, \
        f"spemu dump decodes {words[0]} like the guest\ndump  {got}\nguest {expected}\n{out.stderr}"


def is_alternating(lines):
    """Return true if the lines of each CPU alternate, beginning with "on"."""
    return all(line["on"] != (i % 2) for vcpu in {x["vcpu"] for x in lines}
               for i, line in enumerate(x for x in lines if x["vcpu"] == vcpu))


def check_trace(folder, el, expected):
    """Check that the trace is ordered by time and follows the architecture (D1.3.1, D1.4)."""
    with open(f"{folder}/trace") as file:
        lines = [json.loads(line) for line in file]
    kinds = {}
    for line in lines:
        kinds.setdefault(line["type"], []).append(line)
    told = [x for x in lines if "vcpu" in x]
    last, bad = {}, []
    for x in told:
        bad += [x] if x["time"] < last.get(x["vcpu"], 0) else []
        last[x["vcpu"]] = x["time"]
    assert not bad and told, f"times of a CPU increase in the trace\n{bad[:5]}"
    written = {x["register"] for x in kinds.get("control", ())}
    wanted = {"MDCR_EL3", "MDCR_EL2", "SCR_EL3", "HCR_EL2"}
    if expected:  # the switches of strict mode
        wanted |= {"VTTBR_EL2", "CONTEXTIDR_EL1"}
    assert wanted <= written, f"the trace has the registers that control the SPU\n{sorted(written)}"
    contexts = {(x["pc"], x["vcpu"]) for x in kinds["control"] if x["register"] == "CONTEXTIDR_EL1"}
    missing = {pc for what, pc in expected if what == "context-switched-in-flight"} - {pc for pc, _ in contexts}
    assert not missing, \
        f"the trace has each context switch in flight, at its place in the program\n{missing} {contexts}"
    bad = [x for x in kinds["control"] if x["el"] < int(x["register"][-1])]
    assert not bad, f"registers are written at permitted Exception levels\n{bad[:5]}"
    vectors = {"synchronous": 0, "IRQ": 0x80, "FIQ": 0x100, "SError": 0x180}
    taken, left = kinds["exception"], kinds["return"]
    bad = [x for x in taken if x["el"] < max(x["from"], 1) or int(x["target"], 16) & 0x7f
           or int(x["target"], 16) & 0x180 != vectors[x["kind"]]
           or (int(x["target"], 16) & 0x400 != 0) != (x["from"] < x["el"])]
    assert {x["el"] for x in taken} == set(range(1, el + 1)) and not bad, \
        f"exceptions go to EL1 to EL{el}, and to their vectors\n{bad[:5]}"
    # ESR_ELx.EC 0x15, 0x16 and 0x17: SVC, HVC and SMC.
    calls = {int(x["syndrome"], 16) >> 26 for x in taken if x["kind"] == "synchronous"}
    assert 0x15 in calls or 0x16 in calls or 0x17 in calls, f"calls have their syndromes\n{calls}"
    bad = [x for x in left if x["el"] > x["from"] or x["from"] == 0]
    assert {x["el"] for x in left} >= {0, 1} and not bad, f"returns never lead to a higher level\n{bad[:5]}"
    assert is_alternating(kinds["sampling"]), "sampling begins and ends alternately"
    assert len(kinds.get("collision", ())) == sum(x["collisions"] for x in kinds["summary"]), \
        "the trace has every collision"


@pytest.mark.parametrize("name, machine, cpu, pes, options", MACHINES, ids=[machine[0] for machine in MACHINES])
def test_machine(tmp_path, name, machine, cpu, pes, options):
    begin = time.monotonic()
    traced = ("--trace", f"{tmp_path}/trace") if name in TRACED else ()
    status, output, errors = series.run(command(machine, cpu, pes, (*traced, *options)), SECONDS, cwd=tmp_path)
    finished, expected, failed = False, [], []
    for line in output.splitlines():
        found = re.match(r"(not )?ok - (.*)", line)
        if found:
            failed += [found.group(2)] if found.group(1) else []
        elif line.startswith("dump "):
            decoded(tmp_path, line.split()[1:])
        elif line.startswith("diagnostic "):
            expected.append(tuple(line.split()[1:]))
        elif line == "done":
            finished = True
        elif line:
            print(line)
    assert failed == []
    assert finished and status == 0, f"the program runs to its end\nexit status {status}\n{errors}"
    if machine == EL3 and SERROR not in options:
        assert f"# {pes} PEs\n" in output, f"the program uses {pes} PEs"
    reports = set(re.findall(r"^([a-z0-9-]+) \([A-Z]", errors, re.M))
    if "--strict" in options:
        named = set(expected)
        assert reports == ON_PURPOSE | {diagnostic for diagnostic, _ in named}, \
            f"the reports are those that the program causes on purpose\n{sorted(reports)}\n{errors}"
        places = re.findall(r"^([a-z0-9-]+) \([A-Z].*\n +at (0x[0-9a-f]+)", errors, re.M)
        others = {place for place in places if place[0] not in ON_PURPOSE}
        assert others == named, f"each report is at its place in the program\n{others}\n{named}\n{errors}"
    else:
        assert not errors, f"standard error is empty\n{errors}"
    if TRACED.get(name):
        check_trace(tmp_path, TRACED[name], expected)
    print(f"{time.monotonic() - begin:.1f} s")
