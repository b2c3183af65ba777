/* SPDX-License-Identifier: MIT */
/*
 * The store buffer: stores wait in it, in order, until the core has their lines.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (a store may be complete when it is in a write buffer)
 * Choices:     the request for a line is made when the store enters, and all requests overlap; one
 *              store leaves a cycle, in order. A store that finds the buffer full waits for the
 *              oldest. Time is the core's own: a cycle an access, and as long as a load waits
 *              beyond L1, or with line fill buffers for one of those. A load of what a store in the
 *              buffer writes has its data from there, if the youngest such store writes all of
 *              them; else it waits until that has left. A store stays for retire_cycles at least,
 *              in that respect.
 */
#ifndef SPEMU_STORE_BUFFER_H
#define SPEMU_STORE_BUFFER_H

#include "uarch_object.h"

#define PLACE_SIZE_SHIFT 56
#define PLACE_SIZE_MAX 255

/* A store of size bytes at addr, whose line is there after some cycles, enters. How long it waits
 * to; in the header, as every store does. */
static inline uint32_t store_buffer_enter(struct uarch_core *core, uint32_t cycles, uint64_t addr,
                                          uint32_t size)
{
	struct store_buffer *buffer = &core->stores;
	uint64_t *oldest = &buffer->leaves[buffer->next];
	uint64_t now = ++core->clock, leaves;
	uint32_t wait = *oldest > now ? (uint32_t)(*oldest - now) : 0;

	core->clock = now += wait;
	leaves = now + cycles;
	if (leaves <= buffer->last)
		leaves = buffer->last + 1;
	*oldest = buffer->last = leaves;
	if (buffer->place)
		buffer->place[buffer->next] =
		        addr | (uint64_t)(size < PLACE_SIZE_MAX ? size : PLACE_SIZE_MAX)
		                       << PLACE_SIZE_SHIFT;
	if (++buffer->next == buffer->entries)
		buffer->next = 0;
	return wait;
}

/* The youngest store in the buffer that writes some of it. */
struct forwarding {
	bool some, all;  /* it writes some of it, all of it */
	uint32_t leaves; /* in so many cycles */
};

static inline struct forwarding store_buffer_look(const struct uarch_core *core, uint64_t addr,
                                                  uint32_t size)
{
	const struct store_buffer *buffer = &core->stores;
	uint64_t end = addr + size, since = core->clock, age = core->profile->retire_cycles;

	for (uint32_t n = 0, i = buffer->next; n < buffer->entries; n++) {
		uint64_t begin, limit;

		i = (i ? i : buffer->entries) - 1;
		begin = buffer->place[i] & ((UINT64_C(1) << PLACE_SIZE_SHIFT) - 1);
		limit = begin + (buffer->place[i] >> PLACE_SIZE_SHIFT);
		if (buffer->leaves[i] + age <= since || begin == limit)
			break;
		if (begin < end && addr < limit)
			return (struct forwarding){true, begin <= addr && end <= limit,
			                           (uint32_t)(buffer->leaves[i] + age - since)};
	}
	return (struct forwarding){0};
}

#endif
