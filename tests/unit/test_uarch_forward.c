/* SPDX-License-Identifier: MIT */
/* Test the latency and the sample of loads whose data are in the store buffer. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

static void start(struct machine *m, unsigned forward, unsigned retire, unsigned fills)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.forward_cycles = (uint8_t)forward;
	p.retire_cycles = (uint8_t)retire;
	p.fill_entries = (uint8_t)fills;
	p.store_entries = 4;
	machine_start_with(m, &p, 4, 1);
}

static uint32_t latency(struct machine *m, uint64_t addr, uint32_t size)
{
	return touch(m, 0, addr, size, UARCH_LOAD).latency;
}

/* A load whose bytes all come from the youngest store to any of them is forwarded. The store can be
 * forwarded up to retire_cycles after it could leave the buffer. */
static void whole_data_forward_from_youngest_store(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 7, 10, 0);
	load(&m, 0, 0);
	store(&m, 0, 8); /* enters in cycle n, could leave at n + 1, and is kept until n + 11 */
	r = load(&m, 0, 8);
	assert_int_equal(r.latency, 7);
	assert_int_equal(r.source, UARCH_SRC_L1);
	assert_true(r.events == (EV(L1D_ACCESS) | EV(TLB_ACCESS)));
	assert_int_equal(latency(&m, 12, 4), 7);
	assert_int_equal(latency(&m, 16, 8), 3); /* no store wrote these bytes */
	assert_int_equal(latency(&m, 0, 8), 3);
	for (unsigned i = 0; i < 6; i++)
		latency(&m, 0, 8);
	assert_int_equal(latency(&m, 8, 8), 7);
	assert_int_equal(latency(&m, 8, 8), 3);
	machine_stop(&m);
}

/* If the store wrote only a part of the bytes, the load waits until the store has left, and then
 * takes the latency of L1. */
static void partial_data_wait_for_the_store(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 7, 10, 0);
	load(&m, 0, 0);
	touch(&m, 0, 8, 4, UARCH_STORE);
	assert_int_equal(latency(&m, 8, 8), 11 + 3);
	assert_int_equal(latency(&m, 4, 8), 10 + 3);
	assert_int_equal(latency(&m, 9, 4), 9 + 3);
	assert_int_equal(latency(&m, 9, 3), 7);
	/* The youngest store decides: first a store to eight bytes, then a store to four of
	 * them. */
	store(&m, 0, 16);
	touch(&m, 0, 16, 4, UARCH_STORE);
	assert_int_equal(latency(&m, 16, 8), 11 + 3);
	assert_int_equal(latency(&m, 20, 4), 7);
	machine_stop(&m);
}

/* While a store waits for its line, its data are forwarded from the buffer at once. Other bytes of
 * the line arrive with the line. */
static void forwarding_from_store_waiting_for_its_line(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 7, 0, 4);
	store(&m, 0, 0); /* the line takes 200 cycles */
	r = load(&m, 0, 0);
	assert_int_equal(r.latency, 7);
	assert_false(r.events & EV(RECENTLY_FETCHED));
	r = load(&m, 0, 8);
	assert_true(r.events & EV(RECENTLY_FETCHED));
	assert_true(r.latency > 190);
	machine_stop(&m);
}

/*
 * Atomic operations get their line first, and loads of other lines are looked up as usual.
 * Forwarding can be switched off.
 */
static void atomics_and_other_lines_are_not_forwarded(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 7, 10, 0);
	load(&m, 0, 0);
	store(&m, 0, 8);
	assert_int_equal(touch(&m, 0, 8, 8, UARCH_LOAD | UARCH_STORE).latency, 3);
	assert_int_equal(latency(&m, PAGE + 8, 8), 200);
	machine_stop(&m);
	start(&m, 0, 10, 0);
	load(&m, 0, 0);
	store(&m, 0, 8);
	assert_int_equal(latency(&m, 8, 8), 3);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(whole_data_forward_from_youngest_store),
	        cmocka_unit_test(partial_data_wait_for_the_store),
	        cmocka_unit_test(forwarding_from_store_waiting_for_its_line),
	        cmocka_unit_test(atomics_and_other_lines_are_not_forwarded),
	};
	return cmocka_run_group_tests_name("uarch_forward", tests, NULL, NULL);
}
