/* SPDX-License-Identifier: MIT */
/* Call stacks of all samples: see calls.h. */
#include "calls.h"
#include "../base/common.h"
#include "../session/call_stacks.h"

#include <stdlib.h>

#define ROOT 0

static uint32_t find_node(struct calls *calls, uint32_t parent, uint32_t place)
{
	size_t before = calls->index.count;
	size_t i = map_add(&calls->index, (struct map_key){parent, place, 0});

	if (i == before)
		GROW(calls->nodes, i, calls->capacity)
	[i] = (struct call_node){.parent = parent, .place = place};
	return (uint32_t)i;
}

void calls_begin(struct profile *p)
{
	if (!p->calls) {
		p->calls = xcalloc(1, sizeof(*p->calls));
		find_node(p->calls, ROOT, UINT32_MAX);
	}
	p->input->stacks = stacks_read(&p->input->session);
	p->calls->found = p->calls->found || p->input->stacks;
}

/* Return the node of the caller. Callers that the stack before had in these places are its. */
static uint32_t find_callers(struct profile *p, const struct sample *s,
                             const struct spemu_perf_sample *stack)
{
	const struct task *task = s->moment->task;
	uint64_t addresses[SPEMU_PERF_CALLCHAIN_MAX];
	size_t count = stack_calls(stack, addresses);
	struct calls *calls = p->calls;
	uint32_t node = ROOT, depth = 0;
	bool same = calls->task == task;

	for (; depth < count; depth++) {
		uint64_t address = addresses[depth];

		same = same && depth < calls->depth && calls->caller[depth] == address;
		if (!same) {
			calls->caller[depth] = address;
			calls->node[depth] = find_node(calls, node, place_of_caller(p, s, address));
		}
		node = calls->node[depth];
	}
	calls->task = task;
	calls->depth = depth;
	calls->full += depth >= SPEMU_PERF_CALLCHAIN_MAX - 1;
	return node;
}

void calls_add(struct profile *p, const struct sample *s)
{
	const struct spemu_record *rec = s->record;
	struct calls *calls = p->calls;
	struct spemu_perf_sample stack;
	struct call_sums *self;
	uint32_t node = ROOT;

	if (p->input->stacks && rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) &&
	    stacks_find(p->input->stacks, &stack, s->moment->task->tid, s->time,
	                spemu_addr_va(rec->addr[SPEMU_ADDR_PC])))
		node = find_callers(p, s, &stack);
	else
		calls->without++;
	node = find_node(calls, node, s->place);
	self = &calls->nodes[node].self;
	self->samples++;
	self->latency += rec->counter[SPEMU_COUNTER_TOTAL];
}

static uint32_t find_function(struct call_functions *f, const struct profile *p, uint32_t index)
{
	struct place *place = &p->places[index];
	size_t before = f->index.count, i;

	place_find_symbol(place);
	i = map_add(&f->index,
	            (struct map_key){(uintptr_t)place->object, place->start,
	                             (uint64_t)(place->symbol != NULL) << 1 | place->no_address});
	if (i == before)
		GROW(f->places, i, f->capacity)[i] = index;
	return (uint32_t)i;
}

void call_functions_make(struct call_functions *f, const struct profile *p)
{
	const struct calls *calls = p->calls;

	*f = (struct call_functions){.of_node = xcalloc(calls->index.count, sizeof(*f->of_node))};
	for (uint32_t n = 1; n < calls->index.count; n++)
		f->of_node[n] = find_function(f, p, calls->nodes[n].place);
}

void call_functions_free(struct call_functions *f)
{
	map_free(&f->index);
	free(f->places);
	free(f->of_node);
}

void call_function_name(char *text, size_t size, const struct call_functions *f,
                        const struct profile *p, uint32_t function)
{
	const struct place *place = &p->places[f->places[function]];

	if (place->no_address)
		snprintf(text, size, "[unknown]");
	else
		place_name(text, size, place, false);
}
