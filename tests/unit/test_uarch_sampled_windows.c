/* SPDX-License-Identifier: MIT */
/* Windows of sampled fidelity: of what one tells, whether it is as known, and whether it had better go on. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sampled_fixture.h"

/* L2 takes eight cycles more than L1. */
static int start_in_eights(void **state)
{
	struct spemu_uarch_profile p;

	(void)state;
	machine_profile(&p);
	p.l2.cycles = p.l1d.cycles + 8;
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

/* Loads from the first to before the last, of which every fourth misses. */
static void tell_lines(struct spemu_uarch_site *site, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		tell(site, i * LINE / 4);
}

/* What was not seen from the start is learnt of when there have been four accesses for each of the 64 lines of L1, and of the
 * 256 of L2. */
static void nothing_is_learnt_too_early(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	tell_lines(&site, 0, 255);
	assert_int_equal(site.reached[LEVEL(L1)], 0);
	tell_lines(&site, 255, 256);
	assert_int_equal(site.reached[LEVEL(L1)], 1);
	tell_lines(&site, 256, 1023);
	assert_int_equal(site.reached[LEVEL(L1)], 768);
	assert_int_equal(site.reached[LEVEL(L2)], 0);
	tell_lines(&site, 1023, 1025);
	assert_int_equal(site.reached[LEVEL(L2)], 1);
}

/* Or sooner, when three lines have come for each of the 256 of L2. Then shorter windows tell of L1 alone; what was known counts half in
 * the next window. */
static void l2_is_learnt_of_when_it_was_replaced(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 767; i++)
		tell(&site, i * LINE);
	assert_int_equal(site.reached[LEVEL(L2)], 0);
	tell(&site, 767 * LINE);
	assert_int_equal(site.reached[LEVEL(L2)], 1);
	assert_int_equal(site.reached[LEVEL(LLC)], 1);
	spemu_uarch_window(m.core[0], false);
	tell_lines(&site, 1 << 20, (1 << 20) + 3068);
	assert_int_equal(site.reached[LEVEL(L2)], 0);
	assert_int_equal(site.reached[LEVEL(LLC)], 0);
	assert_int_equal(site.reached[LEVEL(L1)], (768 - 255) / 2 + 3068 - 255);
	tell_lines(&site, (1 << 20) + 3068, (1 << 20) + 3072);
	assert_int_equal(site.reached[LEVEL(L2)], 1);
}

/* But where L2 has what misses L1 they do. */
static void l2_is_learnt_of_where_it_has_all(void **state)
{
	struct spemu_uarch_site before = {.pc = 0x1000}, site = {.pc = 0x2000};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 800; i++)
		tell(&before, i * LINE);
	spemu_uarch_window(m.core[0], false);
	/* 128 of them are in L2, and 64 in L1 */
	for (uint64_t i = 0; i < 1022; i++)
		tell(&site, (672 + i / 4 % 128) * LINE);
	assert_int_equal(site.reached[LEVEL(L2)], 0);
	for (uint64_t i = 1022; i < 1030; i++)
		tell(&site, (672 + i / 4 % 128) * LINE);
	assert_int_equal(site.reached[LEVEL(L2)], 2);
	assert_int_equal(site.further[LEVEL(L2)], 0);
}

/* The start of a program, where all is new, is no such window. */
static void a_start_does_not_count_as_long(void **state)
{
	struct spemu_uarch_site before = {.pc = 0x1000}, site = {.pc = 0x2000};

	(void)state;
	spemu_uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 800; i++)
		tell(&before, i * LINE);
	assert_int_equal(before.reached[LEVEL(L2)], 800);
	spemu_uarch_window(m.core[0], false);
	tell_lines(&site, 1 << 20, (1 << 20) + 1025);
	assert_int_equal(site.reached[LEVEL(L2)], 1);
}

/* What a window said of L2 by the number of accesses, that all of it comes from memory, is forgotten when a longer one says that L2
 * has it. */
static void what_was_stale_is_forgotten(void **state)
{
	struct spemu_uarch_site before = {.pc = 0x1000}, other = {.pc = 0x2000};
	unsigned far = 0;

	(void)state;
	spemu_uarch_window(m.core[0], false);
	tell_lines(&before, 0, 2044);
	assert_in_range(before.further[LEVEL(L2)], 250, 256);
	for (uint64_t i = 0; i < 2000; i++)
		tell(&other, i % 128 * LINE);
	assert_true(other.reached[LEVEL(L2)] > 1400);
	for (unsigned i = 0; i < 100; i++) {
		struct spemu_uarch_site unknown = {.pc = 0x3000 + 4 * i};

		far += (estimate(&unknown, UINT64_C(1) << 40).events & EV(L2D_MISS)) != 0;
	}
	assert_in_range(far, 0, 10);
}

/* 16,384 times count as half as many, of misses and of hits. */
static void many_times_count_half(void **state)
{
	struct spemu_uarch_site misses = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	spemu_uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 16383; i++)
		tell(&misses, i * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 16383);
	assert_int_equal(misses.further[LEVEL(L1)], 16383);
	tell(&misses, 16383 * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 8192);
	assert_int_equal(misses.further[LEVEL(L1)], 8192);
	for (uint64_t i = 0; i < 16383; i++)
		tell(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 16383);
	tell(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 8192);
	assert_int_equal(hits.reached[LEVEL(DTLB)], 8192);
}

/* What is known of an instruction that is met again counts half, and half again for each 16 windows in between, eight times at
 * most. */
static void what_is_not_met_fades(void **state)
{
	static const struct {
		unsigned windows, halves;
	} after[] = {{1, 1}, {15, 1}, {16, 2}, {31, 2}, {32, 3}, {112, 8}, {128, 8}, {300, 8}};

	(void)state;
	for (size_t k = 0; k < sizeof(after) / sizeof(after[0]); k++) {
		struct spemu_uarch_site site = {.pc = 0x1000}, other = {.pc = 0x2000};

		spemu_uarch_window(m.core[0], true);
		for (uint64_t i = 0; i < 8192; i++)
			tell(&site, ((k + 1) << 32) + i * LINE);
		for (unsigned i = 0; i < after[k].windows; i++)
			spemu_uarch_window(m.core[0], false);
		for (unsigned i = 0; i < 256; i++)
			tell(&other, 0);
		assert_int_equal(site.reached[LEVEL(L1)], 8192);
		tell(&site, (k + 1) << 40);
		assert_int_equal(site.reached[LEVEL(L1)], (8192 >> after[k].halves) + 1);
		assert_int_equal(site.further[LEVEL(L1)], (8192 >> after[k].halves) + 1);
	}
}

/* More is wanted where many instructions came to L2 and had not been seen there, which has to settle first. */
static void more_is_wanted_of_what_is_new(void **state)
{
	struct spemu_uarch_site sites[64] = {{0}};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	assert_false(spemu_uarch_wants_more(m.core[0]));
	for (uint64_t i = 0; i < 1000; i++)
		tell(&sites[i % 64], i * LINE);
	assert_true(spemu_uarch_wants_more(m.core[0]));
	for (uint64_t i = 1000; i < 20000; i++)
		tell(&sites[i % 64], i * LINE);
	assert_false(spemu_uarch_wants_more(m.core[0]));
}

/* But not where L1 is missed as often, and few of the accesses miss. */
static void few_misses_want_no_more(void **state)
{
	struct spemu_uarch_site sites[64] = {{0}}, hits = {.pc = 0x1000};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1000; i++) {
		tell(&sites[i % 64], i * LINE);
		for (unsigned j = 0; j < 16; j++)
			tell(&hits, i * LINE);
	}
	assert_false(spemu_uarch_wants_more(m.core[0]));
}

/* Misses of L1 that L2 does not have either want a window that goes on, until five lines have come for each of L2. */
static void l2_wants_more(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000};

	(void)state;
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 63; i++)
		tell(&site, i * LINE);
	assert_false(spemu_uarch_wants_l2(m.core[0]));
	for (uint64_t i = 63; i < 1279; i++) {
		tell(&site, i * LINE);
		assert_true(spemu_uarch_wants_l2(m.core[0]));
	}
	tell(&site, 1279 * LINE);
	assert_false(spemu_uarch_wants_l2(m.core[0]));
}

/* But not those that L2 has, nor a few among many hits. */
static void l2_wants_no_more(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	spemu_uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 128; i++)
		tell(&site, i * LINE);
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 500; i++)
		tell(&site, i % 128 * LINE);
	assert_false(spemu_uarch_wants_l2(m.core[0]));
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 1000; i < 1500; i++) {
		tell(&site, i * LINE);
		for (unsigned j = 0; j < 64; j++)
			tell(&hits, i * LINE);
	}
	assert_false(spemu_uarch_wants_l2(m.core[0]));
}

/* Every fourth load misses in three windows, and none in the fourth. The second is the first that is long enough for L2, of which nothing
 * counts as known then. */
static void a_window_is_as_known_or_not(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000};
	const uint64_t far = UINT64_C(1) << 30;

	(void)state;
	spemu_uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		tell(&site, i * LINE / 4);
	assert_false(spemu_uarch_as_known(m.core[0]));
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		tell(&site, far + i * LINE / 4);
	assert_false(spemu_uarch_as_known(m.core[0]));
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		tell(&site, 2 * far + i * LINE / 4);
	assert_true(spemu_uarch_as_known(m.core[0]));
	spemu_uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		tell(&site, far);
	assert_false(spemu_uarch_as_known(m.core[0]));
}

/* Five lines of one set of L1, which has four ways, in turn. */
static void tell_missing(struct spemu_uarch_site *site, unsigned count)
{
	static unsigned turn;

	for (; count; count--)
		tell(site, turn++ % 5 * 16 * LINE);
}

/* One load in 16 that L2 serves is half a cycle of eight: that is as known, and one more is not. */
static void half_a_cycle_is_as_known(void **state)
{
	struct spemu_uarch_site site = {.pc = 0x1000};

	(void)state;
	for (unsigned window = 0; window < 2; window++) {
		spemu_uarch_window(m.core[0], false);
		tell_missing(&site, 10);
		for (unsigned i = 0; i < 245; i++) /* four for each line of L1, but one */
			tell(&site, 7 * LINE);
		if (window)
			tell_missing(&site, 64);
		for (unsigned i = 0; i < 1023 - 64; i++)
			tell(&site, 7 * LINE);
	}
	assert_true(spemu_uarch_as_known(m.core[0]));
	tell_missing(&site, 1);
	assert_false(spemu_uarch_as_known(m.core[0]));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(nothing_is_learnt_too_early),
	        CASE(l2_is_learnt_of_when_it_was_replaced),
	        CASE(l2_is_learnt_of_where_it_has_all),
	        CASE(a_start_does_not_count_as_long),
	        CASE(what_was_stale_is_forgotten),
	        CASE(many_times_count_half),
	        CASE(what_is_not_met_fades),
	        CASE(more_is_wanted_of_what_is_new),
	        CASE(few_misses_want_no_more),
	        CASE(l2_wants_more),
	        CASE(l2_wants_no_more),
	        CASE(a_window_is_as_known_or_not),
	        cmocka_unit_test_setup_teardown(half_a_cycle_is_as_known, start_in_eights, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
