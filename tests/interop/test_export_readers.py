# SPDX-License-Identifier: MIT
"""Exported profiles open in other programs: go tool pprof, callgrind_annotate, DuckDB and the
Firefox Profiler. These programs are too large for the quick tests.

DuckDB and the Firefox Profiler are optional. scripts/fetch duckdb and scripts/fetch profiler install them.
"""
import glob
import json
import os
import re
import shutil
import socket
import time

import pytest

from clilib import ROOT, make_recording, run, spemu, start
from exported import (HOSTILE, PARTS, PERIOD, SAMPLES, WEIGHTS, callgrind_event, clean, export, frames, hostile, known,
                      sums, thread, total)

DUCKDB = ROOT / "build/duckdb"
needs_duckdb = pytest.mark.skipif(not (DUCKDB / "node_modules/@duckdb").is_dir(), reason="scripts/fetch duckdb makes DuckDB")
PPROF = glob.glob("/usr/lib/go-*/pkg/tool/*/pprof") + glob.glob("/usr/lib/golang/pkg/tool/*/pprof")


def cumulative(weight):
    """Return {function: samples whose stack contains it}."""
    found = {}
    for sample in SAMPLES:
        for name in set(frames(sample)):
            found[name] = found.get(name, 0) + sums(weight, lambda s: 0, [sample]).get(0, 0)
    return {k: v for k, v in found.items() if v}


def inclusive(weight):
    """Return inclusive costs as callgrind_annotate computes them. The cost of a called function is
    the sum of its calls. The cost of other functions is their own cost plus that of their
    callees."""
    calls = sums(weight, lambda s: PARTS[s[1]][0], [s for s in SAMPLES if s[4]])
    called = {PARTS[s[1]][0] for s in SAMPLES if s[4]}
    outer = sums(weight, lambda s: frames(s)[0])
    return {**{name: n for name, n in outer.items() if name not in called}, **calls}


def test_pprof(tmp_path, known):
    if not PPROF:
        pytest.fail("go tool pprof: install golang-go")
    out = f"{tmp_path}/known.pb.gz"
    spemu("export", "--format", "pprof", "-o", out, known.data)
    environment = {"HOME": tmp_path}
    for weight in WEIGHTS:
        result = run(PPROF[0], "-top", "-nodefraction=0", "-nodecount=100", "-unit=count", f"-sample_index={weight}", out,
                     env=environment)
        rows = re.findall(r"^ *([\d.]+)\s+\S+%\s+\S+%\s+([\d.]+)\s+\S+%\s+(.+?)(?: \(inline\))?$", result.stdout, re.M)
        number = {name: (int(float(flat)), int(float(cum))) for flat, cum, name in rows}
        own = sums(weight, lambda s: PARTS[s[1]][-1])
        assert number == {name: (own.get(name, 0), cum) for name, cum in cumulative(weight).items()}, \
            f"pprof -top: {weight} of each function, its own and cumulative"
        assert f"{total(weight)} total" in result.stdout, f"pprof: the total, {weight}\n{result.stdout + result.stderr}"
    result = run(PPROF[0], "-tags", "-sample_index=samples", "-unit=count", out, env=environment)
    assert re.search(r"tid:.*\n", result.stdout) and "known2" in result.stdout, f"pprof: threads are tags\n{result.stdout}"


def test_callgrind_annotate(tmp_path, known):
    if not shutil.which("callgrind_annotate"):
        assert False, "callgrind_annotate: install valgrind"
        return
    for weight in WEIGHTS:
        out = f"{tmp_path}/callgrind.out"
        spemu("export", "--format", "callgrind", "--weight", weight, "-o", out, known.data)
        for kind in ("no", "yes"):
            result = run("callgrind_annotate", f"--inclusive={kind}", "--threshold=100",
                         f"--show={callgrind_event(weight)}", out)
            got = {}
            for number, name in re.findall(r"^ *([\d,]+) (?:\([^)]*\))?\s+\S*?:(\S+)(?: \[.*\])?$", result.stdout, re.M):
                got[name] = got.get(name, 0) + int(number.replace(",", ""))
            expected = inclusive(weight) if kind == "yes" else sums(weight, lambda s: PARTS[s[1]][0])
            assert {k: v for k, v in got.items() if v} == expected, f"callgrind_annotate --inclusive={kind}, {weight}"
            assert re.search(rf"^ *{total(weight):,} .*PROGRAM TOTALS", result.stdout, re.M), \
                f"the total, {weight}\n" + result.stdout[:2000] + result.stderr


def duckdb(*statements):
    """Return the rows of each statement."""
    result = run("node", os.path.join(os.path.dirname(__file__), "duckdb.cjs"), DUCKDB, *statements)
    if result.returncode:
        raise AssertionError(result.stderr)
    return [json.loads(line) for line in result.stdout.splitlines()]


def as_dumped(value):
    """Return a value of spemu dump in the form that DuckDB prints."""
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, str):
        return str(int(value, 16)) if value.startswith("0x") else value
    return str(value)


@needs_duckdb
def test_parquet_known(tmp_path, known):
    out = f"{tmp_path}/known.parquet"
    spemu("export", "--format", "parquet", "-o", out, known.data)
    rows, own, lines, stacks = duckdb(f"SELECT * FROM '{out}'", f"SELECT symbol, count(*) AS samples, sum(period) AS operations, "
                              f"sum(total) AS cycles FROM '{out}' GROUP BY symbol",
                              f"SELECT pid, tid, object, count(*) AS n FROM '{out}' GROUP BY ALL",
                                     f"SELECT comm, stack, count(*) AS n FROM '{out}' GROUP BY ALL")
    records = [json.loads(line) for line in spemu("dump", "--records", "--json", known.data).stdout.splitlines()]
    assert len(rows) == len(records), "parquet: a row for each record"
    wrong = [f"{key}: {row[key]!r}, not {value!r}" for row, record in zip(rows, records) for key, value in record.items()
             if key not in ("callers", "size") and row[key] != as_dumped(value)]
    wrong += [f"{key}: {row[key]!r}" for row, record in zip(rows, records) for key in ("total", "source", "target", "pa", "context_el2")
              if key not in record and row[key] is not None]
    assert records and not wrong, "parquet: the columns of spemu dump, in each of its records\n" + "\n".join(wrong)
    for weight in ("samples", "operations", "cycles"):
        got = {row["symbol"]: int(row[weight] or 0) for row in own}
        assert {k: v for k, v in got.items() if v} == sums(weight, lambda s: PARTS[s[1]][0] if s[1] else None), f"parquet: {weight}"
    expected = sums("samples", lambda s: ("100", str(s[0]), "known" if s[1] else "[unknown]"))
    assert {(r["pid"], r["tid"], r["object"]): int(r["n"]) for r in lines} == expected, "parquet: thread and object"
    assert {(r["comm"], r["stack"]): int(r["n"]) for r in stacks} == sums("samples", lambda s: (thread(s), ";".join(frames(s)))), \
        "parquet: call stacks"


COUNT = 200000


@needs_duckdb
def test_parquet_groups(tmp_path, known):
    """Several row groups. They have numbers of all sizes, increasing and decreasing values, missing
    values, and texts with and without repetition."""
    data, out = f"{tmp_path}/big.data", f"{tmp_path}/big.parquet"
    lines = [line for line in known.text(data) if line.split()[0] in ("create", "comm", "fork", "mmap")]
    values = []
    for i in range(COUNT // 5):
        latency = i * i * 7 % 60000 if i % 3 else None
        va = (i * 0x9e3779b97f4a7c15 >> 9) & 0x7fffffffffff if i % 4 == 1 else None
        values.append((latency, va, 100 + i // 30000 % 2, "work" if i % 7 < 3 or i < 9000 else "other"))
        lines.append(f"rec class=1 sub=0 pc={known.address(values[-1][3]):#x} ev=2 tid={values[-1][2]} time={3000 + 10 * i} n=5" +
                     (f" total={latency}" if latency is not None else "") + (f" va={va:#x}" if va is not None else ""))
    make_recording("\n".join([*lines, "aux 100 100 9000000 0 0", "finish"]) + "\n")
    spemu("export", "--format", "parquet", "-o", out, data)
    (whole,), functions, (few,), groups = duckdb(
        f"SELECT count(*) AS n, count(total) AS timed, sum(total) AS cycles, count(va) AS vas, sum(va::HUGEINT) AS va, "
        f"sum(period) AS operations, sum(time) AS time FROM '{out}'",
        f"SELECT symbol, tid, count(*) AS n, sum(total) AS cycles FROM '{out}' GROUP BY ALL",
        f"SELECT count(*) AS n FROM '{out}' WHERE time >= {3000 + 10 * (COUNT // 5 - 7)}",
        f"SELECT row_group_num_rows AS n, stats_min_value AS least, stats_max_value AS greatest, stats_null_count AS nulls "
        f"FROM parquet_metadata('{out}') WHERE path_in_schema = 'time' ORDER BY row_group_id")
    assert ({k: int(v) for k, v in whole.items()} ==
            {"n": COUNT, "timed": 5 * sum(v[0] is not None for v in values), "cycles": 5 * sum(v[0] or 0 for v in values),
             "vas": 5 * sum(v[1] is not None for v in values), "va": 5 * sum(v[1] or 0 for v in values),
             "operations": COUNT * PERIOD, "time": 5 * sum(3000 + 10 * i for i in range(COUNT // 5))}), "parquet: sums over several groups"
    expected = {}
    for latency, _, tid, name in values:
        n, cycles = expected.get((name, tid), (0, 0))
        expected[name, tid] = (n + 5, cycles + 5 * (latency or 0))
    assert {(r["symbol"], int(r["tid"])): (int(r["n"]), int(r["cycles"])) for r in functions} == expected, "parquet: by function and thread"
    assert int(few["n"]) == 35, "parquet: a query for a time range"
    sizes = [int(g["n"]) for g in groups]
    assert sum(sizes) == COUNT and len(sizes) == -(-COUNT // 65536), f"parquet: row groups\n{sizes}"
    first = [sum(sizes[:i]) for i in range(len(sizes))]
    assert ([(int(g["least"]), int(g["greatest"]), int(g["nulls"])) for g in groups] ==
            [(3000 + at // 5 * 10, 3000 + (at + n - 1) // 5 * 10, 0) for at, n in zip(first, sizes)]), \
        "parquet: the least and the greatest time of each group"


@needs_duckdb
def test_parquet(tmp_path, known):
    out = f"{tmp_path}/none.parquet"
    spemu("export", "--format", "parquet", "--symbols", "nothing", "-o", out, known.data)
    assert duckdb(f"SELECT count(*) AS n, max(symbol) AS symbol FROM '{out}'") == [[{"n": "0", "symbol": None}]], \
        "parquet: a recording without samples"


PROFILER = ROOT / "build/profiler/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"
needs_profiler = pytest.mark.skipif(not PROFILER.exists(), reason="scripts/fetch profiler fetches the Firefox Profiler")


class Profiler:
    """A profile that the Firefox Profiler's own code has loaded. The code runs as a server with a
    command line."""
    count = 0

    def __init__(self, folder, path):
        self.environment = {"HOME": folder, "PROFILER_CLI_SESSION_DIR": f"{folder}/sessions"}
        self.path = path
        Profiler.count += 1
        self.session = f"test{Profiler.count}"

    def __enter__(self):
        # Start the server like `profiler-cli load` does, but wait longer than its half second.
        self.server = start("node", PROFILER, "--daemon", self.path, "--session", self.session, env=self.environment)
        deadline = time.monotonic() + 120
        # A client treats a server that does not listen yet as ended, and forgets the server.
        while not (self.listens() and not self.client("thread", "list").returncode) and time.monotonic() < deadline:
            if self.server.poll() is not None:
                raise AssertionError(self.server.communicate())
            time.sleep(0.2)
        return self

    def listens(self):
        with socket.socket(socket.AF_UNIX) as s:
            return s.connect_ex(os.path.join(self.environment["PROFILER_CLI_SESSION_DIR"], self.session + ".sock")) == 0

    def __exit__(self, *exc):
        self.server.terminate()
        self.server.communicate(timeout=60)

    def client(self, *words):
        return run("node", PROFILER, *words, "--session", self.session, env=self.environment)

    def ask(self, *words):
        result = self.client(*words, "--json")
        if result.returncode:
            raise AssertionError(f"{words}: {result.stdout}{result.stderr}")
        return json.loads(result.stdout)

    def stacks(self, handle):
        """Return {(functions from the outermost, tuple of flags for inlined functions): own samples
        in the viewer}."""
        answer = self.ask("thread", "samples-top-down", "--include-idle", "--max-lines", "1000", "--thread", handle)
        pending, found = [((), answer["regularCallTree"])], {}
        while pending:
            path, node = pending.pop()
            for child in node["children"]:
                below = path + ((child["name"], child.get("inlineStatus") == "inlined"),)
                if child["selfSamples"]:
                    found[below] = child["selfSamples"]
                pending.append((below, child))
        return found


@needs_profiler
def test_firefox(tmp_path, known, hostile):
    out = f"{tmp_path}/profile.json"
    for weight in WEIGHTS:
        export("firefox", known.data, "--weight", weight, "-o", out)
        with Profiler(tmp_path, out) as p:
            got = {(t["pid"], t["tid"], t["name"]) + (stack,): n for t in p.ask("thread", "list")["threads"]
                   for stack, n in p.stacks(t["threadHandle"]).items()}
            expected = sums(weight, lambda s: ("100", s[0], thread(s), tuple((f, f == "inner") for f in frames(s))))
            assert got == expected, f"the Firefox Profiler: call tree of each thread, {weight}"
            span = p.ask("thread", "list")["context"]["rootRange"]
            count = sum(s[3] for s in SAMPLES)
            # The viewer gives the last sample the mean duration.
            assert [round(span[k] * 1e6) for k in ("start", "end")] == [2010, 2010 + 10 * count], \
                "the Firefox Profiler: the time span of the profile"
    export("firefox", hostile.data, "-o", out)
    with Profiler(tmp_path, out) as p:
        rows = p.ask("thread", "functions", "--include-idle", "--limit", "0")["functions"]
        assert {row["name"]: row["selfSamples"] for row in rows} == {clean(name): i + 1 for i, name in enumerate(HOSTILE)}, \
            "the Firefox Profiler: names are unchanged"


@needs_profiler
def test_perfetto(tmp_path, known, hostile):
    """Perfetto's trace readers are not packaged. So another viewer of the Trace Event Format opens
    the file."""
    out = f"{tmp_path}/trace.json"
    export("perfetto", known.data, "-o", out)
    with Profiler(tmp_path, out) as p:
        # The viewer names a thread of a trace PID:TID.
        got, threads = [], p.ask("thread", "list")["threads"]
        for t in threads:
            answer = p.ask("thread", "markers", "--list", "--limit", "0", "--thread", t["threadHandle"])
            first = answer["context"]["rootRange"]["start"]
            got += [(t["tid"], round((m["start"] + first) * 1e6), m["name"]) for m in answer["flatMarkers"]]
        assert ({(t["pid"], t["tid"], t["name"], t["processName"]) for t in threads} ==
                {("100", f"100:{s[0]}", thread(s), "known") for s in SAMPLES}), "a trace in the Firefox Profiler: threads"
        counts = [(f"100:{s[0]}", PARTS[s[1]][-1]) for s in SAMPLES for _ in range(s[3])]
        expected = [(tid, 2010 + 10 * i, name) for i, (tid, name) in enumerate(counts)]
        assert sorted(got) == sorted(expected), "a trace in the Firefox Profiler: each sample has its time and function"
    export("perfetto", hostile.data, "-o", out)
    with Profiler(tmp_path, out) as p:
        rows = p.ask("thread", "markers", "--list", "--limit", "0")["flatMarkers"]
        assert sorted(row["name"] for row in rows) == sorted(clean(name) for i, name in enumerate(HOSTILE) for _ in range(i + 1)), \
            "a trace in the Firefox Profiler: names are unchanged"
