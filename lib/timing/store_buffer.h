/* SPDX-License-Identifier: MIT */
/*
 * The store buffer: stores wait in it, in order, until the core has their lines.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (a store may be complete when it is in a write buffer)
 * Choices:     a store requests its line when it enters, and all requests overlap. One store enters
 *              and one leaves per cycle, in order. A store that finds the buffer full waits for the oldest. The
 *              clock is the core's own: a cycle per access, and the wait of loads beyond L1, or
 *              with line fill buffers the wait for a buffer. A load gets its data from the youngest
 *              store in the buffer that writes some of them, if that store writes all of them.
 *              Otherwise it waits until that store has left. Loads see a store for retire_cycles at
 *              least.
 */
#ifndef SPEMU_STORE_BUFFER_H
#define SPEMU_STORE_BUFFER_H

#include "core_clock.h"

#define PLACE_SIZE_SHIFT 56
#define PLACE_SIZE_MAX 255

/* Enter a store of size bytes at addr whose line arrives after `cycles`. Return the cycles that
 * the store waits for room. The function is in the header because every store executes it. */
static inline uint32_t store_buffer_enter(struct uarch_core *core, uint32_t cycles, uint64_t addr,
                                          uint32_t size)
{
	struct store_buffer *buffer = &core->stores;
	uint64_t *oldest = &buffer->leaves[buffer->next];
	uint64_t now = core->clock += TICKS, leaves;
	uint64_t wait = *oldest > now ? *oldest - now : 0;

	core->clock = now += wait;
	leaves = now + (uint64_t)cycles * TICKS;
	if (leaves < buffer->last + TICKS)
		leaves = buffer->last + TICKS;
	*oldest = buffer->last = leaves;
	if (buffer->place)
		buffer->place[buffer->next] =
		        addr | (uint64_t)(size < PLACE_SIZE_MAX ? size : PLACE_SIZE_MAX)
		                       << PLACE_SIZE_SHIFT;
	if (++buffer->next == buffer->entries)
		buffer->next = 0;
	return cycles_in(wait);
}

/* The youngest store in the buffer that writes some of the data of a load. */
struct forwarding {
	bool some, all;  /* it writes some of the data; it writes all of them */
	uint32_t leaves; /* cycles until the store leaves the buffer */
};

static inline struct forwarding store_buffer_look(const struct uarch_core *core, uint64_t addr,
                                                  uint32_t size)
{
	const struct store_buffer *buffer = &core->stores;
	uint64_t end = addr + size, since = core->clock;
	uint64_t age = (uint64_t)core->profile->retire_cycles * TICKS;

	for (uint32_t n = 0, i = buffer->next; n < buffer->entries; n++) {
		uint64_t begin, limit;

		i = (i ? i : buffer->entries) - 1;
		begin = buffer->place[i] & ((UINT64_C(1) << PLACE_SIZE_SHIFT) - 1);
		limit = begin + (buffer->place[i] >> PLACE_SIZE_SHIFT);
		if (buffer->leaves[i] + age <= since || begin == limit)
			break;
		if (begin < end && addr < limit)
			return (struct forwarding){true, begin <= addr && end <= limit,
			                           cycles_in(buffer->leaves[i] + age - since)};
	}
	return (struct forwarding){0};
}

#endif
