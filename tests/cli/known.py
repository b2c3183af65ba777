# SPDX-License-Identifier: MIT
"""A recording in which every number is known. It has two processes, a thread, a fork and an exec.

The lists below define the samples, and the tests compute the expected numbers from these lists.
Addresses come from binutils.
"""
import os

from clilib import compile_c, make_recording, nm, segments

SOURCE = """
#include <stdlib.h>
struct { long a, b; } pair __attribute__((aligned(64))) = { 1, 1 };
long table[512] __attribute__((aligned(64)));
__attribute__((noinline)) void hot(long *p)
{
	for (int i = 0; i < 64; i++)
		p[i & 7]++;
}
__attribute__((noinline)) void cold(void) { table[0]--; }
__attribute__((noinline)) int choose(int x)
{
	if (x > 3)
		return rand();
	return x;
}
int main(int argc, char **argv)
{
	(void)argv;
	hot(table);
	cold();
	return choose(argc) + (int)pair.a;
}
"""
BIAS = 0x5500000000
PARENT, THREAD, CHILD = 4000, 4001, 4100
PAGE = 4096

LOAD, STORE, ATOMIC, BRANCH, OTHER = (1, 0), (1, 1), (1, 6), (2, 1), (0, 0)
FP, SIMD = (0, 2), (0, 4)
RETIRED, L1, REFILL, TLB = 1 << 1, 1 << 2, 1 << 3, 1 << 4
NOT_TAKEN, MISPREDICTED = 1 << 6, 1 << 7


class Known:
    def __init__(self, folder, more=""):
        """Build the program, with the functions of `more` after those of SOURCE, and its
        recording."""
        self.elf = compile_c(folder, "known", SOURCE + more, "-pie", "-fPIE",
                             "-Wl,--build-id=sha1")
        self.symbols = nm(self.elf)
        self.path = f"{folder}/known.data"
        self.stacks = []  # lines of make_recording for additional mappings
        s = {name: BIAS + self.symbols[name] for name in
             ("hot", "cold", "choose", "pair", "table")}
        self.address = s
        # (lane, tid, pc, data address, operation, events, total latency, count, target, source)
        self.samples = [
            (0, PARENT, s["hot"] + 8, s["table"] + 8, LOAD, L1 | TLB, 6, 300, None, 0),
            (0, PARENT, s["hot"] + 12, s["table"] + 8, STORE, L1 | TLB | REFILL, 40, 200, None,
             None),
            (0, PARENT, s["choose"] + 4, None, BRANCH, NOT_TAKEN | MISPREDICTED, 3, 30, None,
             None),
            (0, PARENT, s["choose"] + 4, None, BRANCH, 0, 3, 70, s["choose"] + 20, None),
            (0, PARENT, s["hot"] + 16, None, OTHER, 0, 1, 100, None, None),
            (0, PARENT, s["hot"] + 20, None, FP, 0, 4, 5, None, None),
            (0, PARENT, s["hot"] + 20, None, SIMD, 0, 4, 6, None, None),
            (1, THREAD, s["cold"], s["pair"], STORE, L1 | TLB, 2, 50, None, None),
            (0, PARENT, s["cold"] + 4, s["pair"] + 8, STORE, L1 | TLB, 2, 60, None, None),
            (1, THREAD, s["cold"], s["table"] + 2048, ATOMIC, L1 | TLB, 20, 25, None, 8),
            (2, CHILD, s["hot"] + 8, s["table"] + 8, LOAD, L1 | TLB, 900, 40, None, 14),
            (2, CHILD, 0x7f0000001000, None, OTHER, 0, 1, 7, None, None),
        ]
        self.make(self.path)

    def make(self, path, finish=True, scale=1, omit=()):
        text = [f"create {path} 1024", f"comm {PARENT} {PARENT} 1000 known exec"]
        for offset, vaddr, size, mem, flags in segments(self.elf):
            page = vaddr & ~(PAGE - 1)
            prot = "r-x" if "E" in flags else "rw-"
            end = (vaddr + size + PAGE - 1) & ~(PAGE - 1)
            text.append(f"mmap {PARENT} 1100 {BIAS + page} {end - page} "
                        f"{offset & ~(PAGE - 1)} {prot} {self.elf}")
            anon = (vaddr + mem + PAGE - 1) & ~(PAGE - 1)
            if prot == "rw-" and anon > end:
                text.append(f"mmap {PARENT} 1100 {BIAS + end} {anon - end} 0 rw- //anon")
        text += self.stacks
        text.append(f"fork {PARENT} {PARENT} {THREAD} {PARENT} 1200")
        text.append(f"fork {CHILD} {PARENT} {CHILD} {PARENT} 1300")
        # Later, the child executes another program at the same addresses, with other names.
        text.append(f"comm {CHILD} {CHILD} 9000 other exec")
        text.append(f"mmap {CHILD} 9001 {BIAS} 65536 0 r-x /nowhere/other")
        time = 2000
        for lane, pid, tid in ((0, PARENT, PARENT), (1, PARENT, THREAD), (2, CHILD, CHILD)):
            for sample in self.samples:
                if sample[0] == lane and sample[4] not in omit:
                    text.append(record(sample, time, scale))
                    time += 1
            text.append(f"aux {pid} {tid} 8000 {lane} 0")
        text.append(f"rec pc={BIAS + 64} tid={CHILD} time=9500 class=0 sub=0 ev=2 n=9")
        text.append(f"aux {CHILD} {CHILD} 9900 2 8")
        if finish:
            text.append("finish")
        make_recording("\n".join(text) + "\n")

    def total(self, want=lambda s: True):
        return sum(s[7] for s in self.samples if want(s))


def record(sample, time, scale):
    _, tid, pc, va, op, events, total, n, target, source = sample
    words = [f"rec pc={pc} tid={tid} time={time} class={op[0]} sub={op[1]}",
             f"ev={events | RETIRED} total={total} issue={min(total, 2)} n={n * scale}"]
    if va is not None:
        words.append(f"va={va} xlat=0")
    if target is not None:
        words.append(f"target={target}")
    if source is not None:
        words.append(f"src={source}")
    return " ".join(words)


assert os.environ["SPEMU"]
