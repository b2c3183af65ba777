# SPDX-License-Identifier: MIT
"""spemu pgo: profiles of a recording whose branches are counted here, and inputs that cannot be profiled.

The profiles by address use an assembly program with known offsets. WAYS lists how often each branch
goes in each direction. The profiles by line use a compiled program. The test computes the expected
profile from the output of binutils.
"""
import difflib
import os
import re
import subprocess

import pytest

from clilib import COMPILER, compile_c, make_recording, nm, refuses, run, segments, spemu, write
from gcov_file import of_gcov

SOURCE = """
__asm__(".text\\n.balign 16\\n"
	".globl work\\n.type work, %function\\n"
	"work: cbz x0, 1f\\n"           /* 0 */
	"      add x0, x0, #1\\n"       /* 4 */
	"      b 2f\\n"                 /* 8 */
	"1:    bl helper\\n"            /* c */
	"label:\\n"                     /* no function, as __wrap_main in _start */
	"2:    sub x0, x0, #1\\n"       /* 10 */
	"3:    sub x1, x1, #1\\n"       /* 14 */
	"      cbnz x1, 3b\\n"          /* 18 */
	"      bl puts\\n"              /* 1c */
	"      ret\\n"                  /* 20 */
	".size work, .-work\\n"
	".type helper, %function\\n"
	"helper: ret\\n"
	".size helper, .-helper\\n");
void work(void);
int main(void) { work(); return 0; }
"""
BIAS = 0x5500000000
LIBRARY = 0x7700000000
PID = 4000
RETIRED, NOT_TAKEN, MISPREDICTED = 1 << 1, 1 << 6, 1 << 7
# Branches: from, to, events, count. Places are offsets in work; helper is at 0x24, and None is in
# another library.
WAYS = (
    (0x0, 0xc, 0, 30), (0x0, 0xc, MISPREDICTED, 4), (0x0, 0x4, NOT_TAKEN, 70),
    (0x8, 0x10, 0, 71), (0xc, 0x24, 0, 33), (0x24, 0x10, 0, 35),
    (0x18, 0x14, 0, 200), (0x18, 0x1c, NOT_TAKEN, 100), (0x18, 0x1c, NOT_TAKEN | MISPREDICTED, 2),
    (0x1c, "puts", 0, 99), (None, 0x20, 0, 98), (0x20, None, 0, 97),
)
# The same branches in BOLT's format. Returns are not listed. For the return from puts, only the target is known.
# The last two lines are fall-through paths: from 0x10 into 0x14, and after the call at 0xc into 0x10. Branches also lead
# to 0x14 and to 0x10.
FDATA = """\
1 work 0 1 work 4 0 70
1 work 0 1 work c 4 34
1 work 8 1 work 10 0 71
1 work c 1 helper/1 0 0 33
1 work 18 1 work 14 0 200
1 work 18 1 work 1c 2 102
1 work 1c 1 puts@PLT 0 0 99
0 [unknown] 0 1 work 20 0 98
1 work 10 1 work 14 0 106
1 work c 1 work 10 0 35
"""
# Each run of straight code begins at a branch target and ends at the next branch. Entries are (from, to, events,
# before, count). `before` is the target of the previous branch, or None for a CPU without previous branches. With it,
# the run up to the sampled branch is known. Such a run may contain the conditional branch at 0, if that was not taken.
PREVIOUS_WAYS = (
    (0x8, 0x10, 0, 0, 60), (0x8, 0x10, 0, 0x4, 5), (0x0, 0x4, NOT_TAKEN, 0, 70), (0x0, 0xc, 0, 0, 30),
    (0xc, 0x24, 0, 0xc, 33), (0x24, 0x10, 0, 0x24, 35), (0x18, 0x14, 0, 0x10, 80), (0x18, 0x14, MISPREDICTED, 0x14, 120),
    (0x1c, "puts", 0, 0x14, 90), (0x1c, "puts", 0, 0x20, 1), (None, 0x20, 0, 0x20, 98), (0x20, None, 0, 0x20, 97),
    (0x20, None, 0, None, 1), (0x18, 0x1c, NOT_TAKEN, None, 4),
)
# No straight code leads from 0x1c to 0x20, so an exception happened in between, and this record has no run.
# Fall-through counts: 60 runs pass the branch at 0, 80 go from 0x10 into 0x14, and 90 pass the branch at 0x18. Another 4
# samples of that branch do not belong to a run. The call at 0xc falls through into 0x10.
PREVIOUS_FDATA = """\
1 work 0 1 work c 0 30
1 work 8 1 work 10 0 65
1 work c 1 helper/1 0 0 33
1 work 18 1 work 14 120 200
1 work 18 1 work 1c 0 4
1 work 1c 1 puts@PLT 0 0 91
0 [unknown] 0 1 work 20 0 98
1 work 0 1 work 4 0 60
1 work 10 1 work 14 0 80
1 work 18 1 work 1c 0 90
1 work c 1 work 10 0 35
"""
PREVIOUS_RANGES = ((0x0, 0x0, 30), (0x0, 0x8, 60), (0x4, 0x8, 5), (0xc, 0xc, 33), (0x10, 0x18, 80), (0x14, 0x18, 120),
                   (0x14, 0x1c, 90), (0x1c, 0x1c, 4), (0x20, 0x20, 97), (0x24, 0x24, 35))
RANGES = ((0x4, 0x8, 70), (0xc, 0xc, 34), (0x10, 0x18, 106), (0x14, 0x18, 200), (0x1c, 0x1c, 102), (0x20, 0x20, 98),
          (0x24, 0x24, 33))


def build(folder, name, *flags):
    return compile_c(folder, name, SOURCE, "-Wl,--build-id=sha1", *flags)


def plt_of_puts(program):
    out = run("aarch64-linux-gnu-objdump", "-d", "-j", ".plt", program).stdout
    return int(next(line for line in out.splitlines() if "<puts@plt>:" in line).split()[0], 16)


def lines_of(program, bias, ways=WAYS):
    """Return the records of these branches as lines of make_recording. The fourth of five fields is
    the target of the previous branch."""
    work = nm(program)["work"]

    def address(place):
        if place is None:
            return LIBRARY + 0x100
        return bias + (plt_of_puts(program) if place == "puts" else work + place)
    return [f"rec class=2 sub=1 pc={address(source):#x} target={address(target):#x} ev={events | RETIRED} tid={PID} "
            f"time={2000 + i} n={count}" + "".join(f" previous={address(at):#x}" for at in before if at is not None)
            for i, (source, target, events, *before, count) in enumerate(ways)]


def record(folder, name, program, records, bias=BIAS):
    data = f"{folder}/{name}"
    text = [f"create {data} 1024", f"comm {PID} {PID} 1000 known exec"]
    for offset, vaddr, size, _, flags in segments(program):
        start = (vaddr + bias) & ~4095
        text.append(f"mmap {PID} 1100 {start:#x} {(size + 8191) & ~4095:#x} {offset & ~4095:#x} "
                    f"{'r-x' if 'E' in flags else 'rw-'} {os.path.realpath(program)}")
    text += [f"mmap {PID} 1100 {LIBRARY:#x} 0x1000 0 r-x /usr/lib/other.so", *records, f"aux {PID} {PID} 9000 0 0",
             "finish"]
    make_recording("\n".join(text) + "\n")
    return data


def pgo(kind, data, program, *more):
    return spemu("pgo", "--format", kind, "-i", data, *more, program)


def profgen_text(program, base):
    """Return the expected input of llvm-profgen. `base` is the page of the segment with the
    code."""
    work, plt = nm(program)["work"] - base, plt_of_puts(program) - base
    pairs = {}
    for source, target, _, count in WAYS:
        if target is None:
            continue
        key = (1 - base if source is None else work + source, plt if target == "puts" else work + target)
        pairs[key] = pairs.get(key, 0) + count
    known = sorted(key for key in pairs if key[0] >= 4)
    outside = sorted(key for key in pairs if key[0] < 4)
    ranges = [f"{work + first:x}-{work + last:x}:{count}" for first, last, count in RANGES]
    # The entry in the procedure linkage table ends with a branch of its own.
    entry = [f"{plt:x}-{plt + 12:x}:99"]
    branches = [f"{a & (1 << 64) - 1:x}->{b:x}:{pairs[a, b]}" for a, b in known + outside]
    return "\n".join([str(len(ranges) + 1), *entry, *ranges, str(len(branches)), *branches]) + "\n"


def code_base(program):
    return next(vaddr for _, vaddr, _, _, flags in segments(program) if "E" in flags) & ~4095


@pytest.mark.parametrize("what, bias, flags", (("position-independent", BIAS, ("-pie", "-fPIE")), ("at its own address", 0, ("-no-pie",))))
def test_counts(tmp_path, what, bias, flags):
    program = build(tmp_path, "known" + flags[0], *flags)
    data = record(tmp_path, "known.data", program, lines_of(program, bias), bias)
    result = pgo("bolt", data, program)
    assert (result.stdout, result.stderr, result.returncode) == (FDATA, "", 0), f"{what}: BOLT's lines"
    result = pgo("llvm-profgen", data, program)
    assert (result.stdout, result.stderr) == (profgen_text(program, code_base(program)), ""), f"{what}: llvm-profgen's counters"
    out = f"{tmp_path}/file.fdata"
    result = pgo("bolt", data, program, "-o", out)
    with open(out, encoding="ascii") as f:
        assert (result.stdout, f.read()) == ("", FDATA), f"{what}: -o writes the same lines to a file"


def test_previous(tmp_path):
    program = build(tmp_path, "known", "-pie", "-fPIE")
    work, base = nm(program)["work"], code_base(program)
    data = record(tmp_path, "previous.data", program, lines_of(program, BIAS, PREVIOUS_WAYS))
    result = pgo("bolt", data, program)
    assert (result.stdout, result.stderr, result.returncode) == (PREVIOUS_FDATA, "", 0), "the branch before: BOLT's lines"
    ranges = re.findall(r"^([0-9a-f]+)-([0-9a-f]+):(\d+)$", pgo("llvm-profgen", data, program).stdout, re.M)
    assert [(int(a, 16) + base - work, int(b, 16) + base - work, int(n)) for a, b, n in ranges
            if work <= int(a, 16) + base < work + 0x28] == list(PREVIOUS_RANGES), "the branch before: ranges"
    passed = [(0x0, 0x4, NOT_TAKEN, 0, 70)]
    data = record(tmp_path, "passed.data", program, lines_of(program, BIAS, passed))
    refuses("only branches that are not taken", 125, "the recording has no taken branches.*--branches previous", "pgo",
            "--format", "bolt", "-i", data, program)


LINES = """
#include <stdlib.h>
static int square(int x)
{
	if (x & 1)
		return x * x;
	return x;
}
__attribute__((noinline)) int leaf(int x) { return x + 1; }
__attribute__((noinline)) int unused(int x) { return x - 1; }
int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += square(i);
		if (sum % 3) sum = leaf(sum); else sum--;
	}
	return sum;
}
int main(int argc, char **argv)
{
	(void)argv;
	return work(argc) + unused(argc);
}
"""
FIRST_LINES = {name: next(i for i, line in enumerate(("\n" + LINES).split("\n")[1:], 1) if f"int {name}(" in line)
               for name in ("square", "leaf", "unused", "work", "main")}


def base_discriminator(number):
    """Return the base discriminator, the first of the parts that LLVM packs into one number. An odd
    number has none. Otherwise it has 5 or 12 bits."""
    number, odd = number >> 1, number & 1
    return 0 if odd else (number >> 1 & 0xfe0 | number & 0x1f) if number & 0x20 else number & 0x1f


def frames_of(program, addresses, discriminator_of):
    """Return {address: [(function, line offset, discriminator)]} from binutils, with the outermost
    function first."""
    out = run("aarch64-linux-gnu-addr2line", "-a", "-f", "-i", "-e", program, *(f"{a:#x}" for a in addresses)).stdout
    found = {}
    for line in out.splitlines():
        if line.startswith("0x"):
            found[int(line, 16)] = frames = []
            name = None
        elif name is None:
            name = line
        else:
            place = re.match(r".*:(\d+)(?: \(discriminator (\d+)\))?$", line)
            frames.insert(0, (name, int(place[1]) - FIRST_LINES[name], discriminator_of(int(place[2] or 0))))
            name = None
    return found


def disassembled(program, names):
    """Return {address: (mnemonic, branch target or None)} for the instructions of these
    functions."""
    out = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", program).stdout
    code, name = {}, None
    for line in out.splitlines():
        header = re.match(r"^[0-9a-f]+ <(.*)>:", line)
        found = re.match(r"^\s*([0-9a-f]+):\s+(\S+)(.*)", line)
        name = header[1] if header else name
        if found and name in names:
            target = re.search(r"([0-9a-f]+) <", found[3])
            code[int(found[1], 16)] = (found[2], int(target[1], 16) if target else None)
    return code


def is_branch(mnemonic):
    return re.match(r"(b|b\..*|bl|cbn?z|tbn?z|ret)$", mnemonic)


def profile_of(program, ways, names, discriminator_of):
    """Return the expected functions for {(from, to): count}. By definition, instructions are
    counted first, and lines second."""
    code = disassembled(program, names)
    count = dict.fromkeys(code, 0)
    entered = {name: nm(program)[name] for name in names}
    for (_, target), n in ways.items():
        at = target
        while True:
            count[at] += n
            if is_branch(code[at][0]):
                break
            at += 4
    frames = frames_of(program, code, discriminator_of)
    top = {}

    def node_of(chain, add):
        node = top.setdefault(chain[0][0], {"total": 0, "head": 0, "lines": {}, "in": {}})
        node["total"] += add
        for outer, inner in zip(chain, chain[1:]):
            node = node["in"].setdefault((*outer[1:], inner[0]), {"total": 0, "lines": {}, "in": {}})
            node["total"] += add
        return node
    for at, n in count.items():
        line = node_of(frames[at], 4 * n)["lines"].setdefault(frames[at][-1][1:], [0, {}])
        line[0] = max(line[0], n)
    for (source, target), n in ways.items():
        for name in names:
            if target == entered[name]:
                line = node_of(frames[source], 0)["lines"].setdefault(frames[source][-1][1:], [0, {}])
                line[1][name] = line[1].get(name, 0) + n
                top[name]["head"] += n
    return top


def autofdo_text(top):
    def text(node, depth):
        def place(offset, discriminator):
            return " " * depth + f"{offset}" + (f".{discriminator}" if discriminator else "") + ": "
        out = "".join(place(*where) + f"{n}" + "".join(f" {name}:{k}" for name, k in calls.items()) + "\n"
                      for where, (n, calls) in sorted(node["lines"].items()))
        return out + "".join(place(offset, discriminator) + f"{name}:{inner['total']}\n" + text(inner, depth + 1)
                             for (offset, discriminator, name), inner in sorted(node["in"].items()))
    order = sorted(top, key=lambda name: (-top[name]["total"], name))
    return "".join(f"{name}:{top[name]['total']}:{top[name]['head']}\n" + text(top[name], 1) for name in order)


def without_totals(node):
    return {key: {k: without_totals(v) for k, v in value.items()} if key == "in" else value
            for key, value in node.items() if key != "total"}


def test_lines(tmp_path):
    program = compile_c(tmp_path, "lines", LINES, "-O2", "-pie", "-fPIE", "-fno-if-conversion",
                        "-fno-if-conversion2", "-Wl,--build-id=sha1")
    names = ("work", "leaf")
    code = disassembled(program, names)
    ways = {}
    for i, (at, (mnemonic, target)) in enumerate(code.items()):
        if is_branch(mnemonic) and target in code:
            ways[at, target] = 1000 + i
        if is_branch(mnemonic) and mnemonic not in ("b", "bl", "ret"):
            ways[at, at + 4] = 500 + i
    assert len(ways) >= 6, f"the program has branches\n{ways}"
    records = [f"rec class=2 sub=1 pc={BIAS + source:#x} target={BIAS + target:#x} tid={PID} time=2000 n={n} "
               f"ev={RETIRED | (NOT_TAKEN if target == source + 4 else 0)}" for (source, target), n in ways.items()]
    data = record(tmp_path, "lines.data", program, records)
    expected = autofdo_text(profile_of(program, ways, names, base_discriminator))
    assert ":" in expected and "square:" in expected, f"the profile has an inlined function\n{expected}"
    result = pgo("autofdo", data, program)
    assert (result.stdout, result.stderr) == (expected, ""), \
        "the profile by line\n" + result.stderr + "".join(difflib.unified_diff(expected.splitlines(1), result.stdout.splitlines(1)))
    top = profile_of(program, ways, names, lambda number: number)
    top["work"]["head"] = 1  # no branch enters work, but it was executed
    afdo = f"{tmp_path}/lines.afdo"
    pgo("gcov", data, program, "-o", afdo)
    with open(afdo, "rb") as f:
        assert of_gcov(f.read()) == ((0x67636461, 2, 0), (0xaa000000, 0xac000000),
                                     {name: without_totals(node) for name, node in top.items()}, 0), "a profile for GCC"
    dump = f"{tmp_path}/dump"
    result = run(COMPILER, "-O2", "-g", f"-fauto-profile={afdo}", f"-fdump-ipa-afdo-all={dump}", "-S", "-o",
                 f"{tmp_path}/lines.s", program + ".c")
    if "does not match" not in result.stderr:  # this GCC uses the same version of the format
        with open(dump, encoding="utf-8") as f:
            text = f.read()
        assert f"count {top['leaf']['lines'][0, 0][0]} (auto FDO" in text, \
            "GCC uses the counts\n" + result.stderr + "\n".join(line for line in text.splitlines() if "count" in line)
    subprocess.run(["aarch64-linux-gnu-strip", "-g", program], check=True)
    refuses("no debugging information", 125, "lines has no debugging information.*compile with -g", "pgo", "--format",
            "autofdo", "-i", data, program)


COPIES = r"""void work(void)
{
	__asm__ volatile(".loc 1 4 0\nnop\n1: nop\n"
	                 ".loc 1 5 0 discriminator 514\nnop\n"     /* 1, two copies */
	                 ".loc 1 6 0 discriminator 0x180c2\nnop\n" /* 33, which takes 12 bits, three copies */
	                 ".loc 1 7 0 discriminator 21\nnop\n"      /* none, five copies */
	                 ".loc 1 8 0\nb 1b\n");
}
int main(void)
{
	work();
	return 0;
}
"""


def test_copies(tmp_path):
    """If LLVM copied an instruction, its count is the sum over all copies. The second part of its
    discriminator is the copy factor."""
    program = compile_c(tmp_path, "copies", COPIES, "-O1", "-pie", "-fPIE", "-Wl,--build-id=sha1")
    source, target = next((at, target) for at, (mnemonic, target) in disassembled(program, ("work",)).items() if mnemonic == "b")
    data = record(tmp_path, "copies.data", program,
                  [f"rec class=2 sub=1 pc={BIAS + source:#x} target={BIAS + target:#x} tid={PID} time=2000 n=100 ev={RETIRED}"])
    result = pgo("autofdo", data, program)
    assert [line.strip() for line in result.stdout.splitlines()[1:]] == ["3: 100", "4.1: 200", "5.33: 300", "6: 500", "7: 100"], \
        "counts of instructions with copies"


def test_shared_object(tmp_path):
    library = compile_c(tmp_path, "libknown.so", SOURCE.replace("int main(void)", "int entry(void)"), "-shared",
                        "-fPIC", "-Wl,--build-id=sha1", "-Wl,-Bsymbolic")
    data = record(tmp_path, "library.data", library, lines_of(library, BIAS))
    assert pgo("bolt", data, library).stdout == FDATA, "a shared object can be profiled"


def test_stripped(tmp_path):
    program = build(tmp_path, "whole", "-pie", "-fPIE")
    stripped = f"{tmp_path}/stripped"
    subprocess.run(["aarch64-linux-gnu-strip", "-o", stripped, program], check=True)
    data = record(tmp_path, "stripped.data", program, lines_of(program, BIAS))
    refuses("stripped: no names for BOLT", 125, "stripped is stripped.*give the unstripped file, which has the same build-id",
            "pgo", "--format", "bolt", "-i", data, stripped)
    assert pgo("llvm-profgen", data, stripped).stdout == profgen_text(program, code_base(program)), \
        "a stripped program: llvm-profgen needs only addresses"
    # The recording has the path of the stripped file. The unstripped file has the same build-id.
    data = record(tmp_path, "stripped.data", stripped, lines_of(program, BIAS))
    assert pgo("bolt", data, program).stdout == FDATA, \
        "a stripped program: the unstripped file is accepted by its build-id"


def test_without_branches(tmp_path):
    program = build(tmp_path, "known", "-pie", "-fPIE")
    pc = BIAS + nm(program)["work"]

    def refused(name, pattern, *records, **more):
        data = record(tmp_path, "none.data", program, records, **more)
        refuses(name, 125, pattern, "pgo", "--format", "bolt", "-i", data, program)

    refused("loads alone", "the recording has no branches; record with --branches all",
            f"rec class=1 pc={pc + 4:#x} va=0x1000 ev=2 tid={PID} time=2000 n=9")
    refused("no targets", "the recorded branches did not retire or have no target; record with --branches all",
            f"rec class=2 pc={pc + 8:#x} ev=2 tid={PID} time=2000 n=9")
    refused("not retired", "the recorded branches did not retire or have no target",
            f"rec class=2 pc={pc:#x} target={pc + 12:#x} ev=0 tid={PID} time=2000 n=9")
    refused("all in another library", "no recorded branch is in .*known, 9 are elsewhere; 'spemu report -i",
            f"rec class=2 pc={LIBRARY:#x} target={LIBRARY + 8:#x} ev=2 tid={PID} time=2000 n=9")
    refused("all in code made at run time", "9 are elsewhere, in code generated at run time",
            f"rec class=2 pc=0x123400 target=0x123450 ev=2 tid={PID} time=2000 n=9")


def test_warnings(tmp_path):
    program = build(tmp_path, "known", "-pie", "-fPIE")
    jit = f"rec class=2 pc=0x123400 target=0x123450 ev=2 tid={PID} time=2000 n=7"
    data = record(tmp_path, "jit.data", program, [*lines_of(program, BIAS), jit])
    result = pgo("bolt", data, program)
    assert (result.stdout == FDATA and result.returncode == 0 and
            "7 branches are in code generated at run time" in result.stderr), \
                f"a message counts branches in JIT code\n{result.stderr}"
    assert pgo("bolt", data, program, "-q").stderr == "", "-q suppresses all messages"
    taken = [way for way in WAYS if not way[2] & NOT_TAKEN]
    data = record(tmp_path, "taken.data", program, lines_of(program, BIAS, taken))
    result = pgo("bolt", data, program)
    assert result.returncode == 0 and "all recorded branches are taken" in result.stderr, \
        f"a message for a recording with taken branches only\n{result.stderr}"
    data = record(tmp_path, "damaged.data", program, [*lines_of(program, BIAS), "bytes 0606060606060606"])
    result = pgo("bolt", data, program)
    assert result.returncode == 1 and result.stdout == FDATA, \
        f"damaged trace: the intact part is used, and the status is 1\n{result.returncode} {result.stderr}{result.stdout}"


def test_usage(tmp_path):
    program = build(tmp_path, "known", "-pie", "-fPIE")
    data = record(tmp_path, "known.data", program, lines_of(program, BIAS))
    refuses("no program", 2, "expected one program or shared object, got 0", "pgo", "--format", "bolt", "-i", data)
    refuses("no format", 2, "--format is missing", "pgo", "-i", data, program)
    refuses("an unknown format", 2, "--format: expected bolt, autofdo, gcov or llvm-profgen, got 'blot'", "pgo", "--format", "blot", program)
    refuses("a missing program", 127, "cannot open", "pgo", "--format", "bolt", "-i", data, f"{tmp_path}/absent")
    refuses("a missing recording", 127, "cannot open", "pgo", "--format", "bolt", "-i", f"{tmp_path}/absent", program)
    refuses("no program at all", 125, "is not an ELF file", "pgo", "--format", "bolt", "-i", data,
            write(tmp_path, "text", "no program\n"))
    refuses("an output that cannot be written", 125, "cannot write", "pgo", "--format", "bolt", "-i", data, "-o",
            f"{tmp_path}/absent" + "/file", program)


def test_changed(tmp_path):
    program = build(tmp_path, "changed", "-pie", "-fPIE")
    data = record(tmp_path, "changed.data", program, lines_of(program, BIAS))
    build(tmp_path, "changed", "-pie", "-fPIE", "-DOTHER", "-O2", "-g0")
    refuses("a program that was built anew", 125, "has changed since it was recorded .build-id.; record again",
            "pgo", "--format", "bolt", "-i", data, program)
