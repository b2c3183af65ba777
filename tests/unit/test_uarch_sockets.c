/* SPDX-License-Identifier: MIT */
/* Test machines with more than one socket, where the numbers of the core and of the page decide
 * from where the data come. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "timing/a64.h"
#include "uarch_fixture.h"

enum { REMOTE = UARCH_SRC_REMOTE, ADDED = 1000, CORES = 4 };

/* Start cores 0 to 3. */
static void start(struct machine *m, uint8_t sockets, uint8_t socket_cores)
{
	struct uarch_profile p;

	machine_profile(&p);
	p.sockets = sockets;
	p.socket_cores = socket_cores;
	p.socket_cycles = ADDED;
	p.remote_source = 0x5d;
	machine_start_with(m, &p, CORES, CORES);
}

static void assert_from(struct uarch_result r, enum uarch_source source, bool remote,
                        uint32_t cycles)
{
	assert_int_equal(r.source, (unsigned)source + (remote ? REMOTE : 0));
	assert_int_equal(r.latency, cycles + (remote ? ADDED : 0));
	assert_int_equal(!!(r.events & EV(REMOTE_ACCESS)), remote);
	assert_true(r.events & EV(LLC_ACCESS));
	assert_int_equal(!!(r.events & EV(LLC_MISS)), remote || source != UARCH_SRC_LLC);
}

/* With two sockets of two cores, the cores are in sockets 0 0 1 1, and the pages in sockets 0 1 0 1
 * ... */
static void memory_is_interleaved_by_page(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2, 2);
	for (unsigned core = 0; core < CORES; core++) {
		for (unsigned page = 0; page < 8; page++) {
			/* Each core uses a different line. In page 7, the lines are the last ones
			 * of the page. */
			uint64_t at = page * PAGE + (page == 7 ? 63 - core : core) * LINE;

			assert_from(load(&m, core, at), UARCH_SRC_DRAM, core / 2 != page % 2, 200);
			assert_int_equal(load(&m, core, at).source, UARCH_SRC_L1);
		}
	}
	machine_stop(&m);
}

/* A line that two cores have read is in the last level, in the part that belongs to the socket of
 * the page. */
static void last_level_is_interleaved_by_page(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2, 2);
	for (unsigned page = 0; page < 4; page++) {
		uint64_t at = page * PAGE + page * LINE;

		load(&m, 0, at);
		load(&m, 1, at); /* the line is no longer exclusive */
		for (unsigned core = 2; core < CORES; core++)
			assert_from(load(&m, core, at), UARCH_SRC_LLC, page % 2 == 0, 30);
	}
	machine_stop(&m);
}

/* Data from a peer come from the socket of the peer, whatever the page. */
static void data_of_a_peer_are_of_its_socket(void **state)
{
	struct machine m;

	(void)state;
	start(&m, 2, 2);
	for (unsigned page = 0; page < 2; page++) {
		for (unsigned from = 0; from < CORES; from++) {
			for (unsigned to = 0; to < CORES; to++) {
				uint64_t at = page * PAGE + (from * CORES + to) * LINE;
				struct uarch_result r;

				if (from == to)
					continue;
				store(&m, from, at);
				r = load(&m, to, at);
				assert_from(r, UARCH_SRC_PEER, from / 2 != to / 2, 70);
				assert_true(r.events & EV(DATA_SNOOPED));
				assert_true(r.events & EV(CACHE_DATA_MODIFIED));
			}
		}
	}
	machine_stop(&m);
}

/* With three sockets of one core, the cores are in sockets 0 1 2 0. */
static void cores_and_pages_rotate_over_sockets(void **state)
{
	static const unsigned socket[CORES] = {0, 1, 2, 0};
	struct machine m;

	(void)state;
	start(&m, 3, 1);
	for (unsigned core = 0; core < CORES; core++) {
		for (unsigned page = 0; page < 7; page++)
			assert_from(load(&m, core, page * PAGE + core * LINE), UARCH_SRC_DRAM,
			            socket[core] != page % 3, 200);
	}
	store(&m, 0, 0x8000);
	assert_from(load(&m, 3, 0x8000), UARCH_SRC_PEER, false, 70);
	store(&m, 3, 0x9000);
	assert_from(load(&m, 1, 0x9000), UARCH_SRC_PEER, true, 70);
	machine_stop(&m);
}

/* A store to another socket has the event too. It stays in the store buffer until its line
 * arrives. */
static void store_to_other_socket_has_event_and_keeps_buffer(void **state)
{
	struct uarch_profile p;
	struct machine m;

	(void)state;
	machine_profile(&p);
	p.sockets = 2;
	p.socket_cores = 1;
	p.socket_cycles = ADDED;
	p.store_entries = 1;
	machine_start_with(&m, &p, 1, 1);
	assert_true(store(&m, 0, PAGE).events & EV(REMOTE_ACCESS));
	/* The first store enters at cycle 1. It leaves when its line arrives, which takes 200 +
	 * ADDED cycles instead of the 3 cycles of L1. One of these cycles is over when the next
	 * store comes. */
	assert_int_equal(store(&m, 0, 0).store_wait, 200 + ADDED - 3 + 1 - 1);
	assert_false(store(&m, 0, 2 * PAGE).events & EV(REMOTE_ACCESS));
	machine_stop(&m);
}

static void data_source_names_the_other_socket(void **state)
{
	const uint32_t ldr = 0xf9400020;
	struct machine m;

	(void)state;
	start(&m, 2, 2);
	for (unsigned page = 0; page < 2; page++) {
		struct uarch_result r = load(&m, 0, page * PAGE);
		struct spemu_op op;

		memset(&op, 0, sizeof(op));
		a64_classify(&op.kind, ldr, 0);
		uarch_complete(m.core[0], &op, &r);
		assert_int_equal(op.data_source,
		                 page ? 0x5d : m.profile.data_source[UARCH_SRC_DRAM]);
		assert_int_equal(!!(op.events & EV(REMOTE_ACCESS)), page);
	}
	machine_stop(&m);
}

static void single_socket_has_no_remote_access(void **state)
{
	(void)state;
	for (uint8_t sockets = 0; sockets < 2; sockets++) {
		struct machine m;

		start(&m, sockets, 0);
		for (unsigned core = 0; core < CORES; core++)
			for (unsigned page = 0; page < 4; page++)
				assert_from(load(&m, core, page * PAGE + core * LINE),
				            UARCH_SRC_DRAM, false, 200);
		store(&m, 0, PAGE);
		assert_from(load(&m, 3, PAGE), UARCH_SRC_PEER, false, 70);
		machine_stop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(memory_is_interleaved_by_page),
	        cmocka_unit_test(last_level_is_interleaved_by_page),
	        cmocka_unit_test(data_of_a_peer_are_of_its_socket),
	        cmocka_unit_test(cores_and_pages_rotate_over_sockets),
	        cmocka_unit_test(store_to_other_socket_has_event_and_keeps_buffer),
	        cmocka_unit_test(data_source_names_the_other_socket),
	        cmocka_unit_test(single_socket_has_no_remote_access),
	};
	return cmocka_run_group_tests_name("uarch_sockets", tests, NULL, NULL);
}
