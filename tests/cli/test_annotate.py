# SPDX-License-Identifier: MIT
"""spemu annotate: source, instructions and inlined functions of known samples, and hostile
files."""
import copy
import json
import os
import re
import shutil
import struct
import subprocess
import time

import pytest

from clilib import COMPILER, address_space, leak, make_recording, nm, refuses, run, spemu, write

HEADER = """static inline __attribute__((always_inline)) long load_at(const long *p, long i)
{
\treturn p[i & 31];
}
"""
SOURCE = """#include "inlined.h"
static inline __attribute__((always_inline)) long pair_at(const long *p, long i)
{
\treturn load_at(p, i) +
\t       load_at(p, i + 1);
}
long table[64];
__attribute__((noinline)) long walk_pairs(const long *p, long n)
{
\tlong sum = 0;

\tfor (long i = 0; i < n; i++)
\t\tsum += pair_at(p, i); \r
\treturn sum;
}
int main(void) { return (int)walk_pairs(table, 32); }
"""
LOAD, BRANCH, OTHER = (1, 0), (2, 1), (0, 1)
RETIRED, REFILL, WALK, MISPREDICTED, LLC_MISS = 1 << 1, 1 << 3, 1 << 5, 1 << 7, 1 << 9


class Program:
    """A program whose instructions are known from binutils, with samples at these instructions."""

    def __init__(self, folder, name="inlined", flags=("-O1",), function="walk_pairs"):
        self.folder = folder
        write(folder, "inlined.h", HEADER)
        self.source = write(folder, "inlined.c", SOURCE)
        self.elf = f"{folder}/{name}"
        subprocess.run([COMPILER, "-g", *flags, "-static", "-nostdlib", "-Wl,-e,main", "-Wl,--build-id=none", "-o",
                        self.elf, f"{folder}/inlined.c"], check=True)
        self.start = nm(self.elf)[function]
        out = run("aarch64-linux-gnu-objdump", "-d", f"--disassemble={function}", self.elf).stdout
        # objdump prints the addresses of an ELF file without "0x", but those of raw bytes with
        # "0x".
        self.code = [(int(m[1], 16), int(m[2], 16), re.sub(r" ([0-9a-f]{6})$", r" 0x\1", re.sub(r"\s+", " ", m[3]))) for m in re.finditer(
            r"^ +([0-9a-f]+):\t([0-9a-f]{8}) \t(.*?)(?:\s+//.*| <.*)?$", out, re.M)]
        loads = [a for a, _, text in self.code if text.startswith("ldr ")]
        branch = [a for a, _, text in self.code if text.startswith("b.")][-1]
        add = max(a for a, _, text in self.code if text.startswith("add "))
        # Samples: (address, operation, events, latency, count)
        self.samples = [(loads[0], LOAD, RETIRED | REFILL | LLC_MISS | WALK, 50, 6),
                        (loads[1], LOAD, RETIRED | REFILL, 20, 4), (branch, BRANCH, RETIRED | MISPREDICTED, 12, 10),
                        (add, OTHER, RETIRED, 2, 5)]
        self.path = f"{folder}/{name}.data"
        self.record(self.path)

    def record(self, path):
        page = self.start & ~0xfff
        lines = [f"create {path} 256", "comm 1 1 10 program exec", f"mmap 1 11 {page} 0x1000 {page - 0x400000} r-x {self.elf}"]
        lines += [f"rec pc={a} tid=1 time=20 class={op[0]} sub={op[1]} ev={ev} total={total} n={n}"
                  for a, op, ev, total, n in self.samples]
        make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")

    def frames(self, address):
        """Return [(function, file, line)] at an address, innermost first, from binutils."""
        out = run("aarch64-linux-gnu-addr2line", "-i", "-f", "-e", self.elf, hex(address)).stdout.splitlines()
        return [(out[i], *re.match(r"(.*):(\d+)", out[i + 1]).groups()) for i in range(0, len(out), 2)]

    def expected(self, samples):
        """Return the members of the JSON output that count these samples."""
        cycles = sum(s[3] * s[4] for s in samples)
        n = sum(s[4] for s in samples)

        def events(bit):
            return sum(s[4] for s in samples if s[2] & bit)

        everything = sum(s[3] * s[4] for s in self.samples)
        return (n, round(100 * cycles / everything, 6), round(cycles / n, 6) if n else None, events(REFILL),
                events(LLC_MISS), events(WALK), events(MISPREDICTED))


def counts(row):
    return (row["samples"], round(row["cycles"], 6), None if row["latency"] is None else round(row["latency"], 6),
            row["l1_misses"], row["llc_misses"], row["tlb_walks"], row["mispredicted"])


def annotate(program, *args, **kwargs):
    result = spemu("annotate", "--json", "-i", program.path, *args, **kwargs)
    assert result.returncode == 0, f"annotate {' '.join(args)} succeeds\n{result.stderr}"
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(tmp_path_factory.mktemp("program"))


def test_json(program):
    data = annotate(program)
    assert (data["samples"], len(data["functions"])) == (25, 1), "one function"
    f = data["functions"][0]
    assert (f["symbol"], f["object"], f["address"]) == ("walk_pairs", "inlined", hex(program.start)), "which one"
    assert counts(f) == program.expected(program.samples), "the counts of the function"
    assert [(int(i["address"], 16), int(i["code"], 16), re.sub(" <.*", "", i["text"])) for i in f["instructions"]] == program.code, \
        "instructions are those of objdump"
    assert ([counts(i) for i in f["instructions"]] ==
            [program.expected([s for s in program.samples if s[0] == a]) for a, _, _ in program.code]), \
                "the counts of the instructions"
    assert ([[(x["function"], x["file"], str(x["line"])) for x in i["frames"]] for i in f["instructions"]] ==
            [program.frames(a) for a, _, _ in program.code]), "inlined functions are those of addr2line -i"
    lines = {}
    for s in program.samples:
        frames = program.frames(s[0])
        line, inlined = lines.setdefault(frames[-1][1:], ([], {}))
        line.append(s)
        if len(frames) > 1:
            inlined.setdefault(frames[0], []).append(s)
    assert {(r["file"], str(r["line"])): counts(r) for r in f["lines"]} == {k: program.expected(v[0]) for k, v in lines.items()}, \
        "lines, with the functions that are inlined there"
    assert {(r["file"], str(r["line"])): {(i["function"], i["file"], str(i["line"])): counts(i) for i in r["inlined"]}
            for r in f["lines"]} == {k: {who: program.expected(v) for who, v in x[1].items()} for k, x in lines.items()}, \
                "the counts of each line and of each function inlined there"
    text = SOURCE.splitlines()
    assert [r["source"] for r in f["lines"]] == [text[r["line"] - 1].replace("\t", " " * 8).rstrip() for r in f["lines"]], \
        "the text of the source, without trailing blanks"


def test_text(program):
    result = spemu("annotate", "-i", program.path, env={"COLUMNS": "80"})
    rows = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, ""), "the text output succeeds without messages"
    assert max(map(len, rows)) <= 80, f"no row is wider than the screen\n{result.stdout}"
    load = [r for r in rows if f"{program.samples[0][0]:x}: ldr" in r]
    cycles = sum(s[3] * s[4] for s in program.samples)
    assert [r.split()[:4] for r in load] == [[f"{100 * 300 / cycles:.2f}%", "6", "50.0", "6"]], "the row of a load"
    assert any(re.search(r"\|  inlined.h:3 load_at$", r) for r in rows), \
        f"a row for a function that is inlined on a line\n{result.stdout}"
    only = spemu("annotate", "-i", program.path, "--no-code", "--context", "0", env={"COLUMNS": "80"}).stdout
    assert ([int(n) for n in re.findall(r"^ *\d+\.\d+%.* (\d+)  \s+(?:for|sum) ", only, re.M)] ==
            [r["line"] for r in annotate(program)["functions"][0]["lines"]]), "-C 0: every line that has samples"
    assert any("; inlined.h:3 load_at < inlined.c:4" in r for r in rows), \
        f"the callers are shown above the code\n{result.stdout}"
    assert "\033" not in result.stdout, "no colors without a terminal"
    wide = spemu("annotate", "-i", program.path, env={"COLUMNS": "200"}).stdout
    assert "LLCm TLBwlk" in wide and "load_at < inlined.c:4 pair_at < inlined.c:13 walk_pairs" in wide, \
        f"a wide screen shows more columns\n{wide}"
    row = [r for r in wide.splitlines() if f"{program.samples[0][0]:x}: ldr" in r][0].split()
    assert row[3:6] == ["6", "6", "6"], "the columns of L1 misses, last level misses and walks"
    only = spemu("annotate", "-i", program.path, "--no-code").stdout
    assert "Instruction" not in only and "Line" in only, f"--no-code\n{only}"
    only = spemu("annotate", "-i", program.path, "--no-source").stdout
    assert "Instruction" in only and "Line" not in only, f"--no-source\n{only}"
    none = spemu("annotate", "-i", program.path, "--no-source", "--context", "0").stdout
    assert len(re.findall(r"^ *\d+\.\d+%.*[0-9a-f]+: ", none, re.M)) == len(program.samples), \
        "-C 0 shows the instructions with samples"
    assert len(re.findall(r"  [0-9a-f]{6}: ", none)) == len(program.samples), \
        f"-C 0 shows no other instructions\n{none}"
    whole = spemu("annotate", "-i", program.path, "--no-source", "--context", "all").stdout
    assert len(re.findall(r"^.{37,}  [0-9a-f]{6}: ", whole, re.M)) == len(program.code), \
        "-C all shows the whole function"


TEMPLATES = """namespace first { namespace second {
template <class A, class B> struct Pair {
	static inline __attribute__((always_inline)) long load(const long *p, long i)
	{
		return p[i & 31];
	}
};
template <class A, class B> __attribute__((noinline)) long walk(const long *p, long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += Pair<A, B>::load(p, i);
	return sum;
}
} }
using namespace first::second;
long table[64];
int main() { return (int)walk<Pair<long, unsigned long>, Pair<char, unsigned char>>(table, 32); }
"""


def test_long_names(tmp_path):
    """Long names of templates are shortened at their arguments. JSON has the whole names."""
    source, elf, path = write(tmp_path, "long.cpp", TEMPLATES), f"{tmp_path}/long", f"{tmp_path}/long.data"
    subprocess.run(["aarch64-linux-gnu-g++", "-g", "-O1", "-static", "-nostdlib", "-Wl,-e,main", "-Wl,--build-id=none",
                    "-o", elf, source], check=True)
    name = next(n for n in nm(elf) if "walk" in n)
    code = run("aarch64-linux-gnu-objdump", "-d", f"--disassemble={name}", elf).stdout
    inlined = int(re.search(r"^ +([0-9a-f]+):.*\tand\t", code, re.M)[1], 16)  # of i & 31
    page = inlined & ~0xfff
    make_recording("\n".join((f"create {path} 256", "comm 1 1 10 program exec",
                              f"mmap 1 11 {page} 0x1000 {page - 0x400000} r-x {elf}",
                              f"rec pc={inlined} tid=1 time=20 class=0 sub=0 ev=2 total=5 n=3", "aux 1 1 30 0 0", "finish")) + "\n")
    pairs = "<first::second::Pair<long, unsigned long>, first::second::Pair<char, unsigned char> >"
    f = json.loads(spemu("annotate", "--json", "-i", path).stdout)["functions"][0]
    assert f["symbol"] == f"long first::second::walk{pairs}(long const*, long)", "JSON: the whole symbol"
    assert [i["function"] for line in f["lines"] for i in line["inlined"]] == \
        [f"first::second::Pair{pairs}::load(long const*, long)"], "JSON: the whole inlined function"
    rows = {columns: spemu("annotate", "-i", path, env={"COLUMNS": str(columns)}).stdout.splitlines() for columns in (80, 200)}
    heading = "# first::second::walk<...>(...) in long: 3 samples, 100.00% of all cycles"
    assert max(map(len, rows[80])) <= 80 and heading in rows[80], "the heading\n" + "\n".join(rows[80])
    short = "first::second::Pair<first::second::Pair<...>, first::second::Pair<...> >::load(long const*, long)"
    for columns, inlined in ((80, "first::...::load"), (200, short)):
        assert any(r.endswith(f"|  long.cpp:5 {inlined}") for r in rows[columns]), \
            f"{columns} columns: the inlined function\n" + "\n".join(rows[columns])
    stack = next(r for r in rows[200] if "; long.cpp:5" in r)
    inner, outer = "first::second::Pair<.*::load", "first::second::walk<"
    assert re.search(rf"; long.cpp:5 {inner}(\(.*\))? < long.cpp:12 {outer}", stack) and len(stack) <= 200, \
        f"names in a stack are shortened to their shares of the room\n{stack}"


def test_operands(program):
    for operand in ("walk_pairs", "inlined.c:13", "inlined.h:3", f"{program.folder}/inlined.h" + ":3"):
        assert [f["symbol"] for f in annotate(program, operand)["functions"]] == ["walk_pairs"], f"operand {operand}"
    methods = Program(program.folder, "methods", ("-O1", "-Dwalk_pairs=_ZN4Tree4walkEl"), "_ZN4Tree4walkEl")
    for operand in ("walk", "Tree::walk", "Tree::walk(long)"):
        assert [f["symbol"] for f in annotate(methods, operand)["functions"]] == ["Tree::walk(long)"], f"C++: operand {operand}"
    for operand in ("alk", "ree::walk", "e::walk", "Tree", "::walk", "X::Tree::walk"):
        refuses(f"C++: operand {operand}", 125, "' has no samples; ", "annotate", "-i", methods.path, operand)
    for operand in ("walk", "main", "inlined.c:999", "lined.h:3", "inlined.h:", ":3", "a::b"):
        refuses(f"operand {operand}", 125, r"'.*' has no samples; 'spemu report -i \S+' lists", "annotate", "-i",
                program.path, operand)
    refuses("context", 2, "--context: expected a number up to 100000 or 'all', got 'many'", "annotate", "--context", "many", program.path)
    refuses("missing file", 127, "cannot open", "annotate", "-i", "/nonexistent/file")


def test_order(program):
    """Functions with equal cycles are ordered by samples, then by address."""
    start = {name: nm(program.elf)[name] for name in ("walk_pairs", "main")}
    for few, many in (("main", "walk_pairs"), ("walk_pairs", "main")):
        other = copy.copy(program)
        other.path = f"{program.folder}/{few}.data"
        other.samples = [(start[few], OTHER, RETIRED, 30, 2), (start[many], OTHER, RETIRED, 10, 6)]
        other.record(other.path)
        assert [f["symbol"] for f in annotate(other)["functions"]] == [many], f"order: {many} has more samples"
        other.samples = [(start[few], OTHER, RETIRED, 10, 6), (start[many], OTHER, RETIRED, 10, 6)]
        other.record(other.path)
        assert [f["symbol"] for f in annotate(other)["functions"]] == [min(start, key=start.get)], \
            f"order: with equal samples, the lower address is first"


def test_missing(program):
    folder = program.folder
    hidden = f"{folder}/hidden"
    os.mkdir(hidden)
    for name in ("inlined.c", "inlined.h"):
        os.rename(f"{folder}/{name}", os.path.join(hidden, name))
    out = spemu("annotate", "-i", program.path).stdout
    assert "the source file was not found; give its folder with --source DIR" in out, \
        f"a message for a missing source file names the remedy\n{out}"
    out = spemu("annotate", "-i", program.path, "--source", hidden).stdout
    assert "sum += pair_at(p, i);" in out and "not found" not in out, f"--source\n{out}"
    os.mkfifo(f"{folder}/inlined.c")
    assert "the source file was not found" in spemu("annotate", "-i", program.path, timeout=20).stdout, "a FIFO is not read"
    os.unlink(f"{folder}/inlined.c")
    for name in ("inlined.c", "inlined.h"):
        os.rename(os.path.join(hidden, name), f"{folder}/{name}")
    for objdump, cause in ((f"{folder}/absent", "cannot run"), ("/bin/false", "does not support AArch64")):
        out = spemu("annotate", "-i", program.path, "--objdump", objdump).stdout
        assert re.search(f"no disassembly: .*{cause}", out) and "install binutils-aarch64-linux-gnu" in out, f"objdump: {cause}\n{out}"
    # This objdump prints more than the requested function: addresses around it, and addresses
    # inside one of its instructions.
    code = annotate(program)["functions"][0]["instructions"]
    last = code[-1]["address"]
    more = "".join(f"echo '    {int(last, 16) + distance:x}:\td503201f \tnop'\n"
                   for distance in (4, 2, -4 * len(code), 1 << 40))
    script = write(folder, "more", f'#!/bin/sh\naarch64-linux-gnu-objdump "$@"\n{more}', 0o755)
    assert annotate(program, "--objdump", script)["functions"][0]["instructions"] == code, \
        "objdump: lines outside the function are ignored"
    bare = Program(folder, "bare", ("-O1", "-g0"))
    out = spemu("annotate", "-i", bare.path).stdout
    assert ("bare has no debugging information; compile it with -g, or install its debug symbols (Debian: PACKAGE-dbgsym;" in out and
            "ldr " in out), f"without debugging information, only code is shown\n{out}"
    subprocess.run(["aarch64-linux-gnu-strip", bare.elf], check=True)
    bare.samples = bare.samples[:1]
    bare.record(bare.path)
    assert "is stripped" in spemu("annotate", "-i", bare.path).stderr, "a warning for a stripped program"
    assert spemu("annotate", "-q", "-i", bare.path).stderr == "", "-q suppresses the warning"
    os.unlink(bare.elf)
    for operands, status in (((), 0), (("main",), 125)):
        result = spemu("annotate", "-i", bare.path, *operands)
        assert result.returncode == status and re.search(
            r"no symbols for 100% of the samples: \S+bare was not found; .* root file system with -L DIR", result.stderr), \
            f"a message for a missing program names the remedy\n{result.stderr}"


def sections(image):
    """Return {name: (offset, size)} of the sections of an ELF file."""
    at, count, names = (int.from_bytes(image[a:a + n], "little") for a, n in ((40, 8), (60, 2), (62, 2)))
    headers = [struct.unpack_from("<IIQQQQ", image, at + 64 * i) for i in range(count)]
    base = headers[names][4]
    return {image[base + h[0]:image.index(0, base + h[0])].decode(): (h[4], h[5]) for h in headers}


def test_damaged(program):
    """Truncated and modified debug information never makes annotate crash or hang."""
    with open(program.elf, "rb") as f:
        image = f.read()
    keep = f"{program.folder}/keep"
    shutil.copy(program.elf, keep)
    bad = []
    for name in (".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_rnglists", ".symtab"):
        if name not in sections(image):
            continue
        offset, size = sections(image)[name]
        for n in range(24):
            changed = bytearray(image)
            at = offset + (n * 7919 + 13) % size
            if n % 3 == 0:
                changed[at] ^= 1 << n % 8
            elif n % 3 == 1:
                changed[at:at + 4] = b"\xff\xff\xff\xff"
            else:
                changed[at:offset + size] = bytes(offset + size - at)
            write(program.folder, "inlined", bytes(changed))
            began = time.monotonic()
            result = spemu("annotate", "-i", program.path, timeout=60, limits=address_space(1 << 30), text=False)
            problem = leak(result.stdout) or leak(result.stderr)
            if result.returncode not in (0, 125) or time.monotonic() - began > 20 or problem:
                bad.append(f"{name} {n}: status {result.returncode} {problem} {result.stderr[:200]}")
    assert not bad, "damaged debugging information\n" + "\n".join(bad)
    shutil.copy(keep, program.elf)


# Debugging information by hand, with references in a circle. The function has a child whose DW_AT_sibling is the
# function. Its DW_AT_abstract_origin is the entry itself.
CYCLE = """.text
.globl main
.type main,%function
main: nop
nop
.size main, 8
end:
.section .debug_abbrev,"",%progbits
.uleb128 1, 0x11
.byte 1
.uleb128 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0
.uleb128 2, 0x2e
.byte 1
.uleb128 0x11, 0x01, 0x12, 0x07, 0, 0
.uleb128 3, 0x1d
.byte DEEP
.uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0x01, 0x13, 0, 0
.byte 0
.section .debug_info,"",%progbits
unit: .4byte unit_end - after
after: .2byte 4
.4byte .debug_abbrev
.byte 8
.uleb128 1
.8byte main, end - main
.4byte 0
function: .uleb128 2
.8byte main, end - main
inlined: .uleb128 3
.4byte inlined - unit
.8byte main, end - main
.4byte SIBLING - unit
.byte 0, 0, 0, 0
unit_end:
"""


@pytest.mark.parametrize("sibling", ("function", "inlined", "unit_end"))
def test_cycles(tmp_path, sibling):
    for deep in (0, 1):
        write(tmp_path, "cycle.s", CYCLE.replace("SIBLING", sibling).replace("DEEP", str(deep)))
        subprocess.run([COMPILER, "-static", "-nostdlib", "-Wl,-e,main", "-Wl,--build-id=none", "-o", f"{tmp_path}/cycle",
                        f"{tmp_path}/cycle.s"], check=True)
        start = nm(f"{tmp_path}/cycle")["main"]
        path = f"{tmp_path}/cycle.data"
        make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 {start & ~0xfff} 4096 0 r-x "
                       f"{tmp_path}/cycle\nrec pc={start} tid=1 time=20 class=0 sub=0 ev=2\naux 1 1 30 0 0\nfinish\n")
        result = spemu("annotate", "-i", path, timeout=30, limits=address_space(1 << 30))
        assert result.returncode == 0 and "main in cycle" in result.stdout, \
            f"references in a circle: sibling {sibling}, children {deep}\n{result.stderr + result.stdout}"


def test_longer_than_file(tmp_path):
    """A symbol can claim a size that extends past the end of the file's segments."""
    write(tmp_path, "long.s", ".text\n.globl main\n.type main,%function\nmain: nop\nnop\n.size main, 65536\n")
    subprocess.run([COMPILER, "-static", "-nostdlib", "-Wl,-e,main", "-Wl,--build-id=none", "-o", f"{tmp_path}/long", f"{tmp_path}/long.s"], check=True)
    start = nm(f"{tmp_path}/long")["main"]
    path = f"{tmp_path}/long.data"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 {start & ~0xfff} 65536 0 r-x {tmp_path}/long\n"
                   f"rec pc={start} tid=1 time=20 class=0 sub=0 ev=2\naux 1 1 30 0 0\nfinish\n")
    result = spemu("annotate", "-i", path)
    assert result.returncode == 0 and "no disassembly" in result.stdout, \
        f"a function beyond the end of the file\n{result.stdout + result.stderr}"
