/* SPDX-License-Identifier: MIT */
/*
 * Line fill buffers: lines on their way into L1, but those that L2 has.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (E[22], consistent with L1D_LFB_HIT_RD)
 * Choices:     a line that L2 has not, or not yet, takes the buffer that is free first, and waits for it; misses do not wait for each other else. A
 *              load of a line on its way waits for the rest and takes no buffer. Without buffers a load holds up all
 *              that follows until it has its data, as if there were one.
 */
#ifndef SPEMU_FILL_BUFFER_H
#define SPEMU_FILL_BUFFER_H

#include "uarch_object.h"

/* A line that is there after so many cycles takes a buffer. How long it waits for one. */
static inline uint32_t fill_buffer_take(struct spemu_uarch_core *core, uint64_t line,
                                        uint32_t cycles)
{
	struct fill_buffers *fills = &core->fills;
	uint32_t first = 0, wait = 0;

	for (uint32_t i = 1; i < fills->entries; i++)
		if (fills->ready[i] < fills->ready[first])
			first = i;
	if (fills->ready[first] > core->clock)
		wait = (uint32_t)(fills->ready[first] - core->clock);
	fills->line[first] = line;
	fills->ready[first] = core->clock + wait + cycles;
	return wait;
}

/* Cycles until a line that L1 has is there; 0 if it is. */
static inline uint32_t fill_buffer_left(const struct spemu_uarch_core *core, uint64_t line)
{
	const struct fill_buffers *fills = &core->fills;
	uint64_t ready = 0;

	for (uint32_t i = 0; i < fills->entries; i++)
		if (fills->line[i] == line && fills->ready[i] > ready)
			ready = fills->ready[i];
	return ready > core->clock ? (uint32_t)(ready - core->clock) : 0;
}

#endif
