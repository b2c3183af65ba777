/* SPDX-License-Identifier: MIT */
/* From records to samples: each is joined with what is known of it, and handed to the sections that are wanted. */
#include "profile.h"
#include "recent.h"
#include "section.h"
#include "../base/common.h"
#include "../session/call_stacks.h"
#include "../session/sample_filter.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	struct profile *p;
	const struct moment *now; /* of the last record */
	uint32_t cpu;             /* whose bins are in the tables that forget */
	bool filtered;
	struct spemu_shapes shapes;
	uint64_t total; /* bytes of all recordings, for the progress */
	unsigned batches;
};

void profile_want(struct profile *p, const struct section *section)
{
	for (unsigned i = 0; i < p->wanted_count; i++) {
		if (p->wanted[i]->add == section->add)
			return;
	}
	if (section->add)
		p->wanted[p->wanted_count++] = section;
}

/* Note it of all records: what a filter leaves out changes no reason of the others. */
static void note_issue(struct profile *p, const struct spemu_record *rec)
{
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];

	if (!record_has_counter(rec, SPEMU_COUNTER_ISSUE))
		return;
	if (!p->has_issue || issue < p->least_issue)
		p->least_issue = issue;
	p->has_issue = true;
}

/* Find the thread and the place of a sample. Return false if the filters leave it out. */
static bool find_code(struct reader *r, struct sample *s, const struct chunk *chunk)
{
	struct profile *p = r->p;
	uint32_t tid = session_tid(chunk, s->record);

	/* Most often the moment is that of the record before. */
	if (!r->now || !moment_has(r->now, tid, s->time))
		r->now = timeline_moment(p->input->session.timeline, tid, s->time);
	s->moment = r->now;
	s->place = place_of_sample(p, s);
	return !r->filtered || (p->places[s->place].wanted &&
	                        filter_wants_record(p->filter, chunk->cpu, s->time, s->record));
}

static void find_data(struct profile *p, struct sample *s)
{
	const struct spemu_record *rec = s->record;
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;

	s->has_data = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA);
	if (!s->has_data)
		return;
	s->operation = op_group(typed ? rec->op_class : SPEMU_CLASS_RESERVED, rec->op_subclass);
	s->address = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	s->line = cache_lines_add(p, s);
}

static void take_record(struct reader *r, const struct chunk *chunk, const struct spemu_record *rec)
{
	struct profile *p = r->p;
	struct sample s = {.record = rec,
	                   .time = session_time(&p->input->session, rec),
	                   .cpu = r->cpu,
	                   .source = source_name(p->input->sources, rec)};

	note_issue(p, rec);
	if (!find_code(r, &s, chunk)) {
		p->left_out++;
		p->input->left_out++;
		return;
	}
	p->input->samples++;
	find_data(p, &s);
	s.bin = bins_add(p, &s);
	for (unsigned i = 0; i < p->wanted_count; i++)
		p->wanted[i]->add(p, &s);
}

/* So that not each record waits for memory: where its line and its touch are, if the moment is that of the last. */
static void fetch_lines(const struct reader *r, const struct spemu_record *records, size_t count)
{
	struct profile *p = r->p;
	const uint32_t pid = r->now ? r->now->task->pid : 0;
	const uint32_t moment = r->now ? r->now->number : 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t address = spemu_addr_va(records[i].addr[SPEMU_ADDR_DATA_VA]);

		__builtin_prefetch(recent_line(p->recent, cache_line_start(p, address), pid));
		if (p->by_address)
			__builtin_prefetch(recent_touch(p->recent, address, moment));
	}
}

static void take_records(void *reader, const struct chunk *c, const struct spemu_record *records,
                         size_t count)
{
	struct reader *r = reader;

	fetch_lines(r, records, count);
	for (size_t i = 0; i < count; i++)
		take_record(r, c, &records[i]);
	if (++r->batches % 256 == 0 && count)
		progress("reading records", r->p->bytes + records[count - 1].offset - c->offset,
		         r->total);
}

static void read_chunk(struct reader *r, const struct chunk *c)
{
	struct profile *p = r->p;

	if (p->by_cpu && r->cpu != c->cpu) {
		r->cpu = c->cpu;
		memset(p->recent->bins, 0, sizeof(p->recent->bins));
	}
	session_records(&p->input->session, c, &r->shapes, take_records, r);
	p->bytes += c->size;
	progress("reading records", p->bytes, r->total);
}

static void begin(struct profile *p)
{
	struct session *session = &p->input->session;
	uint64_t first, last;

	p->recent = xcalloc(1, sizeof(*p->recent));
	p->input->sources = sources_of(session->file);
	if (!filter_set_sources(p->filter, p->input->sources))
		die(EXIT_OWN,
		    "%s is of a core whose data sources have no known names; give their "
		    "numbers, which '--section sources' shows",
		    p->input->path);
	for (unsigned i = 0; i < p->wanted_count; i++) {
		if (p->wanted[i]->begin)
			p->wanted[i]->begin(p);
	}
	if (filter_needs_times(p->filter)) {
		session_times(session, &first, &last);
		filter_set_times(p->filter, first, last);
	}
}

static void end(struct profile *p)
{
	free(p->recent);
	stacks_free(p->input->stacks);
	p->recent = NULL;
	p->input->stacks = NULL;
}

void profile_collect(struct profile *p)
{
	uint64_t total = 0;

	for (unsigned n = 0; n < p->input_count; n++) {
		const struct session *s = &p->inputs[n].session;

		for (size_t i = 0; i < s->chunk_count; i++)
			total += s->chunks[i].size;
	}
	for (unsigned n = 0; n < p->input_count; n++) {
		struct reader r = {.p = p,
		                   .filtered = p->filter && !filter_is_empty(p->filter),
		                   .total = total};

		p->input = &p->inputs[n];
		begin(p);
		for (size_t i = 0; i < p->input->session.chunk_count; i++)
			read_chunk(&r, &p->input->session.chunks[i]);
		end(p);
	}
	for (size_t i = 0; i < p->bin_index.count; i++)
		sums_add(&p->all, &p->bins[i].sums);
	progress_end();
}
