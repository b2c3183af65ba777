/* SPDX-License-Identifier: MIT */
/* Test the line fill buffers of the timing model. Misses overlap if buffers are free, and later
 * accesses to a line in flight wait for it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

static void start(struct machine *m, unsigned fills)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.fill_entries = (uint8_t)fills;
	machine_start_with(m, &p, 4, 2);
}

/* Memory takes 200 cycles, and each access takes one cycle of them. The third load of the line
 * therefore waits for the remaining 198 cycles. */
static void access_to_line_in_flight_takes_the_rest(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 4);
	r = load(&m, 0, 0);
	assert_int_equal(r.latency, 200);
	assert_false(r.events & EV(RECENTLY_FETCHED));
	load(&m, 0, 8);
	r = load(&m, 0, 16);
	assert_int_equal(r.latency, 198);
	assert_int_equal(r.source, UARCH_SRC_DRAM); /* the source of the data */
	assert_true(r.events & EV(RECENTLY_FETCHED));
	/* This load is not a refill (D18.2.6, E[3]). */
	assert_false(r.events & (EV(L1D_REFILL) | EV(L2D_ACCESS) | EV(LLC_ACCESS)));
	assert_false(store(&m, 0, 24).events & EV(RECENTLY_FETCHED));
	for (unsigned i = 0; i < 191; i++)
		access_in_steps(m.core[0], NULL, 0, 8, UARCH_LOAD);
	assert_int_equal(load(&m, 0, 32).latency, 5);
	assert_int_equal(load(&m, 0, 32).latency, 4);
	r = load(&m, 0, 32); /* 3 cycles remain, the minimum latency of L1 */
	assert_int_equal(r.latency, 3);
	load(&m, 0, 32);
	load(&m, 0, 32);
	r = load(&m, 0, 32);
	assert_int_equal(r.latency, 3);
	assert_int_equal(r.source, UARCH_SRC_L1);
	assert_false(r.events & EV(RECENTLY_FETCHED));
	machine_stop(&m);
}

/* Both halves of a pair belong to one operation, which requests the line itself and therefore is
 * not late. The halves of a second pair are late. */
static void both_halves_of_pair_ask_for_one_line(void **state)
{
	struct uarch_result missed = {0}, late = {0};
	struct machine m;

	(void)state;
	start(&m, 4);
	for (uint64_t half = 0; half < 16; half += 8)
		access_in_steps(m.core[0], &missed, half, 8, UARCH_LOAD);
	for (uint64_t half = 16; half < 32; half += 8)
		access_in_steps(m.core[0], &late, half, 8, UARCH_LOAD);
	assert_true(missed.events & EV(L1D_REFILL));
	assert_false(missed.events & EV(RECENTLY_FETCHED));
	assert_int_equal(missed.latency, 200);
	assert_false(late.events & EV(L1D_REFILL));
	assert_true(late.events & EV(RECENTLY_FETCHED));
	assert_int_equal(late.latency, 198);
	machine_stop(&m);
}

/* With two buffers, the third miss is two cycles after the first, so it waits 198 cycles for a
 * buffer. */
static void miss_waits_for_free_fill_buffer(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2);
	assert_int_equal(load(&m, 0, 0 * PAGE).latency, 200);
	assert_int_equal(load(&m, 0, 1 * PAGE).latency, 200);
	assert_int_equal(load(&m, 0, 2 * PAGE).latency, 198 + 200);
	/* The third miss got its buffer at cycle 200. The second buffer becomes free at 201, which
	 * is the present cycle, so the fourth miss does not wait. */
	assert_int_equal(load(&m, 0, 3 * PAGE).latency, 200);
	machine_stop(&m);

	start(&m, 64);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(load(&m, 0, i * PAGE).latency, 200);
	machine_stop(&m);
}

/* The line of a store also uses a fill buffer. The store itself waits in the store buffer. */
static void stores_take_fill_buffers(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 1);
	assert_int_equal(store(&m, 0, 0).store_wait, 0);
	assert_int_equal(load(&m, 0, PAGE).latency, 199 + 200);
	machine_stop(&m);
}

/* A line from L2 uses no fill buffer, and the next access finds it in L1 at once. */
static void l2_hits_take_no_fill_buffer(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 1);
	for (unsigned i = 0; i < 5; i++) { /* five lines of one set of L1 evict the first one */
		load(&m, 0, i * 1024);
		for (unsigned k = 0; k < 200; k++)
			load(&m, 0, i * 1024);
	}
	assert_int_equal(load(&m, 0, 0).latency, 10);
	assert_int_equal(load(&m, 0, 8).latency, 3);
	assert_int_equal(load(&m, 0, PAGE * 9).latency, 200);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(access_to_line_in_flight_takes_the_rest),
	        cmocka_unit_test(both_halves_of_pair_ask_for_one_line),
	        cmocka_unit_test(miss_waits_for_free_fill_buffer),
	        cmocka_unit_test(stores_take_fill_buffers),
	        cmocka_unit_test(l2_hits_take_no_fill_buffer),
	};
	return cmocka_run_group_tests_name("uarch_fill", tests, NULL, NULL);
}
