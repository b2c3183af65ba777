/* SPDX-License-Identifier: MIT */
/* Facets and bins (profile.h): find them by their keys, and add samples to them. */
#include "profile.h"
#include "recent.h"
#include "../base/common.h"

static uint32_t add_facet(struct profile *p, const struct facet *f)
{
	struct map_key key = {
	        f->events, (uint32_t)f->source << 16 | (uint32_t)f->op_class << 8 | f->op_subclass,
	        (uint64_t)f->source_name << 34 | (uint64_t)f->cpu << 2 |
	                (uint64_t)f->has_events << 1 | (uint64_t)f->has_source};
	size_t i;

	if (map_insert(&p->facet_index, key, &i))
		GROW(p->facets, i, p->facet_capacity)[i] = *f;
	return (uint32_t)i;
}

static uint32_t add_bin(struct profile *p, uint32_t place, uint32_t facet)
{
	size_t i;

	if (map_insert(&p->bin_index, (struct map_key){place, facet, 0}, &i))
		GROW(p->bins, i, p->bin_capacity)
	[i] = (struct bin){.place = place, .facet = facet};
	return (uint32_t)i;
}

static uint32_t look_up_bin(struct profile *p, const struct counted *c)
{
	const struct spemu_record *rec = c->record;
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	struct facet f = {.events = rec->events,
	                  .cpu = p->cpu,
	                  .source = rec->data_source,
	                  .source_name = (uint8_t)c->source,
	                  .op_class = typed ? rec->op_class : SPEMU_CLASS_RESERVED,
	                  .has_events = rec->present & SPEMU_RECORD_EVENTS,
	                  .has_source = rec->present & SPEMU_RECORD_DATA_SOURCE};

	f.op_subclass = f.op_class == SPEMU_CLASS_RESERVED ? 0 : rec->op_subclass;
	return add_bin(p, c->sample->place, add_facet(p, &f));
}

uint32_t bins_add(struct profile *p, const struct counted *c)
{
	uint32_t place = c->sample->place;
	const struct recent_facet f = recent_facet(c->record);
	struct recent_bin *known = recent_bin(p->recent, place, &f);

	if (!recent_bin_is(known, place, &f))
		*known = (struct recent_bin){f, place, look_up_bin(p, c) + 1};
	sums_add_record(&p->bins[known->bin - 1].sums, c->record,
	                p->recording->session.attr.sample_period);
	return known->bin - 1;
}

void sums_add(struct sums *to, const struct sums *add)
{
	to->samples += add->samples;
	to->operations += add->operations;
	to->timed += add->timed;
	to->latency += add->latency;
	to->latency_squares += add->latency_squares;
	to->issue += add->issue;
	to->translation += add->translation;
	to->execution += add->execution;
	to->issue_known += add->issue_known;
}

uint64_t issue_wait(const struct profile *p, const struct sums *sums)
{
	uint64_t least = p->least_issue * sums->issue_known;

	return sums->issue > least ? sums->issue - least : 0;
}
