/* SPDX-License-Identifier: MIT */
/* Count samples by instruction, and group the instructions by function. */
#include "annotate_profile.h"
#include "../types/sample_access.h"
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

static struct instruction *find_instruction(struct annotated *a, const struct place *place)
{
	size_t i;

	if (map_insert(&a->index, (struct map_key){(uintptr_t)place->object, place->addr, 0}, &i))
		GROW(a->instructions, i, a->capacity)
	[i] = (struct instruction){.object = place->object, .vaddr = place->addr};
	return &a->instructions[i];
}

static void count_sample(void *annotated, const struct sample *sample)
{
	struct annotated *a = annotated;
	const struct place *place = &a->samples.places[sample->place];
	const struct spemu_record *rec = sample->record;
	struct counts c = {.samples = 1,
	                   .timed = record_has_counter(rec, SPEMU_COUNTER_TOTAL),
	                   .latency = rec->counter[SPEMU_COUNTER_TOTAL],
	                   .l1_misses = rec->events >> SPEMU_EV_L1D_REFILL & 1,
	                   .llc_misses = rec->events >> SPEMU_EV_LLC_MISS & 1,
	                   .tlb_walks = rec->events >> SPEMU_EV_TLB_WALK & 1,
	                   .mispredicted = rec->events >> SPEMU_EV_MISPREDICTED & 1};

	struct data_access access;

	counts_add(&a->all, &c);
	if (sample_access(&access, &a->samples, sample))
		typing_vote(a->typing, &access);
	if (place->resolved)
		counts_add(&find_instruction(a, place)->counts, &c);
}

static int compare_instructions(const void *pa, const void *pb)
{
	const struct instruction *a = pa, *b = pb;
	int order = object_compare(a->object, b->object);

	if (!order)
		order = compare_numbers(a->start, b->start);
	return order ? order : compare_numbers(a->vaddr, b->vaddr);
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

		in->symbol = object_symbol(in->object, &in->start, in->vaddr, SYMBOL_CODE);
	}
	if (n)
		qsort(a->instructions, n, sizeof(*a->instructions), compare_instructions);
	for (size_t i = 0; i < n; i++) {
		const struct instruction *in = &a->instructions[i];

		if (!in->symbol)
			continue;
		if (!f || f->object != in->object || f->start != in->start) {
			f = &APPEND(a->functions, a->function_count, capacity);
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
	a->typing = typing_new(a->samples.recordings, a->samples.recording_count);
	samples_read(&a->samples, count_sample, NULL, a);
	group(a);
}
