/* SPDX-License-Identifier: MIT */
/* Test pages that a host looks up, and TLB maintenance: uarch_look_up_pages(),
 * uarch_tlb_invalidate(). The TLBs of the fixture have 4 and 16 entries, and its pages have 4
 * KB. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_pages_fixture.h"

#define GIGA (UINT64_C(1) << 30)
#define PIECES 16

/* The page tables of the host. Piece i of 2 MB from BASE on has pages of 1 << shift[i] bytes. All
 * other addresses have pages of 1 << shift[PIECES] bytes. */
struct tables {
	unsigned shift[PIECES + 1];
	unsigned asked;
	uint64_t last;
};

static unsigned page_log2(void *ctx, uint64_t addr)
{
	struct tables *t = ctx;
	uint64_t piece = (addr - BASE) / HUGE;

	t->asked++;
	t->last = addr;
	return t->shift[piece < PIECES ? piece : PIECES];
}

static void page_lookup_is_called_on_first_level_miss(void **state)
{
	struct tables t = {.shift = {21, 12, 16}};
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	uarch_look_up_pages(m.core[0], page_log2, &t);
	assert_int_equal(t.asked, 0);
	assert_int_equal(translation(&m, 0, BASE | UINT64_C(0xab) << 56), WALK);
	assert_int_equal(t.asked, 1);
	assert_true(t.last >> 12 == BASE >> 12); /* the address has no tag */
	/* The core then knows the page size of each 4 KB that it has looked up. */
	assert_int_equal(translation(&m, 0, BASE + 8), HIT);
	assert_int_equal(t.asked, 1);
	assert_int_equal(translation(&m, 0, BASE + HUGE - 8), HIT);
	assert_int_equal(translation(&m, 0, BASE + HUGE - 8), HIT);
	assert_int_equal(t.asked, 2);
	assert_true(uarch_hit(m.core[0], BASE + HUGE - 8, 8, UARCH_LOAD));
	/* The next two pieces have smaller pages. */
	assert_int_equal(translation(&m, 0, BASE + HUGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + HUGE + PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 2 * HUGE + 15 * PAGE), WALK);
	assert_int_equal(translation(&m, 0, BASE + 2 * HUGE), HIT);
	assert_int_equal(translation(&m, 0, BASE + 2 * HUGE + 16 * PAGE), WALK);
	machine_stop(&m);
}

static void page_sizes_are_clamped_to_profile_and_1_gb(void **state)
{
	static const struct {
		unsigned shift;
		uint64_t size;
	} rows[] = {{0, PAGE},  {11, PAGE}, {12, PAGE}, {13, 2 * PAGE},
	            {30, GIGA}, {31, GIGA}, {48, GIGA}, {UINT32_MAX, GIGA}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tables t = {.shift = {[PIECES] = rows[i].shift}};
		struct machine m;

		machine_start(&m, 1);
		uarch_look_up_pages(m.core[0], page_log2, &t);
		assert_int_equal(translation(&m, 0, 2 * BASE), WALK);
		assert_int_equal(translation(&m, 0, 2 * BASE + rows[i].size - LINE), HIT);
		assert_int_equal(translation(&m, 0, 2 * BASE + rows[i].size), WALK);
		machine_stop(&m);
	}
}

/* If the page is huge, an access across a boundary of 4 KB stays in one page. */
static void access_across_small_pages_is_in_one_huge_page(void **state)
{
	struct tables t = {.shift = {21, 21, 12}};
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	p.dtlb.cycles = 3;
	machine_start_with(&m, &p, 4, 1);
	uarch_look_up_pages(m.core[0], page_log2, &t);
	assert_int_equal(touch(&m, 0, BASE + PAGE - 4, 8, UARCH_LOAD).translation_latency,
	                 WALK + 3);
	assert_int_equal(touch(&m, 0, BASE + HUGE - 4, 8, UARCH_LOAD).translation_latency,
	                 3 + 3 + WALK);
	assert_int_equal(
	        touch(&m, 0, BASE + 2 * HUGE + PAGE - 4, 8, UARCH_LOAD).translation_latency,
	        2 * (3 + WALK));
	machine_stop(&m);
}

static uint64_t draw(uint64_t *seed, uint64_t limit)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % limit;
}

/* Change the page size of one piece in both machines. */
static void change(struct machine *registered, struct machine *looked_up, struct tables *t,
                   uint64_t *seed)
{
	static const unsigned shifts[] = {12, 14, 16, 21};
	uint64_t piece = draw(seed, PIECES), start = BASE + piece * HUGE;
	unsigned shift = shifts[draw(seed, 4)];

	if (t->shift[piece] == shift)
		return;
	t->shift[piece] = shift;
	assert_int_equal(uarch_pages(registered->shared, NULL, start, HUGE, shift), SPEMU_OK);
	assert_int_equal(uarch_tlb_invalidate(looked_up->core[0], start, HUGE, true), SPEMU_OK);
}

static void looked_up_pages_equal_registered_pages(void **state)
{
	struct machine registered, looked_up;
	struct tables t = {.asked = 0};
	uint64_t seed = 11;

	(void)state;
	for (unsigned i = 0; i <= PIECES; i++)
		t.shift[i] = 12;
	machine_start(&registered, 2);
	machine_start(&looked_up, 2);
	for (unsigned core = 0; core < 2; core++)
		uarch_look_up_pages(looked_up.core[core], page_log2, &t);
	for (unsigned i = 0; i < 300000; i++) {
		uint64_t near = draw(&seed, 8) ? draw(&seed, 6) * HUGE + draw(&seed, 40) * PAGE
		                               : draw(&seed, PIECES * HUGE);
		uint64_t addr = BASE + near + draw(&seed, PAGE);
		unsigned core = (unsigned)draw(&seed, 2), flags = 1u + (unsigned)draw(&seed, 3);
		uint32_t size = 1u << draw(&seed, 7);

		if (draw(&seed, 200) == 0)
			change(&registered, &looked_up, &t, &seed);
		if (draw(&seed, 3) == 0) {
			bool hit = uarch_hit(registered.core[core], addr, size, flags);

			assert_int_equal(uarch_hit(looked_up.core[core], addr, size, flags), hit);
			continue;
		}
		struct uarch_result a = touch(&registered, core, addr, size, flags);
		struct uarch_result b = touch(&looked_up, core, addr, size, flags);

		assert_memory_equal(&a, &b, sizeof(a));
	}
	assert_true(t.asked > 50000);
	machine_stop(&registered);
	machine_stop(&looked_up);
}

static void invalidate(struct machine *m, unsigned core, uint64_t start, uint64_t size, bool all)
{
	assert_int_equal(uarch_tlb_invalidate(m->core[core], start, size, all), SPEMU_OK);
}

static void invalidation_reaches_all_cores(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	assert_int_equal(uarch_pages(m.shared, NULL, BASE, HUGE, 21), SPEMU_OK);
	for (unsigned core = 0; core < 2; core++) {
		load(&m, core, BASE);
		load(&m, core, BASE + HUGE);
		load(&m, core, BASE + HUGE + PAGE);
	}
	/* The range is one byte within a page, and the address has a tag. */
	invalidate(&m, 0, BASE | UINT64_C(0x55) << 56 | 8, 1, true);
	assert_false(uarch_hit(m.core[0], BASE, 8, UARCH_LOAD));
	for (unsigned core = 0; core < 2; core++) {
		assert_int_equal(translation(&m, core, BASE + HUGE), HIT);
		assert_int_equal(translation(&m, core, BASE + HUGE + PAGE), HIT);
		/* Both cores walk again and find the page as large as before. */
		assert_int_equal(translation(&m, core, BASE), WALK);
		assert_int_equal(translation(&m, core, BASE + PAGE), HIT);
	}
	invalidate(&m, 1, 0, UINT64_C(1) << 56, true);
	for (unsigned core = 0; core < 2; core++) {
		assert_int_equal(translation(&m, core, BASE + HUGE), WALK);
		assert_int_equal(translation(&m, core, BASE + 7 * PAGE), WALK);
	}
	/* After that, further invalidations and registrations still work. */
	invalidate(&m, 0, BASE, 1, true);
	assert_int_equal(uarch_pages(m.shared, NULL, BASE + HUGE, HUGE, 21), SPEMU_OK);
	assert_int_equal(translation(&m, 1, BASE + HUGE), WALK);
	assert_int_equal(translation(&m, 1, BASE + HUGE + 9 * PAGE), HIT);
	assert_int_equal(translation(&m, 1, BASE), WALK);
	assert_int_equal(translation(&m, 1, BASE + 9 * PAGE), HIT);
	machine_stop(&m);
}

static void invalidation_can_name_one_core(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	for (unsigned core = 0; core < 2; core++) {
		load(&m, core, BASE);
		load(&m, core, BASE + PAGE);
	}
	invalidate(&m, 0, BASE, PAGE, false);
	assert_false(uarch_hit(m.core[0], BASE, 8, UARCH_LOAD));
	assert_int_equal(translation(&m, 0, BASE), WALK);
	assert_int_equal(translation(&m, 0, BASE + PAGE), HIT);
	assert_int_equal(translation(&m, 1, BASE), HIT);
	machine_stop(&m);
}

static void impossible_ranges_are_refused(void **state)
{
	static const uint64_t rows[][2] = {{BASE, 0},
	                                   {0, (UINT64_C(1) << 56) + 1},
	                                   {(UINT64_C(1) << 56) - 1, 2},
	                                   {BASE, UINT64_MAX}};
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	load(&m, 0, BASE);
	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
		        uarch_tlb_invalidate(m.core[0], rows[i / 2][0], rows[i / 2][1], i % 2),
		        SPEMU_ERR_INVALID);
	assert_int_equal(translation(&m, 0, BASE), HIT);
	machine_stop(&m);
}

static void registered_pages_apply_again_after_lookup(void **state)
{
	struct tables t = {.shift = {12}};
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	assert_int_equal(uarch_pages(m.shared, NULL, BASE, HUGE, 21), SPEMU_OK);
	assert_int_equal(translation(&m, 0, BASE), WALK);
	uarch_look_up_pages(m.core[0], page_log2, &t);
	assert_int_equal(translation(&m, 0, BASE), WALK);
	assert_int_equal(translation(&m, 0, BASE + PAGE), WALK);
	uarch_look_up_pages(m.core[0], NULL, NULL);
	t.asked = 0;
	assert_int_equal(translation(&m, 0, BASE), WALK);
	assert_int_equal(translation(&m, 0, BASE + PAGE), HIT);
	assert_int_equal(t.asked, 0);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(page_lookup_is_called_on_first_level_miss),
	        cmocka_unit_test(page_sizes_are_clamped_to_profile_and_1_gb),
	        cmocka_unit_test(access_across_small_pages_is_in_one_huge_page),
	        cmocka_unit_test(looked_up_pages_equal_registered_pages),
	        cmocka_unit_test(invalidation_reaches_all_cores),
	        cmocka_unit_test(invalidation_can_name_one_core),
	        cmocka_unit_test(impossible_ranges_are_refused),
	        cmocka_unit_test(registered_pages_apply_again_after_lookup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
