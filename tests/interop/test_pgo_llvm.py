# SPDX-License-Identifier: MIT
"""Profiles of spemu pgo agree with those that LLVM's own tools make from perf's output, and these
tools accept our profiles.

The test requires perf and LLVM, which scripts/fetch perf and scripts/fetch llvm install.
"""
import os
import re
import subprocess

import pytest

from clilib import ROOT, SPEMU
from perf_there import perf_works

PERF = ROOT / "build/perf/bin/perf"

SOURCE = r"""
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area(int) const = 0; };
struct Square : Shape {
	double side;
	explicit Square(double x) : side(x) {}
	double area(int k) const override { return k % 3 ? side * side : side; }
};
struct Circle : Shape {
	double radius;
	explicit Circle(double x) : radius(x) {}
	double area(int k) const override
	{
		double sum = 0;
		if (k & 1)
			return 3.14 * radius * radius;
		for (int i = 0; i < k % 9; i++)
			sum += radius;
		return sum;
	}
};
template <class T> static T mix(T a, T b) { return a > b ? a - b : a * 31 + b; }
static inline unsigned hash(const std::string &s)
{
	unsigned h = 7;
	for (char c : s)
		h = mix(h, (unsigned)c);
	return h;
}
namespace {
struct Table {
	std::map<std::string, int> m;
	int get(const std::string &k)
	{
		auto i = m.find(k);
		return i == m.end() ? m[k] = (int)hash(k) : ++i->second;
	}
};
}
int main()
{
	std::vector<Shape *> shapes;
	Table table;
	double sum = 0;
	unsigned h = 0;
	for (int i = 0; i < 200; i++)
		shapes.push_back(i % 5 ? (Shape *)new Square(i) : (Shape *)new Circle(i));
	for (int k = 0; k < 300; k++) {
		std::vector<int> w;
		for (auto *s : shapes)
			sum += s->area(k);
		h += (unsigned)table.get("key" + std::to_string(k % 37));
		for (int i = 0; i < 300; i++)
			w.push_back((int)(h = h * 1103515245u + 12345u));
		std::sort(w.begin(), w.end(), [](int a, int b) { return mix(a & 1023, b & 1023) < 900 && a < b; });
	}
	std::printf("%f %u\n", sum, h);
}
"""
GNU = ("aarch64-linux-gnu-g++",)
CLANG = ("clang++", "--target=aarch64-linux-gnu", "-fdebug-info-for-profiling", "-funique-internal-linkage-names")


def llvm(name):
    return f"{ROOT}/build/llvm/bin/{name}"


def run(*command, **more):
    return subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def falls_through(program, line):
    """Return true if a line of spemu's .fdata is a fall-through: the code before its target
    continues there, according to binutils."""
    match = re.match(r"1 (\S+) ([0-9a-f]+) 1 (\S+) ([0-9a-f]+) 0 [0-9]+$", line)
    if not match or match[1] != match[3] or int(match[4], 16) != int(match[2], 16) + 4:
        return False
    # The name of a local function has a number. If several functions share a name, any that fits is
    # accepted.
    name = re.sub(r"/\d+$", "", match[1])
    for start in (int(w[0], 16) for w in map(str.split, run("aarch64-linux-gnu-nm", program).stdout.splitlines())
                  if w[-1] == name):
        at = start + int(match[2], 16)
        code = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"--start-address={at}",
                   f"--stop-address={at + 4}", program).stdout.splitlines()[-1].split("\t")[1].strip()
        if code in ("bl", "blr") or not re.match(r"(b|br|ret|cbn?z|tbn?z|b\..*)$", code):
            return True
    return False


def canonical(program, text):
    """Return a .fdata with one name for each address. BOLT and spemu may choose a different one of
    a destructor's names D1 and D2."""
    names, first = {}, {}
    for word in sorted(line.split() for line in run("aarch64-linux-gnu-nm", program).stdout.splitlines()):
        if len(word) == 3 and word[1] in "TW":
            names[word[2]] = first.setdefault(word[0], word[2])
    return re.sub(r"(?<= )\S+(?= )", lambda m: names.get(m[0], m[0]), text)


def compare_bolt(program, data, what):
    own, theirs = data + ".fdata", data + ".perf2bolt"
    run(SPEMU, "pgo", "--format", "bolt", "-i", data, "-o", own, program)
    said = run(llvm("perf2bolt"), "--spe", "-p", data, "-o", theirs, program)
    mine, perfs = (set(canonical(program, read(path)).splitlines()) for path in (own, theirs))
    assert len(perfs) > 50 and perfs <= mine, \
        f"{what}: the profile has every line of perf2bolt\n" + "\n".join(sorted(perfs - mine)) + said.stdout + said.stderr
    assert "mismatching disassembled function contents: 0" in said.stdout, \
        f"{what}: perf2bolt accepts the recording\n{said.stdout}"
    more = mine - perfs
    assert more and all(falls_through(program, line) for line in more), \
        f"{what}: all other lines are fall-through paths\n" + "\n".join(line for line in more if not falls_through(program, line))
    return own


def compile_by(program, profile):
    """Compile the program with the counts of the profile. Clang then knows how often each function
    was entered."""
    code = run(*CLANG, "-O2", "-g", f"-fprofile-sample-use={profile}", "-S", "-emit-llvm", "-o", "-", program + ".cc")
    assert code.returncode == 0 and '"SampleProfile"' in code.stdout and '"function_entry_count", i64' in code.stdout, \
        f"clang accepts the profile\n{code.stderr}"


def linkage_table(program):
    """Return the range of .plt, extended to the start of its code page."""
    out = run("aarch64-linux-gnu-readelf", "-SlW", program).stdout
    start, size = (int(x, 16) for x in re.search(r"\.plt +PROGBITS +(\S+) \S+ (\S+)", out).groups())
    base = int(re.search(r"LOAD +\S+ (\S+) .* R E ", out)[1], 16) & ~4095
    return start - base, start - base + size


def script_of(data):
    """Write data.script for llvm-profgen. perf also shows mappings without code, which llvm-profgen
    would treat as a second mapping of the program, so they are removed."""
    script = run(PERF, "script", "-F", "ip,brstack", "--itrace=bl", "--show-mmap-events", "-i", data).stdout
    with open(data + ".script", "w", encoding="ascii") as f:
        f.writelines(line + "\n" for line in script.splitlines() if ": rw-p" not in line and "//anon" not in line)


def compare_profgen(program, data, what):
    counters, lines, theirs, raw = (data + suffix for suffix in (".raw", ".prof", ".profgen", ".skip"))
    run(SPEMU, "pgo", "--format", "llvm-profgen", "-i", data, "-o", counters, program)
    run(SPEMU, "pgo", "--format", "autofdo", "-i", data, "-o", lines, program)
    said = run(llvm("llvm-profgen"), f"--binary={program}", f"--unsymbolized-profile={counters}", "--format=text",
               "-o", theirs)
    assert len(read(lines)) > 1000 and read(lines) == read(theirs), \
        f"{what}: the profile by line equals that of llvm-profgen\n{said.stderr}"
    said = run(llvm("llvm-profdata"), "merge", "--sample", lines, "-o", data + ".profdata")
    assert said.returncode == 0 and not said.stderr, f"{what}: llvm-profdata accepts the profile\n{said.stderr}"
    # llvm-profgen does not derive ranges from single branches, but it has the same branches.
    script_of(data)
    run(llvm("llvm-profgen"), f"--binary={program}", f"--perfscript={data}.script", "--skip-symbolization", "-o", raw)

    own, theirs = (sorted(line for line in read(path).splitlines() if "->" in line) for path in (counters, raw))
    # llvm-profgen does not treat the procedure linkage table as code.
    low, high = linkage_table(program)
    own = [line for line in own if not low <= int(re.search("->(.*):", line)[1], 16) < high]
    assert len(own) > 50 and own == theirs, \
        f"{what}: the branches equal those from perf script\n" + "\n".join(set(own) ^ set(theirs))


def calls_of(program):
    """Return the place of each call in BOLT's terms: (name, offset)."""
    local, names = {}, {}
    for word in sorted(line.split() for line in run("aarch64-linux-gnu-nm", program).stdout.splitlines()):
        if len(word) == 3 and word[1] in "tTwW" and not word[2].startswith("$"):
            number = local[word[2]] = local.get(word[2], 0) + 1
            names[f"{word[2]}/{number}" if word[1] == "t" else word[2]] = int(word[0], 16)
    code = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", program).stdout
    calls = {int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\s+blr?\s", code, re.M)}
    return lambda name, offset: names.get(name, 0) + int(offset, 16) in calls


def counts(text, is_call):
    """Return the lines of a .fdata for branches within the program and for fall-through paths at
    the end of a block, except those after a call."""
    found = {}
    for line in text.splitlines():
        word = re.match(r"1 (\S+) (\S+) (.+) (\d+) (\d+)$", line)
        if word and not (is_call(word[1], word[2]) and word[3] == f"1 {word[1]} {int(word[2], 16) + 4:x}"):
            key = word[1], word[2], word[3]
            found[key] = [a + int(b) for a, b in zip(found.get(key, (0, 0)), (word[4], word[5]))]
    return found


def compare_stacks(program, data, what):
    """With previous branch targets, spemu makes the same profile as these tools make from branch stacks of two entries.

    The earlier branch of a stack has no source. So perf2bolt counts it as a branch from outside the
    program. A target after a call counts as the target of a return. Our profiles have neither, so
    both are excluded here.
    """
    run(SPEMU, "record", "-c", "256", "--branches", "previous", "--jitter", "--seed", "1", "--machine", "none",
        "-o", data, "--", program)
    own, theirs, counters, raw = (data + suffix for suffix in (".fdata", ".perf2bolt", ".raw", ".skip"))
    run(SPEMU, "pgo", "--format", "bolt", "-i", data, "-o", own, program)
    said = run(llvm("perf2bolt"), "--spe", "-p", data, "-o", theirs, program)
    is_call = calls_of(program)
    mine, perfs = (counts(canonical(program, read(path)), is_call) for path in (own, theirs))
    assert len(perfs) > 50 and mine == perfs, (
        f"{what}, two branches: the counts equal those of perf2bolt\n" + "\n".join(
        f"{key} {mine.get(key)} {perfs.get(key)}" for key in {**mine, **perfs} if mine.get(key) != perfs.get(key)) + said.stderr)
    run(SPEMU, "pgo", "--format", "llvm-profgen", "-i", data, "-o", counters, program)
    script_of(data)
    run(llvm("llvm-profgen"), f"--binary={program}", f"--perfscript={data}.script", "--skip-symbolization", "-o", raw)
    mine, perfs = (within(program, read(path)) for path in (counters, raw))
    assert len(perfs) > 100 and mine == perfs, \
        f"{what}, two branches: the counters equal those of llvm-profgen\n" + "\n".join(sorted(mine ^ perfs))


def within(program, counters):
    """Return the ranges and branches within the program's code. The procedure linkage table is not
    part of it."""
    low, high = linkage_table(program)
    found = set()
    for line in counters.splitlines():
        word = re.match(r"([0-9a-f]+)(-|->)([0-9a-f]+):", line)
        if word and not any(low <= int(word[i], 16) < high for i in (1, 3)) and int(word[1], 16) < 1 << 32 and word[1] != "1":
            found.add(line)
    return found


def optimize(program, data, profile, what):
    """Optimize the program with BOLT and the profile. It must print the same output, and take fewer
    branches by BOLT's own count."""
    said = run(llvm("llvm-bolt"), program, "-data", profile, "-o", program + ".bolt", "-reorder-blocks=ext-tsp",
               "-dyno-stats")
    taken = [int(n) for n in re.findall(r"(\d+) : taken branches\b", said.stdout)]
    assert len(taken) == 2 and taken[1] < taken[0], f"{what}: llvm-bolt reduces the branches taken\n{said.stdout + said.stderr}"
    before, after = (run(SPEMU, "record", "-o", data + ".other", "--", p).stdout for p in (program, program + ".bolt"))
    assert before == after != "", f"{what}: the optimized program prints the same\n{after}"


@pytest.mark.parametrize("what, compiler, flags", (
    ("gcc", GNU, ("-pie", "-fPIE")), ("gcc at its own address", GNU, ("-no-pie",)), ("clang", CLANG, ("-pie", "-fPIE"))))
def test_profile(tmp_path, monkeypatch, what, compiler, flags):
    if not perf_works(PERF) or not os.access(llvm("perf2bolt"), os.X_OK):
        pytest.skip("perf or LLVM is missing; scripts/fetch perf build/perf and scripts/fetch llvm build/llvm install them")
    # perf2bolt runs the first perf in PATH.
    monkeypatch.setenv("PATH", f"{PERF.parent}:{os.environ['PATH']}")
    program, data = os.path.join(tmp_path, what.replace(" ", "-")), os.path.join(tmp_path, "perf.data")
    with open(program + ".cc", "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run([*compiler, "-O2", "-g", *flags, "-Wl,-q", "-Wl,-z,now", "-Wl,--build-id=sha1", "-o", program, program + ".cc"],
                   check=True, stderr=subprocess.DEVNULL)
    done = run(SPEMU, "record", "-c", "256", "--branches", "all", "--jitter", "--seed", "1", "--machine", "none",
               "-o", data, "--",
               program)
    assert done.returncode == 0, f"{what}: the recording succeeds\n{done.stderr}"
    profile = compare_bolt(program, data, what)
    compare_profgen(program, data, what)
    optimize(program, data, profile, what)
    compare_stacks(program, data + ".previous", what)
    if compiler is CLANG:
        compile_by(program, data + ".prof")
