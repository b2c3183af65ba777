/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>

#include "uarch_fixture.h"

#define CORES 3
#define LINES 96u
#define ROUNDS 100000

struct worker {
	struct machine *machine;
	unsigned core;
};

/* Loads and stores of lines that all cores use, and of many more that push them out. */
static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->core + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct spemu_uarch_result r = {0};

		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t line = x >> 60 ? (x >> 33) % LINES : (x >> 33) % 0x4000;

		spemu_uarch_access(w->machine->core[w->core], &r, line * LINE, 8,
		                   x >> 32 & 1 ? SPEMU_UARCH_STORE : SPEMU_UARCH_LOAD);
		if (r.accesses != 1 || !(r.events & EV(L1D_ACCESS)))
			return w;
	}
	return NULL;
}

static void cores_at_once_leave_a_coherent_state(void **state)
{
	struct worker workers[CORES];
	pthread_t threads[CORES];
	struct machine m;

	(void)state;
	machine_start(&m, CORES);
	for (unsigned i = 0; i < CORES; i++) {
		workers[i] = (struct worker){&m, i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < CORES; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	/* whoever writes, all others must fetch, and nobody else may think that he owns it */
	for (unsigned line = 0; line < LINES; line++) {
		for (unsigned i = 0; i < CORES; i++) {
			unsigned next = (i + 1) % CORES, last = (i + 2) % CORES;

			store(&m, i, line * LINE);
			assert_int_equal(load(&m, i, line * LINE).source, SPEMU_UARCH_SRC_L1);
			assert_int_equal(load(&m, next, line * LINE).source, SPEMU_UARCH_SRC_PEER);
			assert_int_equal(load(&m, last, line * LINE).source, SPEMU_UARCH_SRC_LLC);
		}
	}
	machine_stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(cores_at_once_leave_a_coherent_state),
	};
	return cmocka_run_group_tests_name("uarch_threads", tests, NULL, NULL);
}
