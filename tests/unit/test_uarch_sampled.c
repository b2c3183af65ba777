/* SPDX-License-Identifier: MIT */
/* Sampled fidelity: the statistics of an instruction from sampling windows, and estimates that
 * agree with them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sampled_fixture.h"

/* Start with four line fill buffers. */
static int start_filling(void **state)
{
	struct uarch_profile p;

	(void)state;
	machine_profile(&p);
	p.fill_entries = 4;
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

/* One line again and again misses once. */
static void repeated_line_always_hits(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 10000; i++)
		simulate(&site, 0);
	assert_int_equal(site.reached[LEVEL(L1)], 10000);
	assert_int_equal(site.further[LEVEL(L1)], 1);
	for (unsigned i = 0; i < 1000; i++) {
		struct uarch_result r = estimate(&site, 0);

		assert_int_equal(r.events, EV(L1D_ACCESS) | EV(TLB_ACCESS));
		assert_int_equal(r.latency, 3);
		assert_int_equal(r.source, UARCH_SRC_L1);
		assert_int_equal(r.translation_latency, 0);
	}
	assert_true(uarch_estimate(m.core[0], &site, &(struct uarch_result){0}, 0, 8, UARCH_LOAD));
}

/* Lines that no cache has, a page each: everything comes from memory, by a walk. */
static void new_lines_never_hit(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		simulate(&site, i * (PAGE + LINE));
	for (uint64_t i = 10000; i < 11000; i++) {
		struct uarch_result r = estimate(&site, i * (PAGE + LINE));

		/* except for the first few, while initial debts add up */
		if (i < 10004)
			continue;
		assert_int_equal(r.events, EV(L1D_ACCESS) | EV(L1D_REFILL) | EV(TLB_ACCESS) |
		                                   EV(TLB_WALK) | EV(LLC_ACCESS) | EV(LLC_MISS) |
		                                   EV(L2D_ACCESS) | EV(L2D_MISS));
		assert_int_equal(r.latency, 200);
		assert_int_equal(r.source, UARCH_SRC_DRAM);
		assert_int_equal(r.translation_latency, 45);
	}
}

/* Every fourth load misses. Estimates for unknown addresses miss as often. */
static void estimated_miss_ratio_matches_the_window(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	unsigned missed = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		simulate(&site, i * LINE / 4);
	for (uint64_t i = 0; i < 1000; i++)
		missed += estimate(&site, UINT64_C(1) << 40).source != UARCH_SRC_L1;
	assert_in_range(missed, 248, 252);
}

/* Two lines are loaded by turns, and one is in L1: that line does not miss. */
static void known_line_overrides_the_ratio(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	unsigned here = 0, elsewhere = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 5000; i++) {
		simulate(&site, 0);
		simulate(&site, (i + 1) * LINE);
	}
	for (unsigned i = 0; i < 500; i++) {
		here += estimate(&site, 0).source != UARCH_SRC_L1;
		elsewhere += estimate(&site, UINT64_C(1) << 40).source != UARCH_SRC_L1;
	}
	assert_in_range(here, 0, 5);
	assert_in_range(elsewhere, 495, 500);
}

static void pairs_that_miss(struct uarch_site *site)
{
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 1000; i++) {
		simulate(site, i * LINE);
		simulate(site, i * LINE + 8);
	}
	assert_int_equal(site->reached[LEVEL(L1)], 1000);
	assert_int_equal(site->further[LEVEL(L1)], 1000);
}

/* A pair is recorded as two accesses, and is one operation. */
static void pair_is_one_operation(void **state)
{
	struct uarch_site site = {.pc = 0x1000, .parts = 2};

	(void)state;
	pairs_that_miss(&site);
}

static void pair_of_one_line_hits(void **state)
{
	struct uarch_site site = {.pc = 0x1000, .parts = 2};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 2000; i++)
		simulate(&site, i % 2 * 8);
	assert_int_equal(site.reached[LEVEL(L1)], 1000);
	assert_int_equal(site.further[LEVEL(L1)], 1);
	assert_int_equal(site.reached[LEVEL(DTLB)], 1000);
}

/* Of a pair on two lines the first half hits and the second misses. */
static void half_of_a_pair_may_miss(void **state)
{
	struct uarch_site site = {.pc = 0x1000, .parts = 2}, other = {.pc = 0x1004};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 100; i++) {
		simulate(&other, i * LINE);
		simulate(&site, i * LINE + LINE - 8);
		simulate(&site, i * LINE + LINE);
	}
	assert_int_equal(site.reached[LEVEL(L1)], 100);
	assert_int_equal(site.further[LEVEL(L1)], 100);
	assert_int_equal(other.further[LEVEL(L1)], 1);
}

/* Words in order: one of eight requests its line, 200 cycles away. The seven after it, a cycle
 * each, find the line in flight: they take 199, 198, ... 193 cycles, 196 on average. */
static void estimates_include_lines_in_flight(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	unsigned missed = 0, late = 0;
	double cycles = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 8000; i++)
		simulate(&site, i * 8);
	assert_int_equal(site.further[LEVEL(L1)], 1000);
	assert_int_equal(site.reached[LEVEL(LATE)], 7000);
	assert_int_equal(site.further[LEVEL(LATE)], 7000);
	for (uint64_t i = 0; i < 800; i++) {
		struct uarch_result r = estimate(&site, UINT64_C(1) << 40);

		assert_int_equal(r.source, UARCH_SRC_DRAM);
		if (r.events & EV(L1D_REFILL)) {
			missed++;
			continue;
		}
		assert_int_equal(r.events, EV(L1D_ACCESS) | EV(TLB_ACCESS) | EV(RECENTLY_FETCHED) |
		                                   (r.events & EV(TLB_WALK)));
		late++;
		cycles += r.latency;
	}
	assert_in_range(missed, 98, 102);
	assert_in_range((uint64_t)(cycles / late + 0.5), 194, 198);
}

/* A pair misses once, and fetches nothing else. */
static void pair_that_misses_fetches_once(void **state)
{
	struct uarch_site site = {.pc = 0x1000, .parts = 2};

	(void)state;
	pairs_that_miss(&site);
	assert_int_equal(site.reached[LEVEL(LATE)], 0);
}

static void estimates_do_not_change_caches(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	struct uarch_result r = {0};

	(void)state;
	uarch_window(m.core[0], true);
	assert_false(uarch_estimate(m.core[0], &site, &r, 0x40000, 8, UARCH_LOAD));
	r = (struct uarch_result){0};
	uarch_access(m.core[0], &r, 0x40000, 8, UARCH_LOAD);
	assert_int_equal(r.source, UARCH_SRC_DRAM);
}

/* Unpredictable outcomes: about half are mispredicted, and half of the estimates. */
static void estimated_mispredictions_match_the_window(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	unsigned wrong = 0, estimated = 0;
	uint64_t bits = 1;

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 10000; i++) {
		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		wrong += uarch_sampled_branch(m.core[0], &site, NULL, SPEMU_OPF_CONDITIONAL,
		                              bits >> 63, 0x2000);
	}
	assert_in_range(wrong, 4000, 6000);
	for (unsigned i = 0; i < 10000; i++) {
		struct uarch_result r = {0};

		uarch_estimate(m.core[0], &site, &r, 0, 0, 0);
		estimated += r.events == EV(MISPREDICTED);
	}
	assert_in_range(estimated, wrong - 3, wrong + 3);
}

/* A sample was on a page that no window saw, or on pages on either side of it: lines of that page
 * do not come from memory. Lines of a page beyond all of these do. */
static void pages_near_samples_do_not_come_from_memory(void **state)
{
	struct uarch_site site = {.pc = 0x1000}, loads[3] = {{.pc = 1}, {.pc = 2}, {.pc = 3}};
	const uint64_t pages[3] = {100, 110, 121};

	(void)state;
	uarch_window(m.core[0], true);
	estimate(&site, 100 * PAGE);
	estimate(&site, 120 * PAGE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1024; i++)
		simulate(&site, (i % 512 + 65536) * LINE);
	for (unsigned i = 0; i < 3; i++) {
		simulate(&loads[i], pages[i] * PAGE + LINE);
		assert_int_equal(loads[i].reached[LEVEL(LLC)], 1);
		assert_int_equal(loads[i].further[LEVEL(LLC)], i == 2);
	}
}

/* Sequentially used memory is new only at its end: passed memory was touched before the window. */
static void sequential_memory_is_new_only_at_its_end(void **state)
{
	struct uarch_site site = {.pc = 0x1000}, end = {.pc = 1}, behind = {.pc = 2};

	(void)state;
	uarch_window(m.core[0], true);
	estimate(&site, 100 * PAGE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1024; i++)
		simulate(&site, (i % 512 + 65536) * LINE);
	simulate(&end, 120 * PAGE);
	simulate(&behind, 110 * PAGE);
	assert_int_equal(end.further[LEVEL(LLC)], 1);
	assert_int_equal(behind.reached[LEVEL(LLC)], 1);
	assert_int_equal(behind.further[LEVEL(LLC)], 0);
}

static void access_across_two_lines_takes_longer(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 1000; i++)
		simulate(&site, 0);
	assert_int_equal(estimate(&site, LINE - 8).latency, 3);
	assert_int_equal(estimate(&site, LINE - 4).latency, 3 + 2);
}

/* All stores come from memory: the estimate is about their recent mean wait. */
static void estimated_store_wait_is_the_recent_mean(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	struct uarch_result r = {0};
	uint64_t sum = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 6400; i++) {
		r = (struct uarch_result){0};
		uarch_sampled_access(m.core[0], &site, &r, i * LINE, 8, UARCH_STORE);
		sum += i < 3200 ? 0 : r.store_wait;
	}
	assert_true(sum > 3200);
	r = (struct uarch_result){0};
	uarch_estimate(m.core[0], &site, &r, 0, 8, UARCH_STORE);
	assert_true(r.store_wait * 3200 > sum / 2 && r.store_wait * 3200 < sum * 2);
}

/* Stores that missed once and have hit since then have room. */
static void stores_that_hit_again_do_not_wait(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	struct uarch_result r = {0};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 200; i++)
		uarch_sampled_access(m.core[0], &site, NULL, i * LINE, 8, UARCH_STORE);
	assert_true(site.store_wait > 0);
	for (unsigned i = 0; i < 20000; i++)
		uarch_sampled_access(m.core[0], &site, NULL, 199 * LINE, 8, UARCH_STORE);
	uarch_estimate(m.core[0], &site, &r, 199 * LINE, 8, UARCH_STORE);
	assert_int_equal(r.store_wait, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
#define CASE_FILLING(name) cmocka_unit_test_setup_teardown(name, start_filling, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(repeated_line_always_hits),
	        CASE(new_lines_never_hit),
	        CASE(estimated_miss_ratio_matches_the_window),
	        CASE(known_line_overrides_the_ratio),
	        CASE(pair_is_one_operation),
	        CASE(pair_of_one_line_hits),
	        CASE(half_of_a_pair_may_miss),
	        CASE_FILLING(estimates_include_lines_in_flight),
	        CASE_FILLING(pair_that_misses_fetches_once),
	        CASE(estimates_do_not_change_caches),
	        CASE(estimated_mispredictions_match_the_window),
	        CASE(access_across_two_lines_takes_longer),
	        CASE(estimated_store_wait_is_the_recent_mean),
	        CASE(stores_that_hit_again_do_not_wait),
	        CASE(pages_near_samples_do_not_come_from_memory),
	        CASE(sequential_memory_is_new_only_at_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
