/* SPDX-License-Identifier: MIT */
/* A part of the second model in test_uarch_reference.c: the time of a core. All times are in
 * sixteenths of a cycle. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_TIME_H
#define SPEMU_TESTS_UARCH_REFERENCE_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include "timing/uarch.h"

enum { OPEN_MAX = 300, CYCLE = 16 };

struct core_clock {
	uint64_t now;
	uint64_t accesses;
	struct {
		uint64_t number, done;
	} open[OPEN_MAX]; /* loads that later accesses may have to wait for */
	unsigned opened;
	uint64_t loaded[32];   /* time when the value is in a register */
	uint64_t next_line[2]; /* earliest time of the next line, from L2 and from beyond it */
};

static uint64_t cycles_until(const struct core_clock *clock, uint64_t time)
{
	return time > clock->now ? (time - clock->now + CYCLE - 1) / CYCLE : 0;
}

/* Return the time when a line may come from a source, after those before it. */
static uint64_t turn_of_line(const struct uarch_profile *p, struct core_clock *clock, unsigned from)
{
	const unsigned remote = UARCH_SRC_REMOTE;
	unsigned gaps[] = {0, p->l2_gap, p->llc_gap, p->llc_gap, p->dram_gap};
	uint64_t *next = &clock->next_line[from > UARCH_SRC_L2], turn;

	turn = *next > clock->now ? *next : clock->now;
	*next = turn + gaps[from % remote];
	return turn;
}

static bool is_older_by_a_window(const struct uarch_profile *p, const struct core_clock *clock,
                                 unsigned i)
{
	return clock->accesses - clock->open[i].number >= p->window_accesses;
}

/* An access begins when the loads that are a window or more older are complete. */
static void wait_for_window(const struct uarch_profile *p, struct core_clock *clock)
{
	for (unsigned i = 0; i < clock->opened; i++)
		if (is_older_by_a_window(p, clock, i) && clock->open[i].done > clock->now)
			clock->now = clock->open[i].done;
}

static void forget_complete(const struct uarch_profile *p, struct core_clock *clock)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < clock->opened; i++)
		if (!is_older_by_a_window(p, clock, i))
			clock->open[kept++] = clock->open[i];
	clock->opened = kept;
}

/* Set the clock to the time when the registers have their values. */
static void wait_for_registers(struct core_clock *clock, uint32_t from)
{
	for (unsigned i = 0; i < 32; i++)
		if (from >> i & 1 && clock->loaded[i] > clock->now)
			clock->now = clock->loaded[i];
}

static void open_load(struct core_clock *clock, uint64_t done, uint32_t to)
{
	assert_true(clock->opened < OPEN_MAX);
	clock->open[clock->opened].number = clock->accesses;
	clock->open[clock->opened++].done = done;
	for (unsigned i = 0; i < 32; i++)
		if (to >> i & 1)
			clock->loaded[i] = done;
}

#endif
