# SPDX-License-Identifier: MIT
"""A fleet with known properties: recordings of two programs on several machines for five days, with planted problems.

Samples are drawn at random with a seed, from kinds of records as make_recording defines them. So
all answers can be calculated. Fleet.expect() has the expected number of samples of each kind.
"""
import collections
import os
import re
import subprocess

from clilib import MAKE_RECORDING, compile_c, nm, segments

DAYS = ("2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20")
NEW_BUILD = 3  # index of the first day with the second build of shop
PERIOD = 10000
PID, THREADS = 100, 4
BIAS = 0x5500000000

# Bits of Events packets (DDI 0487 D18.2), and values of Neoverse N1's Data Source packets.
RETIRED, L1D, REFILL, TLB, WALK, MISPREDICTED = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 7
L1, L2, DRAM = 0x0, 0x8, 0xe
SOURCES = {L1: "L1", L2: "L2", DRAM: "DRAM"}
OTHER, LOAD, STORE, BRANCH = "class=0 sub=0", "class=1 sub=0", "class=1 sub=1", "class=2 sub=1"

SLOW, SLOWER = "machine03", 60  # additional cycles of each load from DRAM
SHARING = "machine05"
LINE, LOCK, TABLE, OWN = 0x7f00001000, 0x7f00002000, 0x7f00003000, 0x7f00004000
HOT_PAGE, HOT_SHARE = 0x7f10000000, 0.3
PARSE_MORE, HASH_MORE = 1.25, 3  # factors of shop's second build: operations of parse, cycles per operation of hash_row
MISPREDICTED_SHARE = 0.4         # share of mispredicted executions of the branch in find
SCAN_DRAM = (0.1, 0.1, 0.2, 0.2, 0.2)  # share of loads from DRAM in scan of batch, by day
NO_RECORDING = (DAYS[3], "batch", "machine02")
NO_SAMPLES = (DAYS[1], "shop", "machine06")
TRUNCATED = (DAYS[2], "shop", "machine07")
WORK = [f"work_{i}" for i in range(20)]
FUNCTIONS = {"shop": [*WORK, "parse", "hash_row", "find", "lookup", "rare", "encode_v2"], "batch": [*WORK, "scan", "reader", "writer"]}

# A kind of record. `weight` is its relative frequency, `at` the instruction of the function, and `total` the latency
# (least, count). `tid` is a thread, or None for any. `source` and `events` are those of the record. `va` is (first,
# count, step) or None.
Kind = collections.namedtuple("Kind", "function weight op at total events source va tid walk", defaults=(None, None, None, False))


def source_text(program, build):
    """Return assembly in which each function has 16 instructions of its own."""
    names = [f for f in FUNCTIONS[program] if f != "encode_v2" or build == 2]
    code = "".join(f"__attribute__((noipa)) void {name}(void)\n{{\n\t__asm__ volatile(\".rept 16\\n\\tmovz xzr, #{0x100 + i}\\n\\t.endr\");\n}}\n"
                   for i, name in enumerate(names))
    return code + "int main(void)\n{\n" + "".join(f"\t{name}();\n" for name in names) + f"\treturn {build};\n}}\n"


def dram_latency(machine):
    """Return the latency (least, count) of DRAM. Machines differ by up to 4 cycles, and one machine
    is slow."""
    number = int(machine[-2:])
    return 120 + number * 3 % 5 + (SLOWER if machine == SLOW else 0), 64


def loads(function, weight, at, machine, dram, walk=False, va=None):
    """Return kinds of loads. DRAM serves the fraction `dram` of them, and the L2 cache another 5
    %."""
    far = va or (0x7e00000000, 1 << 23, 8)
    bits = RETIRED | L1D | TLB | (WALK if walk else 0)
    yield Kind(function, round(weight * dram), LOAD, at, dram_latency(machine), bits | REFILL, DRAM, far, walk=walk)
    yield Kind(function, round(weight * 0.05), LOAD, at, (12, 6), bits | REFILL, L2, far, walk=walk)
    yield Kind(function, weight - round(weight * dram) - round(weight * 0.05), LOAD, at, (4, 3), bits, L1,
               va or (0x7d00000000, 4096, 8), walk=walk)


def common(machine):
    """Return the kinds of records that both programs make."""
    for i, name in enumerate(WORK):
        weight = 1000 + 100 * i
        yield Kind(name, weight * 10, OTHER, 0, (2 + i % 5, 8), RETIRED)
        yield from loads(name, weight * 4, 1, machine, 0.1)
        yield Kind(name, weight * 2 - weight // 25, BRANCH, 2, (1, 2), RETIRED)
        yield Kind(name, weight // 25, BRANCH, 2, (1, 2), RETIRED | MISPREDICTED)


def of_shop(machine, build):
    yield Kind("parse", round(80000 * (PARSE_MORE if build == 2 else 1)), OTHER, 0, (3, 8), RETIRED)
    yield Kind("hash_row", 60000, OTHER, 0, (10 + (HASH_MORE if build == 2 else 0), 8), RETIRED)
    wrong = round(30000 * MISPREDICTED_SHARE)
    yield Kind("find", 30000 - wrong, BRANCH, 4, (1, 2), RETIRED)
    yield Kind("find", wrong, BRANCH, 4, (1, 2), RETIRED | MISPREDICTED)
    hot = round(20000 * HOT_SHARE)
    yield from loads("lookup", hot, 5, machine, 0.1, True, (HOT_PAGE, 512, 8))
    yield from loads("lookup", 20000 - hot, 5, machine, 0.1, True, (HOT_PAGE + 4096, 64, 4096))
    if build == 2:
        yield Kind("encode_v2", 20000, OTHER, 0, (2, 4), RETIRED)


def of_batch(machine, day):
    yield from loads("scan", 50000, 3, machine, SCAN_DRAM[DAYS.index(day)])
    bits = RETIRED | L1D | REFILL | TLB
    # Two threads use different words of this line. No other line is falsely shared: on the lock's line, one word is
    # written by two threads and another word by one. Each thread also has two words in a line next to the other
    # thread's line; stores to them have a data source as well. The table is only read.
    first, second = PID, PID + 1
    if machine == SHARING:
        yield Kind("writer", 5000, STORE, 2, (60, 20), bits, None, (LINE, 1, 8), first)
        yield Kind("writer", 5000, STORE, 2, (60, 20), bits, None, (LINE + 8, 1, 8), second)
    for tid in (first, second):
        yield Kind("writer", 5000, STORE, 1, (30, 20), bits, None, (LOCK, 1, 8), tid)
        yield Kind("writer", 5000, STORE, 3, (30, 20), bits, L2, (OWN + 80 * (tid - PID), 2, 8), tid)
    yield Kind("writer", 5000, STORE, 1, (30, 20), bits, None, (LOCK + 8, 1, 8), second)
    for i in range(THREADS):
        yield Kind("reader", 2500, LOAD, 1, (12, 6), bits, L2, (TABLE + 8 * i, 1, 8), PID + i)


def kinds(day, program, machine):
    own = of_shop(machine, build_of(program, day)) if program == "shop" else of_batch(machine, day)
    return [k for k in (*common(machine), *own) if k.weight]


def build_of(program, day):
    return 2 if program == "shop" and DAYS.index(day) >= NEW_BUILD else 1


class Fleet:
    def __init__(self, folder, machines, samples):
        """Prepare recordings of `samples` samples each. expected() has the sums over all
        recordings."""
        self.folder = folder
        self.machines = [f"machine{i:02}" for i in range(1, machines + 1)]
        self.samples = samples
        self.places = [(d, p, m) for d in DAYS for p in FUNCTIONS for m in self.machines]
        self.programs, self.build_id, self.symbols = {}, {}, {}
        for program, build in (("shop", 1), ("shop", 2), ("batch", 1)):
            where = os.path.join(folder, f"build{build}")
            os.makedirs(where, exist_ok=True)
            path = compile_c(where, program, source_text(program, build), "-fPIE", "-pie", "-Wl,--build-id=sha1")
            notes = subprocess.run(["aarch64-linux-gnu-readelf", "-n", path], capture_output=True, text=True, check=True).stdout
            self.programs[program, build] = path
            self.build_id[program, build] = re.search(r"Build ID: (\w+)", notes)[1]
            self.symbols[program, build] = nm(path)

    def count(self, place):
        """Return the number of samples of a recording, or None for a recording that does not
        exist."""
        return {NO_RECORDING: None, NO_SAMPLES: 0}.get(place, self.samples)

    def total(self):
        return sum(self.count(p) or 0 for p in self.places) + 1  # the sample of rare

    def expect(self):
        """Return (place, kind, expected number of samples) for all places and kinds."""
        for place in self.places:
            of_place = kinds(*place)
            weights = sum(k.weight for k in of_place)
            for kind in of_place:
                yield place, kind, (self.count(place) or 0) * kind.weight / weights

    def address(self, program, build, function, at):
        return BIAS + self.symbols[program, build][function] + 4 * at

    def text(self, place, path):
        """Return the commands of make_recording."""
        day, program, machine = place
        build = build_of(program, day)
        yield f"host {machine}\ncreate {path} {PERIOD}\ncomm {PID} {PID} 1000 {program} exec"
        for i in range(1, THREADS):
            yield f"fork {PID} {PID} {PID + i} {PID} {1000 + i}"
        elf = self.programs[program, build]
        for offset, vaddr, size, _, flags in segments(elf):
            start = (vaddr + BIAS) & ~4095
            yield f"mmap {PID} 1100 {start:#x} {(size + 8191) & ~4095:#x} {offset & ~4095:#x} {'r-x' if 'E' in flags else 'rw-'} {elf}"
        for kind in kinds(*place):
            tid = f"{PID}+{THREADS}" if kind.tid is None else kind.tid
            yield (f"kind {kind.weight} {kind.op} pc={self.address(program, build, kind.function, kind.at):#x} ev={kind.events} "
                   f"tid={tid} total={kind.total[0]}+{kind.total[1]}" + (" xlat=20+31" if kind.walk else "") +
                   (f" src={kind.source}" if kind.source is not None else "") + ("" if kind.va is None else
                                                                                " va={:#x}+{}*{}".format(*kind.va)))
        if place == (DAYS[NEW_BUILD], "shop", "machine01"):  # a single sample of a function that both builds contain, so it is not new
            yield f"rec class=0 sub=0 pc={self.address(program, build, 'rare', 0):#x} ev=2 tid={PID} time=1500 total=1"
            yield f"aux {PID} {PID} 1600 0 0"
        yield from self.draws(place)
        yield "finish"

    def draws(self, place):
        """Return the draws of a recording. The trace comes in pieces, like that of a Profiling
        Buffer. In one recording, every fourth buffer was full."""
        left, piece, time = self.count(place), 20000, 2000
        seed = 1000000 * self.places.index(place)
        while left:
            n = min(piece, left)
            full = place == TRUNCATED and seed % 4 == 0
            yield f"draw {n} {seed} {time} 100\naux {PID} {PID} {time + 100 * n} {seed % THREADS} {int(full)}"
            left, seed, time = left - n, seed + 1, time + 100 * n

    def truncated(self):
        """Return the number of full buffers in the recording TRUNCATED."""
        return len(range(0, self.count(TRUNCATED), 80000))

    def make(self, place, path):
        subprocess.run([MAKE_RECORDING], input="\n".join(self.text(place, path)) + "\n", text=True, check=True)
