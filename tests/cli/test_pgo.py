#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spemu pgo: profiles of a recording whose branches are counted here, and what cannot be profiled.

The program is assembly, so that every offset is known; how often each branch went which way is in WAYS.
"""
import os
import subprocess

from clilib import Folder, check, compile_c, done, equal, make_recording, nm, refuses, run, segments, select_case, spemu

SOURCE = """
__asm__(".text\\n.balign 16\\n"
	".globl work\\n.type work, %function\\n"
	"work: cbz x0, 1f\\n"           /* 0 */
	"      add x0, x0, #1\\n"       /* 4 */
	"      b 2f\\n"                 /* 8 */
	"1:    bl helper\\n"            /* c */
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
# From, to (offsets in work; helper is at 0x24; None: in another library), events, count.
WAYS = (
    (0x0, 0xc, 0, 30), (0x0, 0xc, MISPREDICTED, 4), (0x0, 0x4, NOT_TAKEN, 70),
    (0x8, 0x10, 0, 71), (0xc, 0x24, 0, 33), (0x24, 0x10, 0, 35),
    (0x18, 0x14, 0, 200), (0x18, 0x1c, NOT_TAKEN, 100), (0x18, 0x1c, NOT_TAKEN | MISPREDICTED, 2),
    (0x1c, "puts", 0, 99), (None, 0x20, 0, 98), (0x20, None, 0, 97),
)
# The same as BOLT's lines. From where puts returns to is known, from where to is not; returns are not listed.
# Then what falls through: over 0x14, and into 0x10, where a branch leads to as well, after the call at 0xc.
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
# Runs from each target up to the next branch: 0x10 has 71 and 35.
RANGES = ((0x4, 0x8, 70), (0xc, 0xc, 34), (0x10, 0x18, 106), (0x14, 0x18, 200), (0x1c, 0x1c, 102), (0x20, 0x20, 98),
          (0x24, 0x24, 33))


def build(folder, name, *flags):
    return compile_c(folder.path, name, SOURCE, "-Wl,--build-id=sha1", *flags)


def plt_of_puts(program):
    out = run("aarch64-linux-gnu-objdump", "-d", "-j", ".plt", program).stdout
    return int(next(line for line in out.splitlines() if "<puts@plt>:" in line).split()[0], 16)


def lines_of(program, bias, ways=WAYS):
    """The records of ways, as make_recording takes them."""
    work = nm(program)["work"]

    def address(place):
        if place is None:
            return LIBRARY + 0x100
        return bias + (plt_of_puts(program) if place == "puts" else work + place)
    return [f"rec class=2 sub=1 pc={address(source):#x} target={address(target):#x} ev={events | RETIRED} tid={PID} "
            f"time={2000 + i} n={count}" for i, (source, target, events, count) in enumerate(ways)]


def record(folder, name, program, records, bias=BIAS):
    data = folder(name)
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
    """The expected llvm-profgen input; base: the page of the code's segment."""
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
    # The entry of the procedure linkage table ends with its own branch.
    entry = [f"{plt:x}-{plt + 12:x}:99"]
    branches = [f"{a & (1 << 64) - 1:x}->{b:x}:{pairs[a, b]}" for a, b in known + outside]
    return "\n".join([str(len(ranges) + 1), *entry, *ranges, str(len(branches)), *branches]) + "\n"


def code_base(program):
    return next(vaddr for _, vaddr, _, _, flags in segments(program) if "E" in flags) & ~4095


def test_counts(folder):
    for what, bias, flags in (("position-independent", BIAS, ("-pie", "-fPIE")), ("at its own address", 0, ("-no-pie",))):
        program = build(folder, "known" + flags[0], *flags)
        data = record(folder, "known.data", program, lines_of(program, bias), bias)
        result = pgo("bolt", data, program)
        equal((result.stdout, result.stderr, result.returncode), (FDATA, "", 0), f"{what}: BOLT's lines")
        result = pgo("llvm-profgen", data, program)
        equal((result.stdout, result.stderr), (profgen_text(program, code_base(program)), ""),
              f"{what}: llvm-profgen's counters")
        out = folder("file.fdata")
        result = pgo("bolt", data, program, "-o", out)
        with open(out, encoding="ascii") as f:
            equal((result.stdout, f.read()), ("", FDATA), f"{what}: a file")


def test_shared_object(folder):
    library = compile_c(folder.path, "libknown.so", SOURCE.replace("int main(void)", "int entry(void)"), "-shared",
                        "-fPIC", "-Wl,--build-id=sha1", "-Wl,-Bsymbolic")
    data = record(folder, "library.data", library, lines_of(library, BIAS))
    equal(pgo("bolt", data, library).stdout, FDATA, "a shared object")


def test_stripped(folder):
    program = build(folder, "whole", "-pie", "-fPIE")
    stripped = folder("stripped")
    subprocess.run(["aarch64-linux-gnu-strip", "-o", stripped, program], check=True)
    data = record(folder, "stripped.data", program, lines_of(program, BIAS))
    refuses("stripped: no names for BOLT", 125, "stripped is stripped.*from before strip: it has the same build-id",
            "pgo", "--format", "bolt", "-i", data, stripped)
    equal(pgo("llvm-profgen", data, stripped).stdout, profgen_text(program, code_base(program)),
          "stripped: addresses need no names")
    # The recording has the stripped file's path, and the same build-id.
    data = record(folder, "stripped.data", stripped, lines_of(program, BIAS))
    equal(pgo("bolt", data, program).stdout, FDATA, "stripped: the file from before strip, by its build-id")


def test_without_branches(folder):
    program = build(folder, "known", "-pie", "-fPIE")
    pc = BIAS + nm(program)["work"]

    def refused(name, pattern, *records, **more):
        data = record(folder, "none.data", program, records, **more)
        refuses(name, 125, pattern, "pgo", "--format", "bolt", "-i", data, program)

    refused("loads alone", "no branch was recorded; record with --branches all",
            f"rec class=1 pc={pc + 4:#x} va=0x1000 ev=2 tid={PID} time=2000 n=9")
    refused("no targets", "no branch of the recording says where it led to; record with --branches all",
            f"rec class=2 pc={pc + 8:#x} ev=2 tid={PID} time=2000 n=9")
    refused("not retired", "no branch of the recording says where it led to",
            f"rec class=2 pc={pc:#x} target={pc + 12:#x} ev=0 tid={PID} time=2000 n=9")
    refused("all in another library", "no recorded branch is in .*known, 9 are elsewhere; 'spemu report -i",
            f"rec class=2 pc={LIBRARY:#x} target={LIBRARY + 8:#x} ev=2 tid={PID} time=2000 n=9")
    refused("all in code made at run time", "9 are elsewhere, in code that was made at run time",
            f"rec class=2 pc=0x123400 target=0x123450 ev=2 tid={PID} time=2000 n=9")


def test_warnings(folder):
    program = build(folder, "known", "-pie", "-fPIE")
    jit = f"rec class=2 pc=0x123400 target=0x123450 ev=2 tid={PID} time=2000 n=7"
    data = record(folder, "jit.data", program, [*lines_of(program, BIAS), jit])
    result = pgo("bolt", data, program)
    check(result.stdout == FDATA and result.returncode == 0 and
          "7 branches are in code that was made at run time" in result.stderr, "a JIT: its branches are counted",
          result.stderr)
    equal(pgo("bolt", data, program, "-q").stderr, "", "-q: not a word")
    taken = [way for way in WAYS if not way[2] & NOT_TAKEN]
    data = record(folder, "taken.data", program, lines_of(program, BIAS, taken))
    result = pgo("bolt", data, program)
    check(result.returncode == 0 and "no recorded branch is one that is not taken" in result.stderr,
          "only taken branches", result.stderr)
    data = record(folder, "damaged.data", program, [*lines_of(program, BIAS), "bytes 0606060606060606"])
    result = pgo("bolt", data, program)
    check(result.returncode == 1 and result.stdout == FDATA, "damaged trace: the rest, and status 1",
          f"{result.returncode} {result.stderr}{result.stdout}")


def test_usage(folder):
    program = build(folder, "known", "-pie", "-fPIE")
    data = record(folder, "known.data", program, lines_of(program, BIAS))
    refuses("no program", 125, "one program or shared object is profiled, not 0", "pgo", "--format", "bolt", "-i", data)
    refuses("no format", 125, "--format is missing", "pgo", "-i", data, program)
    refuses("an unknown format", 125, "unknown format 'blot'; did you mean 'bolt'", "pgo", "--format", "blot", program)
    refuses("a missing program", 127, "cannot open", "pgo", "--format", "bolt", "-i", data, folder("absent"))
    refuses("a missing recording", 127, "cannot open", "pgo", "--format", "bolt", "-i", folder("absent"), program)
    refuses("no program at all", 125, "is not an ELF file", "pgo", "--format", "bolt", "-i", data,
            folder.write("text", "no program\n"))
    refuses("an output that cannot be written", 125, "cannot write", "pgo", "--format", "bolt", "-i", data, "-o",
            folder("absent") + "/file", program)


def test_changed(folder):
    program = build(folder, "changed", "-pie", "-fPIE")
    data = record(folder, "changed.data", program, lines_of(program, BIAS))
    build(folder, "changed", "-pie", "-fPIE", "-DOTHER", "-O2", "-g0")
    refuses("a program that was built anew", 125, "has changed since it was recorded .build-id.; record again",
            "pgo", "--format", "bolt", "-i", data, program)


select_case(globals())
with Folder() as f:
    test_counts(f)
    test_shared_object(f)
    test_stripped(f)
    test_without_branches(f)
    test_warnings(f)
    test_usage(f)
    test_changed(f)
done()
