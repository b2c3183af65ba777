/* SPDX-License-Identifier: MIT */
/*
 * The time of a core, as far as memory accesses depend on it.
 *
 * The clock is the time when the core dispatches the next operation, in ticks. It advances with
 * the operations that the host counts, or by a cycle per access without such a counter. A load
 * waits for the loads that its address comes from. The core dispatches
 * only `window_accesses` accesses beyond the oldest one that is not complete, because operations
 * retire in order.
 *
 * Lines from L2, and lines from beyond it, arrive one after the other, with a gap between them that
 * stands for the bandwidth.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.3 (total latency)
 * Choices:     a core without a window does not wait for addresses. A load that waits for its
 *              address delays later accesses, even independent ones. An operation without a memory
 *              access takes its share of dispatch, whatever its own latency. Only accesses that
 *              train the prefetchers follow the host's counter and enter the window. Most hits of
 *              L1 take a fast path, and whether one is sampled must not change what follows.
 */
#ifndef SPEMU_CORE_CLOCK_H
#define SPEMU_CORE_CLOCK_H

#include "uarch_object.h"

#define TICKS 16                 /* ticks in a cycle */
#define TICKS_OF_ACCESS 4        /* dispatch of an access, if the host counts operations */
#define JUMP (UINT64_C(1) << 40) /* more operations at once mean that the host counts anew */

/* Return the cycles that contain these ticks. */
static inline uint32_t cycles_in(uint64_t ticks)
{
	return (uint32_t)((ticks + TICKS - 1) / TICKS);
}

/* Return the ticks for which the core has dispatched operations since the last call of
 * clock_follow(). */
static inline uint64_t clock_passed(const struct uarch_core *core, uint64_t executed)
{
	uint64_t operations = executed - core->counted;

	return operations < JUMP ? operations * TICKS / core->profile->dispatch_width : 0;
}

/* Advance the clock by the operations that were dispatched since the last call, and wait for the
 * window. `number` is the number of the access. */
static inline void clock_follow(struct uarch_core *core, uint64_t number)
{
	struct access_window *w = &core->in_flight;
	uint64_t passed, limit = core->profile->window_accesses;

	if (core->operations.executed) {
		uint64_t executed = core->operations.executed(core->operations.ctx);

		passed = core->followed + clock_passed(core, executed);
		core->clock = passed > core->clock ? passed : core->clock;
		core->counted = executed;
	}
	while (w->first != w->end && number - w->number[w->first % WINDOW_MAX] >= limit) {
		uint64_t retires = w->retires[w->first++ % WINDOW_MAX];

		core->clock = retires > core->clock ? retires : core->clock;
	}
}

/* The state that clock_follow() changes. */
struct clock_state {
	uint64_t clock, counted;
	uint32_t first;
};

static inline struct clock_state clock_state(const struct uarch_core *core)
{
	return (struct clock_state){core->clock, core->counted, core->in_flight.first};
}

/* Undo clock_follow(). */
static inline void clock_back(struct uarch_core *core, struct clock_state to)
{
	core->clock = to.clock;
	core->counted = to.counted;
	core->in_flight.first = to.first;
}

/* Return the time when the address of a load is known. */
static inline uint64_t clock_address_known(const struct uarch_core *core)
{
	uint64_t known = core->clock;

	for (uint32_t from = core->from; from; from &= from - 1) {
		uint64_t loaded = core->loaded[__builtin_ctz(from)];

		known = loaded > known ? loaded : known;
	}
	return known;
}

/* A load has its data at `done`. */
static inline void clock_loaded(struct uarch_core *core, uint64_t number, uint64_t done)
{
	struct access_window *w = &core->in_flight;

	w->last = done > w->last ? done : w->last;
	w->number[w->end % WINDOW_MAX] = number;
	w->retires[w->end++ % WINDOW_MAX] = w->last;
	for (uint32_t to = core->to; to; to &= to - 1)
		core->loaded[__builtin_ctz(to)] = done;
}

/* Return the ticks for which a line from a source waits for the lines before it. */
static inline uint64_t line_waits(struct uarch_core *core, enum uarch_source source)
{
	const struct uarch_profile *p = core->profile;
	bool beyond = source > UARCH_SRC_L2;
	uint64_t *next = &core->next_line[beyond], begin;
	uint32_t gap = !beyond                                               ? p->l2_gap
	               : (source & (UARCH_SRC_REMOTE - 1u)) < UARCH_SRC_DRAM ? p->llc_gap
	                                                                     : p->dram_gap;

	begin = *next > core->clock ? *next : core->clock;
	*next = begin + gap;
	return begin - core->clock;
}

#endif
