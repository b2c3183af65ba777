/* SPDX-License-Identifier: MIT */
/*
 * Test hosts/qemu-user/huge_pages.c alone, with its own timing model: system calls of a program,
 * and the page sizes of its memory after them. The timing model shows the sizes, because several
 * memory accesses to one page cause only one table walk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <stdlib.h>

#include <spemu/codec.h>
#include <spemu/status.h>

#include "guest_abi.h"
#include "huge_pages.h"

#define MB (UINT64_C(1) << 20)
#define GB (UINT64_C(1) << 30)
#define BASE (UINT64_C(64) * GB)

enum { RW = 3, PRIVATE = 0x22, HUGETLB = 0x40022, SHARED = 0x21 };
enum { HUGEPAGE = 14, NOHUGEPAGE = 15, COLLAPSE = 25, DONTNEED = 4 };
enum { MAYMOVE = 1, DONTUNMAP = 4 };

struct process process;
static struct vcpu vcpu;

static void *memory(size_t size)
{
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	assert_non_null(mem);
	return memset(mem, 0, size);
}

/* Begin a program without memory. */
static void begin(unsigned huge, uint64_t page)
{
	const uint64_t all[4] = {0, UINT64_C(1) << 48}, thp[4] = {41, 0};
	size_t size;

	huge_pages_syscall(&vcpu, __NR_munmap, all);
	huge_pages_return(&vcpu, __NR_prctl, thp, 0);
	process.profile_storage = *uarch_profile("neoverse-n1");
	process.profile_storage.huge_pages = (uint8_t)huge;
	assert_int_equal(uarch_set(&process.profile_storage, "page_size", page), SPEMU_OK);
	process.profile = &process.profile_storage;
	free(process.shared);
	free(vcpu.core);
	size = uarch_shared_size(process.profile, 1);
	assert_int_equal(uarch_shared_init(&process.shared, memory(size), size, process.profile, 1),
	                 SPEMU_OK);
	size = uarch_core_size(process.shared);
	assert_int_equal(uarch_core_init(&vcpu.core, memory(size), size, process.shared, 0),
	                 SPEMU_OK);
}

static void call(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, int64_t ret)
{
	const uint64_t argument[4] = {a1, a2, a3, a4};

	huge_pages_syscall(&vcpu, num, argument);
	huge_pages_return(&vcpu, num, argument, ret);
}

static void map_at(uint64_t at, uint64_t size, uint64_t flags)
{
	call(__NR_mmap, 0, size, RW, flags, (int64_t)at);
}

static bool walks(uint64_t addr)
{
	struct uarch_result r = {0};

	uarch_access(vcpu.core, &r, 0, addr, 1, UARCH_LOAD);
	return r.events & UINT64_C(1) << SPEMU_EV_TLB_WALK;
}

/* Return the size of the page that contains `addr`. It is measured by memory accesses with an empty
 * TLB. */
static uint64_t page_at(uint64_t addr)
{
	static const unsigned shifts[] = {30, 29, 25, 21, 16, 12};

	for (unsigned i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
		uint64_t first = addr >> shifts[i] << shifts[i];
		uint64_t last = first + (UINT64_C(1) << shifts[i]) - 4096;

		/* evict all entries from the TLB with small pages at other addresses */
		for (uint64_t other = 0; other < 4096; other++)
			(void)walks(UINT64_C(1) << 50 | other << process.profile->page_shift);
		if (walks(first) && !walks(last) && shifts[i] >= process.profile->page_shift)
			return UINT64_C(1) << shifts[i];
	}
	return 0;
}

static void mappings_of_explicit_sizes(void **state)
{
	static const struct {
		uint64_t flags, page;
	} rows[] = {{HUGETLB, 2 * MB},
	            {HUGETLB | 21u << 26, 2 * MB},
	            {HUGETLB | 16u << 26, 65536},
	            {HUGETLB | 25u << 26, 32 * MB},
	            {HUGETLB | UINT64_C(30) << 26, GB},
	            {(HUGETLB & ~3u) | 1, 2 * MB}};

	(void)state;
	for (unsigned mode = 0; mode < 3; mode++) {
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			begin(mode, 4096);
			map_at(BASE, 2 * GB, rows[i].flags);
			assert_int_equal(page_at(BASE + GB + 33 * MB), rows[i].page);
			assert_int_equal(page_at(BASE - GB), 4096);
			assert_int_equal(page_at(BASE + 2 * GB), 4096);
			/* the range of this advice contains other memory, too */
			call(__NR_madvise, BASE, 2 * GB, NOHUGEPAGE, 0, 0);
			assert_int_equal(page_at(BASE + GB + 33 * MB), rows[i].page);
			call(__NR_munmap, BASE, 2 * GB, 0, 0, 0);
			assert_int_equal(page_at(BASE + GB + 33 * MB), 4096);
		}
	}
}

static void whole_pieces_of_a_mapping(void **state)
{
	(void)state;
	begin(UARCH_HUGE_ALWAYS, 4096);
	map_at(BASE + MB, 6 * MB, PRIVATE);
	assert_int_equal(page_at(BASE + MB), 4096);
	assert_int_equal(page_at(BASE + 2 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 4 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 6 * MB), 4096);
	/* a failed call has no effect; a mapping that is not anonymous removes the huge pages */
	call(__NR_mmap, BASE, 6 * MB, RW, SHARED, -12);
	assert_int_equal(page_at(BASE + 2 * MB), 2 * MB);
	map_at(BASE + 2 * MB, 2 * MB, 2);
	assert_int_equal(page_at(BASE + 2 * MB), 4096);
	assert_int_equal(page_at(BASE + 4 * MB), 2 * MB);
	/* with larger pages, huge pages are larger or do not exist */
	begin(UARCH_HUGE_ALWAYS, 16384);
	map_at(BASE, 64 * MB, PRIVATE);
	assert_int_equal(page_at(BASE), 32 * MB);
	begin(UARCH_HUGE_ALWAYS, 2 * MB);
	map_at(BASE, 64 * MB, PRIVATE);
	assert_int_equal(page_at(BASE), 2 * MB);
}

static void protection_ends_inside_of_a_piece(void **state)
{
	(void)state;
	begin(UARCH_HUGE_ALWAYS, 4096);
	map_at(BASE, 16 * MB, PRIVATE);
	call(__NR_mprotect, BASE + 3 * MB, 4 * MB, 1, 0, 0);
	assert_int_equal(page_at(BASE), 2 * MB);
	assert_int_equal(page_at(BASE + 2 * MB), 4096);
	assert_int_equal(page_at(BASE + 4 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 6 * MB), 4096);
	assert_int_equal(page_at(BASE + 8 * MB), 2 * MB);
	/* set the protection that the range already has */
	call(__NR_mprotect, BASE + 9 * MB, MB / 2, RW, 0, 0);
	assert_int_equal(page_at(BASE + 8 * MB), 2 * MB);
	/* reserved memory gets huge pages if it becomes accessible all at once */
	call(__NR_mmap, 0, 16 * MB, 0, PRIVATE, (int64_t)(BASE + GB));
	call(__NR_mprotect, BASE + GB, MB, RW, 0, 0);
	call(__NR_mprotect, BASE + GB + MB, 3 * MB, RW, 0, 0);
	assert_int_equal(page_at(BASE + GB), 4096);
	assert_int_equal(page_at(BASE + GB + 2 * MB), 2 * MB);
}

static void advice(void **state)
{
	(void)state;
	begin(UARCH_HUGE_MADVISE, 4096);
	map_at(BASE, 16 * MB, PRIVATE);
	assert_int_equal(page_at(BASE), 4096);
	call(__NR_madvise, BASE + 3 * MB, 6 * MB, HUGEPAGE, 0, 0);
	assert_int_equal(page_at(BASE + 2 * MB), 4096);
	assert_int_equal(page_at(BASE + 4 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 8 * MB), 4096);
	/* the whole piece is part of one mapping again */
	call(__NR_madvise, BASE, 3 * MB, HUGEPAGE, 0, 0);
	assert_int_equal(page_at(BASE + 2 * MB), 2 * MB);
	call(__NR_madvise, BASE + 4 * MB, MB, DONTNEED, 0, 0);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	call(__NR_madvise, BASE + 4 * MB, 2 * MB, DONTNEED, 0, 0);
	assert_int_equal(page_at(BASE + 4 * MB), 2 * MB);
	call(__NR_madvise, BASE + 5 * MB, MB, DONTNEED, 0, 0);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	call(__NR_madvise, BASE + 4 * MB, 2 * MB, DONTNEED, 0, 0);
	call(__NR_madvise, BASE, 6 * MB, NOHUGEPAGE, 0, 0);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	call(__NR_madvise, BASE, 16 * MB, COLLAPSE, 0, 0);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	assert_int_equal(page_at(BASE + 12 * MB), 2 * MB);
	/* a program that disables huge pages */
	call(__NR_prctl, 41, 1, 0, 0, 0);
	map_at(BASE + GB, 4 * MB, PRIVATE);
	call(__NR_madvise, BASE + GB, 4 * MB, HUGEPAGE, 0, 0);
	assert_int_equal(page_at(BASE + GB), 4096);
	assert_int_equal(page_at(BASE + 12 * MB), 2 * MB);
}

static void memory_moves(void **state)
{
	(void)state;
	begin(UARCH_HUGE_MADVISE, 4096);
	map_at(BASE, 8 * MB, PRIVATE);
	call(__NR_madvise, BASE, 8 * MB, HUGEPAGE, 0, 0);
	/* shrink and grow a mapping in place */
	call(__NR_mremap, BASE, 8 * MB, 5 * MB, 0, (int64_t)BASE);
	assert_int_equal(page_at(BASE + 2 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	call(__NR_mremap, BASE, 5 * MB, 12 * MB, 0, (int64_t)BASE);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	assert_int_equal(page_at(BASE + 6 * MB), 2 * MB);
	/* move to aligned addresses, and to others, where only new pieces are huge */
	call(__NR_mremap, BASE, 12 * MB, 12 * MB, MAYMOVE, (int64_t)(BASE + GB));
	assert_int_equal(page_at(BASE + 6 * MB), 4096);
	assert_int_equal(page_at(BASE + GB + 6 * MB), 2 * MB);
	call(__NR_mremap, BASE + GB, 12 * MB, 20 * MB, MAYMOVE, (int64_t)(BASE + MB));
	assert_int_equal(page_at(BASE + GB + 6 * MB), 4096);
	assert_int_equal(page_at(BASE + 6 * MB), 4096);
	assert_int_equal(page_at(BASE + 14 * MB), 2 * MB);
	call(__NR_mremap, BASE + MB, 20 * MB, 20 * MB, MAYMOVE | DONTUNMAP,
	     (int64_t)(BASE + GB + MB));
	assert_int_equal(page_at(BASE + 14 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + GB + 14 * MB), 2 * MB);
}

static void the_break(void **state)
{
	(void)state;
	begin(UARCH_HUGE_ALWAYS, 4096);
	huge_pages_initial(BASE - 16 * MB, BASE - 8 * MB);
	assert_int_equal(page_at(BASE - 16 * MB), 2 * MB);
	call(__NR_brk, 0, 0, 0, 0, (int64_t)BASE);
	call(__NR_brk, 0, 0, 0, 0, (int64_t)(BASE + 5 * MB));
	assert_int_equal(page_at(BASE + 2 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	call(__NR_brk, 0, 0, 0, 0, (int64_t)(BASE + 8 * MB));
	assert_int_equal(page_at(BASE + 4 * MB), 4096);
	assert_int_equal(page_at(BASE + 6 * MB), 2 * MB);
	call(__NR_brk, 0, 0, 0, 0, (int64_t)(BASE + 3 * MB));
	assert_int_equal(page_at(BASE), 2 * MB);
	assert_int_equal(page_at(BASE + 2 * MB), 4096);
}

/* With more mappings than the table can hold, further memory has small pages. The entries of the
 * table stay correct. */
static void very_many_mappings(void **state)
{
	(void)state;
	begin(UARCH_HUGE_ALWAYS, 4096);
	for (uint64_t i = 0; i < 5000; i++)
		map_at(BASE + 4 * i * MB, 2 * MB, PRIVATE);
	assert_int_equal(page_at(BASE), 2 * MB);
	assert_int_equal(page_at(BASE + 4 * 4095 * MB), 2 * MB);
	assert_int_equal(page_at(BASE + 4 * 4999 * MB), 4096);
	for (uint64_t i = 0; i < 5000; i++)
		call(__NR_munmap, BASE + 4 * i * MB, 2 * MB, 0, 0, 0);
	assert_int_equal(page_at(BASE), 4096);
	assert_int_equal(page_at(BASE + 4 * 4095 * MB), 4096);
	map_at(BASE, 2 * MB, PRIVATE);
	assert_int_equal(page_at(BASE), 2 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(mappings_of_explicit_sizes),
	        cmocka_unit_test(whole_pieces_of_a_mapping),
	        cmocka_unit_test(protection_ends_inside_of_a_piece),
	        cmocka_unit_test(advice),
	        cmocka_unit_test(memory_moves),
	        cmocka_unit_test(the_break),
	        cmocka_unit_test(very_many_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
