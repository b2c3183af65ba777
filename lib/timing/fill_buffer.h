/* SPDX-License-Identifier: MIT */
/*
 * Line fill buffers: lines in flight to L1 that are not in L2.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (E[22], consistent with L1D_LFB_HIT_RD)
 * Choices:     a line that L2 does not have, or does not have yet, waits for the first free buffer
 *              and takes it. Otherwise misses do not wait for each other. A load of a line in
 *              flight waits for the remaining cycles and takes no buffer; its data source is that
 *              of the line. Without buffers, a load delays all later operations until it has its
 *              data, as with a single buffer.
 */
#ifndef SPEMU_FILL_BUFFER_H
#define SPEMU_FILL_BUFFER_H

#include "core_clock.h"

/*
 * Take a buffer for a line that arrives `cycles` after its request. Return the cycles that the
 * request waits for a free buffer. Later operations wait as long.
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
	ready = begin + (uint64_t)cycles * TICKS;
	fills->last = ready > fills->last ? ready : fills->last;
	fills->line[first] = line;
	fills->from[first] = (uint8_t)from;
	fills->ready[first] = ready;
	return cycles_in(begin - core->clock);
}

/* Return the arrival of a line of L1; the time is 0 if no buffer has it. */
static inline struct arrival fill_buffer_arrival(const struct uarch_core *core, uint64_t line)
{
	const struct fill_buffers *fills = &core->fills;
	struct arrival arrives = {0};

	for (uint32_t i = 0; i < fills->entries; i++)
		if (fills->line[i] == line && fills->ready[i] > arrives.ready)
			arrives = (struct arrival){fills->ready[i], fills->from[i]};
	return arrives;
}

/* Return true if a line is in flight to L1. The test is fast if no line is in flight. */
static inline bool fill_buffer_is_late(const struct uarch_core *core, uint64_t line)
{
	return core->fills.last > core->clock &&
	       fill_buffer_arrival(core, line).ready > core->clock;
}

#endif
