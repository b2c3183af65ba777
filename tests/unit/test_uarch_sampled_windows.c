/* SPDX-License-Identifier: MIT */
/* Sampling windows of sampled fidelity: their statistics, their agreement with earlier ones, and
 * whether a window should be extended. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "sampled_fixture.h"

/* Start with an L2 that takes eight cycles more than L1. */
static int start_in_eights(void **state)
{
	struct uarch_profile p;

	(void)state;
	machine_profile(&p);
	p.l2.cycles = p.l1d.cycles + 8;
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

/* Record loads of the lines from `first` to before `last`. Every fourth load misses. */
static void simulate_lines(struct uarch_site *site, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		simulate(site, i * LINE / 4);
}

/*
 * Lines that were not seen from the start count after four accesses for each of the 64 lines of L1.
 */
static void l1_counts_only_after_four_accesses_for_each_line(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	simulate_lines(&site, 0, 255);
	assert_int_equal(site.reached[LEVEL(L1)], 0);
	simulate_lines(&site, 255, 256);
	assert_int_equal(site.reached[LEVEL(L1)], 1);
	simulate_lines(&site, 256, 1023);
	assert_int_equal(site.reached[LEVEL(L1)], 768);
}

/* Record lines 0 to 127 in turn, which L2 has and L1 has not: each is reused 128 misses later. */
static void simulate_in_turn(struct uarch_site *site, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		simulate(site, i % 128 * LINE);
}

/* L2 counts when half of its lines were reused: after 192 misses, as the 128 lie in the span from
 * there back to 128. Before, it does not, whatever the stale L2 has. */
static void l2_counts_only_after_half_was_reused(void **state)
{
	struct uarch_site before = {.pc = 0x1000}, site = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	simulate_in_turn(&before, 0, 1280);
	for (unsigned window = 0; window < 2; window++) {
		uarch_window(m.core[0], false);
		site = (struct uarch_site){.pc = 0x2000};
		simulate_in_turn(&site, 0, 192);
		assert_int_equal(site.reached[LEVEL(L2)], 0);
		simulate_in_turn(&site, 192, 640);
		assert_int_equal(site.reached[LEVEL(L2)], 640 - 192);
		assert_int_equal(site.further[LEVEL(L2)], 0);
	}
}

/* New memory is in no cache, at any time: this counts for its instruction, and for no other. */
static void new_memory_counts_at_once(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	unsigned far = 0;

	(void)state;
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1000; i++)
		simulate(&site, i * LINE);
	assert_in_range(site.reached[LEVEL(L2)], 990, 1000);
	assert_int_equal(site.further[LEVEL(L2)], site.reached[LEVEL(L2)]);
	assert_int_equal(site.further[LEVEL(LLC)], site.reached[LEVEL(L2)]);
	for (unsigned i = 0; i < 100; i++) {
		struct uarch_site unknown = {.pc = 0x3000 + 4 * i};

		far += (estimate(&unknown, UINT64_C(1) << 40).events & EV(L2D_MISS)) != 0;
	}
	assert_int_equal(far, 0);
}

/* Return one of 896 lines: mostly one of 96 that are used for a while, one in ten at random. */
static uint64_t random_line(uint64_t *seed, unsigned *first)
{
	if (below(seed, 1000) == 0)
		*first = below(seed, 896);
	return below(seed, 10) ? (*first + below(seed, 96)) % 896 : below(seed, 896);
}

/* Windows see one of so many pieces of a program. */
#define PIECES 16

/* The misses of L1, and of these the misses of L2. */
struct ratio {
	double reached, further;
};

static double part_of(const struct ratio *ratio)
{
	return ratio->further / ratio->reached;
}

static void add_result(struct ratio *ratio, const struct uarch_result *r)
{
	ratio->reached += (r->events & EV(L1D_REFILL)) != 0;
	ratio->further += (r->events & EV(L2D_MISS)) != 0;
}

/* Play a piece of a program that goes from one set of lines to the next: `whole` gets all of it,
 * and so does the other core if `seen` is not NULL. */
static void play_piece(struct machine *whole, struct ratio *all, struct ratio *seen,
                       struct uarch_site *site, unsigned accesses)
{
	static uint64_t seed = 1;
	static unsigned first;

	for (unsigned i = 0; i < accesses; i++) {
		uint64_t addr = random_line(&seed, &first) * LINE;
		struct uarch_result r = {0}, other = {0};

		uarch_access(whole->core[0], &r, addr, 8, UARCH_LOAD);
		add_result(all, &r);
		if (!seen)
			continue;
		uarch_sampled_access(m.core[0], site, &other, addr, 8, UARCH_LOAD);
		add_result(seen, &other);
	}
}

/* L2's lines are old when a window begins: it misses 38 to 48 % of its accesses, the fully
 * simulated core 28 %. The statistics miss 28 % as well. */
static void l2_miss_ratio_matches_full_simulation(void **state)
{
	static const unsigned lengths[] = {512, 1024};

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		struct ratio all = {0, 0}, seen = {0, 0}, learnt = {0, 0};
		struct uarch_site site = {.pc = 0x1000};
		struct uarch_profile p;
		struct machine whole;

		machine_profile(&p);
		machine_start_with_ids(&whole, &p, 1, 1, 1);
		uarch_window(m.core[0], true);
		for (uint64_t i = 0; i < 896; i++)
			simulate(&site, i * LINE);
		for (unsigned i = 0; i < 400 * PIECES; i++) {
			bool window = i % PIECES == 0;

			if (window)
				uarch_window(m.core[0], false);
			if (window)
				site = (struct uarch_site){.pc = 0x1000};
			play_piece(&whole, &all, window ? &seen : NULL, &site, lengths[n]);
			learnt.reached += window ? site.reached[LEVEL(L2)] : 0;
			learnt.further += window ? site.further[LEVEL(L2)] : 0;
		}
		assert_true(part_of(&seen) > part_of(&all) + 0.08);
		assert_true(fabs(part_of(&learnt) - part_of(&all)) < 0.02);
		machine_stop(&whole);
	}
}

/* Branches count from the 4096th on, though the program loads nothing. */
static void branches_count_from_the_4096th_on(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	for (unsigned i = 0; i < 4095; i++)
		uarch_sampled_branch(m.core[0], &site, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(site.reached[LEVEL(BRANCH)], 0);
	for (unsigned i = 0; i < 10; i++)
		uarch_sampled_branch(m.core[0], &site, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(site.reached[LEVEL(BRANCH)], 10);
	uarch_window(m.core[0], false);
	uarch_sampled_branch(m.core[0], &site, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(site.reached[LEVEL(BRANCH)], 10);
}

/* At 16,384 both counts, of misses and of accesses, are halved. */
static void counts_are_halved_at_16384(void **state)
{
	struct uarch_site misses = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 16383; i++)
		simulate(&misses, i * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 16383);
	assert_int_equal(misses.further[LEVEL(L1)], 16383);
	simulate(&misses, 16383 * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 8192);
	assert_int_equal(misses.further[LEVEL(L1)], 8192);
	for (uint64_t i = 0; i < 16383; i++)
		simulate(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 16383);
	simulate(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 8192);
	assert_int_equal(hits.reached[LEVEL(DTLB)], 8192);
}

/* Statistics of an instruction that is met again are halved, and halved again for each 16 windows
 * in between, at most eight times. */
static void unused_statistics_fade(void **state)
{
	static const struct {
		unsigned windows, halves;
	} after[] = {{1, 1}, {15, 1}, {16, 2}, {31, 2}, {32, 3}, {112, 8}, {128, 8}, {300, 8}};

	(void)state;
	for (size_t k = 0; k < sizeof(after) / sizeof(after[0]); k++) {
		struct uarch_site site = {.pc = 0x1000}, other = {.pc = 0x2000};

		uarch_window(m.core[0], true);
		for (uint64_t i = 0; i < 8192; i++)
			simulate(&site, ((k + 1) << 32) + i * LINE);
		for (unsigned i = 0; i < after[k].windows; i++)
			uarch_window(m.core[0], false);
		for (unsigned i = 0; i < 256; i++)
			simulate(&other, 0);
		assert_int_equal(site.reached[LEVEL(L1)], 8192);
		simulate(&site, (k + 1) << 40);
		assert_int_equal(site.reached[LEVEL(L1)], (8192 >> after[k].halves) + 1);
		assert_int_equal(site.further[LEVEL(L1)], (8192 >> after[k].halves) + 1);
	}
}

/* A window is extended if many instructions came to L2 that had not been seen there. */
static void window_is_extended_for_new_instructions(void **state)
{
	struct uarch_site sites[64] = {{0}};

	(void)state;
	uarch_window(m.core[0], false);
	assert_false(uarch_wants_more(m.core[0]));
	for (uint64_t i = 0; i < 1000; i++)
		simulate(&sites[i % 64], i * LINE);
	assert_true(uarch_wants_more(m.core[0]));
	for (uint64_t i = 1000; i < 20000; i++)
		simulate(&sites[i % 64], i * LINE);
	assert_false(uarch_wants_more(m.core[0]));
}

/* It is not extended if L1 is missed as often, but few of the accesses miss. */
static void window_is_not_extended_for_few_misses(void **state)
{
	struct uarch_site sites[64] = {{0}}, hits = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1000; i++) {
		simulate(&sites[i % 64], i * LINE);
		for (unsigned j = 0; j < 16; j++)
			simulate(&hits, i * LINE);
	}
	assert_false(uarch_wants_more(m.core[0]));
}

/* If many accesses miss L1, the window is extended until L2's lines were reused. */
static void window_is_extended_until_l2_was_reused(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	simulate_in_turn(&site, 0, 1280);
	uarch_window(m.core[0], false);
	simulate_in_turn(&site, 0, 63);
	assert_false(uarch_wants_l2(m.core[0]));
	for (uint64_t i = 63; i < 191; i++) {
		simulate_in_turn(&site, i, i + 1);
		assert_true(uarch_wants_l2(m.core[0]));
	}
	simulate_in_turn(&site, 191, 192);
	assert_false(uarch_wants_l2(m.core[0]));
}

/* It is not extended if few of many accesses miss L1, nor if L2 has none of the missed lines. */
static void window_is_not_extended_if_l2_matters_little(void **state)
{
	struct uarch_site site = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	simulate_in_turn(&site, 0, 1280);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 150; i++) {
		simulate_in_turn(&site, i, i + 1);
		for (unsigned j = 0; j < 64; j++)
			simulate(&hits, i % 128 * LINE);
	}
	assert_false(uarch_wants_l2(m.core[0]));
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 4096; i++)
		simulate(&site, i % 1024 * LINE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 150; i++)
		simulate(&site, i * LINE);
	assert_false(uarch_wants_l2(m.core[0]));
}

/* Every fourth load misses in two windows, and none in the third. */
static void window_agrees_or_differs_from_statistics(void **state)
{
	struct uarch_site site = {.pc = 0x1000};
	const uint64_t far = UINT64_C(1) << 30;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		simulate(&site, i * LINE / 4);
	assert_false(uarch_as_known(m.core[0]));
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		simulate(&site, far + i * LINE / 4);
	assert_true(uarch_as_known(m.core[0]));
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		simulate(&site, far);
	assert_false(uarch_as_known(m.core[0]));
}

/* Record five lines of one set of L1, which has four ways, in turn. */
static void simulate_missing(struct uarch_site *site, unsigned count)
{
	static unsigned turn;

	for (; count; count--)
		simulate(site, turn++ % 5 * 16 * LINE);
}

/* One load in 16 that L2 serves is half a cycle of eight: that agrees, and one more does not. */
static void half_a_cycle_counts_as_agreement(void **state)
{
	struct uarch_site site = {.pc = 0x1000};

	(void)state;
	for (unsigned window = 0; window < 2; window++) {
		uarch_window(m.core[0], false);
		simulate_missing(&site, 100);
		for (unsigned i = 0; i < 155; i++) /* four for each line of L1, less one */
			simulate(&site, 7 * LINE);
		if (window)
			simulate_missing(&site, 64);
		for (unsigned i = 0; i < 1023 - 64; i++)
			simulate(&site, 7 * LINE);
	}
	assert_true(uarch_as_known(m.core[0]));
	simulate_missing(&site, 1);
	assert_false(uarch_as_known(m.core[0]));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(l1_counts_only_after_four_accesses_for_each_line),
	        CASE(l2_counts_only_after_half_was_reused),
	        CASE(new_memory_counts_at_once),
	        CASE(l2_miss_ratio_matches_full_simulation),
	        CASE(branches_count_from_the_4096th_on),
	        CASE(counts_are_halved_at_16384),
	        CASE(unused_statistics_fade),
	        CASE(window_is_extended_for_new_instructions),
	        CASE(window_is_not_extended_for_few_misses),
	        CASE(window_is_extended_until_l2_was_reused),
	        CASE(window_is_not_extended_if_l2_matters_little),
	        CASE(window_agrees_or_differs_from_statistics),
	        cmocka_unit_test_setup_teardown(half_a_cycle_counts_as_agreement, start_in_eights,
	                                        stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
