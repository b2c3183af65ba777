/* SPDX-License-Identifier: MIT */
/* Test when a store has to wait for room in the store buffer of the timing model. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

static struct uarch_result put(struct machine *m, uint64_t addr)
{
	struct uarch_result r = {0};

	access_in_steps(m->core[0], &r, addr, 8, UARCH_STORE);
	return r;
}

static struct uarch_result get(struct machine *m, uint64_t addr)
{
	struct uarch_result r = {0};

	access_in_steps(m->core[0], &r, addr, 8, UARCH_LOAD);
	return r;
}

static void start(struct machine *m, uint32_t entries)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.store_entries = entries;
	machine_start_with_ids(m, &p, 1, 1, 1);
}

/* In each cycle one store enters and one leaves, so stores to a line that is in L1 never wait. */
static void store_hits_never_wait(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2);
	get(&m, 0); /* from DRAM; the next stores find an empty buffer */
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(put(&m, i % 8 * 8).store_wait, 0);
	machine_stop(&m);
}

/*
 * Lines come from memory, in 200 cycles, which is 197 more than a hit takes. The buffer has two
 * entries.
 *
 * Stores 1 and 2 enter at cycles 1 and 2, and leave 198 cycles later, at 199 and 200. Store 3
 * arrives at cycle 3 and waits until store 1 leaves at 199. It then enters and leaves at 397. Store
 * 4 arrives at 200, when store 2 leaves.
 */
static void store_misses_fill_the_buffer(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2);
	assert_int_equal(put(&m, 0 * LINE).store_wait, 0);
	assert_int_equal(put(&m, 1 * LINE).store_wait, 0);
	assert_int_equal(put(&m, 2 * LINE).store_wait, 199 - 3);
	assert_int_equal(put(&m, 3 * LINE).store_wait, 0);
	/* Store 5 arrives at 201 and waits for store 3. */
	assert_int_equal(put(&m, 4 * LINE).store_wait, 397 - 201);
	machine_stop(&m);
}

/*
 * A larger buffer accepts more stores without waiting. A load that waits for memory gives the
 * stores time to leave.
 */
static void larger_buffer_and_slow_loads_avoid_waits(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(put(&m, i * LINE).store_wait, 0);
	assert_int_not_equal(put(&m, 8 * LINE).store_wait, 0);
	machine_stop(&m);

	start(&m, 2);
	put(&m, 0 * LINE);
	put(&m, 1 * LINE);
	get(&m, 100 * LINE); /* takes 198 cycles, until cycle 200 */
	assert_int_equal(put(&m, 2 * LINE).store_wait, 0);
	machine_stop(&m);
}

/* Stores leave in order: a store that hits leaves after an earlier store that missed. */
static void stores_leave_in_order(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2);
	get(&m, 0);        /* until cycle 198 */
	put(&m, 1 * LINE); /* enters at 199, leaves at 397 */
	put(&m, 0);        /* L1 has the line; leaves at 398 */
	assert_int_equal(put(&m, 8).store_wait, 397 - 201);
	assert_int_equal(put(&m, 16).store_wait, 0); /* the second store leaves at 398 */
	machine_stop(&m);
}

/* The latency of a sampled store includes the wait. Stores that are not sampled fill the buffer as
 * well. */
static void wait_is_part_of_store_latency(void **state)
{
	struct spemu_op op = {.kind = {.type = SPEMU_OP_STORE}};
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 2);
	access_in_steps(m.core[0], NULL, 0, 8, UARCH_STORE);
	access_in_steps(m.core[0], NULL, LINE, 8, UARCH_STORE);
	r = put(&m, 2 * LINE);
	assert_int_equal(r.store_wait, 196);
	uarch_complete(m.core[0], &op, &r);
	assert_int_equal(op.total_latency, m.profile.issue_cycles + r.translation_latency +
	                                           m.profile.store_cycles + 196);
	machine_stop(&m);
}

/* Parse options by their names, and reject invalid text. */
static void store_buffer_options_parse(void **state)
{
	static const char *const names[] = {"l1d_size",       "l2_ways",         "llc_cycles",
	                                    "dtlb_entries",   "l2tlb_entries",   "walk_cycles",
	                                    "store_entries",  "return_entries",  "bimodal_entries",
	                                    "gshare_entries", "indirect_entries"};
	const struct {
		const char *text;
		size_t offset;
	} wrong[] = {{"l1d_sise=1", 0},        {"l1d_size", 0},
	             {"l1d_size=", 9},         {"l1d_size=32K,x=1", 13},
	             {"l1d_size=32Q", 9},      {"gshare_entries=1000", 15},
	             {"history_bits=300", 13}, {"l1d_size=-1", 9},
	             {"l1d_size=32K,,", 13},   {"l1d_size=99999999999999999999", 9}};
	struct uarch_profile p = *uarch_profile("generic");
	size_t offset;

	(void)state;
	assert_int_equal(uarch_parse(&p, NULL, ""), SPEMU_OK);
	assert_memory_equal(&p, uarch_profile("generic"), sizeof(p));
	assert_int_equal(uarch_parse(&p, &offset,
	                             "l1d_size=64K,l1d_ways=8,llc_size=16M,dtlb_entries=48,"
	                             "store_entries=20,gshare_entries=64k,history_bits=16,"
	                             "return_entries=8,indirect_entries=256"),
	                 SPEMU_OK);
	assert_int_equal(p.l1d.entries, 1024);
	assert_int_equal(p.l1d.ways, 8);
	assert_int_equal(p.llc.entries, 262144);
	assert_int_equal(p.dtlb.ways, 48);
	assert_int_equal(p.store_entries, 20);
	assert_int_equal(p.gshare_shift, 16);
	assert_int_equal(p.history_bits, 16);
	assert_int_equal(p.ras_entries, 8);
	assert_int_equal(p.indirect_shift, 8);
	assert_int_equal(uarch_check(&p, NULL), SPEMU_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = 0;

		while (uarch_option_at(n) && strcmp(uarch_option_at(n), names[i]) != 0)
			n++;
		assert_non_null(uarch_option_at(n));
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(uarch_parse(&p, &offset, wrong[i].text), SPEMU_ERR_INVALID);
		assert_int_equal(offset, wrong[i].offset);
	}
	p.store_entries = 0;
	assert_int_equal(uarch_check(&p, NULL), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(store_hits_never_wait),
	        cmocka_unit_test(store_misses_fill_the_buffer),
	        cmocka_unit_test(larger_buffer_and_slow_loads_avoid_waits),
	        cmocka_unit_test(stores_leave_in_order),
	        cmocka_unit_test(wait_is_part_of_store_latency),
	        cmocka_unit_test(store_buffer_options_parse),
	};
	return cmocka_run_group_tests_name("uarch_store", tests, NULL, NULL);
}
