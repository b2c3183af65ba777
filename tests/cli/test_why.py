# SPDX-License-Identifier: MIT
"""The columns, reasons, groups and filters of spemu report, for samples with known counts.

The list below describes each sample. The expected numbers are sums over this list, by the rules in
the manual page. For the recorded program, they follow from its loops.
"""
import collections
import json
import os
import re

import pytest

from clilib import compile_c, make_recording, nm, refuses, run, segments, spemu

(RETIRED, L1, L1_MISS, TLB, WALK, NOT_TAKEN, MISPREDICTED, LLC, LLC_MISS, REMOTE) = (1 << b for b in range(1, 11))
L2, L2_MISS, HITM, LATE, SNOOPED = (1 << b for b in range(19, 24))
LOAD, STORE, ATOMIC, BRANCH, OTHER = (1, 0), (1, 1), (1, 6), (2, 1), (0, 0)
HIT = L1 | TLB
FAR = HIT | L1_MISS | L2 | L2_MISS | LLC | LLC_MISS
BASE, PENALTY = 2, 12  # the shortest issue latency of the list, and the cycles that a misprediction adds
SOURCE = "".join(f"__attribute__((noinline)) void {f}(volatile long *p)\n{{\n"
                 + "\t*p = *p + 1;\n" * 8 + "}\n" for f in ("far", "near", "jumps", "shared"))
SOURCE += "long data[4096];\nint main(void) { far(data); near(data); jumps(data); shared(data); return 0; }\n"

# (function, offset, thread, cpu, operation, events, issue, translation, total, count, data, source,
# reason of execution)
SAMPLES = [
    ("far", 0, 10, 0, LOAD, FAR | WALK, 2, 40, 250, 10, 0x900000, 0xe, "DRAM loads"),
    ("far", 0, 10, 0, LOAD, FAR & ~LLC_MISS, 2, 0, 80, 6, 0x900040, 0xb, "LLC loads"),
    ("far", 4, 10, 0, LOAD, HIT | L1_MISS | L2, 2, 5, 20, 7, 0x900080, 8, "L2 loads"),
    ("far", 4, 10, 0, LOAD, HIT | L1_MISS, 2, 0, 18, 3, 0x900080, None, "L1 misses"),
    ("far", 8, 10, 1, LOAD, FAR | REMOTE, 30, 0, 400, 4, 0x9000c0, 0xd, "remote memory"),
    ("far", 8, 10, 1, LOAD, HIT | LATE, 2, 0, 60, 5, 0x900000, 0, "late lines"),
    ("far", 8, 10, 1, LOAD, HIT | L1_MISS | L2 | LATE, 2, 0, 90, 2, 0x900040, 8, "late lines"),
    ("near", 0, 10, 0, LOAD, HIT, 2, 0, 6, 100, 0x900100, 0, "L1 loads"),
    ("near", 4, 10, 0, STORE, HIT, 2, 0, 3, 50, 0x900100, None, "stores"),
    ("near", 8, 10, 0, STORE, HIT | L1_MISS, 12, 0, 40, 5, 0x900140, None, "store misses"),
    ("near", 12, 10, 0, OTHER, L1_MISS, 2, 0, 3, 200, None, None, "execution"),
    ("jumps", 0, 11, 1, BRANCH, MISPREDICTED, 2, 0, 3, 40, None, None, "mispredicted"),
    ("jumps", 0, 11, 1, BRANCH, NOT_TAKEN, 2, 0, 3, 60, None, None, "branches"),
    # Two threads write different parts of one line. In another line, two threads write the same
    # part.
    ("shared", 0, 10, 0, STORE, HIT, 2, 0, 3, 9, 0x901000, None, "stores"),
    ("shared", 0, 11, 1, LOAD, FAR & ~LLC_MISS | SNOOPED | HITM, 2, 0, 112, 20, 0x901020, 9, "false sharing"),
    ("shared", 0, 11, 1, STORE, HIT, 2, 0, 3, 8, 0x901020, None, "stores"),
    ("shared", 4, 10, 0, STORE, HIT, 2, 0, 3, 5, 0x902000, None, "stores"),
    ("shared", 4, 11, 1, ATOMIC, HIT | SNOOPED, 2, 0, 112, 11, 0x902000, 9, "contended atomics"),
    ("shared", 8, 11, 1, ATOMIC, HIT, 2, 0, 10, 2, 0x902040, 0, "atomics"),
]


def reasons_of(samples):
    """Return {reason: cycles} of the samples, by the rules in the manual page."""
    out = collections.Counter()
    for s in samples:
        issue, translation, total, count = s[6:10]
        out["issue wait"] += (issue - BASE) * count
        out["TLB walks" if s[5] & WALK else "TLB refills"] += translation * count
        out[s[12]] += (total - issue - translation + BASE) * count
        if s[12] == "mispredicted":
            out[s[12]] += PENALTY * count
    return out


# The kind of cause of each reason that is avoidable, and the kinds' words in the summary.
KINDS = {"DRAM loads": "memory", "LLC loads": "memory", "L2 loads": "memory", "L1 misses": "memory",
         "remote memory": "memory", "late lines": "memory", "TLB walks": "memory", "TLB refills": "memory",
         "store misses": "stores",
         "mispredicted": "branches", "false sharing": "contention", "contended atomics": "contention"}


def causes_of(samples):
    """Return {(function or contended line, kind): {reason: cycles}} of the avoidable cycles."""
    out = collections.defaultdict(collections.Counter)
    for s in samples:
        for reason, cycles in (+reasons_of([s])).items():
            if reason in KINDS:
                kind = KINDS[reason]
                out[s[10] & ~63 if kind == "contention" else s[0], kind][reason] += cycles
    return out


class Why:
    def __init__(self, folder, name="why", samples=tuple(SAMPLES), latencies=True, events=True):
        self.elf = compile_c(folder, "program", SOURCE, "-static", "-Wl,--build-id=sha1")
        self.symbols, self.path, self.samples = nm(self.elf), f"{folder}/{name}.data", samples
        text = [f"create {self.path} 1000", "comm 10 10 100 program exec", "fork 10 10 11 10 101",
                "comm 10 11 102 helper -"]
        for offset, vaddr, size, _, flags in segments(self.elf):
            if "E" in flags:
                text.append(f"mmap 10 101 {vaddr & ~4095} {size + 4096} {offset & ~4095} r-x {self.elf}")
        for cpu in (0, 1):
            for number, s in enumerate(samples):
                if s[3] == cpu:
                    text.append(self.record(s, 1000000000 * (number + 1), latencies, events))
            text.append(f"aux 10 10 90000000000 {cpu} 0")
        make_recording("\n".join((*text, "finish")) + "\n")

    def record(self, s, time, latencies, events):
        function, offset, thread, _, op, ev, issue, translation, total, count, data, source, _ = s
        words = [f"rec pc={self.symbols[function] + offset} tid={thread} time={time} class={op[0]} sub={op[1]}"]
        if events:
            words.append(f"ev={ev | RETIRED}")
        if latencies:
            words.append(f"issue={issue} total={total}")
            words += [f"xlat={translation}"] if data else []
        words += [f"va={data}"] if data else []
        words += [f"src={source}"] if source is not None else []
        return " ".join((*words, f"n={count}"))

    def of(self, function):
        return [s for s in self.samples if s[0] == function]

    def report(self, *args):
        result = spemu("report", "--json", "-n", "0", *args, self.path)
        assert result.returncode == 0, f"report {' '.join(args)}\n{result.stderr}"
        return json.loads(result.stdout)


def near(got, expected, name):
    assert got is not None and abs(got - expected) < 0.001, f"{name}\n{got} is not {expected}"


def count(samples, want=lambda s: True):
    return sum(s[9] for s in samples if want(s))


@pytest.fixture(scope="module")
def why(tmp_path_factory):
    return Why(tmp_path_factory.mktemp("why"))


def test_columns(why):
    rows = {r["symbol"]: r for r in why.report("--section", "functions", "-s", "sym")["functions"]}
    assert set(rows) == {"far", "near", "jumps", "shared"}, "functions: a row for each function"
    for name, row in rows.items():
        samples = why.of(name)
        cycles = sum(s[8] * s[9] for s in samples)
        near(row["issue"], 100 * sum(s[6] * s[9] for s in samples) / cycles, f"{name}: issue")
        near(row["translation"], 100 * sum(s[7] * s[9] for s in samples) / cycles, f"{name}: translation")
        near(row["issue"] + row["execution"] + row["translation"], 100, f"{name}: the parts are the whole")
        memory = count(samples, lambda s: s[4][0] == 1)
        for key, event in (("l1d_refill", L1_MISS), ("l2d_miss", L2_MISS), ("llc_refill", LLC_MISS),
                           ("tlb_refill", WALK), ("snooped", SNOOPED), ("remote_access", REMOTE)):
            hits = count(samples, lambda s, e=event: s[5] & e)
            assert row[f"{key}_count"] == hits, f"{name}: {key}_count"
            if memory:
                near(row[key], 100 * count(samples, lambda s, e=event: s[4][0] == 1 and s[5] & e) / memory,
                     f"{name}: {key} of memory accesses, not of other operations")
            else:
                assert row[key] is None, f"{name}: no {key} without memory accesses"
        cycles_by_reason = reasons_of(samples)
        reason, most = cycles_by_reason.most_common(1)[0]
        assert row["reason"] == reason, f"{name}: the reason"
        near(row["reason_share"], 100 * most / sum(cycles_by_reason.values()), f"{name}: its share")
    near(rows["jumps"]["mispred"], 40, "jumps: two of five branches are mispredicted")
    assert [rows[n]["data_source"] for n in ("far", "near", "jumps", "shared")] == ["DRAM", "L1", None, "peer-core"], \
        "the most frequent data source"


def line_of(why, s):
    """Return the source line of a sample, from binutils."""
    out = run("aarch64-linux-gnu-addr2line", "-e", why.elf, hex(why.symbols[s[0]] + s[1])).stdout
    return int(re.search(r":(\d+)", out)[1])


def test_causes(why):
    """The summary has the causes with at least a 30th of all cycles, and smaller ones until 85 % of the avoidable
    cycles are covered. A cause has at least 0.5 % of all cycles."""
    whole = sum(reasons_of(why.samples).values())
    largest = sorted(causes_of(why.samples).items(), key=lambda x: -sum(x[1].values()))
    avoidable, expected = sum(sum(c.values()) for _, c in largest), []
    for key, cycles in largest:
        covered = sum(sum(c.values()) for _, c in expected)
        if sum(cycles.values()) >= whole / (200 if covered < 0.85 * avoidable else 30):
            expected.append((key, cycles))
    answer = why.report("--section", "answer")["answer"]
    causes = answer["causes"]
    assert [c["cycles"] for c in causes] == [dict(c) for _, c in expected], "the causes, the largest first"
    covered = 0
    for cause, ((place, kind), cycles) in zip(causes, expected):
        covered += sum(cycles.values())
        assert cause["reason"] == cycles.most_common(1)[0][0], f"{place}, {kind}: the reason with most cycles"
        near(cause["share"], 100 * sum(cycles.values()) / whole, f"{place}, {kind}: the share")
        if kind == "contention":
            assert (cause["threads"], cause["estimated"]) == (2, False), f"{place}: two threads, and no estimate"
            continue
        assert cause["symbol"] == place, f"{place}, {kind}: the function"
        by_line = collections.Counter()
        for s in why.of(place):
            by_line[line_of(why, s)] += sum(n for r, n in reasons_of([s]).items() if KINDS.get(r) == kind)
        expected_lines = [(line, n) for line, n in by_line.most_common() if n][:3]
        assert [x["line"] for x in cause["lines"]] == [x[0] for x in expected_lines], f"{place}, {kind}: its lines"
    near(answer["avoidable"], 100 * avoidable / whole, "the avoidable share")
    near(answer["covered"], 100 * covered / avoidable, "the part that the causes explain")
    assert not answer["flat"], "few functions explain the avoidable cycles"
    assert answer["cycles"] == dict(+reasons_of(why.samples)), "the cycles of the whole program by reason"


def test_reasons(why):
    """For each single sample, selected by its time, the cycles have the reasons that the list names."""
    for number, s in enumerate(why.samples):
        if s[12] not in ("false sharing", "contended atomics"):  # other samples determine how the line is shared
            found = why.report("--section", "answer", "--time", f"{number + 1},{number + 1}")["answer"]
            assert found["cycles"] == dict(+reasons_of([s])), f"sample {number}: {s[12]}"
    rows = why.report("--section", "reasons")["reasons"]
    near(sum(r["share"] for r in rows), 100, "the shares of the areas add up to 100 %")
    avoidable = why.report("--section", "answer")["answer"]["avoidable"]
    near(sum(r["avoidable"] for r in rows), avoidable, "the avoidable shares")


def main_reason(s):
    """Return the reason of most cycles of a sample, without waiting to issue."""
    cycles = reasons_of([s])
    del cycles["issue wait"]
    return cycles.most_common(1)[0][0]


def test_snooped(why):
    rows = json.loads(spemu("report", "--json", "-n", "0", "--section", "cache-lines", why.path).stdout)["cache_lines"]
    expected = collections.Counter()
    for s in SAMPLES:
        if s[10] is not None:
            expected[s[10] & ~63] += s[9] if s[5] & (SNOOPED | HITM) else 0
    assert {int(r["line"], 16): r["snooped"] or 0 for r in rows} == dict(expected), \
        "cache lines: accesses that another core's cache answered"


def test_orders(why):
    def symbols(*args):
        return [r["symbol"] for r in why.report("--section", "functions", *args)["functions"]]

    def by(value):
        return sorted(("far", "near", "jumps", "shared"), key=lambda f: -value(why.of(f)))

    assert symbols("-s", "sym,sample") == by(count), "-s sample"
    assert (symbols("-s", "sym,remote-access-count,l1d-refill-count") ==
            by(lambda s: (count(s, lambda x: x[5] & REMOTE), count(s, lambda x: x[5] & L1_MISS))[0] * 1000
               + count(s, lambda x: x[5] & L1_MISS))), "-s with two fields"
    assert symbols("-F", "mispred-count,sym")[0] == "jumps", "-F also determines the order"
    weights = {name: sum(sample[8] * sample[9] for sample in why.of(name)) for name in ("shared", "far")}
    assert symbols("-F", "mispred-count,sym", "-s", "weight")[0] == max(weights, key=weights.get), \
        "-s overrides the order of -F"
    row = why.report("--section", "functions", "-F", "weight,period,hitm,sym")["functions"][0]
    assert set(row) == {"weight", "period", "hitm", "level", "inlined", "symbol", "name"}, "-F shows only these columns"
    row = why.report("--section", "functions", "-F", "+hitm-count", "-s", "sym")["functions"]
    assert {r["symbol"]: r["hitm_count"] for r in row}["shared"] == 20, "-F + adds a column"
    assert "reason" in row[0] and "cycles" in row[0], f"-F + keeps the default columns\n{row[0]}"
    period = why.report("--section", "functions", "-F", "period,sym")["functions"]
    assert sum(r["period"] for r in period) == 1000 * count(why.samples), "period: the number of operations"


def test_keys(why):
    def rows(key, column):
        return {r[column]: r["samples"]
                for r in why.report("--section", "functions", "-s", key)["functions"]}

    def by(value):
        out = collections.Counter()
        for s in why.samples:
            out[value(s)] += s[9]
        return dict(out)

    words = {None: None, 0: "L1", 8: "L2", 9: "peer-core", 0xb: "system-cache", 0xd: "remote", 0xe: "DRAM"}
    assert rows("cpu", "cpu") == by(lambda s: s[3]), "-s cpu"
    assert rows("mem", "mem") == by(lambda s: words[s[11]]), "-s mem"
    assert rows("tlb", "tlb") == by(lambda s: "walk" if s[5] & WALK else "hit" if s[5] & TLB else None), "-s tlb"
    assert rows("snoop", "snoop") == by(lambda s: "hitm" if s[5] & HITM else "hit" if s[5] & SNOOPED else None), "-s snoop"
    assert rows("op", "operation") == by(lambda s: {LOAD: "load, general", STORE: "store, general",
                                                    ATOMIC: "atomic", BRANCH: "branch, conditional",
                                                    OTHER: "other"}[s[4]]), "-s op"
    assert rows("reason", "reason") == by(main_reason), "-s reason"
    assert rows("addr", "site") == by(lambda s: f"{s[0]}+{s[1]:#x}"), "-s addr"
    assert rows("symbol", "symbol") == by(lambda s: s[0]), "-s symbol is sym"
    assert rows("comm", "command") == by(lambda s: {10: "program", 11: "helper"}[s[2]]), "-s comm"


def test_filters(why):
    threads = {10: "program", 11: "helper"}
    for args, want in (
            (("--comm", "helper"), lambda s: threads[s[2]] == "helper"),
            (("--comms", "helper,program"), lambda s: True),
            (("--pid", "10"), lambda s: True),
            (("--tid", "11"), lambda s: s[2] == 11),
            (("--tid", "1-10"), lambda s: s[2] == 10),
            (("--dso", "program"), lambda s: True),
            (("--dso", why.elf), lambda s: True),
            (("--symbol", "far,jumps"), lambda s: s[0] in ("far", "jumps")),
            (("--cpu", "1"), lambda s: s[3] == 1),
            (("-C", "0,1"), lambda s: True),
            (("--event", "llc-miss"), lambda s: s[5] & LLC_MISS),
            (("--event", "llc-miss,mispred"), lambda s: s[5] & (LLC_MISS | MISPREDICTED)),
            (("--event", "l1d-miss+tlb-walk"), lambda s: s[5] & L1_MISS and s[5] & WALK),
            (("--event", "l1d-access+!l1d-refill"), lambda s: s[5] & L1 and not s[5] & L1_MISS),
            (("--latency", "100-"), lambda s: s[8] >= 100),
            (("--latency", "-3,250"), lambda s: s[8] <= 3 or s[8] == 250),
            (("--data-source", "DRAM,remote"), lambda s: s[11] in (0xd, 0xe)),
            (("--data-source", "0x9-0xb"), lambda s: s[11] in (9, 0xb)),
            (("--latency", "100-", "--tid", "11"), lambda s: s[8] >= 100 and s[2] == 11),
            (("--reason", "dram loads,TLB-walks"), lambda s: s[12] == "DRAM loads"),
            (("--reason", "DRAM"), lambda s: s[12] == "DRAM loads"),
            (("--reason", "misprediction"), lambda s: s[5] & MISPREDICTED),
            (("--reason", "contention"), lambda s: s[5] & SNOOPED),
            (("--reason", "execution"), lambda s: s[12] in ("execution", "branches", "atomics", "stores")),
    ):
        report = why.report(*args)
        expected = count(why.samples, want)
        assert (report["samples"], report["left_out"]) == (expected, count(why.samples) - expected), " ".join(args)
        assert sum(r["samples"] for r in report["functions"]) == expected, f"{' '.join(args)}: the rows"
        near(sum(r["overhead"] for r in report["functions"]), 100, f"{' '.join(args)}: shares are of what is left")
    text = spemu("report", "--comm", "helper", why.path).stdout
    left = count(why.samples, lambda s: s[2] == 10)
    assert f"; {left} more left out by filters" in text, \
        f"the header counts the samples that filters leave out\n{text[:400]}"
    nothing = spemu("report", "--comm", "nobody", why.path)
    assert nothing.returncode == 0 and f"the filters leave out all {count(why.samples)} samples" in nothing.stderr, \
        f"a line reports that no sample passes the filters\n{nothing.stderr}"


def test_times(why):
    last = len(why.samples)
    for args, numbers in ((f"2,{last}", range(2, last + 1)), ("3.5,6.25", range(4, 7)), (",4", range(1, 5)),
                          (f"{last},", [last]), ("1,2 5,5", [1, 2, 5]),
                          # The recording lasts sixteen seconds, from second 1 on.
                          ("0%-25%", [n for n in range(1, last + 1) if n - 1 < 0.25 * (last - 1)]),
                          ("25%/4", [n for n in range(1, last + 1) if n - 1 >= 0.75 * (last - 1)]),
                          ("50%/1,50%/2", range(1, last + 1))):
        assert why.report("--time", args)["samples"] == sum(why.samples[n - 1][9] for n in numbers), f"--time {args}"


@pytest.mark.parametrize("args, pattern", (
    (("--pid", "x"), "--pid: expected a number or a range .*, got 'x'"), (("--tid", "5-2"), "--tid: expected .*, got '5-2'"),
    (("--cpu", "1,,2"), "an empty CPU in a list"), (("--latency", "-"), "--latency: expected .*, got '-'"),
    (("--event", "llc"), "unknown event 'llc'; did you mean 'llc-access'"),
    (("--event", "!"), "unknown event ''"), (("--data-source", "L3"), "unknown data source 'L3'"),
    (("--time", "5"), "--time: expected .*, got '5'"), (("--time", "9,3"), "--time: expected .*, got '9,3'"),
    (("--reason", "dramm"), "unknown reason 'dramm'; did you mean 'DRAM'"),
    (("--time", "60%/3"), "--time: expected .*, got '60%/3'"), (("--comm", ""), "an empty command in a list"),
    (("-F", "latancy"), "unknown field 'latancy'; did you mean 'latency'"),
    (("--percent-limit", "101"), "--percent-limit: expected a number from 0 to 100, got '101'"),
    (("--color", "some"), "--color: expected always, auto or never, got 'some'")))
def test_refused(why, args, pattern):
    refuses(" ".join(args), 2, pattern, "report", *args, why.path)


def test_percent_limit(why):
    rows = why.report("--section", "functions", "-s", "sym", "--percent-limit", "20")["functions"]
    whole = sum(s[8] * s[9] for s in why.samples)
    expected = {f for f in ("far", "near", "jumps", "shared")
                if sum(s[8] * s[9] for s in why.of(f)) >= 0.2 * whole}
    assert {r["symbol"] for r in rows} == expected, "--percent-limit 20"
    text = spemu("report", "--section", "functions", "-s", "sym", "--percent-limit", "20", why.path).stdout
    assert f"# {4 - len(expected)} more, beyond --limit and --percent-limit\n" in text, \
        f"a line counts the omitted rows\n{text}"


def test_nothing_invented(tmp_path):
    """Without latencies or events, there are no reasons, and the column is absent."""
    for name, options in (("no-latencies", {"latencies": False}), ("no-events", {"events": False})):
        why = Why(tmp_path, name, **options)
        report = why.report("-s", "sym")
        assert {r["reason"] for r in report["functions"] + report["lines"] + report["operations"]} == {None}, f"{name}: no reasons"
        assert (report["answer"]["causes"], report["answer"]["cycles"]) == ([], {}), f"{name}: no causes"
        text = spemu("report", "--section", "answer,functions", why.path).stdout
        assert "no reason is known" in text.replace("\n  ", " ") and "Reason" not in text, \
            f"{name}: the text says that no reason is known\n{text}"
    assert ({r["cycles"] for r in report["functions"]} == {None}) is False, "no-events: cycles are known"


def test_several(why):
    other = Why(os.path.dirname(why.path), "other", tuple(s[:9] + (2 * s[9],) + s[10:] for s in SAMPLES))
    report = why.report("-s", "input,sym", "--section", "functions", other.path)
    assert report["samples"] == 3 * count(SAMPLES), "the samples of two recordings are added"
    assert [i["samples"] for i in report["inputs"]] == [count(SAMPLES) * n for n in (2, 1)], \
        "the report counts the samples of each recording"
    rows = {(os.path.basename(r["input"]), r["symbol"]): r["samples"] for r in report["functions"]}
    assert rows == {(f, s): n * count(why.of(s)) for f, n in (("why.data", 1), ("other.data", 2))
                    for s in ("far", "near", "jumps", "shared")}, "-s input separates the recordings"
    summed = why.report("-s", "sym", "--section", "functions", other.path)["functions"]
    assert {r["symbol"]: r["samples"] for r in summed} == {s: 3 * count(why.of(s)) for s in
                                                           ("far", "near", "jumps", "shared")}, \
                                                               "without -s input, the recordings are added"


PROGRAM = """
enum { LINES = 131072, NEAR = 512 };
static volatile struct { long word[8]; } big[LINES];
static volatile long small[NEAR];
static unsigned long state = 1;
__attribute__((noinline)) void cold(void)
{
	unsigned at = 0;

	for (int i = 0; i < LINES; i++) {
		at = (at * 1664525u + 1013904223u) % LINES;
		(void)big[at].word[0];
	}
}
__attribute__((noinline)) void warm(void)
{
	for (int i = 0; i < 4 * LINES; i++)
		(void)small[i % NEAR];
}
__attribute__((noinline)) void toss(void)
{
	for (int i = 0; i < LINES; i++) {
		state = state * 6364136223846793005ul + 1442695040888963407ul;
		if (state >> 63)
			__asm__ volatile("nop" : : : "memory");
	}
}
int main(void) { cold(); warm(); toss(); return 0; }
"""


def test_program(tmp_path):
    """A program with known misses and mispredictions. It loads from each line of a large table
    once, loads repeatedly from a table that fits into the level 1 cache, and tosses a coin. The
    order in the large table comes from a full-period generator modulo a power of two. Each step is
    an odd number of lines, and no two steps are equal, so no prefetcher can follow."""
    elf = compile_c(tmp_path, "loops", PROGRAM, "-static")
    data = f"{tmp_path}/loops.data"
    result = spemu("record", "-q", "-c", "256", "-o", data, "--", elf, timeout=300)
    assert result.returncode == 0, "the program is recorded"
    report = json.loads(spemu("report", "--json", "-n", "0", "-s", "sym,op", data).stdout)
    rows = {(r["symbol"], r["operation"]): r for r in report["functions"]}
    loads = {f: next(r for (s, op), r in rows.items() if s == f and op.startswith("load"))
             for f in ("cold", "warm")}
    for name, loops in (("cold", 131072), ("warm", 524288)):
        assert abs(loads[name]["samples"] - loops / 257) < 0.1 * loops / 257, \
            f"{name}: one load in each of {loops} loops\n{loads[name]['samples']}"
    assert loads["cold"]["llc_refill"] > 99, f"cold: every load misses\n{loads['cold']['llc_refill']}"
    assert loads["warm"]["l1d_refill"] < 1, f"warm: every load hits the level 1 cache\n{loads['warm']['l1d_refill']}"
    assert (loads["cold"]["reason"], loads["warm"]["reason"]) == ("DRAM loads", "L1 loads"), \
        "the reasons of cold and warm"
    branches = [r for (s, op), r in rows.items() if s == "toss" and op == "branch, conditional"]
    bad, all_ = (sum(r[k] for r in branches) for k in ("mispred_count", "samples"))
    # The program has two conditional branches. That of the loop is predicted. Half of the coin's branches are
    # mispredicted.
    assert abs(bad / all_ - 0.25) < 0.05, f"toss: a quarter of the branches is mispredicted\n{bad} of {all_}"
    cause = report["answer"]["causes"][0]
    assert (cause["symbol"], cause["reason"]) == ("cold", "DRAM loads"), "the summary names the cold loop"
