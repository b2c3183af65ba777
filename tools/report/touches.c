/* SPDX-License-Identifier: MIT */
/* Touches: memory accesses by code and address, for contention and for the sections objects,
 * offsets, pages, heap and heap-offsets. */
#include "profile.h"
#include "recent.h"
#include "../base/common.h"

/* Add a touch. A different mapping or heap object makes a different touch, because the address may
 * hold other data later. */
static uint32_t add_touch(struct profile *p, const struct touch *like, uint64_t address)
{
	const struct cache_line *line = &p->lines[like->line];
	const struct mapping *m =
	        timeline_mapping(p->samples.recordings[line->input].session.timeline, line->pid,
	                         address, like->time);
	struct map_key key = {(uint64_t)like->line << 32 | like->offset,
	                      (uint64_t)like->bin.place << 32 | like->bin.facet,
	                      like->heap ? (uintptr_t)like->heap : (uintptr_t)m};
	size_t i;

	if (map_insert(&p->touch_index, key, &i))
		GROW(p->touches, i, p->touch_capacity)[i] = *like;
	return (uint32_t)i;
}

void touches_add(struct profile *p, const struct counted *c)
{
	uint32_t moment = c->sample->moment->number;
	struct recent_touch *known;
	struct touch like;

	known = recent_touch(p->recent, c->address, moment);
	like = (struct touch){
	        .line = c->line,
	        .offset = (uint32_t)(c->address & (p->line_size - 1)),
	        .time = c->sample->time,
	        .heap = heap_find(p->recording->session.heap, p->lines[c->line].pid, c->address,
	                          c->sample->time),
	        .bin = {.place = p->bins[c->bin].place, .facet = p->bins[c->bin].facet}};
	if (!known->touch || known->va != c->address || known->moment != moment ||
	    known->line != c->line || known->bin != c->bin || known->heap != like.heap)
		*known = (struct recent_touch){c->address, moment,
		                               c->line,    c->bin,
		                               like.heap,  add_touch(p, &like, c->address) + 1};
	sums_add_record(&p->touches[known->touch - 1].bin.sums, c->record,
	                p->recording->session.attr.sample_period);
}
