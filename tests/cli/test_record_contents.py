# SPDX-License-Identifier: MIT
"""The contents of recordings: branches, addresses of data, and the metadata for perf."""
import collections
import json
import os
import re
import struct

from clilib import compile_c, run, spemu, write
from recorded_program import own_folder, program, recorded, records_of


def attr_of(data):
    """Return config and config1 of the attr in a file. The attr follows the header of 104 bytes."""
    with open(data, "rb") as stream:
        raw = stream.read(256)
    return struct.unpack_from("<Q", raw, 104 + 8)[0], struct.unpack_from("<Q", raw, 104 + 56)[0]


def test_branches(tmp_path, program):
    """Options for profile-guided optimizers, which correspond to perf's branch_filter=1 (bit 32 of
    config) and event_filter=2 (config1)."""
    data = f"{tmp_path}/branches.data"
    for options, targets in (((), True), (("--machine", "none"), True),
                             (("--choose", "not-taken-target=omitted"), False)):
        recorded(spemu("record", "-q", "-o", data, "-c", "256", "--branches", "all", *options, program))
        records = records_of(data)
        not_taken = [r for r in records if "not-taken" in r["events"]]
        what = f"--branches all {' '.join(options)}"
        assert len(records) > 100 and all(r["op"].startswith("branch") for r in records), \
            f"{what}: all samples are branches\n{records[:2]}"
        assert len(not_taken) > 10 and all(
             ("target" in r) == targets and (not targets or int(r["target"], 0) == int(r["pc"], 0) + 4)
             for r in not_taken), f"{what}: branches that are not taken have a target\n{not_taken[:2]}"
        assert [x & 7 << 32 for x in attr_of(data)[:1]] + [attr_of(data)[1]] == [1 << 32, 2], \
            f"{what}: the attr has the configuration that hardware would need"
    recorded(spemu("record", "-q", "-o", data, "-c", "512", "--branches", "taken", "--filter", "branch", program))
    records = records_of(data)
    assert len(records) > 100 and all(
         r["op"].startswith("branch") and "not-taken" not in r["events"] and "retired" in r["events"] and
         "target" in r and "previous_target" not in r for r in records), \
             f"--branches taken: only taken branches, without previous targets\n{records[:2]}"
    for options in (("--branches", "previous"), ("--branches", "all", "--previous-target", "--machine", "none")):
        told = spemu("record", "-o", data, "-c", "512", *options, program)
        records = records_of(data)
        # Almost all time passes in the loop of busy(). So the previous branch is the branch back to
        # its start.
        back = collections.Counter((r["target"], r.get("previous_target")) for r in records).most_common(1)
        assert (told.returncode == 0 and len(records) > 100 and back[0][1] > len(records) / 2 and
                len(set(back[0][0])) == 1), f"{' '.join(options)}: the previous branch\n{(told, back, records[:1])}"
        assert any("not-taken" in r["events"] for r in records) == ("all" in options), \
            f"{' '.join(options)}: branches that are not taken are sampled if 'all' is given"
        assert re.search(r"lost, \d+ without previous target\),", told.stderr), \
            f"{' '.join(options)}: a message counts missing targets\n{told.stderr}"
    recorded(spemu("record", "-q", "-o", data, "-c", "256", "--branches", "all", "--event-filter", "not-taken",
                   program))
    records = records_of(data)
    assert records and all("not-taken" in r["events"] and "retired" in r["events"] for r in records), \
        f"--branches and an event filter both apply\n{records[:2]}"


LOOP = """
	.global _start
_start:	mov	x0, #40000
1:	.rept	15
	nop
	.endr
	subs	x0, x0, #1
	b.ne	1b
	mov	x8, #93
	svc	#0
"""


def test_loop_bias(tmp_path):
    """docs/howto/pgo.md: by default, samples are 4097 operations apart, which is 17 times 241. The
    loop has 17 operations."""
    source, program, data = write(tmp_path, "loop.s", LOOP), f"{tmp_path}/loop", f"{tmp_path}/loop.data"
    recorded(run("aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-o", program, source))
    seen = {}
    for option in ((), ("--jitter",)):
        recorded(spemu("record", "-q", "-o", data, "--machine", "none", *option, program))
        seen[option] = {r["pc"] for r in records_of(data)}
    assert (len(seen[()]), len(seen[("--jitter",)])) == (1, 17), \
        "in a loop of 17 operations, one is sampled; with --jitter, each is sampled"


MEMORY = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#define SIZE (1 << 20)
static char globals[SIZE];
static char *map(char *at, int file)
{
	return mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | (at ? MAP_FIXED : 0) | (file < 0 ? MAP_ANONYMOUS : 0),
	            file, 0);
}
static void work(volatile char *memory)
{
	for (int round = 0; round < 40; round++)
		for (unsigned i = 0; i < SIZE; i += 64)
			memory[i]++;
}
static void *on_stack(void *unused)
{
	volatile char area[SIZE];
	(void)unused;
	work(area);
	return NULL;
}
int main(int argc, char **argv)
{
	int file = open(argv[argc - 1], O_RDONLY);
	pthread_t thread;
	char *heap = sbrk(SIZE), *mapped = map(NULL, -1);
	for (int i = 0; i < 1000; i++) { /* of which a recording need not hear */
		munmap(mapped, SIZE);
		map(mapped, -1);
	}
	work(heap);
	work(mapped);
	work(map(mapped, file));
	work(map(mapped, -1));
	work(globals);
	on_stack(NULL);
	for (int i = 0; i < 2; i++) { /* the second is given the stack of the first */
		if (pthread_create(&thread, NULL, on_stack, NULL) || pthread_join(thread, NULL))
			return 2;
	}
	return file < 0;
}
"""


def test_memory(tmp_path):
    """Samples are named after the memory that was mapped at their data address at that time: heap,
    anonymous memory, files, objects."""
    program = compile_c(tmp_path, "memory", MEMORY, "-static", "-pthread")
    data = f"{tmp_path}/memory.data"
    content = write(tmp_path, "content", bytes(1 << 20))
    result = spemu("record", "-o", data, "-c", "512", "--machine", "none", program, content)
    assert (result.returncode, result.stderr.count("\n")) == (0, 1), \
        "a program with memory of each kind is recorded, with one line of messages"
    result = spemu("report", "--json", "--section", "objects", "-n", "0", data)
    samples = collections.Counter()
    for row in json.loads(result.stdout)["objects"]:
        samples[row["data"]] += row["samples"]
    one = samples["globals"]
    assert one > 1000, f"enough samples of each kind of memory\n{samples}"
    threads = sorted(r["tid"] for r in json.loads(
        spemu("report", "--json", "--section", "functions", "-s", "tid", data).stdout)["functions"])
    assert len(threads) == 3, "three threads have samples"
    stacks = [("[stack]", 1)] + [(f"[stack:{tid}]", 1) for tid in threads[1:]]
    for name, works in [("[heap]", 1), ("//anon", 2), (os.path.basename(content), 1)] + stacks:
        assert abs(samples[name] - works * one) < one / 20, f"samples of {name}\n{samples}"
    with open(data, "rb") as f:
        events = f.read().count(b"//anon\0")
    assert events < 20, f"memory that is released and reused is reported once\n{events}"


def metadata_words(data):
    """Return the private part of AUXTRACE_INFO, which follows TIME_CONV, and the number of CPUs
    from NRCPUS."""
    with open(data, "rb") as stream:
        raw = stream.read()
    at, size = struct.unpack_from("<QQ", raw, 40)
    assert struct.unpack_from("<I", raw, at)[0] == 79, "the data section begins with TIME_CONV"
    info = at + struct.unpack_from("<H", raw, at + 6)[0]
    kind, _, length, trace = struct.unpack_from("<IHHI", raw, info)
    assert (kind, trace) == (70, 4), "AUXTRACE_INFO of SPE"
    flags = struct.unpack_from("<Q", raw, 72)[0]
    section = at + size + 16 * bin(flags & ((1 << 7) - 1)).count("1")
    cpus = struct.unpack_from("<I", raw, struct.unpack_from("<Q", raw, section)[0])[0]
    return struct.unpack_from(f"<{(length - 16) // 8}Q", raw, info + 16), cpus


def test_metadata(tmp_path, program):
    """--perf-metadata: the words have the order of an enum in tools/perf/util/arm-spe.h. MIDR_EL1
    is that of Arm's manuals."""
    data, magic = f"{tmp_path}/metadata.data", 0x1010101010101010
    recorded(spemu("record", "-q", "-o", data, "-c", "512", "--perf-metadata", "1", program))
    pmu, per_cpu = metadata_words(data)[0]
    assert per_cpu == 1, "version 1 has only the PMU type and per_cpu_mmaps"
    plain = len(records_of(data))
    # PMSEVFR_EL1.E[1], [3], [5] and [7] exist in every SPE, E[11] from FEAT_SPEv1p1 on, and E[17] and E[18] if there is
    # SVE, too. E[6] exists from FEAT_SPEv1p2 on, and E[2], [4], [8:10] and [19:23] from FEAT_SPEv1p4 on (D24.7.11).
    for machine, midr, events in (("neoverse-n1", 0x410fd0c0, 0xaa), ("neoverse-v1", 0x410fd400, 0x608aa),
                                  ("neoverse-n2", 0x410fd490, 0x608aa), ("neoverse-v2", 0x410fd4f0, 0x608aa),
                                  ("ampereone", 0xc00fac40, 0xaa), ("cortex-a76", 0x410fd0b0, 0xf80ffe),
                                  ("none", 0x410fd0c0, 0xaa)):
        recorded(spemu("record", "-q", "-o", data, "-c", "512", "--perf-metadata", "2", "--machine", machine,
                   program))
        words, cpus = metadata_words(data)
        expected = [2, 4, pmu, cpus]
        for cpu in range(cpus):
            expected += [magic, cpu, 4, midr & ~0xf0000f, pmu, 256, events]
        got = [w & ~0xf0000f if i >= 4 and (i - 4) % 7 == 3 else w for i, w in enumerate(words)]
        assert got == expected, f"the words of version 2, {machine}"
    assert abs(len(records_of(data)) - plain) * 10 < plain, "version 2: spemu reads the same records"
    told = json.loads(spemu("report", "--json", "-n", "0", data).stdout)
    assert told["samples"] == len(records_of(data)), "version 2: spemu report counts the same samples"


LOADS = 1 << 20  # one of each line of 64 MB, which is more than the caches hold
TOTALS = """
#include <sys/wait.h>
#include <unistd.h>
static volatile char data[64 << 20];
int main(void)
{
	for (long i = 0; i < (64 << 20); i += 64)
		(void)data[i];
	if (!fork())
		_exit(0);
	wait(0);
	return 0;
}
"""


KILLED = """
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile char data[1 << 20];
int main(void)
{
	int pair[2];
	char byte = 0;
	pid_t child;

	if (pipe(pair))
		return 1;
	child = fork();
	if (!child) {
		for (long i = 0; i < (1 << 20); i += 64)
			(void)data[i];
		(void)!write(pair[1], &byte, 1);
		for (;;)
			pause();
	}
	(void)!read(pair[0], &byte, 1);
	kill(child, SIGKILL);
	wait(0);
	return 0;
}
"""


def test_totals(tmp_path):
    """The exact numbers of the events are those that the program must have, and the child of fork() adds only its own.
    The error is that of the samples. Estimates and filtered reports have no exact numbers."""
    program = compile_c(tmp_path, "totals", TOTALS, "-O2", "-static")
    data = f"{tmp_path}/perf.data"
    spemu("record", "-q", "-c", "1024", "--uarch", "stride_entries=0,stream_entries=0", "-o", data, "--", program)
    events = json.loads(spemu("report", "--json", "--section", "events", data).stdout)["events"]
    rows = {row["event"]: row for row in events}
    refills = rows["l1d-refill"]
    assert LOADS <= refills["exact"] < 1.02 * LOADS, f"start-up has some thousand refills\n{refills}"
    assert LOADS / 64 <= rows["tlb-refill"]["exact"] < 1.05 * LOADS / 64, f"one walk for each page of 4 KB\n{rows}"
    assert abs(refills["error"] - 100 * (1024 * refills["samples"] / refills["exact"] - 1)) < 0.01, refills
    assert abs(refills["error"]) < 500 / refills["samples"] ** 0.5, f"five standard deviations\n{refills}"
    assert rows["retired"]["exact"] is None, "only the model's numbers are exact"
    shown = spemu("report", "--section", "events", data).stdout
    assert "# exact: number in the timing model" in shown and "  Exact  " in shown, shown
    killed = compile_c(tmp_path, "killed", KILLED, "-O2", "-static")
    spemu("record", "-q", "-c", "1024", "-o", f"{tmp_path}/killed.data", "--", killed)
    shown = spemu("report", "--section", "events", f"{tmp_path}/killed.data").stdout
    assert "l1d-access" in shown and "Exact" not in shown, f"a killed process has no last totals\n{shown}"
    for more in (["--reason", "LLC loads"], []):
        if not more:
            spemu("record", "-q", "-c", "1024", "--fidelity", "sampled", "-o", data, "--", program)
        shown = spemu("report", "--section", "events", *more, data).stdout
        assert "Exact" not in shown, f"{more}\n{shown}"
