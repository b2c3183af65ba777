# SPDX-License-Identifier: MIT
"""spemu report for a recording with known contents, also compared with Debian's perf."""
import collections
import json
import re

import pytest

from clilib import make_recording, refuses, run, spemu, write
from known import (ATOMIC, BIAS, BRANCH, CHILD, FP, Known, LOAD, MISPREDICTED, NOT_TAKEN, PARENT,
                   REFILL, SIMD, STORE, THREAD)
from perf_there import perf_works


def symbol_of(known, pc):
    for name in ("hot", "cold", "choose"):
        start = known.address[name]
        if start <= pc < start + 64:
            following = [known.address[n] for n in ("hot", "cold", "choose")
                         if known.address[n] > start]
            if not following or pc < min(following):
                return name
    return None


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def report(known):
    result = spemu("report", "--json", "-n", "0", known.path)
    assert (result.returncode, result.stderr.count("\n") <= 1) == (0, True), "report succeeds"
    return json.loads(result.stdout)


def test_functions(tmp_path, known, report):
    expected = collections.Counter()
    for s in known.samples:
        name = symbol_of(known, s[2])
        expected[name or "[unknown]"] += s[7]
    expected["[other]"] += 9
    got = {f["symbol"]: 0 for f in report["functions"]}
    for f in report["functions"]:
        got[f["symbol"]] += f["samples"]
    assert got == dict(expected), "functions: samples by symbol"
    by_command = collections.Counter()
    for f in report["functions"]:
        by_command[f["command"], f["object"]] += f["samples"]
    assert by_command[("other", "other")] == 9, "functions: an exec changes the command and the mappings"
    assert by_command[("known", "[unknown]")] == 7, "functions: samples outside all mappings are unknown"
    hot = [f for f in report["functions"] if f["symbol"] == "hot" and f["command"] == "known"]
    assert len(hot) == 1, "functions: one row for each symbol"
    total = known.total() + 9
    samples = known.total(lambda s: symbol_of(known, s[2]) == "hot")
    assert abs(hot[0]["overhead"] - 100 * samples / total) < 0.001, f"functions: overhead\n{hot[0]['overhead']}"
    latency = sum(s[6] * s[7] for s in known.samples if symbol_of(known, s[2]) == "hot")
    assert abs(hot[0]["latency"] - latency / samples) < 0.001, f"functions: mean latency\n{hot[0]['latency']}"
    whole = sum(s[6] * s[7] for s in known.samples)
    assert abs(hot[0]["cycles"] - 100 * latency / whole) < 0.001, f"functions: share of the cycles\n{hot[0]['cycles']}"
    cycles = [f["cycles"] for f in report["functions"]]
    assert cycles == sorted(cycles, reverse=True), "functions: most cycles first"
    assert report["samples"] == total, "all samples are counted"
    assert report["period"] == 1024, "period of the recording"
    assert report["collided_buffers"] == 1, "collisions are counted"
    assert (report["processes"], report["threads"]) == (2, 3), "processes and threads are counted"
    head = spemu("report", "-i", known.path).stdout
    assert f"# samples: {total} of 2 processes, 3 threads; period 1024 operations\n" in head, \
        f"the text has the same counts\n{head[:500]}"
    alone = f"{tmp_path}/alone.data"
    make_recording(f"create {alone} 256\ncomm 1 1 10 a exec\nrec pc=4 tid=1 time=20 class=0 sub=0 ev=2\naux 1 1 30 0 0\nfinish\n")
    head = spemu("report", alone).stdout
    assert "# samples: 1 of 1 process, 1 thread; period 256 operations\n" in head, \
        f"the text uses the singular for one process and thread\n{head[:500]}"


def test_lines(known, report):
    expected = collections.Counter()
    for s in known.samples:
        if not symbol_of(known, s[2]):
            continue
        out = run("aarch64-linux-gnu-addr2line", "-e", known.elf, hex(s[2] - BIAS)).stdout
        expected[out.split()[0]] += s[7]
    got = {f"{r['file']}:{r['line']}": r["samples"] for r in report["lines"] if r["file"]}
    assert got == dict(expected), "lines: the lines of addr2line"


def test_operations(known, report):
    got = {r["group"]: r["samples"] for r in report["operations"] if r["detail"] is None}
    expected = {
        "load": known.total(lambda s: s[4] == LOAD),
        "store": known.total(lambda s: s[4] == STORE),
        "atomic": known.total(lambda s: s[4] == ATOMIC),
        "branch": known.total(lambda s: s[4] == BRANCH),
        "floating-point": known.total(lambda s: s[4] == FP),
        "SIMD": known.total(lambda s: s[4] == SIMD),
    }
    expected["other"] = report["samples"] - sum(
        expected[k] for k in ("load", "store", "atomic", "branch"))
    assert got == expected, "operations: groups"
    details = sum(r["samples"] for r in report["operations"] if r["detail"])
    assert details == report["samples"], "operations: the details add up to all samples"
    for group in got:
        samples = [r["samples"] for r in report["operations"] if r["detail"] and r["group"] == group]
        assert samples == sorted(samples, reverse=True), f"operations: {group}: most samples first"


def test_cache_lines(known, report):
    lines = {(r["pid"], int(r["line"], 16)): r for r in report["cache_lines"]}
    expected = collections.Counter()
    for s in known.samples:
        if s[3] is not None:
            expected[CHILD if s[1] == CHILD else PARENT, s[3] & ~63] += s[7]
    assert {k: r["samples"] for k, r in lines.items()} == dict(expected), "cache lines: accesses by process and line"
    order = [(-r["samples"], r["pid"], int(r["line"], 16)) for r in report["cache_lines"]]
    assert order == sorted(order), "cache lines: the most used first, then by process and address"
    pair = lines[PARENT, known.address["pair"] & ~63]
    assert (pair["sharing"], pair["threads"], pair["stores"], pair["data"]) == ("FALSE", 2, 110, "pair"), \
        "cache lines: false sharing is marked"
    table = lines[PARENT, known.address["table"] & ~63]
    assert (table["sharing"], table["loads"], table["stores"], table["l1d_refills"],
            table["data"]) == (None, 300, 200, 200, "table"), "cache lines: one thread, data symbol of zero-filled data"
    far = lines[PARENT, (known.address["table"] + 2048) & ~63]
    assert (far["atomics"], far["data"]) == (25, "table"), "cache lines: atomics"
    latency = {LOAD: 6 * 300, STORE: 40 * 200}
    assert table["latency"] == sum(latency.values()) / 500, "cache lines: the mean latency"
    assert {k: r["share"] for k, r in lines.items()} == {k: round(100 * n / sum(expected.values()), 4) for k, n in expected.items()}, \
        "cache lines: shares of all accesses"
    assert lines[CHILD, known.address["table"] & ~63]["data"] == "table", "cache lines: mappings come from the parent of a fork"


def test_branches(known, report):
    assert len(report["branches"]) == 1, "branches: one branch instruction"
    site = report["branches"][0]
    taken = known.total(lambda s: s[4] == BRANCH and not s[5] & NOT_TAKEN)
    all_ = known.total(lambda s: s[4] == BRANCH)
    bad = known.total(lambda s: s[4] == BRANCH and s[5] & MISPREDICTED)
    assert (site["branches"], site["mispredicted"], site["site"]) == (all_, bad, "choose+0x4"), \
        "branches: the counts and the place"
    assert (site["mispredict_rate"], site["taken_rate"]) == (100 * bad / all_, 100 * taken / all_), "branches: rates"


def test_branch_order(tmp_path):
    """Branches with equal numbers of mispredictions are ordered by their number of executions."""
    path = f"{tmp_path}/branches.data"
    make_recording("\n".join([f"create {path} 256", "comm 1 1 10 a exec",
                              *(f"rec pc={0x10000 + 4 * i} tid=1 time=20 class=2 sub=1 ev={ev:#x} total={20 - good} n={n}"
                                for i, good in enumerate((3, 9, 5)) for ev, n in ((0x82, 2), (0x2, good))),
                              "aux 1 1 30 0 0", "finish"]) + "\n")
    rows = json.loads(spemu("report", "--json", "--section", "branches", path).stdout)["branches"]
    assert [(r["branches"], r["mispredicted"]) for r in rows] == [(11, 2), (7, 2), (5, 2)], \
        "branches: equal mispredictions are ordered by executions"


def test_latency(known, report):
    expected = collections.Counter()
    for s in known.samples:
        expected[s[6].bit_length()] += s[7]
    got = {r["to"].bit_length(): r["total"] for r in report["latency"] if r["total"]}
    assert got == dict(expected), "latency: histogram of the total latency"
    got = sum(r["translation"] for r in report["latency"])
    assert got == known.total(lambda s: s[3] is not None), "latency: translations counted"
    for kind in ("total", "issue", "translation"):
        shares = [r[f"{kind}_share"] for r in report["latency"]]
        if any(r[kind] for r in report["latency"]):
            assert abs(sum(shares) - 100) < 0.01, f"latency: shares of {kind}\n{shares}"
    rows = re.findall(r"^ +(\d+(?:-\d+)?) +\d+\.\d\d% ", spemu("report", "--section", "latency", known.path).stdout, re.M)
    assert rows == [f"{r['from']}-{r['to']}" if r["to"] > r["from"] else str(r["from"]) for r in report["latency"]], \
        "latency: the text shows the ranges"


def test_counts(known, report):
    expected = collections.Counter()
    for s in known.samples:
        if s[9] is not None:
            expected[s[9]] += s[7]
    got = {int(r["source"], 16): r["samples"] for r in report["sources"]}
    assert got == dict(expected), "data sources: samples"
    events = {r["bit"]: r["samples"] for r in report["events"]}
    assert events[1] == report["samples"], "events: retired"
    assert events[3] == known.total(lambda s: s[5] & REFILL), "events: refills"
    assert events[7] == known.total(lambda s: s[5] & MISPREDICTED), "events: mispredicted"


def test_largest(tmp_path):
    """The summary shows causes of at least a 30th of the cycles. A misprediction adds 12 cycles to its latency."""
    path = f"{tmp_path}/causes.data"
    load, branch = "class=1 sub=0 ev=0x1e va=0x500000 src=8", "class=2 sub=1 ev=0x82"
    for cycles, mispredicted, expected in (((20, 40, 10, 30, 60, 50), None, (60, 50, 40, 30, 20, 10)),
                                           ((60, 50, 30, 20), 20, (60, 50, 32, 30)),
                                           ((60, 50, 30, 49), 49, (61, 60, 50, 30)),
                                           ((60, 50, 30, 18), 18, (60, 50, 30, 30))):
        make_recording("\n".join([f"create {path} 256", "comm 1 1 10 a exec",
                                  *(f"mmap 1 11 {0x10000 + 0x1000 * i} 4096 0 r-x /object{i}"
                                    for i in range(len(cycles))),
                                  *(f"rec pc={0x10000 + 0x1000 * i} tid=1 time=20 total={n} "
                                    f"{branch if n == mispredicted else load}"
                                    for i, n in enumerate(cycles)),
                                  "aux 1 1 30 0 0", "finish"]) + "\n")
        answer = json.loads(spemu("report", "--json", path).stdout)["answer"]["causes"]
        whole = sum(cycles) + 12 * bool(mispredicted)
        assert [round(row["share"], 3) for row in answer] == [round(100 * n / whole, 3) for n in expected], \
            f"the largest causes of {cycles}"


def test_startup(tmp_path):
    """The dynamic loader is in no cause. The summary has its share. A function of an interpreter is not the user's."""
    path = f"{tmp_path}/startup.data"
    load = "class=1 sub=0 ev=0x1e va=0x500000 src=8"
    make_recording("\n".join([f"create {path} 256", "comm 1 1 10 a exec",
                              "mmap 1 11 0x10000 4096 0 r-x /lib/ld-linux-aarch64.so.1",
                              "mmap 1 11 0x20000 4096 0 r-x /usr/bin/python3.11",
                              f"rec pc=0x10000 tid=1 time=20 total=30 {load}",
                              f"rec pc=0x20000 tid=1 time=20 total=50 {load}", "aux 1 1 30 0 0", "finish"]) + "\n")
    answer = json.loads(spemu("report", "--json", "--section", "answer", path).stdout)["answer"]
    assert (answer["startup"], [c["object"] for c in answer["causes"]]) == (37.5, ["python3.11"]), "30 of 80 cycles"
    assert (answer["interpreter"], answer["covered"]) == ("CPython", 100), "50 of 80 cycles are the interpreter's"
    text = " ".join(spemu("report", "--section", "answer", path).stdout.split())
    assert "Start-up and dynamic loading take 38%, and are not listed." in text and "python3 -X perf" in text, \
        f"the text says both\n{text}"
    rows = json.loads(spemu("report", "--json", "--section", "reasons", path).stdout)["reasons"]
    assert {row["area"]: (row["cycles"], row["avoidable"]) for row in rows} == \
        {"L2 cache": (50, 62.5), "start-up": (30, 0)}, f"start-up is a row, and nothing of it is avoidable\n{rows}"


L2_LOAD, TLB_WALK, TLB_REFILL, MISPREDICTION, OTHER = (
    "class=1 sub=0 ev=0x1e va=0x500000 src=8 total=35", "class=1 sub=0 ev=0x36 va=0x500000 total=38 xlat=34",
    "class=1 sub=0 ev=0x16 va=0x500000 total=21 xlat=17", "class=2 sub=1 ev=0x82 total=3", "class=0 sub=0 ev=2 total=4")


def summary_of(tmp_path, *records):
    """Return the summary as lines, for (command, object, record, number of samples)."""
    path = f"{tmp_path}/summary.data"
    commands, objects = (sorted({r[i] for r in records}) for i in (0, 1))
    text = [f"create {path} 256"]
    for pid, command in enumerate(commands, 1):
        text += [f"comm {pid} {pid} 10 {command} exec"]
        text += [f"mmap {pid} 11 {0x10000 * (i + 1)} 4096 0 r-x /{name}" for i, name in enumerate(objects)]
    for pid, command in enumerate(commands, 1):
        text += [f"rec pc={0x10000 * (objects.index(name) + 1)} tid={pid} time=20 {record} n={n}"
                 for owner, name, record, n in records if owner == command]
        text += [f"aux {pid} {pid} 30 0 0"]
    make_recording("\n".join((*text, "finish")) + "\n")
    return spemu("report", "--section", "answer", path).stdout.splitlines()


def test_main_reason(tmp_path):
    """The reason of a cause is that of its largest area: walks and refills of the TLB take 51 cycles, and L2
    takes 35. An area's reasons stay together."""
    lines = summary_of(tmp_path, *(("c", "a", record, 1) for record in (L2_LOAD, TLB_WALK, TLB_REFILL)))
    first = next(i for i, line in enumerate(lines) if line.startswith("  1 "))
    assert lines[first].endswith(": [a]") and " TLB walks: " in lines[first], f"the TLB is the reason\n{lines[first]}"
    # 86 of the 94 cycles: the loads have four cycles in the level 1 cache in the other samples.
    assert "3 samples of 28.7 cycles: " in " ".join(" ".join(lines).split()), "the cycles of the cause alone are counted"
    assert "40% TLB walks, 20% TLB refills, 41% L2 loads" in " ".join(" ".join(lines).split()), \
        "the largest area comes first\n" + "\n".join(lines)


def test_meaning_once(tmp_path):
    """The meaning of a reason and what to try are with its first cause. The assumed cycles are named."""
    lines = summary_of(tmp_path, ("c", "a", MISPREDICTION, 7), ("c", "b", MISPREDICTION, 5))
    text = " ".join(" ".join(lines).split())
    assert text.count("branches are mispredicted; ") == 1, f"the second cause does not repeat it\n{text}"
    assert "7 samples of 15.0 cycles, 12 of them assumed" in text, f"the assumed cycles\n{text}"
    assert "[b] 5 samples of 15.0 cycles" in text, f"the second cause begins with its samples\n{text}"


def test_little_avoidable(tmp_path):
    """If less than a tenth is avoidable, the functions come first, with the shares of objects and commands."""
    lines = summary_of(tmp_path, ("one", "a", OTHER, 600), ("one", "b", OTHER, 100), ("two", "b", OTHER, 297),
                       ("two", "b", MISPREDICTION, 4))
    # 4000 cycles: 2400 of a, 1588 + 12 of b are not avoidable, and 4 * 15 are.
    functions = "# The largest functions (all of their cycles)"
    titles = [line for line in lines if line in (functions, "# Small causes")]
    assert titles == [functions, "# Small causes"], "functions precede causes\n" + "\n".join(lines)
    assert "    by object: a 59%, b 41%" in lines, "the shares of objects\n" + "\n".join(lines)
    assert "    by command: one 69%, two 31%" in lines, "the shares of commands\n" + "\n".join(lines)
    lines = summary_of(tmp_path, ("one", "a", L2_LOAD, 10), ("one", "a", OTHER, 300))
    titles = [line for line in lines if line.startswith("# The largest")]
    assert titles == ["# The largest causes", functions], "large causes come first"
    assert not [line for line in lines if "by " in line and "%" in line], "one object has everything"


def test_estimate(tmp_path):
    """Two threads write different parts of a line, and no record shows the other core's cache. The summary names the
    estimate."""
    path = f"{tmp_path}/estimate.data"
    lines = [f"create {path} 256", "comm 1 1 10 a exec", "fork 1 1 2 1 11",
             "mmap 1 12 0x10000 4096 0 r-x /a",
             *(f"rec pc=0x10000 tid={tid} time={20 + time} class=1 sub=1 ev=6 "
               f"va={0x500000 + 8 * tid} total=4" for time in range(20) for tid in (1, 2)), "aux 1 1 90 0 0", "finish\n"]
    make_recording("\n".join(lines))
    answer = json.loads(spemu("report", "--json", "--section", "answer", path).stdout)["answer"]
    assert answer["causes"][0]["estimated"], f"no record shows the contention\n{answer}"
    assert "are contention between threads, by an estimate (--interleave 50 models it)." in answer["text"], answer["text"]
    shown = " ".join(spemu("report", "--section", "answer", path).stdout.replace("# ", " ").split())
    assert f"spemu report -i {path} --section offsets; docs/howto/remedies.md#false-sharing" in shown, \
        f"the next command shows which code writes which part\n{shown}"
    # 40 stores of 4 cycles are recorded. Each fetches the line from the other thread for 70 cycles: 2800 of 2960.
    note = "estimates for mispredictions and contention (94% of its cycles);"
    functions = spemu("report", "--section", "functions", path).stdout
    assert note in functions, f"cycles of functions are recorded latencies\n{functions}"
    # If the threads took turns, the records would show contention.
    make_recording("\n".join(("command --interleave 50 ./known", *lines)))
    answer = json.loads(spemu("report", "--json", "--section", "answer", path).stdout)["answer"]
    assert not answer["causes"] and "contention between" not in answer["text"], \
        f"with --interleave, nothing is estimated\n{answer}"
    assert "estimates" not in spemu("report", "--section", "functions", path).stdout


def test_replaced(tmp_path):
    """If a mapping replaces another one, later samples belong to the new mapping."""
    path = f"{tmp_path}/replaced.data"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 0x10000 4096 0 r-x /first\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=2\n"
                   "mmap 1 25 0x10000 4096 0 r-x /second\n"
                   "rec pc=0x10004 tid=1 time=30 class=0 sub=0 ev=2 n=3\naux 1 1 40 0 0\nfinish\n")
    rows = json.loads(spemu("report", "--json", "-s", "dso", path).stdout)["functions"]
    assert {row["object"]: row["samples"] for row in rows} == {"first": 2, "second": 3}, \
        "samples belong to the mapping of their time"
    make_recording(f"create {path} 256\ncomm 1 1 9 a exec\nfork 1 77 1 77 10\nmmap 1 11 0x10000 4096 0 r-x /own\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=2\naux 1 1 40 0 0\nfinish\n")
    rows = json.loads(spemu("report", "--json", "-s", "dso", path).stdout)["functions"]
    assert [(row["object"], row["samples"]) for row in rows] == [("own", 2)], "a parent without other records"


def test_text(known):
    result = spemu("report", known.path)
    assert result.returncode == 0, "text report succeeds"
    assert "\033" not in result.stdout, "no colors without a terminal"
    for title in ("Reasons", "Functions", "Source lines", "Operations", "Data types", "Members of data types",
                  "Data objects", "Data cache lines", "Code and offsets of cache lines", "Pages", "Branches",
                  "Latency", "Data sources", "Events"):
        assert f"\n# {title}\n" in result.stdout, f"text has a section {title}"
    lines = [li for li in result.stdout.splitlines() if li.startswith("#") and ".." in li
             and set(li) <= set("# .")]
    assert len(lines) == 14, "every section has a dotted line"
    hot = known.total(lambda s: symbol_of(known, s[2]) == "hot")
    assert re.search(rf"^ +\d+\.\d\d% +\d+\.\d\d% +{hot} .* known +known +\[\.\] hot$", result.stdout, re.M), \
        f"text: the hottest function\n{result.stdout}"
    only = spemu("report", "--section", "events,latency", "-i", known.path).stdout
    assert "# Events" in only and "# Latency" in only and "# Functions" not in only, f"--section selects\n{only}"
    limited = spemu("report", "-n", "1", "--section", "functions", known.path).stdout
    assert re.search(r"^# \d+ more; --limit 0 shows all$", limited, re.M), f"--limit counts the omitted rows\n{limited}"


def test_sorting(known):
    def rows(keys):
        out = spemu("report", "--json", "-n", "0", "--section", "functions", "-s", keys,
                    known.path).stdout
        return json.loads(out)["functions"]

    threads = {r["tid"]: r["samples"] for r in rows("tid")}
    assert threads == {t: known.total(lambda s, t=t: s[1] == t) + (9 if t == CHILD else 0)
                       for t in (PARENT, THREAD, CHILD)}, "--sort tid"
    processes = {r["pid"]: r["samples"] for r in rows("pid")}
    assert processes == {PARENT: known.total(lambda s: s[1] != CHILD),
                         CHILD: known.total(lambda s: s[1] == CHILD) + 9}, "--sort pid"
    commands = {r["command"]: r["samples"] for r in rows("comm")}
    assert commands == {"known": known.total(), "other": 9}, "--sort comm"
    assert rows("pid,sym")[0]["symbol"] == "hot", "--sort pid,sym"
    bigger = json.loads(spemu("report", "--json", "--section", "cache-lines", "--line-size", "4096",
                              known.path).stdout)["cache_lines"]
    assert all(int(r["line"], 16) % 4096 == 0 for r in bigger), f"--line-size\n{bigger}"


def test_perf(known):
    if not perf_works():
        return
    out = run("perf", "report", "-i", known.path, "--stdio", "-n", "--itrace=i1i", "--sort",
              "comm,dso,sym", "--no-demangle").stdout
    perf = collections.Counter()
    for m in re.finditer(r"^ +\d+\.\d+% +(\d+) +(\S+) +(\S+) +\[.\] (\S+)", out, re.M):
        perf[m[2], m[3], m[4]] += int(m[1])
    ours = collections.Counter()
    report = json.loads(spemu("report", "--json", "-n", "0", "--section", "functions",
                              known.path).stdout)
    for f in report["functions"]:
        ours[f["command"], f["object"], f["symbol"]] += f["samples"]
    assert sum(perf.values()) == report["samples"], f"perf sees as many samples\n{sum(perf.values())} of {report['samples']}\n{out}"

    # Code without a symbol has a row for each address in perf, and one row for each object here.
    def plain(c):
        named = {k: v for k, v in c.items() if not re.match(r"0x|\[", k[2])}
        rest = collections.Counter()
        for k, v in c.items():
            if k not in named:
                rest[k[:2]] += v
        return named, dict(rest)

    assert plain(ours) == plain(perf), "perf report counts the same by command, object and symbol"


def test_wrong_files(tmp_path, known):
    refuses("missing file", 127, r"cannot open \S+: No such file", "report", f"{tmp_path}/absent")
    refuses("a folder", 125, r"not supported|cannot open", "report", tmp_path)
    refuses("not a recording", 125, "not a perf.data file", "report",
            write(tmp_path, "text", "hello, world\n" * 20))
    assert spemu("report", write(tmp_path, "empty", "")).returncode in (1, 125), "empty file"
    refuses("unknown option", 2, r"unknown option '--limt'; did you mean '--limit'",
            "report", "--limt", "3")
    refuses("unknown section", 2, r"unknown section 'function'; did you mean 'functions'",
            "report", "--section", "function", known.path)
    refuses("unknown sort key", 2, r"unknown sort key 'symb'; did you mean 'sym'",
            "report", "-s", "symb", known.path)
    refuses("line size", 2, "power of two", "report", "--line-size", "65", known.path)
    refuses("limit", 2, "--limit: expected a number, got 'many'", "report", "-n", "many", known.path)
    refuses("value missing", 2, "needs a value", "report", "--limit")
    refuses("call stacks of a recording without", 125,
            "has no call stacks; record them with 'spemu record -g'", "report", "-g",
            known.path)


def test_objects(tmp_path, known):
    moved = f"{tmp_path}/moved.data"
    text_known = known.elf
    known.elf = known.elf + "-gone"
    # The same contents with a program path that does not exist. A single line reports the missing
    # symbols.
    import shutil
    shutil.copy(text_known, known.elf)
    known.make(moved)
    import os
    os.unlink(known.elf)
    result = spemu("report", "--json", "--section", "functions", moved)
    assert result.returncode == 0, "a missing program does not make report fail"
    assert re.search(r"no symbols.*known-gone was not found", result.stderr), \
        f"a message reports the missing program\n{result.stderr}"
    root = f"{tmp_path}/root"
    os.makedirs(root + os.path.dirname(known.elf))
    shutil.copy(text_known, root + known.elf)
    out = json.loads(spemu("report", "-L", root, "--json", "--section", "functions", moved).stdout)
    assert "hot" in [f["symbol"] for f in out["functions"]], f"-L finds the program\n{out}"
    # Another build under the same path must not be used for the recorded program.
    with open(text_known, "rb") as f:
        image = bytearray(f.read())
    note = image.index(b"GNU\0", image.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0")) + 4
    image[note] ^= 1
    with open(root + known.elf, "wb") as f:
        f.write(image)
    result = spemu("report", "-L", root, "--json", "--section", "functions", moved)
    out = json.loads(result.stdout)
    assert "hot" not in [f["symbol"] for f in out["functions"]] and "build-id" in result.stderr, \
        f"a program with another build-id is rejected\n{result.stderr}"
    known.elf = text_known
