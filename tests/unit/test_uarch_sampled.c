/* SPDX-License-Identifier: MIT */
/* Test sampled fidelity: the statistics of an instruction in sampling windows, and the estimates
 * that follow from them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sampled_fixture.h"

/* Start a core with four line fill buffers. */
static int start_filling(void **state)
{
	struct uarch_profile p;

	(void)state;
	machine_profile(&p);
	p.fill_entries = 4;
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

/* An instruction that always loads the same line misses once. */
static void what_always_hits(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 10000; i++)
		sampled_load(&stats, 0);
	assert_int_equal(stats.reached[LEVEL(L1)], 10000);
	assert_int_equal(stats.further[LEVEL(L1)], 1);
	for (unsigned i = 0; i < 1000; i++) {
		struct uarch_result r = estimate(&stats, 0);

		assert_int_equal(r.events, EV(L1D_ACCESS) | EV(TLB_ACCESS));
		assert_int_equal(r.latency, 3);
		assert_int_equal(r.source, UARCH_SRC_L1);
		assert_int_equal(r.translation_latency, 0);
	}
	assert_true(uarch_estimate(m.core[0], &stats, &(struct uarch_result){0}, 0, 8, UARCH_LOAD));
}

/* An instruction that loads a new line of a new page each time gets all data from memory, with a
 * page table walk. */
static void what_never_hits(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		sampled_load(&stats, i * (PAGE + LINE));
	for (uint64_t i = 10000; i < 11000; i++) {
		struct uarch_result r = estimate(&stats, i * (PAGE + LINE));

		/* The first few estimates may differ, until the amounts owed have added up. */
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
static void ratios_agree(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	unsigned missed = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		sampled_load(&stats, i * LINE / 4);
	for (uint64_t i = 0; i < 1000; i++)
		missed += estimate(&stats, UINT64_C(1) << 40).source != UARCH_SRC_L1;
	assert_in_range(missed, 248, 252);
}

/* The instruction loads two lines in turn. One of them is in L1, and estimates for that line do not
 * miss. */
static void what_is_known_of_the_line_decides(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	unsigned here = 0, elsewhere = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 5000; i++) {
		sampled_load(&stats, 0);
		sampled_load(&stats, (i + 1) * LINE);
	}
	for (unsigned i = 0; i < 500; i++) {
		here += estimate(&stats, 0).source != UARCH_SRC_L1;
		elsewhere += estimate(&stats, UINT64_C(1) << 40).source != UARCH_SRC_L1;
	}
	assert_in_range(here, 0, 5);
	assert_in_range(elsewhere, 495, 500);
}

static void pairs_that_miss(struct insn_stats *stats)
{
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 1000; i++) {
		sampled_load(stats, i * LINE);
		sampled_load(stats, i * LINE + 8);
	}
	assert_int_equal(stats->reached[LEVEL(L1)], 1000);
	assert_int_equal(stats->further[LEVEL(L1)], 1000);
}

/* A pair is reported as two accesses, but counts as one operation. */
static void parts_are_one_operation(void **state)
{
	struct insn_stats stats = {.pc = 0x1000, .parts = 2};

	(void)state;
	pairs_that_miss(&stats);
}

static void pairs_that_hit(void **state)
{
	struct insn_stats stats = {.pc = 0x1000, .parts = 2};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 2000; i++)
		sampled_load(&stats, i % 2 * 8);
	assert_int_equal(stats.reached[LEVEL(L1)], 1000);
	assert_int_equal(stats.further[LEVEL(L1)], 1);
	assert_int_equal(stats.reached[LEVEL(DTLB)], 1000);
}

/* The first half of a pair across two lines hits, and the second half misses. */
static void half_of_a_pair_misses(void **state)
{
	struct insn_stats stats = {.pc = 0x1000, .parts = 2}, other = {.pc = 0x1004};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 100; i++) {
		sampled_load(&other, i * LINE);
		sampled_load(&stats, i * LINE + LINE - 8);
		sampled_load(&stats, i * LINE + LINE);
	}
	assert_int_equal(stats.reached[LEVEL(L1)], 100);
	assert_int_equal(stats.further[LEVEL(L1)], 100);
	assert_int_equal(other.further[LEVEL(L1)], 1);
}

/*
 * Words in order: one load of eight requests its line, which takes 200 cycles. The next seven
 * loads, one cycle apart, find the line on its way. They take 199, 198, ... 193 cycles, 196 on
 * average.
 */
static void lines_on_their_way(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	unsigned missed = 0, late = 0;
	double cycles = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 8000; i++)
		sampled_load(&stats, i * 8);
	assert_int_equal(stats.further[LEVEL(L1)], 1000);
	assert_int_equal(stats.reached[LEVEL(LATE)], 7000);
	assert_int_equal(stats.further[LEVEL(LATE)], 7000);
	for (uint64_t i = 0; i < 800; i++) {
		struct uarch_result r = estimate(&stats, UINT64_C(1) << 40);

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

/* A pair misses once. Its second half does not count as late. */
static void pairs_are_not_late(void **state)
{
	struct insn_stats stats = {.pc = 0x1000, .parts = 2};

	(void)state;
	pairs_that_miss(&stats);
	assert_int_equal(stats.reached[LEVEL(LATE)], 0);
}

static void estimates_change_no_cache(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	struct uarch_result r = {0};

	(void)state;
	uarch_window(m.core[0], true);
	assert_false(uarch_estimate(m.core[0], &stats, &r, 0x40000, 8, UARCH_LOAD));
	r = (struct uarch_result){0};
	access_in_steps(m.core[0], &r, 0x40000, 8, UARCH_LOAD);
	assert_int_equal(r.source, UARCH_SRC_DRAM);
}

/* No predictor can predict these outcomes: about half of the predictions are wrong, and as many
 * estimates are. */
static void branches_agree(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	unsigned wrong = 0, estimated = 0;
	uint64_t bits = 1;

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 10000; i++) {
		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		wrong += uarch_sampled_branch(m.core[0], &stats, NULL, SPEMU_OPF_CONDITIONAL,
		                              bits >> 63, 0x2000);
	}
	assert_in_range(wrong, 4000, 6000);
	for (unsigned i = 0; i < 10000; i++) {
		struct uarch_result r = {0};

		uarch_estimate(m.core[0], &stats, &r, 0, 0, 0);
		estimated += r.events == EV(MISPREDICTED);
	}
	assert_in_range(estimated, wrong - 3, wrong + 3);
}

/* A line does not come from memory if there were samples of its page, or of pages on both sides of
 * it, even if no window saw the page. Lines of a page beyond all of these come from memory. */
static void samples_show_what_was_touched_between(void **state)
{
	struct insn_stats stats = {.pc = 0x1000}, loads[3] = {{.pc = 1}, {.pc = 2}, {.pc = 3}};
	const uint64_t pages[3] = {100, 110, 121};

	(void)state;
	uarch_window(m.core[0], true);
	estimate(&stats, 100 * PAGE);
	estimate(&stats, 120 * PAGE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1024; i++)
		sampled_load(&stats, (i % 512 + 65536) * LINE);
	for (unsigned i = 0; i < 3; i++) {
		sampled_load(&loads[i], pages[i] * PAGE + LINE);
		assert_int_equal(loads[i].reached[LEVEL(LLC)], 1);
		assert_int_equal(loads[i].further[LEVEL(LLC)], i == 2);
	}
}

/* If a program uses memory in order, only the end is new. The program has already touched the pages
 * before the end, before this window. */
static void behind_what_is_new_was_touched_between(void **state)
{
	struct insn_stats stats = {.pc = 0x1000}, end = {.pc = 1}, behind = {.pc = 2};

	(void)state;
	uarch_window(m.core[0], true);
	estimate(&stats, 100 * PAGE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1024; i++)
		sampled_load(&stats, (i % 512 + 65536) * LINE);
	sampled_load(&end, 120 * PAGE);
	sampled_load(&behind, 110 * PAGE);
	assert_int_equal(end.further[LEVEL(LLC)], 1);
	assert_int_equal(behind.reached[LEVEL(LLC)], 1);
	assert_int_equal(behind.further[LEVEL(LLC)], 0);
}

static void a_further_line_takes_longer(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	for (unsigned i = 0; i < 1000; i++)
		sampled_load(&stats, 0);
	assert_int_equal(estimate(&stats, LINE - 8).latency, 3);
	assert_int_equal(estimate(&stats, LINE - 4).latency, 3 + 2);
}

/* All stores come from memory. The estimate is near the mean of the waits of the last stores. */
static void stores_wait_as_before(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	struct uarch_result r = {0};
	uint64_t sum = 0;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 6400; i++) {
		r = (struct uarch_result){0};
		uarch_sampled_access(m.core[0], &stats, &r, i * LINE, 8, UARCH_STORE);
		sum += i < 3200 ? 0 : r.store_wait;
	}
	assert_true(sum > 3200);
	r = (struct uarch_result){0};
	uarch_estimate(m.core[0], &stats, &r, 0, 8, UARCH_STORE);
	assert_true(r.store_wait * 3200 > sum / 2 && r.store_wait * 3200 < sum * 2);
}

/* If the stores of an instruction missed only at the beginning and have hit since then, the
 * estimate has no wait. */
static void stores_that_hit_wait_no_more(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	struct uarch_result r = {0};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 200; i++)
		uarch_sampled_access(m.core[0], &stats, NULL, i * LINE, 8, UARCH_STORE);
	assert_true(stats.store_wait > 0);
	for (unsigned i = 0; i < 20000; i++)
		uarch_sampled_access(m.core[0], &stats, NULL, 199 * LINE, 8, UARCH_STORE);
	uarch_estimate(m.core[0], &stats, &r, 199 * LINE, 8, UARCH_STORE);
	assert_int_equal(r.store_wait, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
#define CASE_FILLING(name) cmocka_unit_test_setup_teardown(name, start_filling, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(what_always_hits),
	        CASE(what_never_hits),
	        CASE(ratios_agree),
	        CASE(what_is_known_of_the_line_decides),
	        CASE(parts_are_one_operation),
	        CASE(pairs_that_hit),
	        CASE(half_of_a_pair_misses),
	        CASE_FILLING(lines_on_their_way),
	        CASE_FILLING(pairs_are_not_late),
	        CASE(estimates_change_no_cache),
	        CASE(branches_agree),
	        CASE(a_further_line_takes_longer),
	        CASE(stores_wait_as_before),
	        CASE(stores_that_hit_wait_no_more),
	        CASE(samples_show_what_was_touched_between),
	        CASE(behind_what_is_new_was_touched_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
