# SPDX-License-Identifier: MIT
"""perf 7 names the data source of a load like the timing model of each machine.

A program loads from each level of the memory system. perf must show each load of the recording with
the name that belongs to its payload and to the MIDR of the machine. The test requires a perf of the
7 series (scripts/fetch perf installs it), qemu-aarch64 and the cross compiler.
"""
import collections
import json
import re
import shutil
import subprocess

import pytest

from clilib import ROOT, SPEMU

PERF = ROOT / "build/perf/bin/perf"

# The program uses more memory than fits into an L1, an L2 and a last-level cache. Two threads also
# write to one line in turn.
PROGRAM = """
#include <pthread.h>
static volatile char l1[4 << 10], l2[512 << 10], llc[8 << 20], dram[64 << 20];
static volatile long shared;
static void touch(volatile char *m, long size, int rounds)
{
	while (rounds--)
		for (long i = 0; i < size; i += 64)
			(void)m[i];
}
static void *peer(void *unused)
{
	for (int i = 0; i < 100000; i++)
		shared++;
	return unused;
}
int main(void)
{
	pthread_t other;

	touch(l1, sizeof(l1), 2000);
	touch(l2, sizeof(l2), 20);
	touch(llc, sizeof(llc), 3);
	touch(dram, sizeof(dram), 1);
	pthread_create(&other, 0, peer, 0);
	peer(0);
	pthread_join(other, 0);
	return 0;
}
"""
LEVELS = ("L1", "L2", "peer", "system cache", "DRAM", "remote")
# The payloads of the levels that the model has, from Linux's tools/perf/util/arm-spe-decoder/arm-spe-decoder.h.
COMMON = dict(zip((0x0, 0x8, 0x9, 0xb, 0xe, 0xd), LEVELS))
AMPEREONE = dict(zip((0x8, 0x9, 0x0, 0x3, 0x7, 0x5), LEVELS))
MACHINES = {"neoverse-n1": COMMON, "neoverse-v1": COMMON, "neoverse-n2": COMMON, "neoverse-v2": COMMON,
            "ampereone": AMPEREONE}
# The level, and true if a peer was snooped, from arm_spe__synth_data_source_common() in tools/perf/util/arm-spe.c. A
# store has no source. For data of another socket, perf 7 prints a peer without a level.
NAMES = {("L1 hit", False): "L1", ("L2 hit", False): "L2", ("L2 hit", True): "peer", ("L3 hit", False): "system cache",
         ("RAM hit", False): "DRAM", ("N/A", False): "store", ("N/A", True): "remote"}
MEM_LEVEL = {"L1": "L1 hit", "L2": "L2 hit", "peer": "L2 hit", "system cache": "L3 hit", "DRAM": "RAM hit", "store": "N/A",
             "remote": "N/A"}


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def said_by_spemu(data, payloads):
    """Return the level of each load and store, by its payload."""
    levels = collections.Counter()
    for record in map(json.loads, run(SPEMU, "dump", "--records", "--json", data).splitlines()):
        if record["op"].startswith("store"):
            levels["store"] += 1
        elif "source" in record:
            levels[payloads.get(int(record["source"], 16), record["source"])] += 1
    return levels


def said_by_perf(data):
    levels = collections.Counter()
    for line in run(PERF, "script", "-i", data, "--itrace=M", "-F", "data_src").splitlines():
        level, snoop = re.search(r"\|LVL ([^|]*)\|SNP ([^|]*)\|", line).groups()
        levels[NAMES.get((level, "Peer" in snoop), line)] += 1
    return levels


def said_by_perf_mem(data):
    """Return {level: samples} from the table of loads and stores of `perf mem report`."""
    table, event = {}, None
    for line in run(PERF, "mem", "report", "--stdio", "--sort=mem", "-i", data).splitlines():
        of = re.match(r"# Samples: .* of event '(.*)'", line)
        event = of.group(1) if of else event
        row = re.match(r"\s+[0-9.]+%\s+([0-9]+)\s+(.*?)\s*$", line)
        if row and event == "memory":
            table[row.group(2)] = int(row.group(1))
    return table


def remote_accesses(data, payloads):
    """Return three numbers: records with event 10, perf's samples for them, and loads that
    requested data of another socket themselves (event 8). Other loads found such a request already
    in flight."""
    records = list(map(json.loads, run(SPEMU, "dump", "--records", "--json", data).splitlines()))
    samples = run(PERF, "script", "-i", data, "--itrace=a", "-F", "event").split()
    events = [int(r["event_bits"], 16) for r in records]
    fetched = sum(payloads.get(int(r.get("source", "-1"), 16)) == "remote" and e >> 8 & 1
                  for r, e in zip(records, events))
    return sum(e >> 10 & 1 for e in events), samples.count("remote-access:"), fetched


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    for need in (PERF, "qemu-aarch64", "aarch64-linux-gnu-gcc"):
        if not shutil.which(need):
            pytest.skip(f"{need} is not installed")
    path = tmp_path_factory.mktemp("levels") / "levels"
    path.with_suffix(".c").write_text(PROGRAM)
    run("aarch64-linux-gnu-gcc", "-O1", "-static", "-pthread", "-o", path, path.with_suffix(".c"))
    return path


@pytest.mark.parametrize("machine, sockets", [*((machine, 1) for machine in MACHINES), ("neoverse-v2", 2), ("ampereone", 2)])
def test_levels(tmp_path, program, machine, sockets):
    data = tmp_path / "perf.data"
    run(SPEMU, "record", "-q", "-o", data, "--perf-metadata", "2", "-c", "256", "--interleave", "50", "--machine",
        machine, "--uarch", f"sockets={sockets},socket_cores=1", program)
    expected = said_by_spemu(data, MACHINES[machine])
    # With one thread in each of two sockets, a peer is always remote.
    missing = "remote" if sockets == 1 else "peer"
    assert all(expected[level] >= 20 or level == missing for level in LEVELS) and not expected[missing], \
        f"every level serves loads\n{expected}"
    remote, made, fetched = remote_accesses(data, MACHINES[machine])
    assert remote == made and (remote >= fetched >= 20 if sockets > 1 else not remote and not fetched), \
        f"perf has the remote memory accesses\n{remote} {made} {fetched} {expected}"
    assert said_by_perf(data) == expected, "perf script has the same names"
    of_mem = collections.Counter()
    for level, n in expected.items():
        of_mem[MEM_LEVEL[level]] += n
    assert said_by_perf_mem(data) == of_mem, "perf mem report has the same levels"
