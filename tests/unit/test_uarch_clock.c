/* SPDX-License-Identifier: MIT */
/* Test the clock of a core in the timing model: loads that wait for their addresses, the window of
 * accesses in flight, the bandwidth, and hosts that count operations. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

#define X0 (UINT32_C(1) << 0)
#define X1 (UINT32_C(1) << 1)

/* Start a machine with fill buffers for all misses. Memory takes 200 cycles. */
static void start(struct machine *m, unsigned window, unsigned dram_gap)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.fill_entries = 64;
	p.window_accesses = (uint8_t)window;
	p.dram_gap = (uint8_t)dram_gap;
	machine_start_with(m, &p, 4, 1);
}

static struct uarch_result load_by(struct machine *m, uint64_t addr, uint32_t from, uint32_t to)
{
	struct uarch_result r = {0};

	uarch_registers(m->core[0], from, to);
	uarch_access(m->core[0], &r, 0, addr, 8, UARCH_LOAD);
	return r;
}

static uint64_t cycles(const struct machine *m)
{
	uint64_t totals[SPEMU_PERF_TOTALS];

	uarch_totals(totals, m->core[0]);
	return totals[SPEMU_PERF_TOTAL_CYCLES];
}

/* Ten misses of memory in different pages overlap, unless each address comes from the load before.
 * Each access takes a cycle, and each page of the first level of the TLB takes a walk. */
static void load_waits_for_its_address(void **state)
{
	(void)state;
	for (unsigned depends = 0; depends < 2; depends++) {
		struct uarch_result r;
		struct machine m;
		uint32_t walk;

		start(&m, 255, 0);
		r = load_by(&m, 0, 0, X0);
		walk = r.translation_latency;
		for (unsigned i = 1; i < 10; i++) {
			r = load_by(&m, i * PAGE, depends ? X0 : X1, X0);
			assert_int_equal(r.latency, 200);
		}
		assert_int_equal(cycles(&m), depends ? 10 * (200 + walk) : 200 + walk + 9);
		machine_stop(&m);
	}
}

/* A load waits only for the registers that its address comes from, and a hit of L1 for nothing. */
static void other_registers_and_hits_do_not_wait(void **state)
{
	struct machine m;
	uint64_t first;

	(void)state;
	start(&m, 255, 0);
	load_by(&m, 0, 0, X0);
	first = cycles(&m);
	load_by(&m, 64, X1, X1);
	assert_int_equal(cycles(&m), first);
	load_by(&m, 128, X0 | X1, 0);
	assert_int_equal(cycles(&m), first + 200);
	machine_stop(&m);
}

/* With a window of four accesses, the fifth miss begins when the first one is complete. Otherwise
 * it begins four cycles after it. Hits count as accesses. */
static void window_limits_what_is_in_flight(void **state)
{
	(void)state;
	for (unsigned window = 4; window < 6; window++) {
		struct machine m;
		uint64_t begin;

		start(&m, window, 0);
		load_by(&m, 0, 0, 0);
		for (unsigned i = 0; i < 250; i++) /* time passes, and the page is known */
			access_in_steps(m.core[0], NULL, 0, 8, UARCH_LOAD);
		begin = cycles(&m);
		for (unsigned i = 1; i <= 3; i++)
			assert_int_equal(load_by(&m, i * LINE, 0, 0).latency, 200);
		access_in_steps(m.core[0], NULL, 0, 8, UARCH_LOAD);
		assert_int_equal(load_by(&m, 5 * LINE, 0, 0).latency, 200);
		assert_int_equal(cycles(&m), begin + (window == 4 ? 400 : 204));
		machine_stop(&m);
	}
}

/* Lines from memory arrive 10 cycles after each other. */
static void lines_arrive_with_a_gap(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 255, 160);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(load_by(&m, i * LINE, 0, 0).latency, 200 + 9 * i);
	machine_stop(&m);
}

static uint64_t executed(void *ctx)
{
	return *(const uint64_t *)ctx;
}

/* With a host that counts operations, time passes with them: three in a cycle. */
static void operations_take_time(void **state)
{
	uint64_t operations = 1000, before;
	struct machine m;

	(void)state;
	start(&m, 255, 0);
	uarch_count_operations(m.core[0], executed, &operations);
	load_by(&m, 0, 0, 0);
	operations += 900;
	assert_int_equal(load_by(&m, 0, 0, 0).latency, 3); /* 300 cycles later, the line is there */
	before = cycles(&m);
	assert_int_equal(before, 300);
	operations += 300;
	assert_int_equal(cycles(&m), before + 100);
	operations = 5; /* the host counts anew */
	assert_in_range(cycles(&m), before - 100, before);
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(load_waits_for_its_address),
	        cmocka_unit_test(other_registers_and_hits_do_not_wait),
	        cmocka_unit_test(window_limits_what_is_in_flight),
	        cmocka_unit_test(lines_arrive_with_a_gap),
	        cmocka_unit_test(operations_take_time),
	};
	return cmocka_run_group_tests_name("uarch_clock", tests, NULL, NULL);
}
