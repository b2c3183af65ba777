/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
/* Test accesses in three steps. Each step must report whether it was the last one, and the state
 * afterwards must equal the state after one call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "uarch_fixture.h"

static bool in_l1_alone(const struct uarch_result *r)
{
	return !(r->events & (EV(L1D_REFILL) | EV(LLC_ACCESS)));
}

/* Make an access in steps in one machine, and in one call in the other machine. */
static void access_both(struct machine *steps, struct machine *once, uint64_t *seed, bool alone)
{
	static const uint32_t sizes[] = {1, 2, 4, 8, 8, 16, 64, 65, 100, 0};
	static const unsigned kinds[] = {UARCH_LOAD, UARCH_LOAD, UARCH_STORE,
	                                 UARCH_LOAD | UARCH_STORE};
	uint64_t addr = 0x10000 + below(seed, below(seed, 4) ? 2 * PAGE : 8 * PAGE);
	unsigned core = alone ? 0 : below(seed, 2), flags = kinds[below(seed, 4)];
	uint32_t size = sizes[below(seed, 10)];
	uint32_t lines = (uint32_t)((addr + (size ? size : 1) - 1) / LINE - addr / LINE) + 1;
	struct uarch_result r = {0};

	uarch_access(once->core[core], &r, 0, addr, size, flags);
	if (below(seed, 2) && uarch_hit(steps->core[core], addr, size, flags)) {
		assert_true(in_l1_alone(&r) && lines == 1);
	} else if (uarch_in_l1(steps->core[core], addr, size, flags)) {
		assert_true(in_l1_alone(&r));
		assert_true(lines <= 2 && size);
	} else {
		assert_true(!in_l1_alone(&r) || lines > 2 || !size);
		uarch_access(steps->core[core], NULL, 0, addr, size, flags);
	}
}

static void compare(struct machine *steps, struct machine *once)
{
	for (unsigned core = 0; core < 2; core++) {
		for (uint64_t addr = 0x10000; addr < 0x10000 + 8 * PAGE; addr += 3 * LINE) {
			unsigned flags = addr / LINE % 2 ? UARCH_LOAD : UARCH_STORE;
			struct uarch_result a = touch(steps, core, addr, 8, flags);
			struct uarch_result b = touch(once, core, addr, 8, flags);

			assert_memory_equal(&a, &b, sizeof(a));
		}
	}
}

static void run(bool alone)
{
	struct machine steps, once;
	uint64_t seed = 7;

	machine_start(&steps, 2);
	machine_start(&once, 2);
	uarch_alone(steps.shared, alone);
	for (unsigned round = 0; round < 40; round++) {
		for (unsigned i = 0; i < 500; i++)
			access_both(&steps, &once, &seed, alone);
		if (!alone)
			compare(&steps, &once);
	}
	uarch_alone(steps.shared, false);
	compare(&steps, &once);
	machine_stop(&steps);
	machine_stop(&once);
}

static void two_step_access_leaves_state_of_one_call(void **state)
{
	(void)state;
	run(false);
}

static void two_step_access_by_one_core_leaves_state_of_one_call(void **state)
{
	(void)state;
	run(true);
}

static void add_to_totals(uint64_t *t, const struct uarch_result *r, bool load)
{
	t[SPEMU_PERF_TOTAL_ACCESSES]++;
	t[SPEMU_PERF_TOTAL_REFILLS + !load] += r->events >> SPEMU_EV_L1D_REFILL & 1;
	t[SPEMU_PERF_TOTAL_L2_MISSES] += r->events >> SPEMU_EV_L2D_MISS & 1;
	t[SPEMU_PERF_TOTAL_LLC_MISSES + !load] += r->events >> SPEMU_EV_LLC_MISS & 1;
	t[SPEMU_PERF_TOTAL_SNOOPED] += r->events >> SPEMU_EV_DATA_SNOOPED & 1;
	t[SPEMU_PERF_TOTAL_WALKS] += r->events >> SPEMU_EV_TLB_WALK & 1;
}

/* The accesses of this test have one line each, so the totals are sums of events. */
static void totals_are_sums_of_events(void **state)
{
	struct machine steps, once;
	uint64_t seed = 11;

	(void)state;
	machine_start(&steps, 2);
	machine_start(&once, 2);
	for (unsigned round = 0; round < 2; round++) {
		uint64_t sums[2][SPEMU_PERF_TOTALS] = {{0}}, before[2][SPEMU_PERF_TOTALS];

		for (unsigned core = 0; core < 2; core++)
			uarch_totals(before[core], once.core[core]);
		for (unsigned i = 0; i < 5000; i++) {
			uint64_t addr = 0x10000 + 8 * (uint64_t)below(&seed, 64 * PAGE / 8);
			unsigned core = below(&seed, 2), flags = 1 + below(&seed, 3);
			struct uarch_result r = {0};

			uarch_access(once.core[core], &r, 0, addr, 8, flags);
			add_to_totals(sums[core], &r, flags & UARCH_LOAD);
			if (!uarch_hit(steps.core[core], addr, 8, flags) &&
			    !uarch_in_l1(steps.core[core], addr, 8, flags))
				uarch_access(steps.core[core], NULL, 0, addr, 8, flags);
		}
		for (unsigned core = 0; core < 2; core++) {
			uint64_t a[SPEMU_PERF_TOTALS], b[SPEMU_PERF_TOTALS];

			uarch_totals(a, steps.core[core]);
			uarch_totals(b, once.core[core]);
			assert_memory_equal(a, b, sizeof(a));
			for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++) {
				if (i == SPEMU_PERF_TOTAL_L2_MISSES_STORES ||
				    i == SPEMU_PERF_TOTAL_SNOOPED_STORES ||
				    i >= SPEMU_PERF_TOTAL_MISPREDICTED)
					continue;
				assert_true(sums[core][i]);
				assert_true(b[i] - before[core][i] == sums[core][i]);
			}
		}
	}
	machine_stop(&steps);
	machine_stop(&once);
}

/* The second step handles accesses that the first step cannot: a miss of the first-level TLB, and
 * an access to two lines. */
static void second_step_finds_tlb_miss_and_second_line(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 1);
	touch(&m, 0, PAGE, 8, UARCH_LOAD);
	for (unsigned page = 2; page < 6; page++) /* as many pages as the TLB has entries */
		touch(&m, 0, page * PAGE + page * LINE, 8, UARCH_LOAD);
	assert_false(uarch_hit(m.core[0], PAGE, 8, UARCH_LOAD));
	assert_true(uarch_in_l1(m.core[0], PAGE, 8, UARCH_LOAD));
	assert_true(uarch_hit(m.core[0], PAGE, 8, UARCH_LOAD));
	touch(&m, 0, PAGE + LINE, 8, UARCH_LOAD);
	assert_false(uarch_hit(m.core[0], PAGE + LINE - 4, 8, UARCH_LOAD));
	assert_true(uarch_in_l1(m.core[0], PAGE + LINE - 4, 8, UARCH_LOAD));
	assert_false(uarch_in_l1(m.core[0], PAGE + 2 * LINE - 4, 8, UARCH_LOAD));
	machine_stop(&m);
}

/* A store to a line that other cores may have is not finished in L1. */
static void store_to_shared_line_asks_the_directory(void **state)
{
	struct machine m;

	(void)state;
	machine_start(&m, 2);
	touch(&m, 0, PAGE, 8, UARCH_LOAD);
	touch(&m, 1, PAGE, 8, UARCH_LOAD);
	assert_true(uarch_in_l1(m.core[0], PAGE, 8, UARCH_LOAD));
	assert_false(uarch_in_l1(m.core[0], PAGE, 8, UARCH_STORE));
	touch(&m, 0, PAGE + LINE, 8, UARCH_LOAD); /* exclusive */
	assert_true(uarch_in_l1(m.core[0], PAGE + LINE, 8, UARCH_STORE));
	assert_true(touch(&m, 1, PAGE + LINE, 8, UARCH_LOAD).events & EV(CACHE_DATA_MODIFIED));
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(totals_are_sums_of_events),
	        cmocka_unit_test(two_step_access_leaves_state_of_one_call),
	        cmocka_unit_test(two_step_access_by_one_core_leaves_state_of_one_call),
	        cmocka_unit_test(second_step_finds_tlb_miss_and_second_line),
	        cmocka_unit_test(store_to_shared_line_asks_the_directory),
	};

	return cmocka_run_group_tests_name("uarch_steps", tests, NULL, NULL);
}
