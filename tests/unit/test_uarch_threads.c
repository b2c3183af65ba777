/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>

#include "share.h"
#include "timing/uarch_object.h"
#include "uarch_fixture.h"

#define CORES 3
#define LINES 96u
#define ROUNDS 100000
#define MEETINGS 400 /* how often three cores compete for two lines */
#define MEETING_ROUNDS 3000

struct worker {
	struct machine *machine;
	unsigned core;
	pthread_barrier_t *begin;
};

/* Load and store lines that all cores use, and many more lines that evict them. */
static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->core + 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct uarch_result r = {0};

		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t line = x >> 60 ? (x >> 33) % LINES : (x >> 33) % 0x4000;

		access_in_steps(w->machine->core[w->core], &r, line * LINE, 8,
		                x >> 32 & 1 ? UARCH_STORE : UARCH_LOAD);
		if (r.accesses != 1 || !(r.events & EV(L1D_ACCESS)))
			return w;
	}
	return NULL;
}

static void concurrent_cores_leave_a_coherent_state(void **state)
{
	struct worker workers[CORES];
	pthread_t threads[CORES];
	struct machine m;

	(void)state;
	machine_start(&m, CORES);
	for (unsigned i = 0; i < CORES; i++) {
		workers[i] = (struct worker){&m, i, NULL};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < CORES; i++) {
		void *failed;

		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	/* After a store, all other cores must request the line, and no other core may have it
	 * exclusive. */
	for (unsigned line = 0; line < LINES; line++) {
		for (unsigned i = 0; i < CORES; i++) {
			unsigned next = (i + 1) % CORES, last = (i + 2) % CORES;

			store(&m, i, line * LINE);
			assert_int_equal(load(&m, i, line * LINE).source, UARCH_SRC_L1);
			assert_int_equal(load(&m, next, line * LINE).source, UARCH_SRC_PEER);
			assert_int_equal(load(&m, last, line * LINE).source, UARCH_SRC_LLC);
		}
	}
	machine_stop(&m);
}

/* Load and store two lines of one set of the last level, and sometimes other lines that evict
 * them. */
static void *meet(void *arg)
{
	struct worker *w = arg;
	uint64_t x = w->core + 1;

	pthread_barrier_wait(w->begin);
	for (unsigned i = 0; i < MEETING_ROUNDS; i++) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint64_t line = (x >> 33) % (x >> 59 ? 2 : 8) * 256;

		access_in_steps(w->machine->core[w->core], NULL, line * LINE, 8,
		                x >> 32 & 1 ? UARCH_STORE : UARCH_LOAD);
	}
	return NULL;
}

/*
 * Return the sharers of a line in the directory, or NULL if the directory does not have the line.
 * Check that the directory has it at most once.
 */
static const uint64_t *sharers_of(const struct uarch_shared *shared, uint64_t line)
{
	const struct directory *d = &shared->directory;
	size_t first = (size_t)(line & d->set_mask) * d->ways;
	const uint64_t *found = NULL;

	for (size_t i = first; i < first + d->ways; i++) {
		if (d->tags[i] == 0 || d->tags[i] >> 2 != line)
			continue;
		assert_null(found);
		found = &d->sharers[i];
	}
	return found;
}

/* Check that each core that has the line is among its sharers, and that a core that may write the
 * line is the only one. Check that each line in L1 is also in L2. */
static void check_line(const struct machine *m, uint64_t line)
{
	const uint64_t *sharers = sharers_of(m->shared, line);
	unsigned holders = 0, owners = 0;

	for (unsigned i = 0; i < CORES; i++) {
		uint32_t index;
		enum line_state l1 = tag_find(&m->core[i]->l1d, line, &index);
		enum line_state l2 = tag_find(&m->core[i]->l2, line, &index);

		assert_true(l2 != LINE_INVALID || l1 == LINE_INVALID);
		assert_true(l2 != LINE_SHARED || l1 <= LINE_SHARED);
		holders += l2 != LINE_INVALID;
		owners += l2 >= LINE_EXCLUSIVE;
		if (l2 != LINE_INVALID) {
			assert_non_null(sharers);
			assert_true(*sharers >> i & 1);
		}
	}
	assert_true(owners == 0 || holders == 1);
}

static void cores_on_one_line_take_turns(void **state)
{
	pthread_barrier_t begin;

	(void)state;
	assert_int_equal(pthread_barrier_init(&begin, NULL, CORES), 0);
	for (unsigned n = 0; n < MEETINGS; n += test_share()) {
		struct worker workers[CORES];
		pthread_t threads[CORES];
		struct machine m;

		machine_start(&m, CORES);
		for (unsigned i = 0; i < CORES; i++) {
			workers[i] = (struct worker){&m, i, &begin};
			assert_int_equal(pthread_create(&threads[i], NULL, meet, &workers[i]), 0);
		}
		for (unsigned i = 0; i < CORES; i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		for (uint64_t line = 0; line < 8; line++)
			check_line(&m, line * 256);
		machine_stop(&m);
	}
	pthread_barrier_destroy(&begin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(concurrent_cores_leave_a_coherent_state),
	        cmocka_unit_test(cores_on_one_line_take_turns),
	};
	return cmocka_run_group_tests_name("uarch_threads", tests, NULL, NULL);
}
