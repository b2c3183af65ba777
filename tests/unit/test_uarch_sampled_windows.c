/* SPDX-License-Identifier: MIT */
/* Test sampling windows: when the model learns in them, whether a window agrees with earlier
 * windows, and whether it should continue. */
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

/* Start a core whose L2 takes eight cycles more than L1. */
static int start_in_eights(void **state)
{
	struct uarch_profile p;

	(void)state;
	machine_profile(&p);
	p.l2.cycles = p.l1d.cycles + 8;
	machine_start_with_ids(&m, &p, 1, 1, 1);
	return 0;
}

/* Load quarters of lines, from number `first` to before number `last`. Every fourth load misses. */
static void load_lines(struct insn_stats *stats, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		sampled_load(stats, i * LINE / 4);
}

/* If the window is not complete, L1 is warm after four accesses for each of its 64 lines. */
static void nothing_is_learnt_too_early(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	load_lines(&stats, 0, 255);
	assert_int_equal(stats.reached[LEVEL(L1)], 0);
	load_lines(&stats, 255, 256);
	assert_int_equal(stats.reached[LEVEL(L1)], 1);
	load_lines(&stats, 256, 1023);
	assert_int_equal(stats.reached[LEVEL(L1)], 768);
}

/* Load lines 0 to 127 in turn. L2 has these lines and L1 does not, and each line is used again
 * after 128 misses. */
static void load_in_turn(struct insn_stats *stats, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i < last; i++)
		sampled_load(stats, i % 128 * LINE);
}

/* L2 is warm once half of its lines were used again. All lines are used again in the span from 128
 * to 191 misses, so L2 is warm after 192 misses. Until then it is cold, whatever old lines it
 * contains. */
static void l2_is_learnt_of_when_half_was_used_again(void **state)
{
	struct insn_stats before = {.pc = 0x1000}, stats = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	load_in_turn(&before, 0, 1280);
	for (unsigned window = 0; window < 2; window++) {
		uarch_window(m.core[0], false);
		stats = (struct insn_stats){.pc = 0x2000};
		load_in_turn(&stats, 0, 192);
		assert_int_equal(stats.reached[LEVEL(L2)], 0);
		load_in_turn(&stats, 192, 640);
		assert_int_equal(stats.reached[LEVEL(L2)], 640 - 192);
		assert_int_equal(stats.further[LEVEL(L2)], 0);
	}
}

/* New memory is not in any cache, so the model learns about it at once. This counts for the
 * instruction that loads it, and not for other instructions. */
static void what_is_new_is_learnt_of_at_once(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	unsigned far = 0;

	(void)state;
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1000; i++)
		sampled_load(&stats, i * LINE);
	assert_in_range(stats.reached[LEVEL(L2)], 990, 1000);
	assert_int_equal(stats.further[LEVEL(L2)], stats.reached[LEVEL(L2)]);
	assert_int_equal(stats.further[LEVEL(LLC)], stats.reached[LEVEL(L2)]);
	for (unsigned i = 0; i < 100; i++) {
		struct insn_stats unknown = {.pc = 0x3000 + 4 * i};

		far += (estimate(&unknown, UINT64_C(1) << 40).events & EV(L2D_MISS)) != 0;
	}
	assert_int_equal(far, 0);
}

/* Return one of 896 lines. Most are among 96 lines that stay the same for a while, and one in ten
 * is any line. */
static uint64_t random_line(uint64_t *seed, unsigned *first)
{
	if (below(seed, 1000) == 0)
		*first = below(seed, 896);
	return below(seed, 10) ? (*first + below(seed, 96)) % 896 : below(seed, 896);
}

/* The program has PIECES pieces for each window, and the window sees one of them. */
#define PIECES 16

/* The misses of L1, and those of them that also missed L2. */
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

/* Play a piece of a program that goes from one set of lines to the next. The core of `whole` sees
 * all pieces. The other core sees the piece if `seen` is not NULL. */
static void play_piece(struct machine *whole, struct ratio *all, struct ratio *seen,
                       struct insn_stats *stats, unsigned accesses)
{
	static uint64_t seed = 1;
	static unsigned first;

	for (unsigned i = 0; i < accesses; i++) {
		uint64_t addr = random_line(&seed, &first) * LINE;
		struct uarch_result r = {0}, other = {0};

		access_in_steps(whole->core[0], &r, addr, 8, UARCH_LOAD);
		add_result(all, &r);
		if (!seen)
			continue;
		uarch_sampled_access(m.core[0], stats, &other, addr, 8, UARCH_LOAD);
		add_result(seen, &other);
	}
}

/* The contents of L2 are old when a window begins, so L2 misses 38 % to 48 % of its accesses. The
 * L2 of a core that saw everything misses 28 %. The model must learn about 28 %. */
static void l2_misses_as_if_all_were_seen(void **state)
{
	static const unsigned lengths[] = {512, 1024};

	(void)state;
	for (unsigned n = 0; n < 2; n++) {
		struct ratio all = {0, 0}, seen = {0, 0}, learnt = {0, 0};
		struct insn_stats stats = {.pc = 0x1000};
		struct uarch_profile p;
		struct machine whole;

		machine_profile(&p);
		machine_start_with_ids(&whole, &p, 1, 1, 1);
		uarch_window(m.core[0], true);
		for (uint64_t i = 0; i < 896; i++)
			sampled_load(&stats, i * LINE);
		for (unsigned i = 0; i < 400 * PIECES; i++) {
			bool window = i % PIECES == 0;

			if (window)
				uarch_window(m.core[0], false);
			if (window)
				stats = (struct insn_stats){.pc = 0x1000};
			play_piece(&whole, &all, window ? &seen : NULL, &stats, lengths[n]);
			learnt.reached += window ? stats.reached[LEVEL(L2)] : 0;
			learnt.further += window ? stats.further[LEVEL(L2)] : 0;
		}
		assert_true(part_of(&seen) > part_of(&all) + 0.08);
		assert_true(fabs(part_of(&learnt) - part_of(&all)) < 0.02);
		machine_stop(&whole);
	}
}

/* The model learns about branches from the 4096th branch on, even if the program loads nothing. */
static void branches_are_learnt_alone(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	for (unsigned i = 0; i < 4095; i++)
		uarch_sampled_branch(m.core[0], &stats, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(stats.reached[LEVEL(BRANCH)], 0);
	for (unsigned i = 0; i < 10; i++)
		uarch_sampled_branch(m.core[0], &stats, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(stats.reached[LEVEL(BRANCH)], 10);
	uarch_window(m.core[0], false);
	uarch_sampled_branch(m.core[0], &stats, NULL, SPEMU_OPF_CONDITIONAL, true, 0x2000);
	assert_int_equal(stats.reached[LEVEL(BRANCH)], 10);
}

/* When a count reaches 16,384, the counts of misses and hits are halved. */
static void many_times_count_half(void **state)
{
	struct insn_stats misses = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 16383; i++)
		sampled_load(&misses, i * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 16383);
	assert_int_equal(misses.further[LEVEL(L1)], 16383);
	sampled_load(&misses, 16383 * LINE);
	assert_int_equal(misses.reached[LEVEL(L1)], 8192);
	assert_int_equal(misses.further[LEVEL(L1)], 8192);
	for (uint64_t i = 0; i < 16383; i++)
		sampled_load(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 16383);
	sampled_load(&hits, 16383 * LINE);
	assert_int_equal(hits.reached[LEVEL(L1)], 8192);
	assert_int_equal(hits.reached[LEVEL(DTLB)], 8192);
}

/* When an instruction occurs in a window again, its counts are halved once. They are halved again
 * for each 16 windows since it last occurred, up to eight times in total. */
static void what_is_not_met_fades(void **state)
{
	static const struct {
		unsigned windows, halves;
	} after[] = {{1, 1}, {15, 1}, {16, 2}, {31, 2}, {32, 3}, {112, 8}, {128, 8}, {300, 8}};

	(void)state;
	for (uint64_t k = 0; k < sizeof(after) / sizeof(after[0]); k++) {
		struct insn_stats stats = {.pc = 0x1000}, other = {.pc = 0x2000};

		uarch_window(m.core[0], true);
		for (uint64_t i = 0; i < 8192; i++)
			sampled_load(&stats, ((k + 1) << 32) + i * LINE);
		for (unsigned i = 0; i < after[k].windows; i++)
			uarch_window(m.core[0], false);
		for (unsigned i = 0; i < 256; i++)
			sampled_load(&other, 0);
		assert_int_equal(stats.reached[LEVEL(L1)], 8192);
		sampled_load(&stats, (k + 1) << 40);
		assert_int_equal(stats.reached[LEVEL(L1)], (8192 >> after[k].halves) + 1);
		assert_int_equal(stats.further[LEVEL(L1)], (8192 >> after[k].halves) + 1);
	}
}

/* A window should continue if many instructions reached L2 that had not been seen there before. */
static void more_is_wanted_of_what_is_new(void **state)
{
	struct insn_stats stats[64] = {{0}};

	(void)state;
	uarch_window(m.core[0], false);
	assert_false(uarch_wants_more(m.core[0]));
	for (uint64_t i = 0; i < 1000; i++)
		sampled_load(&stats[i % 64], i * LINE);
	assert_true(uarch_wants_more(m.core[0]));
	for (uint64_t i = 1000; i < 20000; i++)
		sampled_load(&stats[i % 64], i * LINE);
	assert_false(uarch_wants_more(m.core[0]));
}

/* A window should not continue if L1 missed as often but only a few of all accesses missed. */
static void few_misses_want_no_more(void **state)
{
	struct insn_stats stats[64] = {{0}}, hits = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 1000; i++) {
		sampled_load(&stats[i % 64], i * LINE);
		for (unsigned j = 0; j < 16; j++)
			sampled_load(&hits, i * LINE);
	}
	assert_false(uarch_wants_more(m.core[0]));
}

/* If many accesses miss L1, the window should continue until the lines of L2 were used again. */
static void l2_wants_more(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	uarch_window(m.core[0], true);
	load_in_turn(&stats, 0, 1280);
	uarch_window(m.core[0], false);
	load_in_turn(&stats, 0, 63);
	assert_false(uarch_wants_l2(m.core[0]));
	for (uint64_t i = 63; i < 191; i++) {
		load_in_turn(&stats, i, i + 1);
		assert_true(uarch_wants_l2(m.core[0]));
	}
	load_in_turn(&stats, 191, 192);
	assert_false(uarch_wants_l2(m.core[0]));
}

/* The window should not continue if only a few of many accesses miss L1, or if L2 has none of the
 * lines. */
static void l2_wants_no_more(void **state)
{
	struct insn_stats stats = {.pc = 0x1000}, hits = {.pc = 0x2000};

	(void)state;
	uarch_window(m.core[0], true);
	load_in_turn(&stats, 0, 1280);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 150; i++) {
		load_in_turn(&stats, i, i + 1);
		for (unsigned j = 0; j < 64; j++)
			sampled_load(&hits, i % 128 * LINE);
	}
	assert_false(uarch_wants_l2(m.core[0]));
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 4096; i++)
		sampled_load(&stats, i % 1024 * LINE);
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 150; i++)
		sampled_load(&stats, i * LINE);
	assert_false(uarch_wants_l2(m.core[0]));
}

/* Every fourth load misses in the first two windows, and no load misses in the third. */
static void a_window_is_as_known_or_not(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};
	const uint64_t far = UINT64_C(1) << 30;

	(void)state;
	uarch_window(m.core[0], true);
	for (uint64_t i = 0; i < 10000; i++)
		sampled_load(&stats, i * LINE / 4);
	assert_false(uarch_as_known(m.core[0]));
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		sampled_load(&stats, far + i * LINE / 4);
	assert_true(uarch_as_known(m.core[0]));
	uarch_window(m.core[0], false);
	for (uint64_t i = 0; i < 10000; i++)
		sampled_load(&stats, far);
	assert_false(uarch_as_known(m.core[0]));
}

/* Load five lines of one set of L1, which has four ways, in turn. */
static void load_missing(struct insn_stats *stats, unsigned count)
{
	static unsigned turn;

	for (; count; count--)
		sampled_load(stats, turn++ % 5 * 16 * LINE);
}

/* If L2 supplies one load in 16, eight cycles later, the mean latency grows by half a cycle. That
 * agrees with earlier windows, but one more such load does not. */
static void half_a_cycle_counts_as_agreement(void **state)
{
	struct insn_stats stats = {.pc = 0x1000};

	(void)state;
	for (unsigned window = 0; window < 2; window++) {
		uarch_window(m.core[0], false);
		load_missing(&stats, 100);
		/* With the 100 misses, these are four loads for each of the 64 lines of L1, less
		 * one. */
		for (unsigned i = 0; i < 155; i++)
			sampled_load(&stats, 7 * LINE);
		if (window)
			load_missing(&stats, 64);
		for (unsigned i = 0; i < 1023 - 64; i++)
			sampled_load(&stats, 7 * LINE);
	}
	assert_true(uarch_as_known(m.core[0]));
	load_missing(&stats, 1);
	assert_false(uarch_as_known(m.core[0]));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(nothing_is_learnt_too_early),
	        CASE(l2_is_learnt_of_when_half_was_used_again),
	        CASE(what_is_new_is_learnt_of_at_once),
	        CASE(l2_misses_as_if_all_were_seen),
	        CASE(branches_are_learnt_alone),
	        CASE(many_times_count_half),
	        CASE(what_is_not_met_fades),
	        CASE(more_is_wanted_of_what_is_new),
	        CASE(few_misses_want_no_more),
	        CASE(l2_wants_more),
	        CASE(l2_wants_no_more),
	        CASE(a_window_is_as_known_or_not),
	        cmocka_unit_test_setup_teardown(half_a_cycle_counts_as_agreement, start_in_eights,
	                                        stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
