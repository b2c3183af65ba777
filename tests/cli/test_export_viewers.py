# SPDX-License-Identifier: MIT
"""spemu export for viewers with a timeline. The output for a known recording (exported.py) is checked against the
descriptions of the formats.
"""
import collections
import json
import re
import uuid

import pytest

from clilib import SPEMU, leak, make_recording, refuses, run, spemu, write
from exported import (COMM, HOSTILE, PARTS, PERIOD, SAMPLES, WEIGHTS, clean, events_of, export,
                      frames, hostile, known, line_of, sums, thread)
from tracelib import trace_events

# The columns of processed profiles of version 60: (table, column, table that the column indexes, true if null is
# allowed).
INDICES = (("stackTable", "frame", "frameTable", False), ("stackTable", "prefix", "stackTable", True),
           ("frameTable", "func", "funcTable", False), ("frameTable", "nativeSymbol", "nativeSymbols", True),
           ("funcTable", "name", "stringArray", False), ("funcTable", "source", "sources", True),
           ("resourceTable", "lib", "libs", True), ("resourceTable", "name", "stringArray", False),
           ("nativeSymbols", "libIndex", "libs", False), ("nativeSymbols", "name", "stringArray", False),
           ("sources", "filename", "stringArray", False))
OTHERS = {"stackTable": set(), "frameTable": {"address", "inlineDepth", "category", "subcategory", "innerWindowID", "line", "column"},
          "funcTable": {"isJS", "relevantForJS", "resource", "lineNumber", "columnNumber"}, "resourceTable": {"host", "type"},
          "nativeSymbols": {"address", "functionSize"}, "sources": {"uuid"}}
META = {"interval", "startTime", "processType", "product", "stackwalk", "version", "preprocessedProfileVersion", "markerSchema",
        "categories"}
THREAD = {"processType", "processStartupTime", "processShutdownTime", "registerTime", "unregisterTime", "pausedRanges", "name",
          "isMainThread", "pid", "tid", "samples", "markers"}


class Firefox:
    """A processed profile, as src/types/profile.ts of the Firefox Profiler defines it. Since
    version 60, `shared` contains the tables of all threads."""

    def __init__(self, text):
        self.profile = json.loads(text)
        self.shared = self.profile["shared"]
        self.texts = self.shared["stringArray"]

    def name(self, table, index, column="name"):
        return self.texts[self.shared[table][column][index]]

    def frames(self, stack):
        """Return (name, line, inlined, address) of each frame, outermost first."""
        table, found = self.shared["frameTable"], []
        while stack is not None:
            frame = self.shared["stackTable"]["frame"][stack]
            found.append((self.name("funcTable", table["func"][frame]), table["line"][frame], table["inlineDepth"][frame] > 0,
                          table["address"][frame]))
            stack = self.shared["stackTable"]["prefix"][stack]
        return found[::-1]

    def samples(self):
        """Yield (thread, stack, time in ns, weight) for each sample."""
        for t in self.profile["threads"]:
            s = t["samples"]
            for stack, time, weight in zip(s["stack"], s["time"], s["weight"]):
                yield t, stack, round(time * 1e6), weight

    def problems(self):
        """Return the violations of the format's rules."""
        for table, names in OTHERS.items():
            columns = {k: v for k, v in self.shared[table].items() if k != "length"}
            wanted = names | {column for t, column, _, _ in INDICES if t == table}
            if set(columns) != wanted or any(len(v) != self.shared[table]["length"] for v in columns.values()):
                yield f"{table}: {sorted(columns)}, {[len(v) for v in columns.values()]}"
        for table, column, into, null in INDICES:
            target = self.profile["libs"] if into == "libs" else self.shared[into]
            size = len(target) if isinstance(target, list) else target["length"]
            for i, n in enumerate(self.shared[table][column]):
                if not (n is None and null or isinstance(n, int) and 0 <= n < size):
                    yield f"{table}.{column}[{i}] is {n}"
                if column == "prefix" and n is not None and n >= i:
                    yield f"stack {i} comes before the one that it is in"
        categories = self.profile["meta"]["categories"]
        if not any(c["color"] == "grey" for c in categories) or set(self.shared["frameTable"]["category"]) - set(range(len(categories))):
            yield f"categories: {categories}"
        if META - set(self.profile["meta"]) or self.profile["meta"]["preprocessedProfileVersion"] != 60:
            yield f"meta: {self.profile['meta']}"
        for t in self.profile["threads"]:
            s = t["samples"]
            if THREAD - set(t) or len({s["length"], len(s["stack"]), len(s["time"]), len(s["weight"])}) > 1:
                yield f"thread {t['name']}"
            if s["time"] != sorted(s["time"]) or s["weightType"] not in ("samples", "tracing-ms", "bytes"):
                yield f"samples of {t['name']}"


def firefox(name, *args):
    result = spemu("export", "--format", "firefox", *args)
    p = Firefox(result.stdout)
    problems = list(p.problems())
    assert result.returncode == 0 and not result.stderr and not problems, \
        f"{name}: keeps the rules of the format\n" + "\n".join([result.stderr, *problems])
    return p


def build_id(program):
    return re.search(r"Build ID: ([0-9a-f]+)", run("aarch64-linux-gnu-readelf", "-n", program).stdout)[1]


def test_firefox(known):
    for weight in WEIGHTS:
        p = firefox(f"firefox, {weight}", known.data, "--weight", weight)
        got = {}
        for t, stack, _, n in p.samples():
            key = (t["pid"], t["tid"], t["name"], tuple((name, inlined) for name, _, inlined, _ in p.frames(stack)))
            got[key] = got.get(key, 0) + n
        expected = sums(weight, lambda s: ("100", s[0], thread(s), tuple((f, f == "inner") for f in frames(s))))
        assert {k: v for k, v in got.items() if v} == expected, f"firefox: stacks by thread, {weight}"
        (section,) = p.profile["meta"]["extra"]
        assert section["entries"][0]["value"] == weight, f"firefox: the profile names the weight {weight}"
    time, expected = 2000, []
    for s in SAMPLES:
        for _ in range(s[3]):
            time += 10
            expected.append((s[0], time, PARTS[s[1]][-1], line_of(s), known.vaddr[s[1]] if s[1] else -1))
    p = firefox("firefox", known.data)
    assert [(t["tid"], time, *(p.frames(stack)[-1][i] for i in (0, 1, 3))) for t, stack, time, _ in p.samples()] == sorted(expected), \
        "firefox: time, function, line and address of each sample"
    # The line of a caller is that of the call, not that of the return address.
    callers = {(name, line, address) for _, stack, _, _ in p.samples() for name, line, _, address in p.frames(stack)[:1] if name == "main"}
    assert ("main", 18, known.call) in callers, f"firefox: a caller has the line of its call\n{callers}"
    code_id = build_id(known.program)
    assert ([(lib["name"], lib["path"], lib["codeId"], lib["breakpadId"]) for lib in p.profile["libs"]] ==
            [("known", known.program, code_id, uuid.UUID(bytes_le=bytes.fromhex(code_id)[:16]).hex.upper() + "0")]), "firefox: the library"
    assert ({(p.name("nativeSymbols", i), p.shared["nativeSymbols"]["address"][i]) for i in range(p.shared["nativeSymbols"]["length"])} ==
            {(name, known.symbols[name]) for name in ("work", "other", "main")}), "firefox: symbols"
    assert [p.name("sources", i, "filename") for i in range(p.shared["sources"]["length"])] == [f"{known.program}.c"], \
        "firefox: source files"
    assert [(t["isMainThread"], t["processName"]) for t in p.profile["threads"]] == [(True, COMM), (False, COMM)], \
        "firefox: the main thread"
    assert p.profile["meta"]["interval"] == 1e-5, "firefox: the mean time between samples"
    p = firefox("firefox, two recordings", known.data, known.data)
    assert ([(t["pid"], t["tid"], t["samples"]["length"]) for t in p.profile["threads"]] ==
            [(f"100.{i}", tid, sum(s[3] for s in SAMPLES if s[0] == tid)) for i in (1, 2) for tid in (100, 101)]), \
        "firefox: processes of two recordings are distinct"
    p = firefox("firefox, no sample", known.data, "--quiet", "--symbols", "nothing")
    assert p.profile["threads"] == [], "firefox: a recording without samples"


LINES_OF_MANY, EACH = 30011, 5


def test_firefox_order(tmp_path, known):
    """More samples than spemu sorts at once. They belong to two threads and are not in order of
    time; some have no time."""
    path = f"{tmp_path}/many.data"
    lines = [line for line in known.text(path) if line.split()[0] in ("create", "comm", "fork", "mmap")]
    expected = {100: [], 101: []}
    functions = ("work", "other", "main")
    for i in range(LINES_OF_MANY):
        tid, time, function = 100 + i % 2, 5000 + 10 * (i * 7919 % LINES_OF_MANY), functions[i % 3]
        lines.append(f"rec class=1 sub=0 pc={known.address(function):#x} tid={tid} time={time} n={EACH}")
        expected[tid] += EACH * [(time, function)]
    lines.append(f"rec class=1 sub=0 pc={known.address('main'):#x} tid=100 n=3")
    make_recording("\n".join([*lines, "aux 100 100 9000000 0 0", "finish"]) + "\n")
    expected = {tid: sorted(rows) for tid, rows in expected.items()}
    expected[100] += 3 * [(expected[100][-1][0], "main")]
    got = {100: [], 101: []}
    p = firefox("firefox, in any order", path)
    names = {stack: p.frames(stack)[-1][0] for stack in range(p.shared["stackTable"]["length"])}
    for t, stack, time, _ in p.samples():
        got[t["tid"]].append((time, names[stack]))
    assert [len(got[tid]) for tid in (100, 101)] == [len(expected[tid]) for tid in (100, 101)], "firefox: samples of each thread"
    assert got == expected, \
        "firefox: samples are ordered by time; those without a time are last, with the last known time"
    limited = run("sh", "-c", 'trap "" XFSZ; ulimit -f 64; exec "$@"', "sh", *export_command("firefox", path), "-o", "/dev/null")
    assert limited.returncode == 125 and "temporary file" in limited.stderr and len(limited.stderr.splitlines()) == 1, \
        f"firefox: a temporary file that cannot grow is reported\n{limited.stderr}"
    nowhere = run(*export_command("firefox", path), env={"TMPDIR": f"{tmp_path}/no"})
    assert nowhere.returncode == 125 and "set TMPDIR" in nowhere.stderr, f"firefox: a missing TMPDIR is reported\n{nowhere.stderr}"


def export_command(kind, path):
    return SPEMU, "export", "--format", kind, path


def test_firefox_kernel(tmp_path):
    path, base = f"{tmp_path}/kernel.data", 0xffff800008000000
    pc, listing = base + 0x1010, f"{base:016x} T _text\n{base + 0x1000:016x} T known_to_kernel\n{base + 0x1020:016x} T next\n"
    make_recording(f"create {path} 100\ncomm 1 1 1 a exec\nkmmap {base} 0x1000000 {base} - [kernel.kallsyms]_text\n"
                   f"rec pc={pc:#x} tid=1 time=5 total=7\naux 1 1 9 0 0\nfinish\n")
    p = firefox("firefox, kernel", path, "--quiet", "--kallsyms", write(tmp_path, "kallsyms", listing))
    ((_, stack, _, _),) = p.samples()
    frame = p.shared["stackTable"]["frame"][stack]
    category = p.profile["meta"]["categories"][p.shared["frameTable"]["category"][frame]]["name"]
    # A kernel address has more than the 32 bits that the viewer supports.
    assert ([f[0] for f in p.frames(stack)], category, p.shared["frameTable"]["address"][frame]) == (["known_to_kernel"], "Kernel", -1), \
        "firefox: the kernel's code has its category"


def test_perfetto(tmp_path, known):
    out = f"{tmp_path}/trace.json"
    result = export("perfetto", known.data, "-o", out)
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0), \
        "perfetto: -o writes a file without messages"
    events = trace_events(out)
    with open(out, encoding="ascii") as f:
        assert f.read() == export("perfetto", known.data).stdout, "perfetto: the file equals the output to a pipe"
    assert ([(e["name"], e["pid"], e["tid"], e["args"]["name"]) for e in events if e["ph"] == "M"] ==
            [("process_name", 100, 100, COMM), ("thread_name", 100, 100, COMM), ("thread_name", 100, 101, COMM + "2")]), "perfetto: tracks"
    time, expected, counters = 2000, [], []
    for s in SAMPLES:
        for _ in range(s[3]):
            time += 10
            args = {"stack": ";".join(frames(s)), "cpu": 0, "period": PERIOD, "pc": hex(known.address(s[1])),
                    "events": ",".join(events_of(s)), "op": "load, general", "va": hex(0x7000 + time)}
            if s[1]:
                args.update(file=known.program + ".c", line=line_of(s))
            args["object"] = "known" if s[1] else "[unknown]"
            latency = {"total": s[2], "issue": 1} if s[2] is not None else {}
            expected.append((100, s[0], PARTS[s[1]][-1], time / 1000, {**args, **latency}))
            counters += [(100, str(s[0]), time / 1000, latency)] if latency else []
    assert [(e["pid"], e["tid"], e["name"], e["ts"], e["args"]) for e in events if e["ph"] == "i"] == expected, \
        "perfetto: an instant for each sample"
    assert [(e["pid"], e["id"], e["ts"], e["args"]) for e in events if e["ph"] == "C"] == counters, \
        "perfetto: cycles are counters of the thread"
    spemu("export", "--format", "perfetto", "-o", out, known.data, known.data)
    with open(out, encoding="ascii") as f:
        tracks = [(e["name"], e["pid"], e["tid"], e["args"]["name"]) for e in json.load(f)["traceEvents"] if e["ph"] == "M"]
    name = f"{COMM} ({known.data})"
    assert tracks == [("process_name", 100, 100, name), ("thread_name", 100, 100, COMM), ("thread_name", 100, 101, COMM + "2"),
                      ("process_name", 10000100, 10000100, name), ("thread_name", 10000100, 10000100, COMM),
                      ("thread_name", 10000100, 10000101, COMM + "2")], "perfetto: processes of two recordings are distinct"
    refuses("a trace has all weights", 2, "a row of perfetto has all weights", "export", "--format", "perfetto", "--weight", "cycles", known.data)
    path = f"{tmp_path}/untimed.data"
    make_recording(f"create {path} 100\ncomm 1 1 1 a exec\nrec pc=0x1000 tid=1 n=2\nrec pc=0x2000 tid=1 time=7\naux 1 1 9 0 0\nfinish\n")
    result = export("perfetto", path, "-o", out)
    assert ((result.stderr, result.returncode, [e["ts"] for e in trace_events(out) if e["ph"] == "i"]) ==
            ("spemu export: a trace is sorted by time: 2 samples without a time are left out\n", 0, [0.007])), \
        "perfetto: samples without a time are omitted"
    spemu("export", "--format", "perfetto", "--quiet", "--symbols", "nothing", "-o", out, known.data)
    assert trace_events(out) == [], "perfetto: a recording without samples"


def test_hostile(tmp_path, hostile):
    expected = {clean(name): i + 1 for i, name in enumerate(HOSTILE)}
    result = export("firefox", hostile.data, text=False)
    assert not leak(result.stdout), f"firefox: no character is unfit for a terminal\n{leak(result.stdout)}"
    p = Firefox(result.stdout)
    got = {}
    for _, stack, _, n in p.samples():
        got[p.frames(stack)[-1][0]] = got.get(p.frames(stack)[-1][0], 0) + n
    assert got == expected, "firefox: names are unchanged"
    assert [(t["name"], lib["path"]) for t in p.profile["threads"] for lib in p.profile["libs"]] == [("a;\"<b>?'", hostile.program)], \
        "firefox: thread and path"
    out = f"{tmp_path}/trace.json"
    export("perfetto", hostile.data, "-o", out)
    with open(out, "rb") as f:
        text = f.read()
    assert not leak(text), f"perfetto: no character is unfit for a terminal\n{leak(text)}"
    events = trace_events(out)
    assert collections.Counter(e["name"] for e in events if e["ph"] == "i") == expected, "perfetto: names are unchanged"
    assert {e["args"]["stack"] for e in events if e["ph"] == "i"} == {name.replace(";", ":") for name in expected}, \
        "perfetto: ';' in a stack is ':'"
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} == {"a;\"<b>?'"}, "perfetto: thread and process"
