/* SPDX-License-Identifier: MIT */
/* Add each sample to its cache line and its bin, and hand it to the requested sections. */
#include "contention.h"
#include "profile.h"
#include "recent.h"
#include "section.h"
#include "vector_limits.h"
#include "../types/type_filter.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

void profile_want(struct profile *p, const struct section *section)
{
	p->by_address = p->by_address || section->of_data;
	p->by_line = p->by_line || section->of_data || section->of_lines;
	for (unsigned i = 0; i < p->wanted_count; i++) {
		if (p->wanted[i]->add == section->add)
			return;
	}
	if (section->add)
		p->wanted[p->wanted_count++] = section;
}

static bool is_timed_store(const struct spemu_record *rec)
{
	return rec->op_class == SPEMU_CLASS_LDST && rec->present & SPEMU_RECORD_OP_TYPE &&
	       record_has_counter(rec, SPEMU_COUNTER_TOTAL) &&
	       op_group(rec->op_class, rec->op_subclass) == OP_STORE;
}

/* Record the shortest latencies of all records, including those that a filter hides: a filter must
 * not change the reasons of the records that it keeps. */
static void note_latencies(struct profile *p, const struct spemu_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct spemu_record *rec = &records[i];

		if (rec->counter[SPEMU_COUNTER_ISSUE] < p->least_issue &&
		    record_has_counter(rec, SPEMU_COUNTER_ISSUE))
			p->least_issue = rec->counter[SPEMU_COUNTER_ISSUE];
		if (is_timed_store(rec) && latency_parts(rec).execution < p->least_store)
			p->least_store = latency_parts(rec).execution;
	}
}

/*
 * Look at a batch of records before they become samples. Prefetch the cache entries for the line
 * and the touch of each record, so that the records do not wait for memory one by one. The entries
 * are guesses: they assume that the moment does not change within the batch.
 */
static void look_ahead(void *profile, const struct recording *recording, const struct moment *now,
                       const struct spemu_record *records, size_t count)
{
	struct profile *p = profile;

	if (p->recording != recording)
		memset(p->recent, 0, sizeof(*p->recent));
	p->recording = recording;
	note_latencies(p, records, count);
	for (size_t i = 0; i < count && p->by_line; i++) {
		uint64_t address = spemu_addr_va(records[i].addr[SPEMU_ADDR_DATA_VA]);

		if (!(records[i].present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA)))
			continue;
		__builtin_prefetch(recent_line(p->recent, cache_line_start(p, address),
		                               now ? now->task->pid : 0));
		if (p->by_address)
			__builtin_prefetch(recent_touch(p->recent, address, now ? now->number : 0));
	}
}

/* Forget the recent bins when the CPU changes, because facets include the CPU. */
static void note_cpu(struct profile *p, const struct chunk *chunk)
{
	if (!p->by_cpu || p->cpu == chunk->cpu)
		return;
	p->cpu = chunk->cpu;
	memset(p->recent->bins, 0, sizeof(p->recent->bins));
}

static void find_data(struct profile *p, struct counted *c)
{
	const struct spemu_record *rec = c->record;
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;

	c->has_data = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA);
	if (!c->has_data)
		return;
	c->operation = op_group(typed ? rec->op_class : SPEMU_CLASS_RESERVED, rec->op_subclass);
	c->address = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	c->line = cache_lines_add(p, c);
}

static void take_sample(void *profile, const struct sample *sample)
{
	struct profile *p = profile;
	struct counted c = {.sample = sample,
	                    .record = sample->record,
	                    .source = source_name(p->recording->sources, sample->record)};

	note_cpu(p, sample->chunk);
	if (p->by_line)
		find_data(p, &c);
	c.bin = bins_add(p, &c);
	vector_limits_note(p, &c);
	if (c.has_data)
		touches_add(p, &c);
	for (unsigned i = 0; i < p->wanted_count; i++)
		p->wanted[i]->add(p, &c);
}

/* Return true if a process has several threads, which may contend for cache lines. */
static bool has_threads(const struct profile *p)
{
	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		const struct timeline *t = p->samples.recordings[i].session.timeline;

		if (timeline_thread_count(t) > timeline_process_count(t))
			return true;
	}
	return false;
}

void profile_collect(struct profile *p)
{
	p->recent = xcalloc(1, sizeof(*p->recent));
	p->least_issue = p->least_store = UINT64_MAX;
	p->by_thread = has_threads(p);
	p->by_line = p->by_line || p->by_thread;
	/* Stacks identify the frame that contains the data. */
	p->samples.want_stacks = p->samples.want_stacks || p->by_address;
	type_filter_prepare(&p->samples);
	for (unsigned i = 0; i < p->wanted_count; i++)
		p->wanted[i]->begin(p);
	samples_read(&p->samples, take_sample, look_ahead, p);
	if (p->least_issue == UINT64_MAX)
		p->least_issue = 0;
	if (p->least_store == UINT64_MAX)
		p->least_store = 0;
	for (size_t i = 0; i < p->bin_index.count; i++)
		sums_add(&p->all, &p->bins[i].sums);
	free(p->recent);
	p->recent = NULL;
	contention_find(p);
}
