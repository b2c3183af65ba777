/* SPDX-License-Identifier: MIT */
/* Places, facets and bins: see profile.h. Symbols are looked up later, once for each place, unless a filter needs them. */
#include "profile.h"
#include "recent.h"
#include "../base/common.h"
#include "../session/sample_filter.h"

static struct place *add_place(struct profile *p, const struct place *like, uint32_t *index)
{
	size_t before = p->place_index.count;
	/* A task lies at an even address. */
	struct map_key key = {(uintptr_t)like->task | like->no_address, (uintptr_t)like->object,
	                      like->addr};
	size_t i = map_add(&p->place_index, key);

	if (i == before)
		GROW(p->places, i, p->place_capacity)[i] = *like;
	*index = (uint32_t)i;
	return &p->places[i];
}

/* Return the index of the place of like, whose address is in memory if it has one. */
static uint32_t find_place(struct profile *p, struct place *like, uint64_t time)
{
	uint32_t before = (uint32_t)p->place_index.count, index;
	struct place *place;

	place_locate(like, &p->input->session, time);
	place = add_place(p, like, &index);
	if (index == before)
		place->wanted = filter_wants_place(p->filter, place);
	return index;
}

uint32_t place_of_sample(struct profile *p, const struct sample *s)
{
	const uint64_t pc = s->record->addr[SPEMU_ADDR_PC];
	struct recent_place *known = recent_place(p->recent, pc, s->moment->number);
	struct place like;
	uint32_t index;

	if (known->pc == pc && known->moment == s->moment->number && known->place)
		return known->place - 1;
	like = place_of_record(s->moment->task, (uint32_t)(p->input - p->inputs), s->record);
	index = find_place(p, &like, s->time);
	if (!like.no_address)
		*known = (struct recent_place){pc, s->moment->number, index + 1};
	return index;
}

uint32_t place_of_caller(struct profile *p, const struct sample *s, uint64_t address)
{
	struct place like = {.task = s->moment->task,
	                     .input = (uint32_t)(p->input - p->inputs),
	                     .addr = address};

	return find_place(p, &like, s->time);
}

static uint32_t add_facet(struct profile *p, const struct facet *f)
{
	size_t before = p->facet_index.count;
	struct map_key key = {f->events,
	                      (uint64_t)f->line << 32 | (uint32_t)f->source << 16 |
	                              (uint32_t)f->op_class << 8 | f->op_subclass,
	                      (uint64_t)f->source_name << 34 | (uint64_t)f->cpu << 2 |
	                              (uint64_t)f->has_events << 1 | (uint64_t)f->has_source};
	size_t i = map_add(&p->facet_index, key);

	if (i == before)
		GROW(p->facets, i, p->facet_capacity)[i] = *f;
	return (uint32_t)i;
}

static uint32_t add_bin(struct profile *p, uint32_t place, uint32_t facet)
{
	size_t before = p->bin_index.count;
	size_t i = map_add(&p->bin_index, (struct map_key){place, facet, 0});

	if (i == before)
		GROW(p->bins, i, p->bin_capacity)
	[i] = (struct bin){.place = place, .facet = facet};
	return (uint32_t)i;
}

/* line: that of the facet. */
static uint32_t look_up_bin(struct profile *p, const struct sample *s, uint32_t line)
{
	const struct spemu_record *rec = s->record;
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	struct facet f = {.events = rec->events,
	                  .cpu = s->cpu,
	                  .line = line,
	                  .source = rec->data_source,
	                  .source_name = (uint8_t)s->source,
	                  .op_class = typed ? rec->op_class : SPEMU_CLASS_RESERVED,
	                  .has_events = rec->present & SPEMU_RECORD_EVENTS,
	                  .has_source = rec->present & SPEMU_RECORD_DATA_SOURCE};

	f.op_subclass = f.op_class == SPEMU_CLASS_RESERVED ? 0 : rec->op_subclass;
	return add_bin(p, s->place, add_facet(p, &f));
}

/* Return true if the data came from another core's cache. */
static bool is_snooped(const struct sample *s)
{
	const uint64_t events =
	        UINT64_C(1) << SPEMU_EV_DATA_SNOOPED | UINT64_C(1) << SPEMU_EV_CACHE_DATA_MODIFIED;

	return s->record->events & events || SOURCE_OTHER_CORE >> s->source & 1;
}

uint32_t bins_add(struct profile *p, const struct sample *s)
{
	uint32_t line = s->has_data && is_snooped(s) ? s->line + 1 : 0;
	const struct recent_facet f = recent_facet(s->record, line);
	struct recent_bin *known = recent_bin(p->recent, s->place, &f);

	if (!recent_bin_is(known, s->place, &f))
		*known = (struct recent_bin){f, s->place, look_up_bin(p, s, line) + 1};
	sums_add_record(&p->bins[known->bin - 1].sums, s->record,
	                p->input->session.attr.sample_period);
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

/* Without a total latency the counter is 0, and so are its parts. */
void sums_add_record(struct sums *to, const struct spemu_record *rec, uint64_t period)
{
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];
	uint64_t translation = rec->counter[SPEMU_COUNTER_TRANSLATION];
	bool timed = record_has_counter(rec, SPEMU_COUNTER_TOTAL);

	issue = issue < total ? issue : total;
	translation = translation < total - issue ? translation : total - issue;
	to->samples++;
	to->operations += period;
	to->timed += timed;
	to->latency += total;
	to->latency_squares += total * total;
	to->issue += issue;
	to->translation += translation;
	to->execution += total - issue - translation;
	to->issue_known += timed & record_has_counter(rec, SPEMU_COUNTER_ISSUE);
}
