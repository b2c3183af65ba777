# SPDX-License-Identifier: MIT
"""Inlined functions in the totals, callers and callees of the report, and in the flame graph of its page.

In the recordings of test_counts(), every count follows from the list STACKS. The program of test_program() spends its
time in spin(), whose calls are in its source. The same program without inlining has the same calls.
"""
import collections
import json
import re
import subprocess

import pytest

from clilib import compile_c, make_recording, page_data, run, spemu, stack_nodes, write

SOURCE = """
#define MARK(n) __asm__ volatile("movz xzr, #" #n)
#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noipa))
void work(void);
INLINED void leaf(void) { MARK(0x101); }
INLINED void middle(void) { MARK(0x102); leaf(); MARK(0x102); }
CALLED void callee(void) { MARK(0x103); leaf(); work(); MARK(0x103); }
INLINED void caller(void) { MARK(0x104); callee(); MARK(0x104); }
extern inline __attribute__((gnu_inline, always_inline)) void both(void) { MARK(0x105); }
CALLED void work(void) { middle(); caller(); both(); MARK(0x106); }
int main(void) { work(); leaf(); MARK(0x107); return 0; }
"""
OUTSIDE = 'void both(void) { __asm__ volatile("movz xzr, #0x105"); }\n'
INLINED = {"leaf", "middle", "caller", "both"}
# The functions of a stack, the outermost first, and the number and cycles of its samples. A star marks both() where
# it is not inlined.
STACKS = (
    ("main", 3, 5),
    ("main leaf", 7, 11),
    ("main work", 5, 2),
    ("main work middle", 13, 4),
    ("main work middle leaf", 17, 40),
    ("main work caller", 19, 3),
    ("main work caller callee", 23, 6),
    ("main work caller callee leaf", 29, 7),
    ("main work caller callee work caller callee leaf", 31, 8),
    ("main work caller callee work caller callee work middle", 37, 9),
    ("main work caller callee work both", 41, 10),
    ("main work both", 43, 12),
    ("both*", 47, 13),
)
MARKS = {"leaf": "0x101", "middle": "0x102", "callee": "0x103", "caller": "0x104", "both": "0x105", "work": "0x106",
         "main": "0x107"}


class Code:
    """Return addresses of the program by the functions that addr2line names there."""

    def __init__(self, elf):
        self.lines = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", elf).stdout
        found = re.findall(r"^ *([0-9a-f]+):.*mov\s+xzr, #(0x10[1-7])\b|^ *([0-9a-f]+):.*\bbl\s.*<(work|callee)>",
                           self.lines, re.M)
        self.at = {}
        for mark, number, call, callee in found:
            chain = run("aarch64-linux-gnu-addr2line", "-f", "-i", "-e", elf, "0x" + (mark or call)).stdout.split()[::2]
            self.at.setdefault((" ".join(reversed(chain)), number or callee), int(mark or call, 16))

    def address(self, chain, callee=None):
        """Return the address of the mark of the last function of a chain, or of its call."""
        return self.at[chain, callee or MARKS[chain.split()[-1]]]


def parts(stack):
    """Divide a stack into the functions that exist, each with the functions that are inlined in it."""
    found = []
    for name in stack.split():
        if name in INLINED:
            found[-1] += " " + name
        else:
            found.append(name.rstrip("*"))
    return found


def addresses(code, stack):
    """Return the addresses of a stack, the sampled one first."""
    chains = parts(stack)
    calls = [code.address(chain, after.split()[0]) for chain, after in zip(chains, chains[1:])]
    return [code.address(chains[-1]), *(call + 4 for call in reversed(calls))]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Make a recording in which two processes have the samples of STACKS."""
    folder = tmp_path_factory.mktemp("inlined")
    write(folder, "outside.c", OUTSIDE)
    elf = compile_c(folder, "inlined", SOURCE, f"{folder}/outside.c")
    code, path, time = Code(elf), f"{folder}/inlined.data", 20
    lines = [f"create {path} 256 stacks"]
    for pid in 1, 2:
        lines += [f"comm {pid} {pid} 10 inlined exec", f"mmap {pid} 11 0 0x100000 0 r-x {elf}"]
    for pid in 1, 2:
        for stack, count, cycles in STACKS:
            chain = " ".join(f"{a:#x}" for a in addresses(code, stack))
            for _ in range(count):
                time += 1
                lines += [f"stack {pid} {pid} {time} {chain}",
                          f"rec pc={chain.split()[0]} tid={pid} time={time} class=0 sub=0 ev=2 issue=1 total={cycles}"]
        lines.append(f"aux {pid} {pid} {time} {pid} 0")
    make_recording("\n".join([*lines, "finish"]) + "\n")
    return path


class Expected:
    """Count (samples, cycles) of functions, with and without callees, and of calls."""

    def __init__(self, stacks):
        self.own, self.total, self.calls = ({}, {}, {})
        for functions, count, cycles in stacks:
            pairs = set(zip(functions, functions[1:]))
            for counts, keys in ((self.own, functions[-1:]), (self.total, set(functions)), (self.calls, pairs)):
                for key in keys:
                    samples, sum_ = counts.get(key, (0, 0))
                    counts[key] = (samples + 2 * count, sum_ + 2 * count * cycles)


def inlined_stacks():
    return [(tuple((name.rstrip("*"), name in INLINED) for name in stack.split()), *counts)
            for stack, *counts in STACKS]


def physical_stacks():
    return [(tuple((part.split()[0], False) for part in parts(stack)), *counts) for stack, *counts in STACKS]


@pytest.mark.parametrize("options, stacks", (((), inlined_stacks()), (("--no-inline",), physical_stacks())))
def test_counts(recording, options, stacks):
    """Each function has its own samples, and those of its callees once. So has each call."""
    report = json.loads(spemu("report", "--json", "-n", "0", "--section", "functions,totals,callers,callees", *options,
                              recording).stdout)
    expected, all_cycles = Expected(stacks), sum(2 * count * cycles for _, count, cycles in STACKS)
    totals = {(row["symbol"], bool(row["inlined"])): row for row in report["totals"]}
    assert {f: (row["total_samples"], row["total_cycles"]) for f, row in totals.items()} == expected.total, "totals"
    assert {f: (row["self_samples"], row["self_cycles"]) for f, row in totals.items() if row["self_samples"]} == \
        expected.own, "alone"
    assert all(abs(row["total"] - 100 * row["total_cycles"] / all_cycles) < 0.01 for row in report["totals"]), "shares"
    own = collections.Counter()
    for row in report["functions"]:
        own[row["symbol"], bool(row["inlined"])] += row["samples"]
    assert own == {f: samples for f, (samples, _) in expected.own.items()}, "the section functions has the same samples"
    for key, other in ("callers", "caller"), ("callees", "callee"):
        calls = {}
        for row in report[key]:
            ends = ((row["function"], bool(row["function_inlined"])), (row[other], bool(row[f"{other}_inlined"])))
            calls[ends if key == "callees" else ends[::-1]] = (row["total_samples"], row["total_cycles"])
            whole = expected.total[ends[0]]
            assert abs(row["of_function"] - 100 * row["total_cycles"] / whole[1]) < 0.01, "the share of a call"
        alone = {(f, ("[self]", False)): counts for f, counts in expected.own.items()} if key == "callees" else {}
        assert calls == {**expected.calls, **alone}, f"calls, in {key}"


@pytest.mark.parametrize("options, stacks", (((), inlined_stacks()), (("--no-inline",), physical_stacks())))
def test_flame_graph(recording, options, stacks):
    """The tree of the page has the same functions."""
    page = page_data(spemu("report", "--quiet", "--html", "-", *options, recording).stdout)["page"]
    functions = [(name, bool(inlined)) for name, _, _, inlined in page["stacks"]["functions"]]
    found = {tuple(functions[f] for f in path): (samples, cycles)
             for path, samples, cycles, _ in stack_nodes(page) if samples}
    expected = collections.defaultdict(lambda: (0, 0))
    for path, count, cycles in stacks:
        expected[path] = (expected[path][0] + 2 * count, expected[path][1] + 2 * count * cycles)
    assert found == expected, "the samples of each node"


def test_text(recording):
    """The text marks inlined functions."""
    text = spemu("report", "-g", "-n", "0", recording).stdout
    names = {part.partition("\n")[0]: part for part in text.split("#\n# ")}
    for title in ("Functions", "Functions with callees"):
        assert re.search(r"\bleaf \(inlined\)$", names[title], re.M), f"{title}\n{names[title]}"
    assert re.search(r" leaf \(inlined\) +middle \(inlined\)$", names["Callers"], re.M), f"callers\n{names['Callers']}"
    assert re.search(r" work +both \(inlined\)$", names["Callees"], re.M), f"callees\n{names['Callees']}"
    plain = spemu("report", "-g", "-n", "0", "--no-inline", recording).stdout
    assert "(inlined)" in text and "(inlined)" not in plain, "--no-inline"


PERIOD = 512
LOOPS = 25600
SAMPLES = 2 * LOOPS // PERIOD  # samples of spin(LOOPS), which has 2 * LOOPS operations
TOLERANCE = 4                  # samples of one call of spin()
PROGRAM = r"""
#define CALLED __attribute__((noipa))
#define KEEP __asm__ volatile("") /* no tail call */
INLINED void spin(unsigned long n) { __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc"); }
CALLED void hash() { spin(LOOPS); KEEP; }
template <class T> struct Table {
	INLINED void find(T) { spin(LOOPS); KEEP; }
	INLINED void insert(T key) { find(key); hash(); KEEP; }
};
struct Join {
	Table<int> table;
	INLINED void probe(int key) { table.find(key); spin(LOOPS); KEEP; }
	CALLED void build() { table.insert(1); KEEP; }
	CALLED void run() { probe(1); probe(2); build(); KEEP; }
};
int main() { Join join; join.run(); spin(LOOPS); KEEP; }
"""
# Calls of spin() below each function and each call, from the source.
TOTAL = {"main": 7, "Join::run()": 6, "Join::probe(int)": 4, "Join::build()": 2, "Table<int>::insert(int)": 2,
         "Table<int>::find(int)": 3, "hash()": 1, "spin(unsigned long)": 7}
CALLS = {("main", "Join::run()"): 6, ("main", "spin(unsigned long)"): 1, ("Join::run()", "Join::probe(int)"): 4,
         ("Join::run()", "Join::build()"): 2, ("Join::probe(int)", "Table<int>::find(int)"): 2,
         ("Join::probe(int)", "spin(unsigned long)"): 2, ("Join::build()", "Table<int>::insert(int)"): 2,
         ("Table<int>::insert(int)", "Table<int>::find(int)"): 1, ("Table<int>::insert(int)", "hash()"): 1,
         ("Table<int>::find(int)", "spin(unsigned long)"): 3, ("hash()", "spin(unsigned long)"): 1}


@pytest.mark.parametrize("how", ("inline __attribute__((always_inline))", "__attribute__((noipa))"))
def test_program(tmp_path, how):
    """Inlined functions of a C++ program have the same totals, callers and callees as if they were called."""
    source = write(tmp_path, "join.cpp", PROGRAM)
    program, data = f"{tmp_path}/join", f"{tmp_path}/join.data"
    subprocess.run(["aarch64-linux-gnu-g++", "-O2", "-g", "-static", f"-DINLINED={how}", f"-DLOOPS={LOOPS}ul",
                    "-o", program, source], check=True)
    recorded = spemu("record", "-q", "-g", "-c", str(PERIOD), "-o", data, "--", program)
    assert recorded.returncode == 0, recorded.stderr
    report = json.loads(spemu("report", "--json", "-n", "0", "--section", "totals,callers,callees", data).stdout)
    totals = {row["symbol"]: row for row in report["totals"]}
    for name, times in TOTAL.items():
        row = totals[name]
        assert abs(row["total_samples"] - times * SAMPLES) <= times * TOLERANCE, f"the samples of {name}\n{row}"
        assert abs(row["total"] / totals["main"]["total"] - times / TOTAL["main"]) < 0.03, f"cycles of {name}\n{row}"
        assert bool(row["inlined"]) == ("inline" in how and name.startswith(("spin", "Table", "Join::probe"))), row
    for key, ends in ("callers", ("caller", "function")), ("callees", ("function", "callee")):
        calls = {(row[ends[0]], row[ends[1]]): row["total_samples"] for row in report[key]}
        for call, times in CALLS.items():
            assert abs(calls.get(call, 0) - times * SAMPLES) <= times * TOLERANCE, f"{key}: {call} of {calls}"
        names = set(TOTAL)
        assert {c for c in calls if c[0] in names and c[1] in names} == set(CALLS), f"{key}: no other calls"
