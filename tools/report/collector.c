/* SPDX-License-Identifier: MIT */
/* From records to bins. Symbols are looked up later, once for each place, unless a filter needs them. */
#include "profile.h"
#include "calls.h"
#include "heat.h"
#include "recent.h"
#include "../session/data_source.h"
#include "../session/sample_filter.h"
#include "../base/common.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

/* The recording that is being read. */
struct reader {
	struct profile *p;
	struct input *input;
	uint32_t index;
	const struct source_encoding *sources; /* NULL: the core's is not known */
	uint32_t cpu;                          /* of the chunk, if facets have it; else 0 */
	bool filtered;
	const struct moment *now;
	struct recent *recent;
	struct spemu_shapes shapes;
	uint64_t total; /* bytes of all recordings, for the progress */
	unsigned batches;
	struct stacks *stacks; /* NULL: none, or not asked for */
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

/* The index of the place of like, whose address is in memory if it has one. */
static uint32_t find_address(struct reader *r, struct place *like, uint64_t time)
{
	uint32_t before = (uint32_t)r->p->place_index.count, index;
	struct place *place;

	place_locate(like, &r->input->session, time);
	place = add_place(r->p, like, &index);
	if (index == before)
		place->wanted = filter_wants_place(r->p->filter, place);
	return index;
}

/* The place of rec, whose PC is its own or missing. */
static uint32_t look_up_place(struct reader *r, const struct task *task,
                              const struct spemu_record *rec, uint64_t time)
{
	struct place like = place_of_record(task, r->index, rec);

	return find_address(r, &like, time);
}

/* Where the sampled instruction lies: the index of its place. */
static uint32_t find_place(struct reader *r, const struct moment *moment,
                           const struct spemu_record *rec, uint64_t time)
{
	const uint64_t pc = rec->addr[SPEMU_ADDR_PC];
	struct recent_place *known = recent_place(r->recent, pc, moment->number);
	uint32_t index;

	if (known->pc == pc && known->moment == moment->number && known->place)
		return known->place - 1;
	index = look_up_place(r, moment->task, rec, time);
	if (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC))
		*known = (struct recent_place){pc, moment->number, index + 1};
	return index;
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

static uint32_t look_up_bin(struct reader *r, const struct spemu_record *rec, uint32_t place,
                            uint32_t line)
{
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	struct facet f = {.events = rec->events,
	                  .cpu = r->cpu,
	                  .line = line,
	                  .source = rec->data_source,
	                  .source_name = (uint8_t)source_name(r->sources, rec),
	                  .op_class = typed ? rec->op_class : SPEMU_CLASS_RESERVED,
	                  .has_events = rec->present & SPEMU_RECORD_EVENTS,
	                  .has_source = rec->present & SPEMU_RECORD_DATA_SOURCE};

	f.op_subclass = f.op_class == SPEMU_CLASS_RESERVED ? 0 : rec->op_subclass;
	return add_bin(r->p, place, add_facet(r->p, &f));
}

/* line is that of the facet. */
static struct bin *get_bin(struct reader *r, const struct spemu_record *rec, uint32_t place,
                           uint32_t line)
{
	const struct recent_facet f = recent_facet(rec, line);
	struct recent_bin *known = recent_bin(r->recent, place, &f);

	if (!recent_bin_is(known, place, &f))
		*known = (struct recent_bin){f, place, look_up_bin(r, rec, place, line) + 1};
	return &r->p->bins[known->bin - 1];
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
static uint32_t add_touch(struct reader *r, const struct touch *like, uint64_t va)
{
	struct profile *p = r->p;
	const struct cache_line *line = &p->lines[like->line];
	const struct mapping *m = session_mapping(&r->input->session, line->pid, va, like->time);
	size_t before = p->touch_index.count;
	struct map_key key = {(uint64_t)like->line << 32 | like->offset,
	                      (uint64_t)like->bin.place << 32 | like->bin.facet,
	                      like->heap ? (uintptr_t)like->heap : (uintptr_t)m};
	size_t i = map_add(&p->touch_index, key);

	if (i == before)
		GROW(p->touches, i, p->touch_capacity)[i] = *like;
	return (uint32_t)i;
}

static uint64_t line_start(const struct profile *p, uint64_t va)
{
	return spemu_addr_va(va) & ~(uint64_t)(p->line_size - 1);
}

/* The index of the line of addr, which is its first byte. */
static uint32_t find_line(struct reader *r, uint32_t pid, uint64_t addr, uint64_t time)
{
	struct profile *p = r->p;
	struct recent_line *known = recent_line(r->recent, addr, pid);
	size_t before = p->line_index.count, i;

	if (known->addr == addr && known->pid == pid && known->line)
		return known->line - 1;
	i = map_add(&p->line_index, (struct map_key){pid, addr, r->index});
	if (i == before) {
		GROW(p->lines, i, p->line_capacity)
		[i] = (struct cache_line){
		        .addr = addr, .pid = pid, .time = time, .input = r->index};
	}
	*known = (struct recent_line){addr, pid, (uint32_t)i + 1};
	return (uint32_t)i;
}

/* Returns the index of the line. */
static uint32_t count_line(struct reader *r, const struct task *task,
                           const struct spemu_record *rec, uint64_t time)
{
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	enum op_group group = typed ? op_group(rec->op_class, rec->op_subclass)
	                            : op_group(SPEMU_CLASS_RESERVED, 0);
	struct profile *p = r->p;
	uint64_t va = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	uint64_t addr = line_start(p, va);
	uint32_t pid = va >> 55 ? 0 : task->pid;
	uint32_t i = find_line(r, pid, addr, time);
	unsigned part = (unsigned)((va - addr) * 64 / p->line_size);
	struct line_thread *thread;
	struct cache_line *line;

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
	return i;
}

/* Without a branch on what the record has: cycles are 0 where has is. */
static inline void count_latency(struct histogram *h, uint16_t cycles, bool has)
{
	/* The number of bits, which a bucket's cycles have in common. */
	unsigned bucket = 31u ^ (unsigned)__builtin_clz(2u * cycles + 1);

	_Static_assert(LATENCY_BUCKETS > 16, "there is a bucket for each number of bits");
	h->bucket[bucket] += has;
	h->sum += cycles;
	h->max = cycles > h->max ? cycles : h->max;
}

static inline bool has_counter(const struct spemu_record *rec, unsigned index)
{
	return rec->present / SPEMU_RECORD_COUNTER(index) & 1;
}

static inline void count_counter(struct profile *p, const struct spemu_record *rec,
                                 enum latency_kind kind, unsigned index)
{
	count_latency(&p->latency[kind], rec->counter[index], has_counter(rec, index));
}

/* Without a total latency that is 0, and so are its parts. */
static void add_sums(struct sums *s, const struct spemu_record *rec, uint64_t period)
{
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];
	uint64_t translation = rec->counter[SPEMU_COUNTER_TRANSLATION];
	bool timed = has_counter(rec, SPEMU_COUNTER_TOTAL);

	issue = issue < total ? issue : total;
	translation = translation < total - issue ? translation : total - issue;
	s->samples++;
	s->operations += period;
	s->timed += timed;
	s->latency += total;
	s->latency_squares += total * total;
	s->issue += issue;
	s->translation += translation;
	s->execution += total - issue - translation;
	s->issue_known += timed & has_counter(rec, SPEMU_COUNTER_ISSUE);
}

static void sum_up(struct profile *p)
{
	for (unsigned kind = 0; kind < LATENCY_KINDS; kind++) {
		for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
			p->latency[kind].samples += p->latency[kind].bucket[i];
	}
}

/* Whether the data came from another core's cache. */
static bool is_snooped(const struct reader *r, const struct spemu_record *rec)
{
	const uint64_t events =
	        UINT64_C(1) << SPEMU_EV_DATA_SNOOPED | UINT64_C(1) << SPEMU_EV_CACHE_DATA_MODIFIED;

	return rec->events & events || SOURCE_OTHER_CORE >> source_name(r->sources, rec) & 1;
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
	struct profile *p = r->p;
	uint64_t va = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	uint32_t bin_index = (uint32_t)(bin - p->bins), moment = r->now->number;
	struct recent_touch *known = recent_touch(r->recent, va, moment);
	struct touch like = {
	        .line = line,
	        .offset = (uint32_t)(va & (p->line_size - 1)),
	        .time = time,
	        .heap = heap_find(r->input->session.heap, p->lines[line].pid, va, time),
	        .bin = {.place = bin->place, .facet = bin->facet}};

	if (!known->touch || known->va != va || known->moment != moment || known->line != line ||
	    known->bin != bin_index || known->heap != like.heap)
		*known = (struct recent_touch){va,        moment,    line,
		                               bin_index, like.heap, add_touch(r, &like, va) + 1};
	add_sums(&p->touches[known->touch - 1].bin.sums, rec, r->input->session.attr.sample_period);
}

/* Most often the one of the record before. */
static const struct moment *get_moment(struct reader *r, const struct chunk *chunk,
                                       const struct spemu_record *rec, uint64_t time)
{
	uint32_t tid = session_tid(chunk, rec);

	if (!r->now || !moment_has(r->now, tid, time))
		r->now = timeline_moment(r->input->session.timeline, tid, time);
	return r->now;
}

static uint32_t find_caller(struct reader *r, const struct task *task, uint64_t address,
                            uint64_t time)
{
	struct place like = {.task = task, .input = r->index, .addr = address};

	return find_address(r, &like, time);
}

/* The node of the sampled instruction's caller. Callers that the stack before had in these places are its. */
static uint32_t find_callers(struct reader *r, const struct spemu_perf_sample *sample,
                             const struct task *task, uint64_t time)
{
	uint64_t addresses[SPEMU_PERF_CALLCHAIN_MAX];
	size_t count = stack_calls(sample, addresses);
	struct calls *calls = r->p->calls;
	uint32_t node = 0, depth = 0;
	bool same = calls->task == task;

	for (; depth < count; depth++) {
		uint64_t address = addresses[depth];

		same = same && depth < calls->depth && calls->caller[depth] == address;
		if (!same) {
			calls->caller[depth] = address;
			calls->node[depth] =
			        calls_node(calls, node, find_caller(r, task, address, time));
		}
		node = calls->node[depth];
	}
	calls->task = task;
	calls->depth = depth;
	calls->full += depth >= SPEMU_PERF_CALLCHAIN_MAX - 1;
	return node;
}

static void count_stack(struct reader *r, const struct task *task, const struct spemu_record *rec,
                        uint64_t time, uint32_t place)
{
	struct calls *calls = r->p->calls;
	struct spemu_perf_sample sample;
	struct call_sums *self;
	uint32_t node = 0;

	if (!calls)
		return;
	if (r->stacks && rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) &&
	    stacks_find(r->stacks, &sample, task->tid, time,
	                spemu_addr_va(rec->addr[SPEMU_ADDR_PC])))
		node = find_callers(r, &sample, task, time);
	else
		calls->without++;
	node = calls_node(calls, node, place);
	self = &calls->nodes[node].self;
	self->samples++;
	if (rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL))
		self->latency += rec->counter[SPEMU_COUNTER_TOTAL];
}

/* An access; line is its index. */
static void count_heat(struct reader *r, const struct spemu_record *rec, uint64_t time,
                       uint32_t line)
{
	bool typed = rec->present & SPEMU_RECORD_OP_TYPE;
	bool load = typed && op_group(rec->op_class, rec->op_subclass) == OP_LOAD;
	const struct heat_cell cell = {.time = time,
	                               .address = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]),
	                               .input = r->index,
	                               .pid = r->p->lines[line].pid,
	                               .samples = 1,
	                               .stores = !load,
	                               .timed = has_counter(rec, SPEMU_COUNTER_TOTAL),
	                               .latency = rec->counter[SPEMU_COUNTER_TOTAL]};

	heat_add(r->p->heat, &cell);
}

static void count_record(struct reader *r, const struct chunk *chunk,
                         const struct spemu_record *rec)
{
	struct profile *p = r->p;
	uint64_t time = session_time(&r->input->session, rec);
	const bool data = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA);
	const struct moment *now = get_moment(r, chunk, rec, time);
	uint32_t place, line = 0;
	struct bin *bin;

	find_least_issue(p, rec);
	place = find_place(r, now, rec, time);
	if (r->filtered &&
	    (!p->places[place].wanted || !filter_wants_record(p->filter, chunk->cpu, time, rec))) {
		p->left_out++;
		r->input->left_out++;
		return;
	}
	p->samples++;
	r->input->samples++;
	count_counter(p, rec, LATENCY_TOTAL, SPEMU_COUNTER_TOTAL);
	count_counter(p, rec, LATENCY_ISSUE, SPEMU_COUNTER_ISSUE);
	count_counter(p, rec, LATENCY_TRANSLATION, SPEMU_COUNTER_TRANSLATION);
	count_stack(r, now->task, rec, time, place);
	if (data)
		line = count_line(r, now->task, rec, time);
	bin = get_bin(r, rec, place, data && is_snooped(r, rec) ? line + 1 : 0);
	add_sums(&bin->sums, rec, r->input->session.attr.sample_period);
	if (data && p->by_address)
		count_touch(r, rec, line, time, bin);
	if (data && p->heat)
		count_heat(r, rec, time, line);
}

/* So that not each record waits for memory: where its line and its touch are, if the moment is that of the last. */
static void fetch_lines(const struct reader *r, const struct spemu_record *records, size_t count)
{
	const uint32_t pid = r->now ? r->now->task->pid : 0;
	const uint32_t moment = r->now ? r->now->number : 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t va = spemu_addr_va(records[i].addr[SPEMU_ADDR_DATA_VA]);

		__builtin_prefetch(recent_line(r->recent, line_start(r->p, va), pid));
		if (r->p->by_address)
			__builtin_prefetch(recent_touch(r->recent, va, moment));
	}
}

static void count_records(void *reader, const struct chunk *c, const struct spemu_record *records,
                          size_t count)
{
	struct reader *r = reader;

	fetch_lines(r, records, count);
	for (size_t i = 0; i < count; i++)
		count_record(r, c, &records[i]);
	if (++r->batches % 256 == 0 && count)
		progress("reading records", r->p->bytes + records[count - 1].offset - c->offset,
		         r->total);
}

static void collect_chunk(struct reader *r, const struct chunk *c)
{
	struct profile *p = r->p;

	if (p->by_cpu && r->cpu != c->cpu) {
		r->cpu = c->cpu;
		memset(r->recent->bins, 0, sizeof(r->recent->bins));
	}
	session_records(&r->input->session, c, &r->shapes, count_records, r);
	p->bytes += c->size;
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
		struct reader r = {.p = p, .input = &p->inputs[n], .index = n, .total = total};

		r.filtered = p->filter && !filter_is_empty(p->filter);
		r.recent = xcalloc(1, sizeof(*r.recent));
		r.sources = sources_of(r.input->session.file);
		if (!filter_set_sources(p->filter, r.sources))
			die(EXIT_OWN,
			    "%s is of a core whose data sources have no known names; give their "
			    "numbers, which '--section sources' shows",
			    r.input->path);
		if (p->calls && (r.stacks = stacks_read(&r.input->session)))
			p->calls->found = true;
		if (filter_needs_times(p->filter)) {
			uint64_t first, last;

			session_times(&r.input->session, &first, &last);
			filter_set_times(p->filter, first, last);
		}
		for (size_t i = 0; i < r.input->session.chunk_count; i++) {
			collect_chunk(&r, &r.input->session.chunks[i]);
			progress("reading records", p->bytes, total);
		}
		free(r.recent);
		stacks_free(r.stacks);
	}
	sum_up(p);
	progress_end();
}
