/* SPDX-License-Identifier: MIT */
/* From records to instructions and functions. */
#define _GNU_SOURCE
#include "annotate_profile.h"
#include "../base/common.h"

#include <spemu/codec.h>
#include <stdlib.h>

void counts_add(struct counts *to, const struct counts *counts)
{
	to->samples += counts->samples;
	to->timed += counts->timed;
	to->latency += counts->latency;
	to->l1_misses += counts->l1_misses;
	to->llc_misses += counts->llc_misses;
	to->tlb_walks += counts->tlb_walks;
	to->mispredicted += counts->mispredicted;
}

static struct instruction *find_instruction(struct annotated *a, const struct chunk *chunk,
                                            const struct spemu_record *rec)
{
	uint64_t time = session_time(&a->session, rec);
	const struct task *task = timeline_task(a->session.timeline, session_tid(chunk, rec), time);
	uint64_t pc = spemu_addr_va(rec->addr[SPEMU_ADDR_PC]), vaddr = pc;
	const struct mapping *m = timeline_mapping(a->session.timeline, task->pid, pc, time);
	struct object *object = NULL;
	size_t before = a->index.count, i;

	if (m && object_vaddr(m->object, &vaddr, pc - m->start + m->pgoff, m->writable))
		object = m->object;
	i = map_add(&a->index, (struct map_key){(uintptr_t)object, vaddr, 0});
	if (i == before)
		GROW(a->instructions, i, a->capacity)
	[i] = (struct instruction){.object = object, .vaddr = vaddr};
	return &a->instructions[i];
}

static void count_record(struct annotated *a, const struct chunk *chunk,
                         const struct spemu_record *rec)
{
	struct counts c = {.samples = 1,
	                   .l1_misses = rec->events >> SPEMU_EV_L1D_REFILL & 1,
	                   .llc_misses = rec->events >> SPEMU_EV_LLC_MISS & 1,
	                   .tlb_walks = rec->events >> SPEMU_EV_TLB_WALK & 1,
	                   .mispredicted = rec->events >> SPEMU_EV_MISPREDICTED & 1};

	if (rec->present & SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)) {
		c.timed = 1;
		c.latency = rec->counter[SPEMU_COUNTER_TOTAL];
	}
	counts_add(&a->all, &c);
	if (rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC))
		counts_add(&find_instruction(a, chunk, rec)->counts, &c);
}

static void count_records(void *annotated, const struct chunk *c,
                          const struct spemu_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		count_record(annotated, c, &records[i]);
}

static int compare_instructions(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;

	if (a->object != b->object) /* those in no file last */
		return !a->object || (b->object &&
		                      object_index(a->object) > object_index(b->object))
		               ? 1
		               : -1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->vaddr < b->vaddr ? -1 : a->vaddr > b->vaddr;
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	if (a->counts.latency != b->counts.latency)
		return a->counts.latency > b->counts.latency ? -1 : 1;
	if (a->counts.samples != b->counts.samples)
		return a->counts.samples > b->counts.samples ? -1 : 1;
	if (a->object != b->object)
		return object_index(a->object) < object_index(b->object) ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void group(struct annotated *a)
{
	size_t n = a->index.count, capacity = 0;
	struct function *f = NULL;

	for (size_t i = 0; i < n; i++) {
		struct instruction *in = &a->instructions[i];

		if (in->object)
			in->symbol = object_symbol(in->object, &in->start, in->vaddr, SYMBOL_CODE);
	}
	if (n)
		qsort(a->instructions, n, sizeof(*a->instructions), compare_instructions);
	for (size_t i = 0; i < n; i++) {
		const struct instruction *in = &a->instructions[i];

		if (!in->symbol)
			continue;
		if (!f || f->object != in->object || f->start != in->start) {
			f = &GROW(a->functions, a->function_count, capacity)[a->function_count];
			a->function_count++;
			*f = (struct function){
			        .object = in->object,
			        .symbol = in->symbol,
			        .start = in->start,
			        .end = object_symbol_end(in->object, in->vaddr, SYMBOL_CODE),
			        .instructions = in};
		}
		f->count++;
		counts_add(&f->counts, &in->counts);
	}
	if (a->function_count)
		qsort(a->functions, a->function_count, sizeof(*a->functions), compare_functions);
}

void annotated_collect(struct annotated *a)
{
	struct spemu_shapes shapes = {0};

	for (size_t i = 0; i < a->session.chunk_count; i++) {
		session_records(&a->session, &a->session.chunks[i], &shapes, count_records, a);
		progress("reading records", i + 1, a->session.chunk_count);
	}
	progress_end();
	group(a);
}
