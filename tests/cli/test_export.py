# SPDX-License-Identifier: MIT
"""spemu export: the samples of a known recording (exported.py) are counted in each output format,
where possible by other programs."""
import collections
import contextlib
import csv
import glob
import gzip
import io
import json
import random
import re
import sqlite3
import subprocess
import xml.etree.ElementTree

from clilib import ENVIRONMENT, SPEMU, leak, make_recording, refuses, run, spemu, write
import parquet_reader

import pytest
from exported import (BIAS, COMM, HOSTILE, PARTS, PERIOD, SAMPLES, WEIGHTS, callgrind_event, clean,
                      events_of, export, frames, hostile, known, line_of, sums, thread, total)

def folded_of(sample):
    parts = frames(sample)
    return ";".join((thread(sample), *parts[:-1], parts[-1] + ("_[i]" if sample[1] == "inner" else "")))


def folded_lines(text):
    return {stack: int(number) for stack, number in (line.rsplit(" ", 1) for line in text.splitlines())}


def test_folded(tmp_path, known):
    for weight in WEIGHTS:
        result = export("folded", known.data, "--weight", weight)
        assert (folded_lines(result.stdout), result.stderr, result.returncode) == (sums(weight, folded_of), "", 0), \
            f"{weight}: each stack with its sum"
        lines = result.stdout.splitlines()
        assert len(lines) == len(set(lines)), f"{weight}: no stack twice"
    assert export("folded", known.data).stdout == export("folded", known.data, "--weight", "samples").stdout, \
        "samples are the default weight"
    out = f"{tmp_path}/known.folded"
    result = export("folded", known.data, "-o", out)
    with open(out, encoding="ascii") as f:
        assert (f.read(), result.stdout) == (export("folded", known.data).stdout, ""), \
            "-o writes the same data into a file"
    twice = folded_lines(spemu("export", "--format", "folded", known.data, "-i", known.data).stdout)
    assert twice == {k: 2 * v for k, v in sums("samples", folded_of).items()}, "the samples of two recordings are added"


FLAMEGRAPH = glob.glob("/usr/share/perl5/Devel/NYTProf/flamegraph.pl") + \
    glob.glob("/usr/lib*/perl5/**/Devel/NYTProf/flamegraph.pl", recursive=True)


def flames(folded):
    """Return {name of a frame: samples} of the graph that flamegraph.pl draws. Frames of a function
    in several stacks are added."""
    drawn = subprocess.run(["perl", FLAMEGRAPH[0], "--minwidth", "0"], input=folded, capture_output=True, text=True,
                           env=ENVIRONMENT, timeout=60, check=True).stdout
    found = {}
    for title in xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}title"):
        name, _, rest = title.text.rpartition(" (")
        found[name] = found.get(name, 0) + int(rest.split()[0].replace(",", ""))
    return found


def test_flamegraph(known):
    """FlameGraph draws each function with the counts of all stacks that contain it."""
    if not FLAMEGRAPH:
        pytest.skip("flamegraph.pl (libdevel-nytprof-perl) is not installed")
    for weight in WEIGHTS:
        expected = {"all": total(weight)}
        for stack, number in sums(weight, folded_of).items():
            for name in stack.split(";"):
                expected[name] = expected.get(name, 0) + number
        assert flames(export("folded", known.data, "--weight", weight).stdout) == expected, f"flamegraph.pl, {weight}"


def test_same_as_report(known):
    """Functions and filters are those of spemu report."""
    for args in ((), ("--symbols", "work"), ("--tid", "101"), ("--latency", "5-9"), ("--time", "0%-50%"), ("--dsos", "known"),
                 ("--comms", COMM), ("--event", "l1d-access"), ("--cpu", "0"), ("--pid", "100")):
        rows = json.loads(spemu("report", "--json", "--section", "functions", "-n", "0", "-s", "sym", "--no-inline",
                                "-F", "sample", *args, known.data).stdout)["functions"]
        expected = {}
        for row in rows:
            name = "[unknown]" if row["symbol"].startswith("0x") else row["symbol"]
            expected[name] = expected.get(name, 0) + row["samples"]
        got = {}
        for stack, number in folded_lines(export("folded", known.data, *args).stdout).items():
            parts = [p for p in stack.split(";") if not p.endswith("_[i]")]
            got[parts[-1]] = got.get(parts[-1], 0) + number
        assert sum(got.values()) > 0 and got == expected, \
            f"the same counts as spemu report {' '.join(args)}\n{got}\n{expected}"


def test_pipe(known):
    with open(known.data, "rb") as f:
        image = f.read()
    process = subprocess.run([SPEMU, "export", "--format", "folded", "-"], input=image, capture_output=True, env=ENVIRONMENT,
                             timeout=60, check=False)
    assert (process.stdout.decode(), process.stderr, process.returncode) == (export("folded", known.data).stdout, b"", 0), \
        "a recording from standard input"
    result = run("sh", "-c", '"$0" export --format folded "$1" | cat', SPEMU, known.data)
    assert result.stdout == export("folded", known.data).stdout, "the output into a pipe"


def dumped(data):
    """Return the records as spemu dump prints them."""
    return [json.loads(line) for line in spemu("dump", "--records", "--json", data).stdout.splitlines()]


def same_as_dump(rows, data, number, name):
    """Check that the rows are the records of spemu dump, with the same columns. `number` converts a
    column of a row."""
    records = dumped(data)
    wrong = []
    for row, record in zip(rows, records):
        for key, value in record.items():
            if key in ("callers", "size"):
                continue
            if key == "events":
                good = row[key] == ",".join(value)
            elif key == "op":
                good = row[key] == value
            else:
                good = number(row[key]) == (int(value, 16) if isinstance(value, str) else value)
            wrong += [] if good else [f"{key}: {row[key]!r}, not {value!r}"]
        wrong += [f"{key}: {row[key]!r}" for key in ("context_el2", "target", "pa", "counter3", "addr7", "total", "source")
                  if key not in record and row[key] not in ("", None)]
    assert records and len(rows) == len(records) and not wrong, \
        f"{name}: the columns of spemu dump, in each of its records\n" + f"{len(rows)} rows, {len(records)} records\n" + "\n".join(wrong)


def same_as_known(rows, known, name):
    """Check the symbol, line, object, process and weights of the rows."""
    got, expected = {}, {}
    for row in rows:
        key = (row["symbol"] or None, int(row["line"]) if row["line"] else None, row["comm"], int(row["pid"]), int(row["tid"]))
        n, cycles, operations = got.get(key, (0, 0, 0))
        got[key] = (n + 1, cycles + int(row["total"] or 0), operations + int(row["period"]))
    for sample in SAMPLES:
        key = (PARTS[sample[1]][0] if sample[1] else None, line_of(sample), thread(sample), 100, sample[0])
        n, cycles, operations = expected.get(key, (0, 0, 0))
        expected[key] = (n + sample[3], cycles + sample[3] * (sample[2] or 0), operations + sample[3] * PERIOD)
    assert got == expected, f"{name}: symbol, line, thread and process of each sample"
    got = collections.Counter((r["comm"], r["stack"]) for r in rows)
    assert got == sums("samples", lambda s: (thread(s), ";".join(frames(s)))), f"{name}: the call stack of each sample"
    note = run("aarch64-linux-gnu-readelf", "-n", known.program).stdout
    build_id = re.search(r"Build ID: ([0-9a-f]+)", note)[1]
    assert {(r["object"], r["object_path"]) for r in rows if r["symbol"]} == {("known", known.program)}, f"{name}: the object"
    assert {r["build_id"] for r in rows if r["symbol"]} - {"", None, build_id} == set(), f"{name}: no other build-id"
    assert {r["run"] for r in rows} == {known.data}, f"{name}: the recording"


def csv_rows(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def from_hex(text):
    return int(text, 0) if text else None


def test_csv(tmp_path, known):
    result = export("csv", known.data)
    rows = csv_rows(result.stdout)
    assert (len(rows), result.stderr, result.returncode) == (total("samples"), "", 0), "csv: a row for each sample"
    same_as_dump(rows, known.data, from_hex, "csv")
    same_as_known(rows, known, "csv")
    out = f"{tmp_path}/known.csv"
    database = f"{tmp_path}/imported"
    export("csv", known.data, "-o", out)
    subprocess.run(["sqlite3", database], input=f".mode csv\n.import {out} t\n", text=True, check=True, env=ENVIRONMENT)
    with contextlib.closing(sqlite3.connect(database)) as db:
        assert (db.execute("SELECT count(*), sum(total), sum(period) FROM t").fetchone() ==
                tuple(total(w) for w in ("samples", "cycles", "operations"))), "csv: sqlite3 imports it"


def test_csv_comma(tmp_path):
    """A field with a comma is quoted, even without any other reason for quotation marks (RFC 4180,
    2.6)."""
    data = f"{tmp_path}/comma.data"
    make_recording(f"create {data} 100\ncomm 1 1 1 a,b exec\nrec pc=0x1000 tid=1 time=5 total=1\naux 1 1 9 0 0\nfinish\n")
    head, row = export("csv", data).stdout.splitlines()
    rows = csv_rows(f"{head}\n{row}\n")
    assert [r["comm"] for r in rows] == ["a,b"], "csv: a name with a comma is one field"
    assert ',"a,b",' in row, f"csv: in quotation marks\n{row}"


# Names that a spreadsheet takes for formulas, or in some languages after ';', and names that it does not.
FORMULAS = {"=1+2": "'=1+2", "+1": "'+1", "-1": "'-1", "@sum": "'@sum", "\tx": "'?x", "\rx": "'?x",
            "a;=1;-b": "a;'=1;'-b", '=a"b,c': "'=a\"b,c", "a=b": "a=b", "a-b;c+d": "a-b;c+d"}


def test_escape_formulas(tmp_path):
    """A text of CSV that begins with =, +, -, @, a tab or a carriage return gets an apostrophe if
    the user asks for it. Numbers stay numbers."""
    data = f"{tmp_path}/formulas.data"
    text = [f"create {data} 100"]
    for i, name in enumerate(FORMULAS):
        text += [f"comm {i + 1} {i + 1} 1 {name} exec", f"rec pc=0x1000 tid={i + 1} time=5 total=7"]
    make_recording("\n".join((*text, "aux 1 1 9 0 0", "finish")) + "\n")
    plain = csv_rows(export("csv", data).stdout)
    escaped = csv_rows(export("csv", data, "--escape-formulas").stdout)
    assert [r.pop("comm") for r in plain] == [clean(name) for name in FORMULAS], \
        "csv: without the option, names are unchanged"
    assert [r.pop("comm") for r in escaped] == list(FORMULAS.values()), "csv: no name is a formula"
    assert plain == escaped, "csv: numbers and other texts are the same"


def test_sqlite(tmp_path, known):
    out = write(tmp_path, "known.sqlite", b"what was there before" * 1000)
    result = export("sqlite", known.data, "-o", out)
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0), "sqlite: an older file is replaced"
    with contextlib.closing(sqlite3.connect(out)) as db:
        db.row_factory = sqlite3.Row
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "sqlite: the database is whole"
        rows = db.execute("SELECT * FROM sample ORDER BY queue, offset").fetchall()
        same_as_dump(rows, known.data, lambda n: n if n is None or n >= 0 else n + (1 << 64), "sqlite")
        same_as_known(rows, known, "sqlite")
        for weight, column in (("samples", "samples"), ("operations", "operations"), ("cycles", "cycles")):
            got = {r[0]: r[1] for r in db.execute(f"SELECT symbol, sum({column}) FROM function GROUP BY symbol") if r[1]}
            assert got == sums(weight, lambda s: PARTS[s[1]][0] if s[1] else None), f"sqlite: view function, {weight}"
        got = {(r[0], r[1]): r[2] for r in db.execute("SELECT symbol, line, samples FROM line")}
        assert got == {k: v for k, v in sums("samples", lambda s: (PARTS[s[1]][0], line_of(s))).items() if k[1]}, "sqlite: view line"
        got = dict(db.execute("SELECT name, samples FROM event").fetchall())
        expected = collections.Counter(word for s in SAMPLES for word in events_of(s) for _ in range(s[3]))
        assert got == expected, "sqlite: view event"
        stacks = {}
        for call, depth, symbol in db.execute("SELECT call, depth, symbol FROM stack ORDER BY call, depth DESC"):
            stacks.setdefault(call, []).append(symbol)
        got = {}
        for call, n in db.execute("SELECT call, count(*) FROM sample GROUP BY call"):
            got[tuple(stacks[call])] = got.get(tuple(stacks[call]), 0) + n
        assert got == sums("samples", lambda s: ((s[4],) if s[4] else ()) + ((PARTS[s[1]][0],) if s[1] else (None,))), "sqlite: view stack"
        plan = " ".join(r[3] for r in db.execute("EXPLAIN QUERY PLAN SELECT * FROM sample WHERE time BETWEEN 1 AND 2"))
        assert "sample_by_time" in plan, f"sqlite: a query for a time range uses the index\n{plan}"
    refuses("sqlite needs a file", 2, "sqlite requires a file; use -o FILE", "export", "--format", "sqlite", known.data)
    refuses("that is a regular one", 125, "not a regular file", "export", "--format", "sqlite", "-o", "/dev/null", known.data)
    refuses("rows have all weights", 2, "a row of csv has all weights", "export", "--format", "csv", "--weight", "cycles", known.data)
    full = run("sh", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" export --format sqlite -o "$1" "$2"', SPEMU, out, known.data)
    assert full.returncode == 125 and len(full.stderr.splitlines()) == 1 and "cannot write" in full.stderr, \
        f"sqlite: a full disk is reported\n{full.stderr}"


def varint(data, at):
    """Decode a varint of protocol buffers. Return its value and the offset after it."""
    value = shift = 0
    while data[at] > 127:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
    return value | data[at] << shift, at + 1


def fields(data):
    """Yield (field number, value) for each field of a protocol buffer message. A value is a number
    or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7:
            assert key & 7 == 2, key
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(data):
    """Return the numbers of a packed field."""
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


class Pprof:
    """A pprof profile, parsed by the field numbers of profile.proto: string_table 6, sample 2,
    location 4, function 5, mapping 3, sample_type 1, default_sample_type 14."""

    def __init__(self, data):
        message = list(fields(gzip.decompress(data)))
        self.texts = [value.decode() for field, value in message if field == 6]
        self.functions = {f[1]: f for f in (dict(fields(v)) for k, v in message if k == 5)}
        self.mappings = {m[1]: m for m in (dict(fields(v)) for k, v in message if k == 3)}
        self.locations = {dict(fields(v))[1]: list(fields(v)) for k, v in message if k == 4}
        self.types = [self.text(dict(fields(v)), 1) for k, v in message if k == 1]
        self.usual = self.text(dict(message), 14)
        self.samples = [list(fields(v)) for k, v in message if k == 2]

    def text(self, message, field):
        return self.texts[message.get(field, 0)]

    def frames(self, location):
        """Return [(name, line)] of the frames of a location, innermost first."""
        for field, value in self.locations[location]:
            if field == 4:
                line = dict(fields(value))
                yield self.text(self.functions[line[1]], 2), line.get(2, 0)

    def labels(self):
        """Yield (labels, values) for each sample."""
        for sample in self.samples:
            labels = [dict(fields(v)) for k, v in sample if k == 3]
            yield {self.text(m, 1): self.text(m, 2) or m.get(3) for m in labels}, numbers(dict(sample)[2])

    def stacks(self):
        """Yield ((tid, comm, functions from the outermost), values) for each sample."""
        for sample, (label, _) in zip(self.samples, self.labels()):
            found = [f for at in numbers(dict(sample)[1]) for f in self.frames(at)]
            yield (label["tid"], label["comm"], tuple(name for name, _ in reversed(found))), numbers(dict(sample)[2]), found


def test_pprof(known):
    for weight in WEIGHTS:
        p = Pprof(export("pprof", known.data, "--weight", weight, text=False).stdout)
        got = {}
        for stack, values, _ in p.stacks():
            n = values[p.types.index(weight)]
            got[stack] = got.get(stack, 0) + n
        assert {k: v for k, v in got.items() if v} == sums(weight, lambda s: (s[0], thread(s), frames(s))), f"pprof: stacks, {weight}"
        assert p.usual == weight, f"pprof: the default sample type is {weight}"
    assert p.types == list(WEIGHTS), "pprof: a value for each weight"
    innermost = {found[0] for _, _, found in p.stacks()}
    assert innermost == {(PARTS[s[1]][-1], line_of(s) or 0) for s in SAMPLES}, "pprof: lines"
    assert [p.text(m, 5) for m in p.mappings.values()] == [known.program], "pprof: the file is the mapping"
    addresses = {dict(location)[3] for location in p.locations.values()}
    assert {known.vaddr[s[1]] for s in SAMPLES if s[1]} <= addresses, f"pprof: addresses are those of the file\n{addresses}"


def callgrind(text):
    """Parse a callgrind file by the format's description: events; function -> own sums; (caller, callee) -> sums;
    (file, line) -> sums."""
    names, own, called, lines = {}, {}, {}, {}
    events = next(line for line in text.splitlines() if line.startswith("events:")).split()[1:]
    pending = None
    here = {}
    for line in text.splitlines():
        key, equals, rest = line.partition("=")
        if equals and key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfn"):
            kind = {"cob": "ob", "cfi": "fl", "fi": "fl", "fe": "fl", "cfn": "fn"}.get(key, key)
            number, _, name = rest.partition(" ")
            if name:
                assert (kind, number) not in names, line
                names[kind, number] = name
            here[key] = names[kind, number]
            if key in ("fl", "fi", "fe"):
                here["file"] = here[key]
        elif key == "calls" and equals:
            pending = here["cfn"]
        elif line.startswith("0x"):
            words = line.split()
            values = [int(w) for w in words[2:]]
            where, at = (called, (here["fn"], pending)) if pending else (own, here["fn"])
            where[at] = [a + b for a, b in zip(where.get(at, [0] * len(events)), values)]
            if not pending:
                place = (here["file"], int(words[1]))
                lines[place] = [a + b for a, b in zip(lines.get(place, [0] * len(events)), values)]
            pending = None
    return events, own, called, lines


@pytest.mark.parametrize("weight", WEIGHTS)
def test_callgrind(known, weight):
    text = export("callgrind", known.data, "--weight", weight).stdout
    events, own, called, lines = callgrind(text)
    assert events == [callgrind_event(w) for w in (weight, *(w for w in WEIGHTS if w != weight))], \
        f"callgrind: {weight} are the first event, the others follow"
    calls = [s for s in SAMPLES if s[4]]
    head = next(line for line in text.splitlines() if line.startswith("summary:")).split()[1:]
    for w in WEIGHTS:
        at = events.index(callgrind_event(w))
        got = [{k: v[at] for k, v in found.items() if v[at]} for found in (own, called, lines)]
        assert got[0] == sums(w, lambda s: PARTS[s[1]][0]), f"callgrind: {w} by function"
        assert got[1] == sums(w, lambda s: (s[4], PARTS[s[1]][0]), calls), f"callgrind: calls, {w}"
        assert {line: n for (_, line), n in got[2].items() if line} == \
            {line: n for line, n in sums(w, line_of).items() if line}, f"callgrind: {w} by line"
        assert head[at] == str(total(w)), f"callgrind: summary, {w}"


def test_callgrind_head(tmp_path, known):
    """The head has the recorded command line (make_recording.c), and a description of each event
    before the list of events, which ends the head."""
    command = "spemu record ./known"
    for inputs, commands in (((known.data,), command), ((known.data, known.data), f"{command}; {command}")):
        head = export("callgrind", *inputs).stdout.split("\nevents:")[0].splitlines()
        assert [line for line in head if line.startswith("cmd:")] == [f"cmd: {commands}"], \
            f"callgrind: the command\n{head}"
        names = [re.fullmatch(r"event: ([A-Za-z][A-Za-z0-9]*) : \S.*", line)[1]
                 for line in head if line.startswith("event:")]
        assert sorted(names) == sorted(map(callgrind_event, WEIGHTS)), \
            f"callgrind: a description of each event\n{head}"


def test_main_weight(tmp_path, known):
    """The main weight of pprof and callgrind is that of a report: cycles, or samples without any
    latency. The other formats count samples."""
    bare = f"{tmp_path}/bare.data"
    make_recording(f"create {bare} 100\ncomm 1 1 1 a exec\nrec pc=0x1000 tid=1 time=5 n=3\naux 1 1 9 0 0\nfinish\n")
    for data, weight in ((known.data, "cycles"), (bare, "samples")):
        assert callgrind(export("callgrind", data).stdout)[0][0].lower() == weight, \
            f"callgrind: {weight} are the first event"
        assert Pprof(export("pprof", data, text=False).stdout).usual == weight, f"pprof: {weight} are the default"


def number_of(text):
    """Convert a CSV field to a number, a word or None."""
    try:
        return int(text, 0)
    except ValueError:
        return text or None


def as_csv(value):
    return str(number_of(value)) if isinstance(value, str) else str(value)


def test_parquet(tmp_path, known):
    """Check the rows with this tree's own reader. tests/interop/test_export_readers.py reads them
    with other programs."""
    out = f"{tmp_path}/known.parquet"
    result = export("parquet", known.data, "-o", out)
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0), \
        "parquet: -o writes a file without messages"
    with open(out, "rb") as f:
        data = f.read()
    assert data == export("parquet", known.data, text=False).stdout, "parquet: the file equals the output to a pipe"
    many, chance = f"{tmp_path}/many.data", random.Random(1)
    program = known.program
    make_recording("\n".join((
        f"create {many} 256", "comm 1 1 10 a exec", f"mmap 1 11 {BIAS} 0x10000 0 r-x {program}",
        *(f"rec pc={BIAS + 4 * chance.randrange(600)} tid=1 time={20 + i} class={i % 3} sub={i % 2} ev={chance.randrange(1 << 16)} "
          f"total={chance.randrange(1 << chance.randrange(1, 16))} va={chance.randrange(1 << chance.randrange(1, 56))} n={n}"
          for i, n in enumerate([1] * 2000 + [300] * 220)), "aux 1 1 5000 0 0", "finish")) + "\n")
    for path, groups in ((known.data, 1), (many, 2)):
        rows, foot = parquet_reader.read(export("parquet", path, text=False).stdout)
        assert foot[6].startswith(b"spemu version ") and len(foot[4]) == groups, \
            f"parquet: the metadata of {groups} row groups\n{foot[6]}"
        head, *lines = csv.reader(export("csv", path).stdout.splitlines())
        assert list(rows) == head, "parquet: the columns of csv"
        bad = [name for i, name in enumerate(head) if [as_csv(v) for v in rows[name]] != [as_csv(number_of(r[i])) for r in lines]]
        assert not bad and lines, f"parquet: the {len(lines)} rows of csv\n{bad}"


FORMATS = ("folded", "csv", "pprof", "callgrind", "firefox", "perfetto", "parquet")


def test_errors(tmp_path, known):
    refuses("no format", 2, "--format is missing", "export", known.data)
    refuses("a format misspelled", 2, "--format: expected folded, pprof, callgrind, firefox, perfetto, csv, sqlite or parquet, got 'foldet'", "export", "--format", "foldet", known.data)
    refuses("a weight misspelled", 2,
            "--weight: expected samples, operations, cycles, .* or remote-access, got 'cycle'",
            "export", "--format", "folded", "--weight", "cycle", known.data)
    refuses("formulas of another format", 2, "--escape-formulas requires --format csv", "export", "--format", "folded",
            "--escape-formulas", known.data)
    refuses("a recording that is not there", 127, "cannot open .*record one with", "export", "--format", "folded", f"{tmp_path}/no")
    old = write(tmp_path, "old.folded", "old\n")
    refuses("and the output is left alone", 127, "cannot open", "export", "--format", "folded", "-o", old, f"{tmp_path}/no")
    with open(old, encoding="ascii") as f:
        assert f.read() == "old\n", "a rejected command does not change the existing file"
    refuses("a folder that is not there", 125, "cannot write .*No such file", "export", "--format", "folded", "-o",
            f"{tmp_path}/no/file", known.data)
    plain = f"{tmp_path}/plain.data"
    make_recording(f"create {plain} 100\ncomm 1 1 1 a exec\nrec pc=0x1000 tid=1 time=5\naux 1 1 9 0 0\nfinish\n")
    refuses("cycles without a latency", 125, "no sample has a total latency; export with --weight samples", "export", "--format",
            "folded", "--weight", "cycles", plain)
    result = export("folded", known.data, "--symbols", "nothing")
    assert ((result.stdout, result.stderr, result.returncode) ==
            ("", f"spemu export: the filters leave out all {total('samples')} samples; relax a filter\n", 0)), \
                "filters that omit all samples cause a warning"
    with open(known.data, "rb") as f:
        image = f.read()
    cut = write(tmp_path, "cut.data", image[:image.index(b"\0\0\0", len(image) // 2)])
    result = export("folded", cut)
    assert result.returncode in (1, 125) and len(result.stderr.splitlines()) == 1, f"a recording that is cut off\n{result.stderr}"


@pytest.mark.parametrize("kind", FORMATS)
def test_full_disk(known, kind):
    result = run("sh", "-c", 'exec "$0" export --format "$1" "$2" > /dev/full', SPEMU, kind, known.data)
    assert result.returncode == 125 and "No space left" in result.stderr and len(result.stderr.splitlines()) == 1, \
        f"{kind}: a full disk is reported\n{result.stderr}"


def shown(name):
    """Return a name as the output may show it: control characters are '?', and ';' is ':'."""
    return "".join(c if c >= " " else "?" for c in name).replace(";", ":")


def test_hostile_folded(hostile):
    result = export("folded", hostile.data, text=False)
    assert not leak(result.stdout), f"folded: no character is unfit for a terminal\n{leak(result.stdout)}"
    expected = {f"{shown(chr(97) + chr(59))}\"<b>?';{shown(name)}": i + 1 for i, name in enumerate(HOSTILE)}
    assert folded_lines(result.stdout.decode()) == expected, "folded: ';' is ':', a control character '?'"
    if FLAMEGRAPH:
        drawn = flames(result.stdout.decode())
        # flamegraph.pl writes such brackets as round ones.
        assert drawn.get("(script)alert(1)(/script)") == 2, "flamegraph.pl: a name with HTML is text"


def test_hostile_rows(tmp_path, hostile):
    """Hostile names stay text in rows. They are quoted, and control characters are replaced."""
    expected = {clean(name): i + 1 for i, name in enumerate(HOSTILE)}
    result = export("csv", hostile.data, text=False)
    assert not leak(result.stdout), f"csv: no character is unfit for a terminal\n{leak(result.stdout)}"
    rows = csv_rows(result.stdout.decode())
    assert collections.Counter(r["symbol"] for r in rows) == expected, "csv: names are unchanged"
    assert {(r["comm"], r["object_path"]) for r in rows} == {("a;\"<b>?'", hostile.program)}, "csv: thread and path"
    assert {r["stack"] for r in rows} == {name.replace(";", ":") for name in expected}, "csv: ';' in a stack is ':'"
    p = Pprof(export("pprof", hostile.data, text=False).stdout)
    assert {found[0][0]: values[0] for _, values, found in p.stacks()} == expected, "pprof: names are unchanged"
    result = export("callgrind", hostile.data, text=False)
    assert not leak(result.stdout), f"callgrind: no character is unfit for a terminal\n{leak(result.stdout)}"
    assert {k: v[0] for k, v in callgrind(result.stdout.decode())[1].items()} == expected, "callgrind: names are unchanged"
    out = f"{tmp_path}/hostile.sqlite"
    export("sqlite", hostile.data, "-o", out)
    with contextlib.closing(sqlite3.connect(out)) as db:
        assert dict(db.execute("SELECT symbol, samples FROM function").fetchall()) == expected, "sqlite: names are unchanged"
