# SPDX-License-Identifier: MIT
"""PMU snapshots with QEMU's own counters. The program of tests/vm/selftest runs its snapshot part
on machines that start at each Exception level. Each check of the guest is a check of this test.

The environment variables are SPEMU, SPEMU_VM_PLUGIN, and those of series.py.
"""
import json
import os
import re
import tempfile

import pytest

import series
from clilib import SPEMU

series.need_plugin()

EL3 = ",secure=on,virtualization=on"
# Name, part of the program, additional properties of -M virt, -cpu, options of spemu vm
MACHINES = [
    ("EL3", "captures", EL3, "max", ()),
    ("EL3 with FEAT_RME", "captures", EL3, "max,x-rme=on", ("--pmu-snapshot", "yes")),
    ("EL2", "captures", ",virtualization=on", "max", ()),
    ("EL1", "captures", "", "max", ()),
    ("EL1 with FEAT_PMUv3p1", "captures", "", "neoverse-n1", ("--spe", "v1p0")),
    ("Captures take their time", "captures", EL3, "max", ("--choose", "capture-completion=delayed")),
    ("strict", "barriers", EL3, "max", ("--strict",)),
    ("unsynchronized", "stale", "", "max", ("--choose", "unsynchronized-snapshot=old")),
    ("all=random", "stale", "", "max",
     ("--choose", "all=random", "--choose", "capture-completion=immediate",
      "--choose", "unsynchronized-snapshot=old")),
    ("--pmu-snapshot no", "absent", EL3, "max", ("--pmu-snapshot", "no")),
    ("no PMU", "absent", "", "max,pmu=off", ()),
]
SNAPSHOT_REPORTS = ("unsynchronized-snapshot", "write-during-capture")


def run(asked, machine, cpu, options):
    """Return the exit status or None, the guest's lines, standard error, and the trace."""
    with tempfile.TemporaryDirectory(prefix="spemu-snapshot-") as folder:
        trace = os.path.join(folder, "trace")
        command = [SPEMU, "vm", "--qemu", series.PROGRAM, "--quiet",
                   "--trace", trace, *options, "--", "-M", f"virt,gic-version=3{machine}", "-cpu", cpu,
                   "-smp", "2", "-m", "128", *series.BARE, "-kernel", series.SELFTEST,
                   "-semihosting-config", f"enable=on,target=native,arg=selftest,arg={asked}"]
        status, output, errors = series.run(command, 120)
        with open(trace) as f:
            lines = [json.loads(line) for line in f]
    return status, output.splitlines(), errors, lines


@pytest.mark.parametrize("name, asked, machine, cpu, options", MACHINES, ids=[machine[0] for machine in MACHINES])
def test_machine(name, asked, machine, cpu, options):
    status, output, errors, events = run(asked, machine, cpu, options)
    expected, failed = [], []
    for line in output:
        found = re.match(r"(not )?ok - (.*)", line)
        if found:
            failed += [found.group(2)] if found.group(1) else []
        elif line.startswith("diagnostic "):
            expected.append(line.split()[1:])
        elif line and line != "done":
            print(line)
    assert failed == []
    assert status == 0 and output[-1:] == ["done"], f"the program runs to its end\nexit status {status}\n{errors}"
    got = [[e["name"], e["pc"]] for e in events
           if e["type"] == "diagnostic" and e["name"] in SNAPSHOT_REPORTS]
    assert (len(got) == len(expected) and
            all(g[0] == e[0] and (g[1] == e[1] or e[1] == "0x0") for g, e in zip(got, expected))), \
        f"{len(expected)} diagnostics at their places\n{got}\n{expected}"
    summary = [e for e in events if e["type"] == "summary" and e["vcpu"] == 0]
    traced = [e for e in events if e["type"] == "access" and e["register"] == "PMSSCR_EL1"]
    offered = asked != "absent"
    assert len(summary) == 1 and (summary[0]["captures"] > 0) == offered and bool(traced) == offered, \
        f"the summary counts Captures, and the trace has the register accesses\n{summary}"


def test_refusal():
    status, _, errors, _ = run("captures", "", "max,pmu=off", ("--pmu-snapshot", "yes"))
    assert status == 125 and "the CPU does not have a PMU" in errors and errors.count("\n") == 1, \
        f"--pmu-snapshot yes with -cpu max,pmu=off is refused\n{status}\n{errors}"
