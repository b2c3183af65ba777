# SPDX-License-Identifier: MIT
"""A recording for spemu export whose stacks are known: a program with an inlined function, and its samples by line.

Each function of the program has an instruction that binutils show nowhere else; samples are at those addresses.
"""
import re

from clilib import compile_c, make_recording, nm, run, segments

SOURCE = """
#define MARK(n) __asm__ volatile("movz xzr, #" #n)
static inline __attribute__((always_inline)) void inner(void)
{
	MARK(0x101);
}
__attribute__((noipa)) void work(void)
{
	inner();
	MARK(0x102);
}
__attribute__((noipa)) void other(void)
{
	MARK(0x103);
}
int main(void)
{
	work();
	other();
	MARK(0x104);
	return 0;
}
"""
LINES = {"inner": 5, "work": 10, "other": 14, "main": 20}
BIAS = 0x5500000000
PERIOD = 1000
RETIRED, L1D_ACCESS, L1D_REFILL = 1 << 1, 1 << 2, 1 << 3
COMM = "known"
# Thread, function, latency (None: there is none), count; and the function that called it, if the stack is known.
SAMPLES = (
    (100, "inner", 40, 7, None), (100, "inner", 10, 2, "main"), (100, "work", 5, 11, "main"), (100, "other", None, 3, None),
    (101, "work", 8, 13, "main"), (101, "main", 3, 1, None), (101, None, 2, 4, None),
)
PARTS = {"inner": ("work", "inner"), "work": ("work",), "other": ("other",), "main": ("main",), None: ("[unknown]",)}


def total(weight, samples=SAMPLES):
    return sum(weigh(weight, s) for s in samples)


def weigh(weight, sample):
    return sample[3] * {"samples": 1, "operations": PERIOD, "cycles": sample[2] or 0}[weight]


def frames(sample):
    """The functions of a sample from the outermost on."""
    return ((sample[4],) if sample[4] else ()) + PARTS[sample[1]]


def sums(weight, key, samples=SAMPLES):
    """key(sample) -> the sum of the samples' weights; none that is 0."""
    found = {}
    for sample in samples:
        found[key(sample)] = found.get(key(sample), 0) + weigh(weight, sample)
    return {k: v for k, v in found.items() if v}


class Exported:
    def __init__(self, folder):
        self.program = compile_c(folder.path, "known", SOURCE, "-fPIE", "-pie", "-Wl,--build-id=sha1")
        code = run("aarch64-linux-gnu-objdump", "-d", self.program).stdout
        self.vaddr = {name: int(re.search(rf"^ *([0-9a-f]+):.*mov\s+xzr, #{number}\b", code, re.M)[1], 16)
                      for name, number in (("inner", "0x101"), ("work", "0x102"), ("other", "0x103"), ("main", "0x104"))}
        self.symbols = nm(self.program)
        calls = re.findall(r"^ *([0-9a-f]+):.*\bbl\s+[0-9a-f]+ <work>", code, re.M)
        self.call = int(calls[0], 16)
        self.data = folder("known.data")
        make_recording("\n".join(self.text(self.data)) + "\n")

    def address(self, function):
        return 0x1000 if function is None else BIAS + self.vaddr[function]

    def text(self, path, program=None, comm=COMM):
        yield f"create {path} {PERIOD} stacks"
        yield f"comm 100 100 1000 {comm} exec"
        yield "fork 100 100 101 100 1001"
        yield f"comm 100 101 1002 {comm}2 -"
        for offset, vaddr, size, _, flags in segments(self.program):
            start = (vaddr + BIAS) & ~4095
            yield (f"mmap 100 1100 {start:#x} {(size + 8191) & ~4095:#x} {offset & ~4095:#x} "
                   f"{'r-x' if 'E' in flags else 'rw-'} {program or self.program}")
        time = 2000
        for tid, function, latency, count, caller in SAMPLES:
            for _ in range(count):
                time += 10
                if caller:
                    yield f"stack 100 {tid} {time} {self.address(function):#x} {BIAS + self.call + 4:#x}"
                yield (f"rec class=1 sub=0 pc={self.address(function):#x} va={0x7000 + time:#x} ev={RETIRED | L1D_ACCESS} "
                       f"tid={tid} time={time} " + (f"total={latency} issue=1" if latency is not None else ""))
        yield "aux 100 100 9000 0 0"
        yield "finish"
