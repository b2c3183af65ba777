/* SPDX-License-Identifier: MIT */
/*
 * Line fill buffers: lines on their way into L1, but those that L2 has.
 *
 * Arm ARM:     DDI 0487 M.a, D18.2.6 (E[22], consistent with L1D_LFB_HIT_RD)
 * Choices:     a line that L2 has not, or not yet, takes the buffer that is free first, and waits for it; misses do not wait for each other else. A
 *              load of a line on its way waits for the rest and takes no buffer; its data come from where the line does. Without buffers a load holds up all
 *              that follows until it has its data, as if there were one.
 */
#ifndef SPEMU_FILL_BUFFER_H
#define SPEMU_FILL_BUFFER_H

#include "uarch_object.h"

/* What a load that takes a buffer is: position UINT64_MAX and operands NULL if nobody knows, or it is a store. */
struct fill_load {
	uint64_t position;
	const struct spemu_a64_operands *operands;
};

/* Nothing later than a window's length is in flight with a load: time is not before that has its data. */
static inline void fill_buffer_window(struct spemu_uarch_core *core, uint64_t position)
{
	struct fill_buffers *fills = &core->fills;

	for (uint32_t i = 0; i < fills->entries; i++)
		if (fills->position[i] != UINT64_MAX &&
		    fills->position[i] + core->profile->window <= position &&
		    fills->ready[i] > core->clock)
			core->clock = fills->ready[i];
}

/* When the registers that make the address are there. */
static inline uint64_t fill_buffer_issue(const struct spemu_uarch_core *core,
                                         const struct spemu_a64_operands *operands)
{
	uint64_t issue = core->clock;

	for (uint32_t regs = operands ? operands->address : 0; regs; regs &= regs - 1) {
		uint64_t ready = core->fills.register_ready[__builtin_ctz(regs)];

		issue = ready > issue ? ready : issue;
	}
	return issue;
}

/* How long a line that is there after so many cycles waits for a buffer, which it takes. *hold: for how long nothing that
 * follows can go on: until there is a buffer. */
static inline uint32_t fill_buffer_take(struct spemu_uarch_core *core, uint64_t line,
                                        enum spemu_uarch_source from, uint32_t cycles,
                                        const struct fill_load *load, uint32_t *hold)
{
	struct fill_buffers *fills = &core->fills;
	uint64_t issue = fill_buffer_issue(core, load->operands), begin, ready;
	uint32_t first = 0;

	for (uint32_t i = 1; i < fills->entries; i++)
		if (fills->ready[i] < fills->ready[first])
			first = i;
	begin = fills->ready[first] > issue ? fills->ready[first] : issue;
	*hold = fills->ready[first] > core->clock ? (uint32_t)(fills->ready[first] - core->clock)
	                                          : 0;
	ready = begin + cycles;
	fills->last = ready > fills->last ? ready : fills->last;
	fills->line[first] = line;
	fills->from[first] = (uint8_t)from;
	fills->ready[first] = ready;
	fills->position[first] = load->position;
	if (load->operands) {
		uint32_t regs = load->operands->writes.x & ~load->operands->base;

		for (; regs; regs &= regs - 1)
			fills->register_ready[__builtin_ctz(regs)] = ready;
	}
	return (uint32_t)(begin - issue);
}

/* When a line that L1 has is there: at 0 if no buffer knows it. */
static inline struct arrival fill_buffer_arrival(const struct spemu_uarch_core *core, uint64_t line)
{
	const struct fill_buffers *fills = &core->fills;
	struct arrival arrives = {0};

	for (uint32_t i = 0; i < fills->entries; i++)
		if (fills->line[i] == line && fills->ready[i] > arrives.ready)
			arrives = (struct arrival){fills->ready[i], fills->from[i]};
	return arrives;
}

/* Whether a line is on its way to L1: quick where none is. */
static inline bool fill_buffer_is_late(const struct spemu_uarch_core *core, uint64_t line)
{
	return core->fills.last > core->clock &&
	       fill_buffer_arrival(core, line).ready > core->clock;
}

#endif
