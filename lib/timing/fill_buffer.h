/* SPDX-License-Identifier: MIT */
/*
 * Line fill buffers: lines on their way into L1, but those that L2 has.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (E[22], consistent with L1D_LFB_HIT_RD)
 * Choices:     a line that L2 has not, or not yet, takes the buffer that is free first, and waits
 *              for it; misses do not wait for each other else. A load of a line on its way waits
 *              for the rest and takes no buffer; its data come from where the line does. Without
 *              buffers a load holds up all that follows until it has its data, as if there were
 *              one.
 */
#ifndef SPEMU_FILL_BUFFER_H
#define SPEMU_FILL_BUFFER_H

#include "uarch_object.h"

/*
 * Take a buffer for a line that arrives `cycles` after it is requested. Return how many cycles the
 * request waits for a free buffer; what follows waits as long.
 */
static inline uint32_t fill_buffer_take(struct uarch_core *core, uint64_t line,
                                        enum uarch_source from, uint32_t cycles)
{
	struct fill_buffers *fills = &core->fills;
	uint64_t begin, ready;
	uint32_t first = 0;

	for (uint32_t i = 1; i < fills->entries; i++)
		if (fills->ready[i] < fills->ready[first])
			first = i;
	begin = fills->ready[first] > core->clock ? fills->ready[first] : core->clock;
	ready = begin + cycles;
	fills->last = ready > fills->last ? ready : fills->last;
	fills->line[first] = line;
	fills->from[first] = (uint8_t)from;
	fills->ready[first] = ready;
	return (uint32_t)(begin - core->clock);
}

/* When a line that L1 has is there: at 0 if no buffer knows it. */
static inline struct arrival fill_buffer_arrival(const struct uarch_core *core, uint64_t line)
{
	const struct fill_buffers *fills = &core->fills;
	struct arrival arrives = {0};

	for (uint32_t i = 0; i < fills->entries; i++)
		if (fills->line[i] == line && fills->ready[i] > arrives.ready)
			arrives = (struct arrival){fills->ready[i], fills->from[i]};
	return arrives;
}

/* Whether a line is on its way to L1: quick where none is. */
static inline bool fill_buffer_is_late(const struct uarch_core *core, uint64_t line)
{
	return core->fills.last > core->clock &&
	       fill_buffer_arrival(core, line).ready > core->clock;
}

#endif
