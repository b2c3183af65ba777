/* SPDX-License-Identifier: MIT */
/* From records to counts. Symbols are looked up later, once for each place. */
#include "report.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

static struct place *get_place(struct profile *p, const struct task *task, struct object *object,
                               uint64_t addr)
{
	size_t before = p->place_index.count;
	size_t i = map_add(&p->place_index,
	                   (struct map_key){(uintptr_t)task, (uintptr_t)object, addr});

	if (i == before) {
		GROW(p->places, i, p->place_capacity)
		[i] = (struct place){.task = task, .object = object, .addr = addr};
	}
	return &p->places[i];
}

/* Where the sampled instruction lies. */
static struct place *find_place(struct profile *p, const struct task *task, uint64_t payload,
                                uint64_t time)
{
	uint64_t pc = spemu_addr_va(payload), vaddr;
	const struct mapping *m = session_mapping(&p->session, task->pid, pc, time);
	bool kernel = spemu_addr_el(payload) != 0;
	struct object *object = m ? m->object : NULL;
	struct place *place;

	if (m && object_vaddr(object, &vaddr, pc - m->start + m->pgoff, m->writable)) {
		place = get_place(p, task, object, vaddr);
		place->resolved = true;
	} else {
		place = get_place(p, task, object, pc);
	}
	place->kernel = kernel;
	return place;
}

static void count_branch(struct place *place, const struct spemu_record *rec)
{
	bool target = rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET);
	uint64_t to = spemu_addr_va(rec->addr[SPEMU_ADDR_BRANCH_TARGET]);

	place->branches++;
	place->mispredicted += rec->events >> SPEMU_EV_MISPREDICTED & 1;
	place->not_taken += rec->events >> SPEMU_EV_NOT_TAKEN & 1;
	if (!target || (rec->events >> SPEMU_EV_NOT_TAKEN & 1))
		return;
	if (!place->targets) {
		place->first_target = to;
		place->targets = 1;
	} else if (place->first_target != to) {
		place->targets = 2;
	}
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

static void count_line(struct profile *p, const struct task *task, const struct spemu_record *rec,
                       uint64_t time, enum op_group group)
{
	uint64_t va = spemu_addr_va(rec->addr[SPEMU_ADDR_DATA_VA]);
	uint64_t addr = va & ~(uint64_t)(p->line_size - 1);
	uint32_t pid = va >> 55 ? 0 : task->pid;
	size_t before = p->line_index.count;
	size_t i = map_add(&p->line_index, (struct map_key){pid, addr, 0});
	unsigned part = (unsigned)((va - addr) * 64 / p->line_size);
	struct line_thread *thread;
	struct cache_line *line;

	if (i == before) {
		GROW(p->lines, i, p->line_capacity)
		[i] = (struct cache_line){.addr = addr, .pid = pid, .time = time};
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
	if (rec->present & SPEMU_RECORD_EVENTS) {
		p->events_samples++;
		for (uint64_t ev = rec->events; ev; ev &= ev - 1)
			p->events[__builtin_ctzll(ev)]++;
	}
}

static void count_record(struct profile *p, const struct chunk *chunk,
                         const struct spemu_record *rec)
{
	uint64_t time = session_time(&p->session, rec);
	const struct task *task = session_task(&p->session, chunk, rec, time);
	unsigned op_class =
	        rec->present & SPEMU_RECORD_OP_TYPE ? rec->op_class : SPEMU_CLASS_RESERVED;
	unsigned subclass = op_class == SPEMU_CLASS_RESERVED ? 0 : rec->op_subclass;
	enum op_group group = op_group(op_class, subclass);

	p->samples++;
	p->ops[op_class][subclass]++;
	p->fp += op_is_fp(op_class, subclass);
	p->simd += op_is_simd(op_class, subclass);
	count_counters(p, rec);
	if (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)) {
		struct place *place = find_place(p, task, rec->addr[SPEMU_ADDR_PC], time);

		place->samples++;
		if (rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)) {
			place->latency_samples++;
			place->latency += rec->counter[SPEMU_COUNTER_TOTAL];
		}
		if (group == OP_BRANCH)
			count_branch(place, rec);
	}
	if (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA))
		count_line(p, task, rec, time, group);
}

static void collect_chunk(struct profile *p, const struct chunk *c, uint64_t total)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	uint64_t n = 0;
	int status;

	spemu_decoder_init(&dec, c->data, (size_t)c->size, c->offset);
	while ((status = spemu_decoder_next(&dec, &rec)) != SPEMU_ERR_END) {
		if (status == SPEMU_OK)
			count_record(p, c, &rec);
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

void profile_collect(struct profile *p)
{
	uint64_t total = 0;

	p->sources = xcalloc(65536, sizeof(*p->sources));
	for (size_t i = 0; i < p->session.chunk_count; i++)
		total += p->session.chunks[i].size;
	for (size_t i = 0; i < p->session.chunk_count; i++) {
		collect_chunk(p, &p->session.chunks[i], total);
		session_release(&p->session, &p->session.chunks[i]);
		progress("reading records", p->bytes, total);
	}
	progress_end();
}
