/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

#define CONDITIONAL SPEMU_OPF_CONDITIONAL
#define CALL SPEMU_OPF_LINK
#define INDIRECT SPEMU_OPF_INDIRECT
#define RETURN (SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN)

static unsigned branch(struct machine *m, uint64_t pc, uint32_t flags, bool taken, uint64_t target)
{
	struct uarch_result r = {0};
	bool wrong = uarch_branch(m->core[0], &r, pc, flags, taken, target);

	assert_true(r.events == (wrong ? EV(MISPREDICTED) : 0));
	assert_int_equal(r.accesses, 0);
	return wrong;
}

/* Run one branch `total` times. Return the number of mispredictions among the last `counted`
 * executions. */
static unsigned outcomes(struct machine *m, unsigned total, unsigned counted,
                         bool (*taken)(unsigned i))
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < total; i++) {
		unsigned miss = branch(m, 0x4000, CONDITIONAL, taken(i), 0x3000);

		if (i >= total - counted)
			wrong += miss;
	}
	return wrong;
}

static bool always(unsigned i)
{
	(void)i;
	return true;
}

static bool never(unsigned i)
{
	(void)i;
	return false;
}

static bool alternating(unsigned i)
{
	return i % 2;
}

/* The branch of a loop of eight iterations, which fits into a history of 13 outcomes. */
static bool loop_of_eight(unsigned i)
{
	return i % 8 != 7;
}

static bool random_outcome(unsigned i)
{
	uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) & 1;
}

static void patterns_are_learned(void **state)
{
	static bool (*const patterns[])(unsigned) = {always, never, alternating, loop_of_eight};

	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct machine m;

		machine_start(&m, 1);
		assert_int_equal(outcomes(&m, 2000, 1000, patterns[i]), 0);
		machine_stop(&m);
	}
}

static void first_predictions_are_not_taken(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	/* A two-bit counter starts at 0, so the third prediction for a taken branch is right at the
	 * latest. */
	assert_int_equal(branch(&m, 0x4000, CONDITIONAL, true, 0x3000), 1);
	branch(&m, 0x4000, CONDITIONAL, true, 0x3000);
	assert_int_equal(branch(&m, 0x4000, CONDITIONAL, true, 0x3000), 0);
	assert_int_equal(branch(&m, 0x5000, CONDITIONAL, false, 0), 0);
	machine_stop(&m);
}

static void random_branches_mispredict_half_the_time(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	/* 20000 fair coin tosses have a standard deviation of 71. Five standard deviations are
	 * 354. */
	unsigned wrong = outcomes(&m, 20000, 20000, random_outcome);

	uint64_t totals[SPEMU_PERF_TOTALS];

	assert_in_range(wrong, 10000 - 354, 10000 + 354);
	uarch_totals(totals, m.core[0]);
	assert_int_equal(totals[SPEMU_PERF_TOTAL_MISPREDICTED], wrong);
	machine_stop(&m);
}

static void direct_branches_never_mispredict(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(branch(&m, 0x1000 + 4 * i, 0, true, 0x100000 * i), 0);
	machine_stop(&m);
}

static void returns_are_predicted_by_return_stack(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	/* A function is called from a new place each time, so only a stack can predict its
	 * return. */
	for (unsigned i = 0; i < 100; i++) {
		uint64_t call = 0x1000 + 16 * i;

		assert_int_equal(branch(&m, call, CALL, true, 0x8000), 0);
		assert_int_equal(branch(&m, 0x8010, RETURN, true, call + 4), 0);
	}
	/* Calls as deep as the stack: all returns are predicted. */
	unsigned depth = m.profile.ras_entries;

	for (unsigned i = 0; i < depth; i++)
		branch(&m, 0x1000 + 16 * i, CALL, true, 0x8000);
	for (unsigned i = depth; i-- > 0;)
		assert_int_equal(branch(&m, 0x8010, RETURN, true, 0x1004 + 16 * i), 0);
	/* Five calls deeper: the five outermost returns are mispredicted, and the others are
	 * right. */
	for (unsigned i = 0; i < depth + 5; i++)
		branch(&m, 0x1000 + 16 * i, CALL, true, 0x8000);
	for (unsigned i = depth + 5; i-- > 0;)
		assert_int_equal(branch(&m, 0x8010, RETURN, true, 0x1004 + 16 * i), i < 5);
	/* A return that does not go to the caller, as in longjmp(). */
	branch(&m, 0x1000, CALL, true, 0x8000);
	assert_int_equal(branch(&m, 0x8010, RETURN, true, 0x7777000), 1);
	machine_stop(&m);
}

static void indirect_calls_push_and_predict(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	assert_int_equal(branch(&m, 0x1000, INDIRECT | CALL, true, 0x8000), 1); /* a new call */
	assert_int_equal(branch(&m, 0x8010, RETURN, true, 0x1004), 0);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(branch(&m, 0x1000, INDIRECT | CALL, true, 0x8000), 0);
		assert_int_equal(branch(&m, 0x8010, RETURN, true, 0x1004), 0);
	}
	machine_stop(&m);
}

static void indirect_targets_follow_the_path(void **state)
{
	static const uint64_t targets[] = {0x8000, 0x9040, 0xa080, 0xb0c0, 0x8000, 0xc100};
	struct machine m;
	unsigned wrong = 0;

	(void)state;
	machine_start(&m, 1);
	/* The indirect branch of an interpreter that runs the same six operations again and
	 * again. */
	for (unsigned i = 0; i < 600; i++) {
		unsigned miss = branch(&m, 0x1000, INDIRECT, true, targets[i % 6]);

		if (i >= 300)
			wrong += miss;
	}
	assert_int_equal(wrong, 0);
	/* The first execution with a new target is always mispredicted. */
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(branch(&m, 0x1000, INDIRECT, true, 0x100000 + 64 * i), 1);
	machine_stop(&m);
}

static void result_argument_is_optional(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	assert_true(uarch_branch(m.core[0], NULL, 0x1000, INDIRECT, true, 0x8000));
	assert_false(uarch_branch(m.core[0], NULL, 0x1000, 0, true, 0x8000));
	machine_stop(&m);
}

/* Two targets that are 512 MB apart are different paths for the next indirect branch. */
static void path_distinguishes_far_targets(void **state)
{
	struct machine m;
	unsigned wrong = 0;

	(void)state;
	machine_start(&m, 1);
	for (unsigned i = 0; i < 4000; i++) {
		bool far = random_outcome(i);
		unsigned miss;

		branch(&m, 0x4000, INDIRECT, true, 0x10000 + ((uint64_t)far << 29));
		miss = branch(&m, 0x5000, INDIRECT, true, far ? 0x7000 : 0x6000);
		wrong += i >= 2000 && miss;
	}
	assert_true(wrong < 20);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(patterns_are_learned),
	        cmocka_unit_test(path_distinguishes_far_targets),
	        cmocka_unit_test(first_predictions_are_not_taken),
	        cmocka_unit_test(random_branches_mispredict_half_the_time),
	        cmocka_unit_test(direct_branches_never_mispredict),
	        cmocka_unit_test(returns_are_predicted_by_return_stack),
	        cmocka_unit_test(indirect_calls_push_and_predict),
	        cmocka_unit_test(indirect_targets_follow_the_path),
	        cmocka_unit_test(result_argument_is_optional),
	};
	return cmocka_run_group_tests_name("uarch_branch", tests, NULL, NULL);
}
