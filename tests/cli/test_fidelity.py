#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spemu record --fidelity: what is marked, what is refused, and how far estimates are from what must be.

Four phases, each of so many operations that windows see a small part of them. Of each the miss ratios follow from the sizes of
Neoverse N1's caches (64 KB, 1 MB, 32 MB, lines of 64 bytes): they are computed here, not recorded. in_llc goes through its
lines by a generator modulo a power of two, of full period, no two steps of which are the same: no prefetcher can follow. in_order goes through
the same lines one after the other, a line every other cycle or less: prefetchers have asked for each before, and none is there in time.
"""
import csv
import io
import json

from clilib import Folder, check, compile_c, done, equal, refuses, select_case, spemu

PERIOD = 16384
BOUND = 0.03  # of a ratio
KB, MB = 1024, 1024 * 1024

# A pass of loads STRIDE bytes apart, 0: in no order, a line each; SIZE bytes in all, again and again.
PHASES = {  # name: size, stride, passes, L1 misses, L2 misses of all loads
    "in_l1": (32 * KB, 8, 6000, 0, 0),
    "in_l2": (512 * KB, 8, 400, 8 / 64, 0),
    "in_llc": (8 * MB, 0, 60, 1, 1),
    "in_order": (8 * MB, 64, 180, 1, 0),
}

SOURCE = """
static char data[8 << 20] __attribute__((aligned(4096)));
%s
int main(void)
{
%s
	return 0;
}
"""
PHASE = """
static __attribute__((noinline)) void %(name)s(void)
{
	for (long n = %(passes)d; n; n--) {
		char *p = data, *end = data + %(size)d;

		__asm__ volatile("1: ldr x9, [%%0], #%(stride)d; cmp %%0, %%1; b.ne 1b"
		                 : "+r"(p) : "r"(end) : "x9", "cc", "memory");
	}
}
"""


NO_ORDER = """
static __attribute__((noinline)) void %(name)s(void)
{
	unsigned lines = %(size)d / 64, at = 0;

	for (long n = %(passes)dl * lines; n; n--) {
		at = (at * 1664525 + 1013904223) %% lines;
		__asm__ volatile("ldr x9, [%%0]" : : "r"(data + 64ul * at) : "x9", "memory");
	}
}
"""


def make(folder):
    phases = [(PHASE if stride else NO_ORDER) % {"name": name, "size": size, "stride": stride, "passes": passes}
              for name, (size, stride, passes, *_) in PHASES.items()]
    return compile_c(folder.path, "phases", SOURCE % ("".join(phases), "".join(f"\t{name}();\n" for name in PHASES)),
                     "-O1", "-g", "-static")


def record(folder, program, name, *options):
    path = folder(name)
    result = spemu("record", "-q", "-c", PERIOD, "-o", path, *options, "--", program)
    equal(result.returncode, 0, f"{name}: recorded")
    return path


def rows(path):
    result = spemu("export", "-q", "--format", "csv", "-i", path)
    return list(csv.DictReader(io.StringIO(result.stdout)))


def sums(samples, name):
    """Loads, those that missed L1, and those that went to the last level, of a function."""
    events = [int(row["event_bits"], 16) for row in samples if row["symbol"] == name]
    loads = [e for e in events if e >> 2 & 1]
    return len(loads), sum(e >> 3 & 1 for e in loads), sum(e >> 8 & 1 for e in loads)


def test_ratios(folder, samples):
    for name, (*_, l1, l2) in PHASES.items():
        loads, missed, missed_l2 = sums(samples, name)
        check(loads >= 200, f"{name}: {loads} loads are enough to say so")
        check(abs(missed / loads - l1) < BOUND, f"{name}: L1 misses", f"{missed} of {loads}, {l1} is right")
        check(abs(missed_l2 / loads - l2) < BOUND, f"{name}: L2 misses", f"{missed_l2} of {loads}, {l2} is right")


def test_late(samples, right):
    """What both say of lines on their way: that they come from the last level, and on average when."""
    means = []
    for rows_ in (samples, right):
        loads = [row for row in rows_ if row["symbol"] == "in_order" and int(row["event_bits"], 16) >> 2 & 1]
        far = sum(row["source_name"] == "system-cache" for row in loads)
        check(far > (1 - BOUND) * len(loads), "in_order: the lines come from the last level", f"{far} of {len(loads)}")
        means.append(sum(int(row["total"]) for row in loads) / len(loads))
    check(abs(means[0] / means[1] - 1) < 0.05, "in_order: mean latencies agree", means)


def plain(samples):
    return [(row["pc"], row["op"], row["va"], row["target"]) for row in samples]


def measured(samples):
    return [(row["event_bits"], row["total"], row["source"]) for row in samples]


def test_marked(path, exact):
    equal([json.loads(spemu("report", "--json", "-i", p).stdout)["machine"] for p in (path, exact)],
          ["neoverse-n1 (modeled by spemu, sampled fidelity)", "neoverse-n1 (modeled by spemu)"], "JSON says the fidelity")
    check("# machine: neoverse-n1 (modeled by spemu, sampled fidelity)\n" in spemu("report", "-i", path).stdout,
          "the report says it")


def test_refused(program):
    refuses("a fidelity that there is not", 2, "--fidelity: expected exact or sampled, got 'sample'", "record",
            "--fidelity", "sample", "--", program)
    refuses("fidelity of no model", 2, "machine 'none' has none", "record", "--fidelity", "sampled", "--machine", "none",
            "--", program)
    refuses("memory callbacks everywhere", 2, "leave one out", "record", "--fidelity", "sampled", "--memory-callbacks",
            "--", program)


def main():
    with Folder() as folder:
        program = make(folder)
        test_refused(program)
        path = record(folder, program, "sampled.data", "--fidelity", "sampled")
        again = record(folder, program, "again.data", "--fidelity", "sampled")
        exact = record(folder, program, "exact.data", "--fidelity", "exact")
        default = record(folder, program, "default.data")
        samples, repeated, right, usual = (rows(p) for p in (path, again, exact, default))
        test_marked(path, exact)
        test_ratios(folder, samples)
        test_ratios(folder, right)
        test_late(samples, right)
        equal(plain(samples), plain(right), "samples are of the same operations, at the same addresses")
        equal(measured(samples), measured(repeated), "a run repeats exactly")
        check(measured(samples) != measured(right), "the two can be told apart")
        equal(measured(right), measured(usual), "exact is what there is by default")
    done()


select_case(globals())
main()
