/* SPDX-License-Identifier: MIT */
/* Touches: memory accesses by code and address, for contention and for the sections objects,
 * offsets, pages, heap and heap-offsets. */
#include "profile.h"
#include "recent.h"
#include "../base/common.h"

/* Return a new touch of an access, without its sums. */
static struct touch new_touch(const struct profile *p, const struct counted *c)
{
	return (struct touch){
	        .line = c->line,
	        .time = c->sample->time,
	        .bin = {.place = p->bins[c->bin].place, .facet = p->bins[c->bin].facet}};
}

static uint32_t append_touch(struct profile *p, const struct touch *touch)
{
	APPEND(p->touches, p->touch_count, p->touch_capacity) = *touch;
	return (uint32_t)p->touch_count - 1;
}

static struct map_key key_of(const struct touch *t, uint64_t data)
{
	return (struct map_key){(uint64_t)t->line << 32 | t->offset,
	                        (uint64_t)t->bin.place << 32 | t->bin.facet, data};
}

/* ---- touches by address ---- */

/* Return a number that differs if the address holds other data: another slot of a stack frame,
 * another heap object or another mapping. */
static uint64_t data_number(const struct profile *p, const struct counted *c,
                            const struct heap_object *heap)
{
	if (c->sample->slot)
		return c->sample->slot;
	if (heap)
		return (uintptr_t)heap;
	return (uintptr_t)timeline_mapping(p->recording->session.timeline, p->lines[c->line].pid,
	                                   c->address, c->sample->time);
}

static uint32_t add_touch(struct profile *p, const struct counted *c,
                          const struct heap_object *heap)
{
	struct touch touch = new_touch(p, c);
	size_t i;

	touch.offset = (uint32_t)(c->address & (p->line_size - 1));
	touch.heap = heap;
	touch.slot = c->sample->slot;
	if (map_insert(&p->touch_index, key_of(&touch, data_number(p, c, heap)), &i))
		append_touch(p, &touch);
	return (uint32_t)i;
}

static uint32_t touch_by_address(struct profile *p, const struct counted *c)
{
	uint32_t moment = c->sample->moment->number;
	struct recent_touch *known = recent_touch(p->recent, c->address, moment);
	const struct heap_object *heap = heap_find(
	        p->recording->session.heap, p->lines[c->line].pid, c->address, c->sample->time);

	if (!known->touch || known->va != c->address || known->moment != moment ||
	    known->line != c->line || known->bin != c->bin || known->heap != heap ||
	    known->slot != c->sample->slot)
		*known = (struct recent_touch){c->address,     moment, c->line,
		                               c->bin,         heap,   add_touch(p, c, heap) + 1,
		                               c->sample->slot};
	return known->touch - 1;
}

/* ---- touches by cache line, for contention ---- */

/* Most lines have few touches. The first ones of a line are a list, and only the others need a hash
 * table. */
enum { LISTED = 8 };

static uint32_t unlisted_touch(struct profile *p, const struct counted *c)
{
	struct touch touch = new_touch(p, c);
	size_t i;

	if (map_insert(&p->touch_index, key_of(&touch, 0), &i))
		GROW(p->unlisted, i, p->unlisted_capacity)[i] = append_touch(p, &touch);
	return p->unlisted[i];
}

static uint32_t touch_by_line(struct profile *p, const struct counted *c)
{
	const struct bin *bin = &p->bins[c->bin];
	struct touch touch;
	uint32_t n = 0;

	for (uint32_t i = p->lines[c->line].touch; i; i = p->touches[i - 1].next, n++) {
		const struct bin *known = &p->touches[i - 1].bin;

		if (known->place == bin->place && known->facet == bin->facet)
			return i - 1;
	}
	if (n == LISTED)
		return unlisted_touch(p, c);
	touch = new_touch(p, c);
	touch.next = p->lines[c->line].touch;
	p->lines[c->line].touch = append_touch(p, &touch) + 1;
	return p->lines[c->line].touch - 1;
}

void touches_add(struct profile *p, const struct counted *c)
{
	uint32_t touch;

	if (!p->by_address && !p->by_thread)
		return;
	touch = p->by_address ? touch_by_address(p, c) : touch_by_line(p, c);
	sums_add_record(&p->touches[touch].bin.sums, c->record,
	                p->recording->session.attr.sample_period);
}
