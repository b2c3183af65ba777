/* SPDX-License-Identifier: MIT */
/* From records to bins. Symbols are looked up later, once for each place, unless a filter needs them. */
#include "report_profile.h"
#include "report_filter.h"
#include "report_source.h"
#include "../base/common.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

/* The recording that is being read. */
struct reader {
	struct profile *p;
	struct input *input;
	uint32_t index;
	const struct source *sources; /* NULL: the core's are not known */
};

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

/* Where the sampled instruction lies. */
static struct place *find_place(struct reader *r, const struct task *task,
                                const struct spemu_record *rec, uint64_t time, uint32_t *index)
{
	struct place like = {.task = task, .input = r->index, .no_address = true};
	uint32_t before = (uint32_t)r->p->place_index.count;
	const struct mapping *m;
	struct place *place;
	uint64_t vaddr;

	if (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)) {
		like.addr = spemu_addr_va(rec->addr[SPEMU_ADDR_PC]);
		like.kernel = spemu_addr_el(rec->addr[SPEMU_ADDR_PC]) != 0;
		like.no_address = false;
		m = session_mapping(&r->input->session, task->pid, like.addr, time);
		like.object = m ? m->object : NULL;
		if (m &&
		    object_vaddr(m->object, &vaddr, like.addr - m->start + m->pgoff, m->writable)) {
			like.addr = vaddr;
			like.resolved = true;
		}
	}
	place = add_place(r->p, &like, index);
	if (*index == before)
		place->wanted = filter_wants_place(r->p->filter, place);
	return place;
}

static uint32_t add_facet(struct profile *p, const struct facet *f)
{
	size_t before = p->facet_index.count;
	struct map_key key = {f->events,
	                      (uint64_t)f->line << 32 | (uint32_t)f->source << 16 |
	                              (uint32_t)f->op_class << 8 | f->op_subclass,
	                      (uint64_t)f->source_kind << 34 | (uint64_t)f->cpu << 2 |
	                              (uint64_t)f->has_events << 1 | (uint64_t)f->has_source};
	size_t i = map_add(&p->facet_index, key);

	if (i == before)
		GROW(p->facets, i, p->facet_capacity)[i] = *f;
	return (uint32_t)i;
}

/* Most samples of an instruction are alike: the last bin of a place is the first that is tried. */
static struct bin *get_bin(struct profile *p, uint32_t place, uint32_t facet)
{
	size_t before = p->bin_index.count, i = p->places[place].last_bin;

	if (i < before && p->bins[i].place == place && p->bins[i].facet == facet)
		return &p->bins[i];
	i = map_add(&p->bin_index, (struct map_key){place, facet, 0});
	if (i == before)
		GROW(p->bins, i, p->bin_capacity)
	[i] = (struct bin){.place = place, .facet = facet};
	p->places[place].last_bin = (uint32_t)i;
	return &p->bins[i];
}

static struct line_thread *get_line_thread(struct cache_line *line, uint32_t tid)
{
	struct line_thread *t = NULL;

	for (uint32_t i = 0; i < line->thread_count; i++) {
		if (line->threads[i].tid == tid)
			return &line->threads[i];
	}
	if (line->thread_count == line->thread_capacity) {
		line->thread_capacity = line->thread_capacity ? 4 * line->thread_capacity : 1;
		line->threads =
		        xreallocarray(line->threads, line->thread_capacity, sizeof(*line->threads));
	}
	t = &line->threads[line->thread_count++];
	*t = (struct line_thread){.tid = tid};
	return t;
}

/*
 * What was done to an address, for those who ask for the code of a line, or for objects. What lies there may be
 * another thing later: another mapping is another touch.
 */
static struct sums *get_touch(struct reader *r, const struct touch *like, uint64_t va)
{
	struct profile *p = r->p;
	const struct cache_line *line = &p->lines[like->line];
	const struct mapping *m = session_mapping(&r->input->session, line->pid, va, like->time);
	size_t before = p->touch_index.count;
	struct map_key key = {(uint64_t)like->line << 32 | like->offset,
	                      (uint64_t)like->bin.place << 32 | like->bin.facet, (uintptr_t)m};
	size_t i = map_add(&p->touch_index, key);

	if (i == before)
		GROW(p->touches, i, p->touch_capacity)[i] = *like;
	return &p->touches[i].bin.sums;
}

/* Returns the index of the line. */
static uint32_t count_line(struct reader *r, const struct task *task,
                           const struct spemu_record *rec, uint64_t time, enum op_group group)
{
	struct profile *p = r->p;
	uint64_t va = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	uint64_t addr = va & ~(uint64_t)(p->line_size - 1);
	uint32_t pid = va >> 55 ? 0 : task->pid;
	size_t before = p->line_index.count;
	size_t i = map_add(&p->line_index, (struct map_key){pid, addr, r->index});
	unsigned part = (unsigned)((va - addr) * 64 / p->line_size);
	struct line_thread *thread;
	struct cache_line *line;

	if (i == before) {
		GROW(p->lines, i, p->line_capacity)
		[i] = (struct cache_line){
		        .addr = addr, .pid = pid, .time = time, .input = r->index};
	}
	line = &p->lines[i];
	line->samples++;
	line->loads += group == OP_LOAD;
	line->stores += group == OP_STORE;
	line->atomics += group == OP_ATOMIC;
	line->refills += rec->events >> SPEMU_EV_L1D_REFILL & 1;
	line->snooped += rec->events >> SPEMU_EV_DATA_SNOOPED & 1;
	if (rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)) {
		line->latency_samples++;
		line->latency += rec->counter[SPEMU_COUNTER_TOTAL];
	}
	thread = get_line_thread(line, task->tid);
	if (group == OP_LOAD)
		thread->read |= UINT64_C(1) << part;
	else
		thread->written |= UINT64_C(1) << part;
	return (uint32_t)i;
}

static void count_latency(struct histogram *h, unsigned cycles)
{
	unsigned bucket = 0;

	for (unsigned c = cycles; c && bucket < LATENCY_BUCKETS - 1; c >>= 1)
		bucket++;
	h->bucket[bucket]++;
	h->samples++;
	h->sum += cycles;
	if (cycles > h->max)
		h->max = cycles;
}

static void count_counters(struct profile *p, const struct spemu_record *rec)
{
	static const uint8_t index[LATENCY_KINDS] = {SPEMU_COUNTER_TOTAL, SPEMU_COUNTER_ISSUE,
	                                             SPEMU_COUNTER_TRANSLATION};

	for (unsigned i = 0; i < LATENCY_KINDS; i++) {
		if (rec->present & SPEMU_RECORD_COUNTER(index[i]))
			count_latency(&p->latency[i], rec->counter[index[i]]);
	}
	if (rec->present & SPEMU_RECORD_DATA_SOURCE) {
		struct source_count *s = &p->sources[rec->data_source];

		s->samples++;
		if (rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)) {
			s->latency_samples++;
			s->latency += rec->counter[SPEMU_COUNTER_TOTAL];
		}
	}
	if (!(rec->present & SPEMU_RECORD_EVENTS))
		return;
	for (uint64_t ev = rec->events; ev; ev &= ev - 1)
		p->events[__builtin_ctzll(ev)]++;
}

static void add_sums(struct sums *s, const struct spemu_record *rec, uint64_t period)
{
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];
	uint64_t translation = rec->counter[SPEMU_COUNTER_TRANSLATION];

	s->samples++;
	s->operations += period;
	if (!(rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)))
		return;
	issue = issue < total ? issue : total;
	translation = translation < total - issue ? translation : total - issue;
	s->timed++;
	s->latency += total;
	s->latency_squares += total * total;
	s->issue += issue;
	s->translation += translation;
	s->execution += total - issue - translation;
	s->issue_known += !!(rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE));
}

static enum source_kind source_kind(const struct reader *r, const struct spemu_record *rec)
{
	return r->sources && rec->present & SPEMU_RECORD_DATA_SOURCE &&
	                       rec->data_source < SOURCE_COUNT
	               ? r->sources[rec->data_source].kind
	               : SOURCE_UNKNOWN;
}

/* Whether the data came from another core's cache. */
static bool is_snooped(const struct facet *f)
{
	const uint64_t events =
	        UINT64_C(1) << SPEMU_EV_DATA_SNOOPED | UINT64_C(1) << SPEMU_EV_CACHE_DATA_MODIFIED;

	return f->events & events || f->source_kind == SOURCE_OTHER_CORE;
}

/* Of all records: what a filter leaves out changes no reason of the others. */
static void find_least_issue(struct profile *p, const struct spemu_record *rec)
{
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];

	if (!(rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE)))
		return;
	if (!p->has_issue || issue < p->least_issue)
		p->least_issue = issue;
	p->has_issue = true;
}

static void count_touch(struct reader *r, const struct spemu_record *rec, uint32_t line,
                        uint64_t time, const struct bin *bin)
{
	uint64_t va = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	struct touch like = {.line = line,
	                     .offset = (uint32_t)(va & (r->p->line_size - 1)),
	                     .time = time,
	                     .bin = {.place = bin->place, .facet = bin->facet}};

	add_sums(get_touch(r, &like, va), rec, r->input->session.attr.sample_period);
}

static void count_record(struct reader *r, const struct chunk *chunk,
                         const struct spemu_record *rec)
{
	struct profile *p = r->p;
	uint64_t time = session_time(&r->input->session, rec);
	const struct task *task = session_task(&r->input->session, chunk, rec, time);
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	struct facet f = {.events = rec->events,
	                  .cpu = p->by_cpu ? chunk->cpu : 0,
	                  .source = rec->data_source,
	                  .source_kind = (uint8_t)source_kind(r, rec),
	                  .op_class = typed ? rec->op_class : SPEMU_CLASS_RESERVED,
	                  .has_events = rec->present & SPEMU_RECORD_EVENTS,
	                  .has_source = rec->present & SPEMU_RECORD_DATA_SOURCE};
	const struct place *place;
	struct bin *bin;
	uint32_t place_index, facet, line = 0;
	bool data = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA);

	f.op_subclass = f.op_class == SPEMU_CLASS_RESERVED ? 0 : rec->op_subclass;
	find_least_issue(p, rec);
	place = find_place(r, task, rec, time, &place_index);
	if (!place->wanted || !filter_wants_record(p->filter, chunk->cpu, time, rec)) {
		p->left_out++;
		r->input->left_out++;
		return;
	}
	p->samples++;
	r->input->samples++;
	count_counters(p, rec);
	if (data) {
		line = count_line(r, task, rec, time, op_group(f.op_class, f.op_subclass));
		f.line = is_snooped(&f) ? line + 1 : 0;
	}
	facet = add_facet(p, &f);
	bin = get_bin(p, place_index, facet);
	add_sums(&bin->sums, rec, r->input->session.attr.sample_period);
	if (data && p->by_address)
		count_touch(r, rec, line, time, bin);
}

static void collect_chunk(struct reader *r, const struct chunk *c, uint64_t total)
{
	struct profile *p = r->p;
	struct spemu_decoder dec;
	struct spemu_record rec;
	uint64_t n = 0;
	int status;

	spemu_decoder_init(&dec, c->data, (size_t)c->size, c->offset);
	while ((status = spemu_decoder_next(&dec, &rec)) != SPEMU_ERR_END) {
		if (status == SPEMU_OK)
			count_record(r, c, &rec);
		else if (status != SPEMU_ERR_CORRUPT)
			break;
		if (!(++n & 0xffff))
			progress("reading records", p->bytes + (uint64_t)(dec.pos - dec.begin),
			         total);
	}
	p->skipped_bytes += dec.skipped;
	if (status == SPEMU_ERR_TRUNCATED)
		p->skipped_bytes += (uint64_t)(dec.end - dec.pos);
	p->bytes += c->size;
}

/* The first and the last time of the records, for parts of it in percent. */
static void find_times(struct input *input)
{
	struct spemu_record rec;
	struct spemu_decoder dec;
	uint64_t time;
	int status;

	input->first_time = UINT64_MAX;
	for (size_t i = 0; i < input->session.chunk_count; i++) {
		const struct chunk *c = &input->session.chunks[i];

		spemu_decoder_init(&dec, c->data, (size_t)c->size, c->offset);
		while ((status = spemu_decoder_next(&dec, &rec)) == SPEMU_OK ||
		       status == SPEMU_ERR_CORRUPT) {
			time = status ? UINT64_MAX : session_time(&input->session, &rec);
			if (time == UINT64_MAX)
				continue;
			if (time < input->first_time)
				input->first_time = time;
			if (time > input->last_time)
				input->last_time = time;
		}
	}
}

void profile_collect(struct profile *p)
{
	uint64_t total = 0;

	p->sources = xcalloc(65536, sizeof(*p->sources));
	for (unsigned n = 0; n < p->input_count; n++) {
		const struct session *s = &p->inputs[n].session;

		for (size_t i = 0; i < s->chunk_count; i++)
			total += s->chunks[i].size;
	}
	for (unsigned n = 0; n < p->input_count; n++) {
		struct reader r = {.p = p, .input = &p->inputs[n], .index = n};

		r.sources = sources_of(r.input->session.file);
		if (filter_names_sources(p->filter) && !r.sources)
			die(EXIT_OWN,
			    "%s is of a core whose data sources have no known names; give their "
			    "numbers, which '--section sources' shows",
			    r.input->path);
		if (filter_needs_times(p->filter)) {
			find_times(r.input);
			filter_set_times(p->filter, r.input->first_time, r.input->last_time);
		}
		for (size_t i = 0; i < r.input->session.chunk_count; i++) {
			collect_chunk(&r, &r.input->session.chunks[i], total);
			session_release(&r.input->session, &r.input->session.chunks[i]);
			progress("reading records", p->bytes, total);
		}
	}
	progress_end();
}
