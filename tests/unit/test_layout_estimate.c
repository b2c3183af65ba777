/* SPDX-License-Identifier: MIT */
/*
 * Test the cache lines of arrangements (tools/report/layout_shape.h) and the cycles of loads after
 * a change (tools/report/layout_estimate.h). The expected values are computed by hand from the
 * formulas of docs/explanation/layout-advice.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/report/layout_estimate.h"

enum { LINE = 64 };

static void assert_near(double got, double expected)
{
	assert_true(got > expected - 1e-9 && got < expected + 1e-9);
}

struct shape_row {
	struct shape_part parts[2];
	struct shape_member members[3];
	size_t count;
	struct shape expected;
};

/* ---- lines ---- */

static void lines_follow_from_offsets_and_alignment(void **state)
{
	static const struct shape_row rows[] = {
	        /* Order of examples/orders.cpp, in a vector that begins 16 bytes into a line. */
	        {{{128, 16, 64}}, {{0, 8, 4, 1}, {0, 16, 8, 1}, {0, 64, 4, 1}}, 3, {2, 2, 128}},
	        /* The same members side by side. */
	        {{{128, 16, 64}}, {{0, 0, 8, 1}, {0, 8, 4, 1}, {0, 12, 4, 1}}, 3, {1, 1, 128}},
	        /* Four objects share a line. */
	        {{{16, 0, 64}}, {{0, 0, 8, 1}}, 1, {1, 0.25, 16}},
	        /* One of eight objects of 72 bytes has its first 16 bytes in two lines. */
	        {{{72, 0, 64}}, {{0, 0, 16, 1}}, 1, {1.125, 1.125, 72}},
	        /* One of four places of an object of 64 bytes divides its first 32 bytes, but the
	         * next object uses the same line. */
	        {{{64, 0, 16}}, {{0, 0, 32, 1}}, 1, {1.25, 1, 64}},
	        /* Every other visit uses the line of two objects: 1 - 1/2 * 1/2 for both. */
	        {{{32, 0, 64}}, {{0, 0, 8, 0.5}, {0, 8, 8, 0.25}}, 2, {0.5, 0.375, 32}},
	        /* Two parts. A quarter of the visits uses the second one. */
	        {{{16, 0, 64}, {128, 0, 64}},
	         {{0, 0, 8, 1}, {1, 64, 8, 0.25}},
	         2,
	         {1.25, 0.5, 144}},
	        /* A part without accesses does not count. */
	        {{{16, 0, 64}, {128, 0, 64}}, {{0, 0, 8, 1}, {1, 64, 8, 0}}, 2, {1, 0.25, 16}},
	        /* A member of three lines. */
	        {{{192, 0, 64}}, {{0, 32, 100, 1}}, 1, {3, 3, 192}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct shape_row *r = &rows[i];
		struct shape got = shape_of(r->parts, r->members, r->count, LINE);

		assert_near(got.touched, r->expected.touched);
		assert_near(got.lines, r->expected.lines);
		assert_near(got.bytes, r->expected.bytes);
	}
}

/* ---- cycles ---- */

static const struct shape one = {1, 1, 64}, two = {2, 2, 128};

/* 100 visits with two loads from DRAM each, on different lines. */
static const struct load_use misses = {.visits = 100, .fetched[FETCH_DRAM] = {200, 20000}};

static void same_arrangement_takes_the_same_cycles(void **state)
{
	struct load_use use = {.visits = 100,
	                       .fetched = {{10, 130}, {50, 4000}, {60, 12000}},
	                       .near = {180, 9000},
	                       .walks = 40,
	                       .translation = 1840};

	(void)state;
	assert_near(load_cycles(&use), 130 + 4000 + 12000 + 9000 + 1840);
	for (int i = 0; i < 2; i++) {
		use.in_order = i;
		assert_near(load_estimate(&use, &two, &two, 0), load_cycles(&use));
	}
}

static void second_load_of_a_line_waits_like_the_first_one(void **state)
{
	(void)state;
	/* The latencies of both loads add up, although one line less is fetched. */
	assert_near(load_estimate(&misses, &two, &one, 0), 20000);
	/* A load of a pair of registers has one latency. It saves the cycles before a load, too. */
	assert_near(load_estimate(&misses, &two, &one, 1), 10000 - 100 * ISSUE_CYCLES);
}

static void wait_of_near_loads_is_that_of_the_samples(void **state)
{
	/* Each visit fetches a line for 104 cycles, and two loads of this line wait for 54. */
	struct load_use use = {
	        .visits = 10, .fetched[FETCH_LLC] = {10, 1040}, .near = {20, 20 * 54}};

	(void)state;
	/* Half of the wait of a fetch. Without one of the loads, one wait is saved. */
	assert_near(load_estimate(&use, &one, &one, 1), 1040 + 10 * 54 - 10 * ISSUE_CYCLES);
}

static void smaller_working_set_has_more_hits(void **state)
{
	/* A quarter of the fetches hits the last-level cache. */
	static const struct load_use use = {.visits = 400,
	                                    .fetched = {{0, 0}, {100, 8000}, {300, 60000}}};
	static const struct shape before = {1, 1, 64}, quarter = {1, 0.25, 16}, half = {1, 0.5, 32};

	(void)state;
	/* All lines fit, but half of the misses are first uses, of a quarter of the lines. */
	assert_near(load_estimate(&use, &before, &quarter, 0),
	            400 * (0.09375 * 200 + 0.90625 * 80));
	/* Half of the lines fit. */
	assert_near(load_estimate(&use, &before, &half, 0), 400 * (0.5 * 200 + 0.5 * 80));
}

static void lines_are_fetched_once_in_order(void **state)
{
	static const struct load_use use = {.visits = 100,
	                                    .in_order = true,
	                                    .fetched[FETCH_DRAM] = {100, 1100},
	                                    .near = {100, 400}};
	static const struct shape before = {1, 1, 64}, after = {1, 0.25, 16};

	(void)state;
	static const struct shape half = {1, 0.5, 32};

	/* 200 loads of L1_CYCLES, and 700 cycles of waiting. Lines from DRAM come in 7.6 cycles,
	 * and two loads are dispatched in 1.5. Half a line exceeds this by 2.3 of 3.8 cycles, and a
	 * line by 6.1 of 7.6. */
	assert_near(load_estimate(&use, &before, &half, 0), 800 + 350 * (2.3 / 3.8) / (6.1 / 7.6));
	/* A quarter of a line comes in 1.9 cycles. */
	assert_near(load_estimate(&use, &before, &after, 0), 800 + 175 * (0.4 / 1.9) / (6.1 / 7.6));
	/* A load more in each visit. */
	assert_near(load_estimate(&use, &before, &after, -1),
	            800 + 175 * (0.4 / 1.9) / (6.1 / 7.6) + 100 * (L1_CYCLES + ISSUE_CYCLES));
}

/* Loads that waited although lines came fast enough wait as long for a line as before. */
static void lines_that_come_fast_enough_wait_as_before(void **state)
{
	static const struct load_use use = {.visits = 100,
	                                    .in_order = true,
	                                    .fetched[FETCH_L2] = {100, 1100},
	                                    .near = {300, 1200}};
	static const struct shape before = {1, 1, 64}, after = {1, 0.25, 16};

	(void)state;
	assert_near(load_estimate(&use, &before, &after, 0), 1600 + 175);
}

static void stores_wait_for_fewer_lines_in_order(void **state)
{
	static const struct shape before = {1, 1, 64}, after = {1, 0.25, 16};
	struct load_use use = {.visits = 100, .store_wait = 2000};

	(void)state;
	assert_near(load_estimate(&use, &before, &after, 0), 2000);
	use.in_order = true;
	assert_near(load_estimate(&use, &before, &after, 0), 500);
}

static void walks_follow_the_bytes(void **state)
{
	static const struct shape before = {1, 1, 128}, after = {1, 1, 64};
	struct load_use use = {.visits = 100, .walks = 50, .translation = 2000};

	(void)state;
	/* Half of the translations hit, so half of the pages fit, and an eighth of the visits is
	 * the first use of a page. */
	assert_near(load_estimate(&use, &before, &after, 0), 500);
	use.walks = 100;
	assert_near(load_estimate(&use, &before, &after, 0), 2000);
	use.in_order = true;
	assert_near(load_estimate(&use, &before, &after, 0), 1000);
	use.walks = 0;
	assert_near(load_estimate(&use, &before, &after, 0), 2000);
}

static void nothing_is_predicted_without_visits(void **state)
{
	struct load_use use = misses;

	(void)state;
	use.visits = 0;
	assert_near(load_estimate(&use, &two, &one, 1), 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines_follow_from_offsets_and_alignment),
	        cmocka_unit_test(same_arrangement_takes_the_same_cycles),
	        cmocka_unit_test(second_load_of_a_line_waits_like_the_first_one),
	        cmocka_unit_test(wait_of_near_loads_is_that_of_the_samples),
	        cmocka_unit_test(smaller_working_set_has_more_hits),
	        cmocka_unit_test(lines_are_fetched_once_in_order),
	        cmocka_unit_test(lines_that_come_fast_enough_wait_as_before),
	        cmocka_unit_test(stores_wait_for_fewer_lines_in_order),
	        cmocka_unit_test(walks_follow_the_bytes),
	        cmocka_unit_test(nothing_is_predicted_without_visits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
