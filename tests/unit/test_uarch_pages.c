/* SPDX-License-Identifier: MIT */
/* Test uarch_pages() with pages of several sizes. The TLBs of the fixture have 4 and 16 entries,
 * and its pages have 4 KB. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>

#include "uarch_pages_fixture.h"

#define HUGE_SHIFT 21
#define FIRST 4   /* entries of the first-level TLB */
#define SECOND 16 /* entries of the second-level TLB */

static void map(struct machine *m, unsigned core, uint64_t start, uint64_t size, unsigned shift)
{
	assert_int_equal(uarch_pages(m->shared, m->core[core], start, size, shift), SPEMU_OK);
}

static void huge_page_needs_one_walk(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	map(&m, 0, BASE, HUGE, HUGE_SHIFT);
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t at = 0; at < HUGE; at += PAGE)
			assert_int_equal(translation(&m, 0, BASE + at + at / 64 % PAGE),
			                 at || round ? HIT : WALK);
	}
	/* The pages next to the huge page do not belong to it. */
	assert_int_equal(translation(&m, 0, BASE - PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE + PAGE), WALK);
	machine_stop(&m);
}

/* Access one line of each of `pages` pages, `step` bytes apart, three times. Return the translation
 * cycles of each access of the last round. */
static uint32_t reach(struct machine *m, unsigned pages, uint64_t step)
{
	uint32_t cycles = 0;

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < pages; i++) {
			uint32_t now = translation(m, 0, BASE + i * step + i * LINE);

			assert_true(round < 2 || i == 0 || now == cycles);
			cycles = now;
		}
	}
	return cycles;
}

static void tlb_reach_counts_huge_pages(void **state)
{
	static const struct {
		unsigned pages;
		uint32_t cycles;
	} rows[] = {{FIRST, HIT},
	            {FIRST + 1, SECOND_LEVEL},
	            {SECOND, SECOND_LEVEL},
	            {SECOND + 4, WALK}}; /* each set gets one entry more than it holds */

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned shift = 13; shift <= 30; shift++) {
			uint64_t page = UINT64_C(1) << shift;
			struct machine m;

			machine_start(&m, 1);
			map(&m, 0, BASE, rows[i].pages * page, shift);
			assert_int_equal(reach(&m, rows[i].pages, page), rows[i].cycles);
			/* Memory with the profile's page size reaches as far with the same number
			 * of pages. */
			map(&m, 0, BASE, rows[i].pages * page, 0);
			assert_int_equal(reach(&m, rows[i].pages, PAGE), rows[i].cycles);
			machine_stop(&m);
		}
	}
}

static void removed_huge_pages_are_forgotten(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	map(&m, 0, BASE, 2 * HUGE, HUGE_SHIFT);
	load(&m, 0, BASE);
	load(&m, 0, BASE + HUGE);
	/* Registering the same pages again changes nothing. */
	map(&m, 0, BASE, 2 * HUGE, HUGE_SHIFT);
	map(&m, 0, BASE + HUGE, HUGE, HUGE_SHIFT);
	map(&m, 0, BASE + 2 * HUGE, HUGE, 12);
	assert_int_equal(translation(&m, 0, BASE), HIT);
	/* A part of the second huge page gets small pages, so the rest of that page has small pages
	 * too. The first huge page does not change. */
	map(&m, 0, BASE + HUGE + 8 * PAGE, PAGE, 0);
	assert_int_equal(translation(&m, 0, BASE + 9 * PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 2 * HUGE - PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE + PAGE), HIT);
	/* When the huge page is registered again, the small pages are forgotten too. */
	map(&m, 0, BASE + HUGE, HUGE, HUGE_SHIFT);
	assert_int_equal(translation(&m, 0, BASE + HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE + 2 * PAGE), HIT);
	machine_stop(&m);
}

/* On the core that removes a huge page, the fast path forgets the page too. */
static void fast_path_forgets_removed_huge_page(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	map(&m, 0, BASE, HUGE, HUGE_SHIFT);
	load(&m, 0, BASE + PAGE);
	assert_true(uarch_hit(m.core[0], BASE + PAGE, 8, UARCH_LOAD));
	map(&m, 0, BASE, PAGE, 12);
	assert_false(uarch_hit(m.core[0], BASE + PAGE, 8, UARCH_LOAD));
	assert_int_equal(translation(&m, 0, BASE + PAGE), WALK);
	assert_true(uarch_hit(m.core[0], BASE + PAGE, 8, UARCH_LOAD));
	map(&m, 0, BASE, HUGE, HUGE_SHIFT);
	assert_false(uarch_hit(m.core[0], BASE + PAGE, 8, UARCH_LOAD));
	machine_stop(&m);
}

static void larger_and_smaller_pages_overlap(void **state)
{
	const uint64_t giant = UINT64_C(1) << 30, medium = UINT64_C(1) << 16;
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	map(&m, 0, BASE, 3 * giant, 30);
	/*
	 * A part of the middle one of three giant pages gets other pages. The middle one is then no
	 * longer a giant page.
	 */
	map(&m, 0, BASE + giant + 4 * HUGE, HUGE, HUGE_SHIFT);
	assert_int_equal(translation(&m, 0, BASE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant - PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + 2 * giant), WALK);
	assert_int_equal(translation(&m, 0, BASE + 3 * giant - PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + giant + 4 * HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE - PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant), WALK);
	/* A range that crosses the boundary between a huge page and the next one. */
	map(&m, 0, BASE + giant + 5 * HUGE - medium, 2 * medium, 16);
	assert_int_equal(translation(&m, 0, BASE + giant + 4 * HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 4 * HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE - medium), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE - PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE + medium - PAGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + giant + 5 * HUGE + medium), WALK);
	/* Replace all pages at once. */
	map(&m, 0, 0, UINT64_C(1) << 56, 0);
	assert_int_equal(translation(&m, 0, BASE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 2 * PAGE), WALK);
	machine_stop(&m);
}

static void access_across_small_pages_is_in_one_huge_page(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	p.dtlb.cycles = 3;
	machine_start_with(&m, &p, 4, 1);
	map(&m, 0, BASE, 2 * HUGE, HUGE_SHIFT);
	assert_int_equal(load(&m, 0, BASE).translation_latency, WALK + 3);
	assert_int_equal(touch(&m, 0, BASE + PAGE - 4, 8, UARCH_LOAD).translation_latency, 3);
	assert_int_equal(touch(&m, 0, BASE + HUGE - 4, 8, UARCH_LOAD).translation_latency,
	                 3 + 3 + WALK);
	assert_int_equal(touch(&m, 0, BASE - 4, 8, UARCH_LOAD).translation_latency, 3 + 3 + WALK);
	machine_stop(&m);
}

/* Accesses by the fast path count as uses of a huge page, even if many other parts of huge pages
 * were used afterwards. */
static void fast_path_uses_keep_a_huge_page_recent(void **state)
{
	struct machine m;

	(void)state;
	for (unsigned others = 0; others < 512; others += 73) {
		machine_start(&m, 1);
		map(&m, 0, BASE, 2 * HUGE, HUGE_SHIFT);
		load(&m, 0, BASE);
		load(&m, 0, BASE + 8 * HUGE + 1 * (PAGE + LINE));
		load(&m, 0, BASE + 9 * HUGE + 2 * (PAGE + LINE));
		load(&m, 0, BASE + HUGE + 3 * (PAGE + LINE));
		assert_true(uarch_hit(m.core[0], BASE, 8, UARCH_LOAD));
		for (unsigned i = 1; i <= others; i++)
			load(&m, 0, BASE + HUGE + i % 512 * PAGE);
		/* These loads evict the two small pages, which were used before the huge page. */
		load(&m, 0, BASE + 10 * HUGE);
		load(&m, 0, BASE + 11 * HUGE);
		assert_int_equal(translation(&m, 0, BASE + PAGE), HIT);
		assert_int_equal(translation(&m, 0, BASE + 8 * HUGE + PAGE), SECOND_LEVEL);
		machine_stop(&m);
	}
}

/* The core in the call learns about a change at once. The other cores learn about it at their next
 * translation. */
static void page_changes_reach_every_core(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 3);
	for (unsigned changes = 1; changes < 200; changes += 33) {
		for (unsigned i = 0; i < 3; i++)
			load(&m, i, BASE);
		for (unsigned i = 0; i < changes; i++)
			map(&m, 0, BASE + i % 2 * HUGE, HUGE, i % 4 < 2 ? HUGE_SHIFT : 0);
		for (unsigned i = 0; i < 3; i++) {
			bool huge = (changes - 1) % 4 < 2;

			assert_int_equal(translation(&m, i, BASE), WALK);
			assert_int_equal(translation(&m, i, BASE + PAGE), huge ? HIT : WALK);
		}
		map(&m, 0, BASE, 2 * HUGE, 0);
	}
	assert_int_equal(uarch_pages(m.shared, NULL, BASE, HUGE, HUGE_SHIFT), SPEMU_OK);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(translation(&m, i, BASE + PAGE), WALK);
		assert_int_equal(translation(&m, i, BASE + 2 * PAGE), HIT);
	}
	machine_stop(&m);
}

static void invalid_arguments_change_nothing(void **state)
{
	static const struct {
		uint64_t start, size;
		unsigned shift;
	} rows[] = {
	        {BASE, 0, 0},
	        {BASE, 0, HUGE_SHIFT},
	        {BASE, HUGE, 11},
	        {BASE, HUGE, 1},
	        {BASE, UINT64_C(1) << 31, 31},
	        {BASE, UINT64_C(1) << 40, 64},
	        {BASE + PAGE, HUGE, HUGE_SHIFT},
	        {BASE, HUGE + PAGE, HUGE_SHIFT},
	        {BASE, PAGE / 2, 0},
	        {BASE + 8, PAGE, 0},
	        {0, (UINT64_C(1) << 56) + PAGE, 0},
	        {(UINT64_C(1) << 56) - HUGE, 2 * HUGE, HUGE_SHIFT},
	        {BASE, UINT64_MAX - PAGE + 1, 0},
	};
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	load(&m, 0, BASE);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(uarch_pages(m.shared, m.core[0], rows[i].start, rows[i].size,
		                             rows[i].shift),
		                 SPEMU_ERR_INVALID);
	assert_int_equal(translation(&m, 0, BASE), HIT);
	assert_int_equal(translation(&m, 0, BASE + PAGE), WALK);
	/* The last page of the address space, with any tag. */
	map(&m, 0, UINT64_C(0x12ffffffffe00000), HUGE, HUGE_SHIFT);
	assert_int_equal(translation(&m, 0, UINT64_C(0x00ffffffffe00000)), WALK);
	assert_int_equal(translation(&m, 0, UINT64_C(0x34fffffffffff000)), HIT);
	machine_stop(&m);
}

static void up_to_4096_ranges_are_kept(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	for (unsigned i = 0; i < 4096; i++)
		map(&m, 0, BASE + i * 2 * HUGE, HUGE, HUGE_SHIFT);
	assert_int_equal(uarch_pages(m.shared, NULL, BASE + 8192 * HUGE, HUGE, HUGE_SHIFT),
	                 SPEMU_ERR_NOSPACE);
	for (unsigned i = 0; i < 4096; i++) {
		assert_int_equal(translation(&m, 0, BASE + i * 2 * HUGE), WALK);
		assert_int_equal(translation(&m, 0, BASE + i * 2 * HUGE + PAGE), HIT);
	}
	assert_int_equal(translation(&m, 0, BASE + 8192 * HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 8192 * HUGE + PAGE), WALK);
	/* A range that fills a gap makes room, because three ranges become one. */
	map(&m, 0, BASE + HUGE, HUGE, HUGE_SHIFT);
	map(&m, 0, BASE + 8192 * HUGE, HUGE, HUGE_SHIFT);
	assert_int_equal(translation(&m, 0, BASE + 8192 * HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 8192 * HUGE), HIT);
	machine_stop(&m);
}

struct worker {
	struct machine *machine;
	unsigned core;
	_Atomic bool *done;
};

/* Load from memory whose pages change between small and huge all the time. */
static void *walk(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->core + 1;

	while (!*w->done) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		struct uarch_result r =
		        load(w->machine, w->core, BASE + ((x >> 33) % (64 * HUGE) & ~UINT64_C(7)));

		if (r.accesses != 1 || r.translation_latency > WALK)
			return w;
	}
	return NULL;
}

static void pages_may_change_while_other_cores_run(void **state)
{
	_Atomic bool done = false;
	struct worker workers[2];
	pthread_t threads[2];
	struct machine m;
	void *failed;

	(void)state;
	machine_start(&m, 3);
	for (unsigned i = 0; i < 2; i++) {
		workers[i] = (struct worker){&m, i + 1, &done};
		assert_int_equal(pthread_create(&threads[i], NULL, walk, &workers[i]), 0);
	}
	for (unsigned i = 0; i < 20000; i++)
		map(&m, 0, BASE + i * 7 % 64 * HUGE, HUGE, i % 3 ? HUGE_SHIFT : 0);
	done = true;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	/* In the end, all cores see the same pages. */
	map(&m, 0, BASE, 64 * HUGE, HUGE_SHIFT);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned page = 0; page < 64; page++) {
			assert_int_equal(translation(&m, i, BASE + page * HUGE), WALK);
			assert_int_equal(translation(&m, i, BASE + page * HUGE + 5 * PAGE), HIT);
		}
	}
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(huge_page_needs_one_walk),
	        cmocka_unit_test(tlb_reach_counts_huge_pages),
	        cmocka_unit_test(removed_huge_pages_are_forgotten),
	        cmocka_unit_test(fast_path_forgets_removed_huge_page),
	        cmocka_unit_test(larger_and_smaller_pages_overlap),
	        cmocka_unit_test(access_across_small_pages_is_in_one_huge_page),
	        cmocka_unit_test(fast_path_uses_keep_a_huge_page_recent),
	        cmocka_unit_test(page_changes_reach_every_core),
	        cmocka_unit_test(invalid_arguments_change_nothing),
	        cmocka_unit_test(up_to_4096_ranges_are_kept),
	        cmocka_unit_test(pages_may_change_while_other_cores_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
