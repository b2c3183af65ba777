# SPDX-License-Identifier: MIT
"""spemu record --uarch huge_pages: the memory of a program that gets huge pages, by the way it is allocated.

Each function loads at random from 64 MB. These are 32 huge pages of 2 MB, which fit into the 48
entries of Neoverse N1's first TLB level, so no load waits. With pages of 4 KB, these are 16384
pages. The 1280 entries of the second TLB level hold one in 13 of them, and all other loads walk the
tables.
"""
import csv
import io

import pytest

from clilib import compile_c, refuses, spemu

SMALL_WALKS = 1 - 1280 / 16384
MODES = ("never", "madvise", "always")
CASES = {  # name: expression that allocates the memory, modes in which it has huge pages
    "plain": ("map(SIZE)", ("always",)),
    "advised": ("advise(map(SIZE), SIZE, MADV_HUGEPAGE)", ("madvise", "always")),
    "refused": ("advise(map(SIZE), SIZE, MADV_NOHUGEPAGE)", ()),
    "advised_again": ("advise(advise(map(SIZE), SIZE, MADV_NOHUGEPAGE), SIZE, MADV_HUGEPAGE)", ("madvise", "always")),
    "protected": ("in_pieces(advise(map(SIZE), SIZE, MADV_HUGEPAGE), protect)", ()),
    "given_back": ("in_pieces(advise(map(SIZE), SIZE, MADV_HUGEPAGE), give_back)", ()),
    "mapped_over": ("in_pieces(advise(map(SIZE), SIZE, MADV_HUGEPAGE), map_over)", ()),
    "shared": ("advise(map_flags(MAP_SHARED), SIZE, MADV_HUGEPAGE)", ()),
    "stack": ("map_flags(MAP_PRIVATE | MAP_STACK)", ()),
    "moved": ("grow(advise(map(SIZE / 2), SIZE / 2, MADV_HUGEPAGE))", ("madvise", "always")),
    "reserved": ("reserve()", ("always",)),
    "in_heap": ("heap(SIZE + PIECE)", ("always",)),
    "in_heap_by_steps": ("steps()", ()),
    "in_bss": ("bss", ("always",)),
}

SOURCE = """
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (64ul << 20)
#define PIECE (2ul << 20)
#define ANY (PROT_READ | PROT_WRITE)

static char bss_memory[SIZE + PIECE], *bss;

/* At a whole number of pieces, between memory that is never there. */
static char *map_with(unsigned long size, int prot, int flags)
{
	char *p = mmap(0, size + 2 * PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p = (char *)(((uintptr_t)p + PIECE) / PIECE * PIECE);
	return mmap(p, size, prot, flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}
static char *map(unsigned long size) { return map_with(size, ANY, MAP_PRIVATE); }
static char *map_flags(int flags) { return map_with(SIZE, ANY, flags); }
static char *advise(char *p, unsigned long size, int advice)
{
	return madvise(p, size, advice) ? 0 : p;
}
static void protect(char *page) { mprotect(page, 4096, PROT_READ); }
static void give_back(char *page) { madvise(page, 4096, MADV_DONTNEED); }
static void map_over(char *page) { mmap(page, 4096, ANY, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); }
static char *in_pieces(char *p, void (*what)(char *))
{
	for (unsigned long i = 0; i < SIZE / PIECE; i++)
		what(p + i * PIECE + 0x5000);
	return p;
}
static char *grow(char *p)
{
	char *to = map(SIZE);

	munmap(to, SIZE);
	return mremap(p, SIZE / 2, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}
static char *reserve(void)
{
	char *p = map_with(SIZE, PROT_NONE, MAP_PRIVATE);

	return mprotect(p, SIZE, ANY) ? 0 : p;
}
static char *heap(unsigned long size)
{
	return (char *)(((uintptr_t)sbrk(size) + PIECE - 1) / PIECE * PIECE);
}
static char *steps(void)
{
	char *p = heap(PIECE);

	while ((char *)sbrk(0) < p + SIZE)
		sbrk(128 << 10);
	return p;
}
%s
int main(void)
{
	uint64_t sum = 0;

	bss = (char *)(((uintptr_t)bss_memory + PIECE - 1) / PIECE * PIECE);
%s	return sum == 1;
}
"""
LOADS = """
static __attribute__((noinline)) uint64_t %s(const volatile char *memory)
{
	uint64_t at = 1, sum = 0;

	if (!memory)
		_exit(1);
	for (int i = 0; i < 100000; i++) {
		at = at * 6364136223846793005u + 1442695040888963407u;
		sum += memory[(at >> 30) %% SIZE];
	}
	return sum;
}
"""


def make(folder):
    return compile_c(folder, "walks", SOURCE % ("".join(LOADS % name for name in CASES),
                                                "".join(f"\tsum += {name}({how});\n" for name, (how, _) in CASES.items())),
                     "-O1", "-g", "-static")


def loads(folder, program, *options):
    """Return {function: (loads with a table walk, translation cycles)}."""
    path = f"{folder}/walks.data"
    # Without a fixed seed, the 260 samples of some function exceed the limits in one of 70 runs.
    result = spemu("record", "-q", "-c", 256, "--jitter", "--seed", 1, "-o", path, *options, "--", program)
    assert (result.returncode, result.stderr) == (0, ""), f"{options}: the recording succeeds"
    rows = csv.DictReader(io.StringIO(spemu("export", "-q", "--format", "csv", "-i", path).stdout))
    found = {name: [] for name in CASES}
    for row in rows:
        if row["symbol"] in found and row["op"].startswith("load"):
            found[row["symbol"]].append((int(row["event_bits"], 16) >> 5 & 1, int(row["translation"])))
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return make(tmp_path_factory.mktemp("program"))


@pytest.mark.parametrize("mode", (None, *MODES))
def test_modes(tmp_path, program, mode):
    found = loads(tmp_path, program, *(("--uarch", f"huge_pages={mode}") if mode else ()))
    for name, (_, modes) in CASES.items():
        count, walks = len(found[name]), sum(walked for walked, _ in found[name])
        assert count > 200, f"{mode}, {name}: enough loads\n{count}"
        if (mode or "madvise") in modes:
            # The first access to each huge page walks the tables. These walks may be sampled.
            assert walks <= 32, f"{mode}, {name}: huge pages\n{walks} of {count} walk"
            assert sum(cycles for _, cycles in found[name]) <= 32 * 46, \
                f"{mode}, {name}: no other translation takes time"
        else:
            assert abs(walks / count - SMALL_WALKS) < 0.06, f"{mode}, {name}: small pages\n{walks} of {count} walk"


def test_granule(tmp_path, program):
    """With 64 KB pages, huge pages have 512 MB, which no program here uses; the second-level TLB holds all 1024 pages.
    """
    found = loads(tmp_path, program, "--uarch", "huge_pages=always,page_size=64K")
    for name, samples in found.items():
        walks, late = sum(walked for walked, _ in samples), sum(cycles > 0 for _, cycles in samples)
        assert late / len(samples) > 0.85, f"64K, {name}: the first TLB level holds few pages\n{late} of {len(samples)}"
        assert walks / len(samples) < 0.1, \
            f"64K, {name}: the second TLB level holds most pages\n{walks} of {len(samples)} walk"


def test_refused(program):
    refuses("huge pages that there are not", 2, "--uarch huge_pages=allways: 'allways' is not a valid value; use never, madvise or "
            "always", "record", "--uarch", "huge_pages=allways", "--", program)
    refuses("a size that is none", 2, "--uarch huge_pages=never,page_size=1G: '1G' is not a valid value; use a number, with K or M",
            "record", "--uarch", "huge_pages=never,page_size=1G", "--", program)
