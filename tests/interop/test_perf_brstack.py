# SPDX-License-Identifier: MIT
"""perf 7 makes branch stacks from records that contain the target of the previous branch. They agree with spemu dump.

The test requires a perf of the 7 series (scripts/fetch perf installs it), qemu-aarch64 and the cross compiler.
"""
import collections
import json
import shutil
import subprocess

import pytest

from clilib import ROOT, SPEMU

PERF = ROOT / "build/perf/bin/perf"


def said_by_spemu(data):
    """Return the samples of each thread: the address, and the entries of the branch stack, most recent first."""
    samples = collections.defaultdict(list)
    text = subprocess.run([SPEMU, "dump", "--records", "--json", data], capture_output=True, text=True,
                          check=True).stdout
    for record in map(json.loads, text.splitlines()):
        flags = ("M" if "mispred" in record["events"] else "P") + "N" * ("not-taken" in record["events"])
        stack = [(int(record["pc"], 0), int(record["target"], 0), flags)]
        if "previous_target" in record:
            stack.append((0, int(record["previous_target"], 0), "-"))
        samples[record["context_el1"]].append((int(record["pc"], 0), stack))
    return samples


def said_by_perf(data):
    samples = collections.defaultdict(list)
    done = subprocess.run([PERF, "script", "-i", data, "--itrace=i1il", "-F", "tid,ip,brstack"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        tid, ip, *entries = line.split()
        stack = [entry.split("/") for entry in entries]
        samples[int(tid)].append((int(ip, 16), [(int(e[0], 16), int(e[1], 16), e[2]) for e in stack]))
    return samples, done.stderr


@pytest.mark.parametrize("options", (("--machine", "none"), ()))
def test_stacks(tmp_path, options):
    for need in (PERF, "qemu-aarch64", "aarch64-linux-gnu-gcc"):
        if not shutil.which(need):
            pytest.skip(f"{need} is not installed")
    program, data = tmp_path / "branches", tmp_path / "perf.data"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-static", "-pthread", "-o", program, ROOT / "tests/qemu-user/guest/branches.c"],
                   check=True)
    subprocess.run([SPEMU, "record", "-q", "-o", data, "--perf-metadata", "2", "-c", "512", "--branches", "previous", *options, program],
                   check=True)
    expected = said_by_spemu(data)
    samples, said = said_by_perf(data)
    lengths = collections.Counter(len(stack) for thread in expected.values() for _, stack in thread)
    assert len(expected) == 4 and lengths[2] > 100 and lengths[2] > 10 * lengths[1], \
        f"nearly all stacks have two branches\n{lengths}"
    assert samples == expected, "the branch stacks of perf are equal\n" + said + "\n".join(
        f"{tid}: {a} {b}" for tid in expected for a, b in zip(expected[tid], samples[tid]) if a != b)
