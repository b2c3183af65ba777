/* SPDX-License-Identifier: MIT */
/* Test the prefetchers of the timing model: which lines they request, when the lines arrive, and
 * the sample of an access to them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "uarch_fixture.h"

#define PC UINT64_C(0x400100)
#define FAR UINT64_C(0x4001000)

static void start(struct machine *m, unsigned strides, unsigned streams, unsigned distance)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.stride_entries = (uint8_t)strides;
	p.stream_entries = (uint8_t)streams;
	p.prefetch_distance = (uint8_t)distance;
	machine_start_with(m, &p, 4, 2);
}

static struct uarch_result by(struct machine *m, unsigned core, uint64_t pc, uint64_t addr,
                              unsigned flags)
{
	struct uarch_result r = {0};

	uarch_access(m->core[core], &r, pc, addr, 8, flags);
	return r;
}

/* Let time pass by loads that hit one line. */
static void pass(struct machine *m, unsigned cycles)
{
	load(m, 0, FAR);
	while (cycles--)
		load(m, 0, FAR);
}

/*
 * An instruction advances by 256 bytes each time. Its stride is known at the second access and
 * confirmed at the third and the fourth. From then on its lines arrive before it requests them.
 * Lines of another instruction are not prefetched.
 */
static void stride_of_an_instruction_is_prefetched(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 4, 0, 4);
	for (unsigned i = 0; i < 16; i++) {
		struct uarch_result r = by(&m, 0, PC, i * 256, UARCH_LOAD);
		bool own = i >= 4;

		assert_int_equal(r.source, own ? UARCH_SRC_L2 : UARCH_SRC_DRAM);
		assert_int_equal(!(r.events & EV(LLC_ACCESS)), own);
		assert_int_equal(!(r.events & EV(L2D_MISS)), own);
		assert_true(r.events & EV(L1D_REFILL));
		assert_int_equal(by(&m, 0, PC + 4, FAR + i * i * 1024, UARCH_LOAD).source,
		                 UARCH_SRC_DRAM);
		pass(&m, 300);
	}
	/* The prefetcher requests four strides ahead within the page. Other lines and the next page
	 * are not in a cache. */
	assert_int_equal(load(&m, 0, 15 * 256 + 128).source, UARCH_SRC_DRAM);
	assert_int_equal(load(&m, 0, 4096).source, UARCH_SRC_DRAM);
	machine_stop(&m);
}

/* Start a machine with a stride prefetcher whose strides of more than one line start again in each
 * page: the second line requests into L2, the fourth into L1. */
static void start_again_in_each_page(struct machine *m)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.stride_entries = 4;
	p.prefetch_distance = 16;
	p.prefetch_pages = 1;
	p.l2_prefetch_after = 2;
	p.l1_prefetch_after = 4;
	p.l1_prefetch_distance = 2;
	machine_start_with(m, &p, 4, 2);
}

/*
 * A load advances by 448 bytes, so that it has nine lines in a page. The first two come from
 * memory, because the second one requests the next ones. The next two hit L2, and the others hit
 * L1.
 */
static void stride_starts_again_in_each_page(void **state)
{
	struct machine m;

	(void)state;
	start_again_in_each_page(&m);
	for (unsigned page = 0; page < 5; page++) {
		for (unsigned i = 0; i < 9; i++) {
			uint64_t addr = page * PAGE + i * 448;
			struct uarch_result r = by(&m, 0, PC, addr, UARCH_LOAD);

			if (page == 0)
				continue; /* the stride is not known yet */
			assert_int_equal(r.source, i < 2   ? UARCH_SRC_DRAM
			                           : i < 4 ? UARCH_SRC_L2
			                                   : UARCH_SRC_L1);
			assert_int_equal(!(r.events & EV(L1D_REFILL)), i >= 4);
			assert_int_equal(r.latency, i < 2 ? 200 : i < 4 ? 10 : 3);
			pass(&m, 300);
		}
	}
	machine_stop(&m);
}

/* The hosts' fast path leaves the first use of a line in L1 to the prefetcher, and takes the
 * second use. */
static void first_use_of_a_line_in_l1_trains(void **state)
{
	struct machine m;

	(void)state;
	start_again_in_each_page(&m);
	for (unsigned i = 0; i < 8; i++) {
		by(&m, 0, PC, i * 448, UARCH_LOAD);
		pass(&m, 300);
	}
	assert_false(uarch_hit(m.core[0], 8 * 448, 8, UARCH_LOAD));
	assert_false(uarch_in_l1(m.core[0], 8 * 448, 8, UARCH_LOAD));
	assert_int_equal(by(&m, 0, PC, 8 * 448, UARCH_LOAD).source, UARCH_SRC_L1);
	assert_true(uarch_hit(m.core[0], 8 * 448, 8, UARCH_LOAD));
	machine_stop(&m);
}

/* Stores train the stride, but their lines are prefetched into L2 only. */
static void lines_of_stores_stay_in_l2(void **state)
{
	struct machine m;

	(void)state;
	start_again_in_each_page(&m);
	for (unsigned i = 0; i < 9; i++) {
		struct uarch_result r = by(&m, 0, PC, i * 448, UARCH_STORE);

		assert_int_equal(!(r.events & EV(LLC_ACCESS)), i >= 4);
		assert_true(r.events & EV(L1D_REFILL));
		pass(&m, 300);
	}
	machine_stop(&m);
}

/* A line that was prefetched into L1 and is on its way takes the rest. Each load takes one cycle of
 * the 10 that L2 needs. The load has event 22, and no event of a miss. */
static void line_on_its_way_to_l1_takes_the_rest(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start_again_in_each_page(&m);
	for (unsigned i = 0; i < 5; i++) {
		by(&m, 0, PC, i * 448, UARCH_LOAD);
		pass(&m, 300);
	}
	by(&m, 0, PC, 5 * 448, UARCH_LOAD); /* requests line 7 from L2; line 6 has arrived */
	r = by(&m, 0, PC, 6 * 448, UARCH_LOAD);
	assert_int_equal(r.source, UARCH_SRC_L1);
	assert_false(r.events & EV(RECENTLY_FETCHED));
	r = by(&m, 0, PC, 7 * 448, UARCH_LOAD);
	assert_int_equal(r.latency, 8);
	assert_int_equal(r.source, UARCH_SRC_L2);
	assert_true(r.events & EV(RECENTLY_FETCHED));
	assert_false(r.events & (EV(L1D_REFILL) | EV(L2D_ACCESS)));
	machine_stop(&m);
}

/* The third consecutive line requests the next lines, upwards or downwards, for any instruction. */
static void third_line_in_a_row_starts_a_stream(void **state)
{
	(void)state;
	for (int way = -1; way <= 1; way += 2) {
		uint64_t begin = way > 0 ? 0 : PAGE - LINE;
		struct machine m;

		start(&m, 0, 4, 2);
		for (int i = 0; i < 8; i++) {
			uint64_t addr = begin + (uint64_t)(way * i * (int)LINE);

			assert_int_equal(load(&m, 0, addr).source,
			                 i < 3 ? UARCH_SRC_DRAM : UARCH_SRC_L2);
			pass(&m, 300);
		}
		machine_stop(&m);
	}
}

/* An access to a requested line that has not arrived takes the rest of the 200 cycles. The load has
 * event 22, but no event of a miss, because it did not request the line itself. */
static void prefetch_in_flight_takes_the_rest(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 0, 4, 2);
	load(&m, 0, 0);
	load(&m, 0, LINE);
	load(&m, 0, 2 * LINE); /* requests two more lines, and takes 1 + 197 cycles */
	r = load(&m, 0, 3 * LINE);
	assert_int_equal(r.latency, 10); /* 2 cycles remain, fewer than L2 takes */
	assert_int_equal(r.source, UARCH_SRC_DRAM);
	assert_true(r.events & EV(RECENTLY_FETCHED));
	/* This load requested the fifth line, which arrives 200 cycles later. It takes 1 + 7 cycles
	 * itself. Twelve hits then take one cycle each. */
	for (unsigned i = 0; i < 12; i++)
		load(&m, 0, 0);
	load(&m, 0, 4 * LINE); /* requested by the third load, and has arrived */
	r = store(&m, 0, 5 * LINE);
	assert_false(r.events & EV(RECENTLY_FETCHED));
	machine_stop(&m);
}

/* A prefetch of a line that a peer has modified makes the line shared, as a load does. */
static void prefetch_shares_line_modified_by_peer(void **state)
{
	struct uarch_result r;
	struct machine m;

	(void)state;
	start(&m, 0, 4, 2);
	store(&m, 1, 3 * LINE);
	for (unsigned i = 0; i < 3; i++)
		load(&m, 0, i * LINE);
	pass(&m, 300);
	r = load(&m, 0, 3 * LINE);
	assert_int_equal(r.source, UARCH_SRC_L2);
	assert_false(r.events & (EV(DATA_SNOOPED) | EV(CACHE_DATA_MODIFIED)));
	r = store(&m, 1, 3 * LINE); /* the peer must request the line again to write it */
	assert_true(r.events & EV(LLC_ACCESS));
	assert_int_equal(load(&m, 0, 3 * LINE).source, UARCH_SRC_PEER);
	machine_stop(&m);
}

/* Prefetches stay within the page, unless the profile allows them to leave it. */
static void prefetches_stay_in_the_page(void **state)
{
	(void)state;
	for (uint8_t leave = 0; leave < 2; leave++) {
		struct uarch_profile p;
		struct machine m;

		machine_profile(&p);
		p.stream_entries = 1;
		p.prefetch_distance = 4;
		p.prefetch_pages = leave;
		machine_start_with(&m, &p, 4, 1);
		for (unsigned i = 61; i < 64; i++)
			load(&m, 0, i * LINE);
		pass(&m, 300);
		assert_int_equal(load(&m, 0, PAGE).source, leave ? UARCH_SRC_L2 : UARCH_SRC_DRAM);
		machine_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(stride_of_an_instruction_is_prefetched),
	        cmocka_unit_test(stride_starts_again_in_each_page),
	        cmocka_unit_test(first_use_of_a_line_in_l1_trains),
	        cmocka_unit_test(lines_of_stores_stay_in_l2),
	        cmocka_unit_test(line_on_its_way_to_l1_takes_the_rest),
	        cmocka_unit_test(third_line_in_a_row_starts_a_stream),
	        cmocka_unit_test(prefetch_in_flight_takes_the_rest),
	        cmocka_unit_test(prefetch_shares_line_modified_by_peer),
	        cmocka_unit_test(prefetches_stay_in_the_page),
	};
	return cmocka_run_group_tests_name("uarch_prefetch", tests, NULL, NULL);
}
