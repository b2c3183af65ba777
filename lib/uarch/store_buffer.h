/* SPDX-License-Identifier: MIT */
/*
 * The store buffer: stores wait in it, in order, until the core has their lines.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (a store may be complete when it is in a write buffer)
 * Choices:     the request for a line is made when the store enters, and all requests overlap; one
 *              store leaves a cycle, in order. A store that finds the buffer full waits for the oldest.
 *              Time is the core's own: a cycle an access, and as long as a load waits beyond L1.
 */
#ifndef SPEMU_STORE_BUFFER_H
#define SPEMU_STORE_BUFFER_H

#include "uarch_object.h"

/* A store whose line is there after some cycles enters. How long it waits to; in the header, as every store does. */
static inline uint32_t store_buffer_enter(struct spemu_uarch_core *core, uint32_t cycles)
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
	if (++buffer->next == buffer->entries)
		buffer->next = 0;
	return wait;
}

#endif
