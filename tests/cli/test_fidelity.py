# SPDX-License-Identifier: MIT
"""spemu record --fidelity: the marks in recordings, error messages, and the error of estimates
against calculated values.

The program has four phases. Each is so long that the sampling windows cover a small part of it. The miss ratios are
calculated here from the sizes of Neoverse N1's caches (64 KB, 1 MB and 32 MB, with lines of 64 bytes).

Phase in_llc visits its lines in the order of a full-period generator modulo a power of two. No two
steps of this order are equal, so no prefetcher can follow it. Phase in_order visits the same lines
in sequence, faster than they arrive. All its lines are prefetched, and most arrive late. Lines in
sequence are prefetched into L1 after the first four of the 64 lines of a page.
"""
import csv
import io
import json

import pytest

from clilib import compile_c, refuses, spemu

PERIOD = 16384
BOUND = 0.03  # largest error of a ratio
KB, MB = 1024, 1024 * 1024

# The loads of a phase. A pass covers SIZE bytes in steps of STRIDE bytes; with STRIDE 0, it loads once from each line,
# in the order above.
PHASES = {  # name: size, stride, passes, L1 misses, L2 misses of all loads
    "in_l1": (32 * KB, 8, 6000, 0, 0),
    "in_l2": (512 * KB, 8, 400, 8 / 64 * 4 / 64, 0),
    "in_llc": (8 * MB, 0, 60, 1, 1),
    "in_order": (8 * MB, 64, 180, 4 / 64, 0),
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
    return compile_c(folder, "phases", SOURCE % ("".join(phases), "".join(f"\t{name}();\n" for name in PHASES)),
                     "-O1", "-g", "-static")


def record(folder, program, name, *options):
    path = f"{folder}/{name}"
    result = spemu("record", "-q", "-c", PERIOD, "-o", path, *options, "--", program)
    assert result.returncode == 0, f"{name}: the recording succeeds"
    return path


def rows(path):
    result = spemu("export", "-q", "--format", "csv", "-i", path)
    return list(csv.DictReader(io.StringIO(result.stdout)))


def sums(samples, name):
    """Return three numbers of loads of a function: all loads, those that missed L1, and those that
    reached the last level."""
    events = [int(row["event_bits"], 16) for row in samples if row["symbol"] == name]
    loads = [e for e in events if e >> 2 & 1]
    return len(loads), sum(e >> 3 & 1 for e in loads), sum(e >> 8 & 1 for e in loads)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return make(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def sampled(tmp_path_factory, program):
    return record(tmp_path_factory.mktemp("sampled"), program, "sampled.data", "--fidelity", "sampled")


@pytest.fixture(scope="module")
def exact(tmp_path_factory, program):
    return record(tmp_path_factory.mktemp("exact"), program, "exact.data", "--fidelity", "exact")


@pytest.mark.parametrize("name", PHASES)
@pytest.mark.parametrize("fidelity", ("sampled", "exact"))
def test_ratios(request, fidelity, name):
    *_, l1, l2 = PHASES[name]
    loads, missed, missed_l2 = sums(rows(request.getfixturevalue(fidelity)), name)
    assert loads >= 200, f"{loads} loads are enough for an estimate"
    assert abs(missed / loads - l1) < BOUND, f"L1 misses\n{missed} of {loads}, {l1} is the calculated ratio"
    assert abs(missed_l2 / loads - l2) < BOUND, f"L2 misses\n{missed_l2} of {loads}, {l2} is the calculated ratio"


def test_late(sampled, exact):
    """Both recordings show late lines: the source of most of them is the last-level cache, and they have the same
    mean delay."""
    means = []
    for data in (sampled, exact):
        loads = [row for row in rows(data) if row["symbol"] == "in_order" and int(row["event_bits"], 16) >> 2 & 1]
        far = sum(row["source_name"] == "system-cache" for row in loads)
        assert far > len(loads) / 2, f"in_order: the lines come from the last level\n{far} of {len(loads)}"
        means.append(sum(int(row["total"]) for row in loads) / len(loads))
    assert abs(means[0] / means[1] - 1) < 0.05, f"in_order: mean latencies agree\n{means}"


def plain(samples):
    return [(row["pc"], row["op"], row["va"], row["target"]) for row in samples]


def measured(samples):
    return [(row["event_bits"], row["total"], row["source"]) for row in samples]


def test_marked(sampled, exact):
    assert ([json.loads(spemu("report", "--json", "-i", p).stdout)["machine"] for p in (sampled, exact)] ==
            ["neoverse-n1 (modeled by spemu, sampled fidelity)", "neoverse-n1 (modeled by spemu)"]), \
                "the JSON output names the fidelity"
    assert "# machine: neoverse-n1 (modeled by spemu, sampled fidelity)\n" in spemu("report", "-i", sampled).stdout, \
        "the report names the fidelity"


def test_refused(program):
    refuses("a fidelity that there is not", 2, "--fidelity: expected exact or sampled, got 'sample'", "record",
            "--fidelity", "sample", "--", program)
    refuses("fidelity of no model", 2, "requires a timing model; --machine none has none", "record", "--fidelity", "sampled", "--machine", "none",
            "--", program)
    refuses("memory callbacks everywhere", 2, "leave one out", "record", "--fidelity", "sampled", "--memory-callbacks",
            "--", program)


def test_plain(sampled, exact):
    assert plain(rows(sampled)) == plain(rows(exact)), "both recordings sample the same operations and addresses"
    assert measured(rows(sampled)) != measured(rows(exact)), "measured values of the two recordings differ"


def test_repeats(tmp_path, program, sampled):
    again = record(tmp_path, program, "again.data", "--fidelity", "sampled")
    assert measured(rows(sampled)) == measured(rows(again)), "a run repeats exactly"


def test_default(tmp_path, program, exact):
    default = record(tmp_path, program, "default.data")
    assert measured(rows(exact)) == measured(rows(default)), "exact fidelity is the default"
