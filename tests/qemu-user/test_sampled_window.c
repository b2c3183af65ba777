/* SPDX-License-Identifier: MIT */
/*
 * Test when sampling windows of sampled fidelity begin and end, and how long they are. The
 * functions are private to hosts/qemu-user/sampled_window.c, so this file includes it.
 * docs/explanation/timing-model.md, "Sampled fidelity", gives the expected values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampled_window.c"

enum { K = 1024, M = K * K };

struct process process;
static struct vcpu vcpu;
static bool l2, more, known;

bool uarch_wants_l2(const struct uarch_core *core)
{
	(void)core;
	return l2;
}

bool uarch_wants_more(const struct uarch_core *core)
{
	(void)core;
	return more;
}

bool uarch_as_known(const struct uarch_core *core)
{
	(void)core;
	return known;
}

/* Reset to the start of a program, when the first sampling window has begun. */
static int begin(void **state)
{
	(void)state;
	executed = 0;
	change_at = length = 256 * K;
	wanted = complete = true;
	ended = sooner = windows = distances = 0;
	begins_sooner = is_deep = l2 = more = known = false;
	deep_at = 64 * M;
	apart = 12;
	estimated = unknown = unknown_last = 0;
	vcpu = (struct vcpu){.windowed = true};
	return 0;
}

/* Execute until sampling windows begin or end. Return the number of operations until then. */
static uint64_t next_change(void)
{
	uint64_t before = executed, at = change_at;

	window_executed(&vcpu, at - before - 1);
	assert_int_equal(executed, at - 1);
	window_executed(&vcpu, 1);
	return at - before;
}

static void assert_apart(unsigned windows_apart)
{
	uint64_t distance = change_at - executed, usual = (windows_apart - 1) * UINT64_C(256) * K;

	assert_in_range(distance, usual / 2, usual / 2 + usual);
}

static void each_fourth_is_long(void **state)
{
	(void)state;
	assert_int_equal(next_change(), 256 * K); /* the first sampling window */
	assert_false(wanted);
	assert_apart(12);
	for (unsigned n = 1; n <= 16; n++) {
		next_change();
		assert_true(wanted && !complete);
		assert_int_equal(next_change(), n % 4 ? 256 * K : M);
		assert_false(wanted);
		assert_apart(12);
	}
}

static void distances_differ(void **state)
{
	uint64_t sum = 0, before = 0, usual = 11 * 256 * K;

	(void)state;
	next_change();
	for (unsigned n = 0; n < 400; n++) {
		uint64_t distance = next_change();

		assert_int_not_equal(distance, before);
		before = distance;
		sum += distance;
		next_change();
	}
	assert_in_range(sum / 400, usual - usual / 50, usual + usual / 50);
}

static void windows_of_what_is_known_are_farther_apart(void **state)
{
	static const unsigned doubled[] = {24, 48, 96, 192, 384, 768, 768};

	(void)state;
	next_change();
	known = true;
	for (unsigned i = 0; i < 7; i++) {
		next_change();
		next_change();
		assert_apart(doubled[i]);
		assert_int_equal(apart, doubled[i]);
	}
	known = false;
	for (unsigned i = 5; i--;) {
		next_change();
		next_change();
		assert_int_equal(apart, doubled[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		next_change();
		next_change();
		assert_int_equal(apart, 12);
	}
}

static void a_window_that_wants_more_becomes_long(void **state)
{
	(void)state;
	more = true;
	assert_int_equal(next_change(), 256 * K);
	assert_false(wanted); /* at the start, everything is unknown */
	while (executed < 2 * M || !wanted || length == M) {
		more = false;
		next_change();
	}
	more = true;
	assert_int_equal(next_change(), 256 * K);
	assert_true(wanted);
	assert_int_equal(next_change(), M - 256 * K);
	assert_false(wanted);
}

/* Continue to the first short sampling window that begins after this number of operations. */
static void window_after(uint64_t operations)
{
	next_change();
	while (!wanted || length != 256 * K || executed < operations)
		next_change();
}

static void a_window_goes_on_for_l2(void **state)
{
	uint64_t begun, total;

	(void)state;
	window_after(16 * M);
	l2 = true;
	next_change();
	assert_false(wanted); /* no deep sampling window before 64 M operations */
	l2 = false;
	window_after(65 * M);
	begun = executed;
	l2 = true;
	while (wanted)
		next_change();
	total = executed - begun;
	assert_int_equal(total, 8 * M);
	/* The next deep one is four times as far from the start as the end of this one. */
	assert_int_equal(deep_at, 4 * (executed - 256 * K));
	window_after(executed + 16 * M);
	next_change();
	assert_false(wanted);
}

/* The limit is an eighth of the operations executed so far. */
static void an_early_one_goes_on_for_less(void **state)
{
	uint64_t begun;

	(void)state;
	deep_at = 0;
	window_after(16 * M);
	begun = executed;
	l2 = true;
	while (wanted)
		next_change();
	assert_in_range(executed - begun, begun / 8, executed / 8 + 256 * K);
}

static void unknown_samples(unsigned count)
{
	while (count--)
		window_estimated(false);
}

static void four_unknown_samples_in_a_row_begin_one(void **state)
{
	(void)state;
	next_change();
	unknown_samples(100);
	assert_false(begins_sooner); /* at the start, all samples are unknown */
	while (executed < 8 * M || wanted)
		next_change();
	window_executed(&vcpu, 256 * K - 1);
	unknown_samples(4);
	assert_false(begins_sooner); /* too soon after the last sampling window */
	window_executed(&vcpu, 1);
	estimated = unknown = unknown_last = 0;
	unknown_samples(3);
	window_estimated(true);
	assert_false(begins_sooner);
	for (unsigned i = 0; i < 50; i++)
		window_estimated(true);
	unknown_samples(3);
	assert_false(begins_sooner); /* only three unknown samples */
	unknown_samples(1);
	assert_true(begins_sooner);
	window_executed(&vcpu, 1);
	assert_true(wanted);
	assert_int_equal(next_change(), 128 * K);
	assert_false(wanted || begins_sooner);
}

/* Continue to a place where unknown samples may begin a sampling window. */
static void between_windows(void)
{
	next_change();
	while (executed < 8 * M || wanted)
		next_change();
	window_executed(&vcpu, 256 * K);
}

static void an_eighth_unknown_begins_one(void **state)
{
	(void)state;
	between_windows();
	for (unsigned i = 0; i < 4; i++) {
		assert_false(begins_sooner);
		for (unsigned j = 0; j < 7; j++)
			window_estimated(true);
		unknown_samples(1);
	}
	assert_true(begins_sooner); /* 4 of 32 samples are unknown */
}

static void they_take_one_part_in_64_at_most(void **state)
{
	(void)state;
	between_windows();
	sooner = executed / 64 + 2 * M - 128 * K + 1;
	unknown_samples(10);
	assert_false(begins_sooner);
	sooner--;
	unknown_samples(1);
	assert_true(begins_sooner);
	assert_int_equal(sooner, executed / 64 + 2 * M);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(each_fourth_is_long, begin),
	        cmocka_unit_test_setup(distances_differ, begin),
	        cmocka_unit_test_setup(windows_of_what_is_known_are_farther_apart, begin),
	        cmocka_unit_test_setup(a_window_that_wants_more_becomes_long, begin),
	        cmocka_unit_test_setup(a_window_goes_on_for_l2, begin),
	        cmocka_unit_test_setup(an_early_one_goes_on_for_less, begin),
	        cmocka_unit_test_setup(four_unknown_samples_in_a_row_begin_one, begin),
	        cmocka_unit_test_setup(an_eighth_unknown_begins_one, begin),
	        cmocka_unit_test_setup(they_take_one_part_in_64_at_most, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
