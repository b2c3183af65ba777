# SPDX-License-Identifier: MIT
"""spemu diff: shares, amounts and significance, compared with values computed here sample by
sample. Chance alone earns stars at the stated rate."""
import json
import math
import os
import random
import re
import subprocess

import pytest

from clilib import COMPILER, SPEMU, address_space, compile_c, make_recording, nm, refuses, run, segments, spemu, write

COUNT = 200
SOURCE = "".join(f"__attribute__((noinline)) void f{i}(volatile long *p)\n{{\n\t*p = *p + {i + 1};\n}}\n"
                 for i in range(COUNT))
SOURCE += "int main(void) { return 0; }\n"
RETIRED, MISS, MISPREDICTED = 2, 8, 128


class Program:
    def __init__(self, folder):
        self.folder = folder
        self.elf = compile_c(folder, "program", SOURCE, "-static", "-ffunction-sections", "-fno-ipa-icf",
                             "-Wl,--build-id=sha1")
        self.symbols = nm(self.elf)

    def record(self, name, samples, period=1000, latencies=True):
        """Make a recording of samples (function, latency, events, count)."""
        path = f"{self.folder}/{name}"
        text = [f"create {path} {period}", "comm 10 10 100 program exec"]
        for offset, vaddr, size, _, flags in segments(self.elf):
            if "E" in flags:
                text.append(f"mmap 10 101 {vaddr & ~4095} {size + 4096} {offset & ~4095} r-x {self.elf}")
        for function, latency, events, count in samples:
            total = f"total={latency} issue=1" if latencies else ""
            text.append(f"rec pc={self.symbols[function]} tid=10 time=1000 class=0 sub=0 ev={events | RETIRED} "
                        f"{total} n={count}")
        make_recording("\n".join((*text, "aux 10 10 2000 0 0", "finish")) + "\n")
        return path


def diff(*args):
    result = spemu("diff", "--json", "-n", "0", *args)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def one_by_one(samples, weigh):
    """Yield (function, weight) for every single sample."""
    return [(f, weigh(latency)) for f, latency, _, count in samples for _ in range(count)]


def share_and_variance(drawn, function):
    """Return the ratio of two sums over samples, and its variance from the squared residuals."""
    whole = sum(w for _, w in drawn)
    share = sum(w for f, w in drawn if f == function) / whole
    return share, sum((w * ((f == function) - share) / whole) ** 2 for f, w in drawn)


def tail(z):
    return math.erfc(abs(z) / math.sqrt(2))


def near(got, expected, name, within=1e-4):
    assert abs(got - expected) <= within * max(1, abs(expected)), f"{name}\n{got} is not {expected}"


OLD = [("f1", 10, 0, 400), ("f2", 50, MISS, 100), ("f3", 2, 0, 500), ("f4", 7, MISPREDICTED, 3)]
NEW = [("f1", 10, 0, 390), ("f2", 6, 0, 104), ("f3", 2, 0, 520), ("f4", 7, MISPREDICTED, 2), ("f5", 9, 0, 40)]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def old(program):
    return program.record("old.data", OLD)


@pytest.fixture(scope="module")
def new(program):
    return program.record("new.data", NEW)


def test_shares(old, new):
    for by, weigh in (("cycles", lambda latency: latency), ("samples", lambda latency: 1)):
        report = diff("--by", by, old, new)
        rows = {r["symbol"]: r for r in report["functions"]}
        assert (report["by"], set(rows)) == (by, {"f1", "f2", "f3", "f4", "f5"}), f"--by {by}: every function"
        sides = [one_by_one(s, weigh) for s in (OLD, NEW)]
        for name, row in rows.items():
            (a, va), (b, vb) = (share_and_variance(d, name) for d in sides)
            near(row["old_share"], 100 * a, f"{by}, {name}: old")
            near(row["new_share"], 100 * b, f"{by}, {name}: new")
            near(row["change"], 100 * (b - a), f"{by}, {name}: change")
            near(row["p"], tail((b - a) / math.sqrt(va + vb)), f"{by}, {name}: p")
            enough = sum(s[3] for s in OLD + NEW if s[0] == name) >= 10
            stars = sum(row["p"] < limit for limit in (0.05, 0.01, 0.001)) if enough else 0
            assert row["significance"] == "*" * stars, f"{by}, {name}: stars"
        changes = [abs(r["change"]) for r in report["functions"]]
        assert changes == sorted(changes, reverse=True), f"--by {by}: the largest change first"
    assert diff(old, new)["by"] == "cycles", "the default is cycles if both recordings have latencies"


def test_proportions(old, new):
    """By samples, the significance is the textbook test of two proportions."""
    rows = {r["symbol"]: r for r in diff("--by", "samples", old, new)["functions"]}
    for name, row in rows.items():
        n = [sum(s[3] for s in side) for side in (OLD, NEW)]
        p = [sum(s[3] for s in side if s[0] == name) / m for side, m in zip((OLD, NEW), n)]
        z = (p[1] - p[0]) / math.sqrt(sum(q * (1 - q) / m for q, m in zip(p, n)))
        near(row["p"], tail(z), f"{name}: two proportions")


def test_absolute(program, old, new):
    report = diff("--absolute", old, new)
    rows = {r["symbol"]: r for r in report["functions"]}
    for name, row in rows.items():
        sums = [sum(s[1] * s[3] for s in side if s[0] == name) for side in (OLD, NEW)]
        squares = [sum(s[1] ** 2 * s[3] for s in side if s[0] == name) for side in (OLD, NEW)]
        assert (row["old_amount"], row["new_amount"]) == (1000 * sums[0], 1000 * sums[1]), f"{name}: amounts"
        near(row["p"], tail((sums[1] - sums[0]) / math.sqrt(sum(squares))), f"{name}: p of amounts")
        if sums[0]:
            near(row["change"], 100 * (sums[1] / sums[0] - 1), f"{name}: change of amounts")
        else:
            assert row["change"] is None, f"{name}: no change if the old amount is 0"
    assert [r["symbol"] for r in report["functions"]][0] == "f2", "the largest improvement is first"
    half = program.record("half.data", [(*s[:3], 2 * s[3]) for s in OLD], period=500)
    rows = diff("--absolute", old, half)["functions"]
    assert {r["change"] for r in rows} == {0.0}, "twice the samples at half the period give the same amounts"


def test_events(old, new):
    rows = {r["event"]: r for r in diff("--section", "events", old, new)["events"]}
    whole = [sum(s[3] for s in side) for side in (OLD, NEW)]
    for event, bit in (("l1d-refill", MISS), ("mispred", MISPREDICTED), ("retired", RETIRED)):
        counts = [sum(s[3] for s in side if (s[2] | RETIRED) & bit) for side in (OLD, NEW)]
        assert [rows[event]["old_samples"], rows[event]["new_samples"]] == counts, f"{event}: samples"
        near(rows[event]["old_share"], 100 * counts[0] / whole[0], f"{event}: share")
    assert (rows["l1d-refill"]["significance"], rows["retired"]["significance"]) == ("***", ""), "events: stars"


def test_chance(program):
    """For two draws from one distribution, one row in twenty has p < 0.05, within four standard
    deviations."""
    draw = random.Random(17)
    weights = [draw.uniform(0.5, 1.5) for _ in range(COUNT)]

    def samples():
        drawn = draw.choices(range(COUNT), weights, k=40000)
        return [(f"f{i}", latency, 0, n) for i in range(COUNT)
                for latency, n in ((3, (drawn.count(i) + 1) // 2), (40 + i % 7, drawn.count(i) // 2))]

    one, two = (program.record(f"chance{n}.data", samples()) for n in (1, 2))
    rows = diff("--by", "samples", "--section", "functions", one, two)["functions"]
    found = sum(r["p"] < 0.05 for r in rows)
    expected, deviation = 0.05 * COUNT, math.sqrt(0.05 * 0.95 * COUNT)
    assert len(rows) == COUNT and abs(found - expected) < 4 * deviation, \
        f"one row in twenty gets a star by chance\n{found} of {len(rows)}"
    assert sum(r["p"] < 0.001 for r in rows) <= 3, "chance rarely earns three stars"


VERSION = """volatile long cells[64];
static inline __attribute__((always_inline)) long step(long i)
{
	return cells[i & 63] * 3;
}
__attribute__((noinline)) long work(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += step(i);
	for (long i = 0; i < n; i++)
		cells[i & 63] = i;
	return sum;
}
int main(void) { return (int)work(100); }
"""
# The lines that have samples, and how many lines with this text precede them in the file.
HOT = (("return cells[i & 63] * 3;", 0), ("for (long i = 0; i < n; i++)", 0),
       ("for (long i = 0; i < n; i++)", 1), ("cells[i & 63] = i;", 0))
ABOVE = VERSION.replace("volatile long cells", "// a line\n// and another\nvolatile long cells")
INSIDE = ABOVE.replace("\tlong sum = 0;", "\tlong sum = 0;\n\tcells[0] = n;\n\tcells[1] = n;")
FAR = ABOVE.replace("\tlong sum = 0;", "\tlong sum = 0;\n" + "\tcells[0] = n;\n" * 20)
INDENTED = INSIDE.replace("\t\tcells[i & 63] = i;", "\t\t\t\tcells[i & 63] = i;")


def number_of(text, before, source):
    """Return the number of the line with this text."""
    return [i + 1 for i, line in enumerate(source.split("\n")) if line.strip() == text][before]


class Version:
    """A build of a version of the source, with one sample on the first line of `lines`, two on the
    second, and so on. By default these are the lines of HOT, and the source is beside the
    program."""

    def __init__(self, folder, source, source_file=None, lines=None):
        os.makedirs(folder)
        self.source_file = source_file or f"{folder}/version.c"
        with open(self.source_file, "w", encoding="ascii") as f:
            f.write(source)
        self.elf, self.data = f"{folder}/program", f"{folder}/perf.data"
        subprocess.run([COMPILER, "-g", "-O1", "-static", "-Wl,--build-id=sha1", "-o", self.elf,
                        self.source_file], check=True)
        self.lines = lines or [number_of(*hot, source) for hot in HOT]
        self.record()

    def record(self):
        code = run("aarch64-linux-gnu-objdump", "-d", "--disassemble=work", self.elf).stdout
        addresses = re.findall(r"^ +([0-9a-f]+):\t", code, re.M)
        places = run("aarch64-linux-gnu-addr2line", "-e", self.elf, *addresses).stdout.splitlines()
        pc_of = {int(re.search(r":(\d+)", p)[1]): int(a, 16) for a, p in zip(addresses, places)}
        text = [f"create {self.data} 1000", "comm 10 10 100 program exec"]
        for offset, vaddr, size, _, flags in segments(self.elf):
            if "E" in flags:
                text.append(f"mmap 10 101 {vaddr & ~4095} {size + 4096} {offset & ~4095} r-x {self.elf}")
        text += [f"rec pc={pc_of[line]} tid=10 time=1000 class=0 sub=0 ev=2 total=5 n={i + 1}"
                 for i, line in enumerate(self.lines)]
        make_recording("\n".join((*text, "aux 10 10 2000 0 0", "finish")) + "\n")


def line_rows(old, new, *options):
    """Return {(old line, line): (old samples, new samples)}."""
    rows = diff("--by", "samples", "--section", "lines", *options, old.data, new.data)["lines"]
    assert {os.path.basename(row["file"]) for row in rows} == {"version.c"}, rows
    return {(r["old_line"], r["line"]): (r["old_samples"], r["new_samples"]) for r in rows}


def one_row_each(old, new):
    return {(a, b): (i + 1, i + 1) for i, (a, b) in enumerate(zip(old.lines, new.lines))}


def test_lines_by_text(tmp_path):
    """With the source of both versions, a line is one row, wherever it moved within its function.
    Equal lines of a function are matched in their order, and indentation does not count."""
    old = Version(f"{tmp_path}/old", VERSION)
    for name, source in (("above", ABOVE), ("inside", INSIDE), ("indented", INDENTED)):
        new = Version(f"{tmp_path}/{name}", source)
        assert old.lines != new.lines, "the lines have moved"
        assert line_rows(old, new) == one_row_each(old, new), f"{name}: one row for each line"
        rows = diff("--by", "samples", "-s", "srcline", old.data, new.data)["functions"]
        assert len(rows) == len(HOT), f"{name}: -s srcline matches lines, too\n{rows}"
    text = spemu("diff", "--section", "lines", old.data, new.data).stdout
    assert "Old line" in text and f"version.c:{new.lines[0]}" in text, \
        f"the row has the old line, and the new one\n{text}"
    assert "Old line" not in spemu("diff", "--section", "lines", old.data, old.data).stdout, \
        "the column is hidden if no line has moved"


def separate_rows(old, new):
    """Return the rows if no line matches. A row of the old recording alone shows its line."""
    return {(None, b): (0, i + 1) for i, b in enumerate(new.lines)} | \
        {(a, a): (i + 1, 0) for i, a in enumerate(old.lines)}


def test_lines_by_distance(tmp_path):
    """The text of an edited file is unknown for programs that were built before. Then the distance
    from the function's first line counts."""
    shared = f"{tmp_path}/version.c"
    old = Version(f"{tmp_path}/old", VERSION, shared)
    new = Version(f"{tmp_path}/above", ABOVE, shared)
    assert line_rows(old, new) == one_row_each(old, new), "lines above the function do not matter"
    new = Version(f"{tmp_path}/far", FAR, shared)
    assert line_rows(old, new) == separate_rows(old, new), "lines within the function separate rows"
    # Both files are there, but one is newer than its program.
    old, new = Version(f"{tmp_path}/one", VERSION), Version(f"{tmp_path}/two", FAR)
    assert line_rows(old, new) == one_row_each(old, new), "two files that both are known"
    os.utime(new.source_file)
    assert line_rows(old, new) == separate_rows(old, new), "a file that is newer than its program"
    os.remove(new.source_file)
    assert line_rows(old, new) == separate_rows(old, new), "a file that is missing"
    new = Version(f"{tmp_path}/three", ABOVE)
    os.remove(new.source_file)
    assert line_rows(old, new) == one_row_each(old, new), "a missing file, and the same distance"


def test_lines_by_number(tmp_path):
    """A line that a directive gave a number below its function's has only its number."""
    source = VERSION.replace("\tfor (long i = 0; i < n; i++)\n\t\tcells",
                             "#line 1\n\tfor (long i = 0; i < n; i++)\n\t\tcells")
    folders = []
    for name, text in (("old", source), ("new", "// a line\n" + source)):
        folders.append(Version(f"{tmp_path}/{name}", text, lines=[1, 2]))
        os.remove(folders[-1].source_file)
    assert line_rows(*folders) == {(1, 1): (1, 1), (2, 2): (2, 2)}, "the number matches lines"


def test_many_sources(tmp_path):
    """A program that names more source files than may be read, 70 of 16 MiB each, is compared
    within 1 GiB of address space."""
    source, count = "", 70
    for i in range(count):
        with open(f"{tmp_path}/big{i}.c", "wb") as f:
            f.truncate(16 << 20)
        source += f'#line 1 "{tmp_path}/big{i}.c"\n__attribute__((noinline)) void g{i}(long *p) {{ *p = {i}; }}\n'
    elf = compile_c(tmp_path, "big", source + "int main(void) { return 0; }\n", "-static", "-fno-ipa-icf")
    symbols, data = nm(elf), f"{tmp_path}/big.data"
    text = [f"create {data} 1000", "comm 10 10 100 big exec"]
    for offset, vaddr, size, _, flags in segments(elf):
        if "E" in flags:
            text.append(f"mmap 10 101 {vaddr & ~4095} {size + 4096} {offset & ~4095} r-x {elf}")
    text += [f"rec pc={symbols[f'g{i}']} tid=10 time=1000 class=0 sub=0 ev=2 total=5" for i in range(count)]
    make_recording("\n".join((*text, "aux 10 10 2000 0 0", "finish")) + "\n")
    result = spemu("diff", "--json", "-n", "0", "--section", "lines", data, data, limits=address_space(1 << 30))
    assert result.returncode == 0, f"the memory for sources is bounded\n{result.stderr}"
    rows = json.loads(result.stdout)["lines"]
    assert len(rows) == count and all(r["old_line"] == r["line"] == 1 for r in rows), \
        f"every line is one row, with its text or without\n{len(rows)} {rows[:2]}"


def test_text(old, new):
    text = spemu("diff", old, new).stdout
    assert ("total cycles:" in text and "# Functions\n" in text and "# Source lines\n" in text
            and "# Events\n" in text), f"the text has every section\n{text}"
    before, after, percent = re.search(r"total cycles: ([\d.e+]+) and ([\d.e+]+), ([-+][\d.]+)%", text).groups()
    assert abs(100 * (float(after) / float(before) - 1) - float(percent)) < 0.1, f"the change of the total\n{text.splitlines()[:9]}"
    assert "* p < 0.05, ** p < 0.01, *** p < 0.001" in text, "a line explains the stars"
    only = spemu("diff", "--section", "functions", "--percent-limit", "30", "-S", "f1,f2,f3", old, new).stdout
    assert "# Events" not in only and "beyond --limit and --percent-limit" in only and not re.search(r"\bf4\b", only), \
        f"options select sections, rows and samples\n{only}"


def test_refused(program, old, new):
    refuses("one recording", 2, "expected two recordings, OLD and NEW, got 1", "diff", old)
    refuses("three", 2, "OLD and NEW, got 3", "diff", old, new, old)
    refuses("an order", 2, "-s accepts only keys", "diff", "-s", "cycles", old, new)
    refuses("an unknown key", 2, "unknown sort key 'symb'", "diff", "-s", "symb", old, new)
    refuses("an unknown section", 2, "unknown section 'line'; did you mean 'lines'", "diff", "--section", "line",
            old, new)
    refuses("--by", 2, "--by: expected cycles or samples, got 'time'", "diff", "--by", "time", old, new)
    refuses("a missing file", 127, "cannot open", "diff", old, f"{program.folder}/absent")
    bare = program.record("bare.data", OLD, latencies=False)
    assert diff(old, bare)["by"] == "samples", "the default is samples if a recording has no latencies"
    refuses("no latencies", 125, "bare.data has no latencies; use --by samples", "diff", "--by", "cycles", old, bare)
    with open(new, "rb") as stream:
        image = stream.read()
    result = spemu("diff", old, write(program.folder, "cut.data", image[:len(image) * 3 // 4]))
    assert result.returncode in (1, 125) and "damaged" in result.stderr, f"a damaged recording\n{result.returncode} {result.stderr}"
    # A file that spemu opens must not get the descriptor of a closed standard output.
    for command in (("diff", old, new), ("report", old), ("annotate", "-i", old), ("dump", old)):
        for name, redirection in (("full", ">/dev/full"), ("closed", ">&-"), ("closed, as input", "<&- >&-")):
            result = run("sh", "-c", f'exec "$0" "$@" {redirection}', SPEMU, *command)
            assert result.returncode == 125 and "cannot write standard output" in result.stderr, \
                f"{command[0]} reports that standard output is {name}\n{result.returncode} {result.stderr}"
