# SPDX-License-Identifier: MIT
"""A recording for spemu export with known call stacks: a program with an inlined function, and samples on known lines.

Each function of the program contains an instruction that occurs once in its disassembly. The
samples are at these addresses.
"""
import os
import re
import subprocess

import pytest

from clilib import ENVIRONMENT, compile_c, make_recording, nm, run, segments, spemu, write

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
# Events by word, with their bits in the Events packet (D18.2.6).
EVENTS = {"retired": 1, "l1d-access": 2, "l1d-refill": 3, "tlb-refill": 5, "mispred": 7,
          "llc-refill": 9, "remote-access": 10, "l2d-miss": 20, "snooped": 23}
COMM = "known"
# Samples: thread, function, latency or None, count, the calling function if the call stack is
# known, and events besides retired and l1d-access.
SAMPLES = (
    (100, "inner", 40, 7, None, {"l1d-refill", "tlb-refill"}),
    (100, "inner", 10, 2, "main", {"l1d-refill", "l2d-miss"}),
    (100, "work", 5, 11, "main", {"mispred"}), (100, "other", None, 3, None, {"snooped"}),
    (101, "work", 8, 13, "main", {"l1d-refill", "l2d-miss", "llc-refill"}),
    (101, "main", 3, 1, None, {"snooped", "remote-access"}), (101, None, 2, 4, None, set()),
)
WEIGHTS = ("samples", "operations", "cycles", "l1d-refill", "l2d-miss", "llc-refill", "tlb-refill",
           "mispred", "snooped", "remote-access")
PARTS = {"inner": ("work", "inner"), "work": ("work",), "other": ("other",), "main": ("main",), None: ("[unknown]",)}


def export(kind, data, *more, **kwargs):
    return spemu("export", "--format", kind, *more, data, **kwargs)


def total(weight, samples=SAMPLES):
    return sum(weigh(weight, s) for s in samples)


def weigh(weight, sample):
    return sample[3] * {"samples": 1, "operations": PERIOD, "cycles": sample[2] or 0}.get(weight, weight in sample[5])


def events_of(sample):
    """Return the events of a sample in the order of their bits."""
    return [word for word in EVENTS if word in sample[5] | {"retired", "l1d-access"}]


def callgrind_event(weight):
    """Return the name of a weight in callgrind's format, which permits only letters and digits."""
    return "".join(word.capitalize() for word in weight.split("-"))


def frames(sample):
    """Return the functions of a sample, outermost first."""
    return ((sample[4],) if sample[4] else ()) + PARTS[sample[1]]


def thread(sample):
    return COMM + ("2" if sample[0] == 101 else "")


def line_of(sample):
    return LINES.get(sample[1])


def sums(weight, key, samples=SAMPLES):
    """Return {key(sample): sum of the weights}, without keys whose sum is 0."""
    found = {}
    for sample in samples:
        found[key(sample)] = found.get(key(sample), 0) + weigh(weight, sample)
    return {k: v for k, v in found.items() if v}


class Exported:
    def __init__(self, folder):
        self.program = compile_c(folder, "known", SOURCE, "-fPIE", "-pie", "-Wl,--build-id=sha1")
        code = run("aarch64-linux-gnu-objdump", "-d", self.program).stdout
        self.vaddr = {name: int(re.search(rf"^ *([0-9a-f]+):.*mov\s+xzr, #{number}\b", code, re.M)[1], 16)
                      for name, number in (("inner", "0x101"), ("work", "0x102"), ("other", "0x103"), ("main", "0x104"))}
        self.symbols = nm(self.program)
        calls = re.findall(r"^ *([0-9a-f]+):.*\bbl\s+[0-9a-f]+ <work>", code, re.M)
        self.call = int(calls[0], 16)
        self.data = f"{folder}/known.data"
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
        for sample in SAMPLES:
            tid, function, latency, count, caller, _ = sample
            events = sum(1 << EVENTS[word] for word in events_of(sample))
            for _ in range(count):
                time += 10
                if caller:
                    yield f"stack 100 {tid} {time} {self.address(function):#x} {BIAS + self.call + 4:#x}"
                yield (f"rec class=1 sub=0 pc={self.address(function):#x} va={0x7000 + time:#x} ev={events} "
                       f"tid={tid} time={time} " + (f"total={latency} issue=1" if latency is not None else ""))
        yield "aux 100 100 9000 0 0"
        yield "finish"


HOSTILE = ("a;b", "<script>alert(1)</script>", 'quote"d', "it's", "a, b", "&amp;", "b\\slash", "\033[31mred", "two words")


class Hostile:
    """A program whose functions have the names of HOSTILE. Its folder and its thread have such
    names, too."""

    def __init__(self, folder):
        quoted = [n.replace("\\", "\\\\").replace('"', '\\"') for n in HOSTILE]
        text = "\n".join(f'.globl "{n}"\n.type "{n}", %function\n"{n}": nop\nnop\n.size "{n}", 8' for n in quoted)
        source = write(folder, "hostile.s", f".text\n{text}\n.globl main\n.type main, %function\nmain: ret\n.size main, 4\n")
        os.mkdir(f"{folder}/a <b>;\"c',")
        self.program = f"{folder}/a <b>;\"c',/program"
        subprocess.run(["aarch64-linux-gnu-gcc", "-o", self.program, source, "-static", "-nostartfiles", "-Wl,-e,main"], check=True)
        out = subprocess.run(["aarch64-linux-gnu-nm", self.program], capture_output=True, check=True, env=ENVIRONMENT).stdout
        symbols = {line.split(" ", 2)[2]: int(line[:16], 16) for line in out.decode("latin-1").splitlines()}
        self.data = f"{folder}/hostile.data"
        lines = [f"create {self.data} 100", 'comm 1 1 1 a;"<b>\033\' exec', f"mmap 1 2 {min(symbols.values()) & ~4095:#x} 0x10000 "
                 f"{self.offset(min(symbols.values()) & ~4095):#x} r-x {self.program}"]
        for i, name in enumerate(HOSTILE):
            lines.append(f"rec pc={symbols[name]:#x} tid=1 time={10 + i} total=1 class=1 sub=0 n={i + 1}")
        make_recording("\n".join(lines + ["aux 1 1 99 0 0", "finish"]) + "\n")

    def offset(self, page):
        out = run("aarch64-linux-gnu-readelf", "-lW", self.program).stdout
        for line in out.splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[-2] and int(words[2], 16) & ~4095 == page:
                return int(words[1], 16) & ~4095
        raise AssertionError("no segment of code")


def clean(name):
    return "".join(c if c >= " " else "?" for c in name)

@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Exported(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return Hostile(tmp_path_factory.mktemp("hostile"))
