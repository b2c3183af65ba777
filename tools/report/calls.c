/* SPDX-License-Identifier: MIT */
#include "calls.h"
#include "section.h"
#include "../base/common.h"

#include <stdlib.h>

void calls_begin(struct profile *p)
{
	p->calls = xcalloc(1, sizeof(*p->calls));
	p->samples.want_stacks = true;
}

static struct call_sums *self_of(struct calls *calls, size_t stack)
{
	while (calls->count <= stack) {
		APPEND(calls->self, calls->count, calls->capacity) = (struct call_sums){0};
	}
	return &calls->self[stack];
}

void calls_add(struct profile *p, const struct counted *c)
{
	struct call_sums *self = self_of(p->calls, c->sample->stack);

	self->samples++;
	self->latency += c->record->counter[SPEMU_COUNTER_TOTAL];
}

static void bins_begin(struct profile *p)
{
	p->call_bins = xcalloc(1, sizeof(*p->call_bins));
}

static void bins_add_call(struct profile *p, const struct counted *c)
{
	struct call_bins *b = p->call_bins;
	uint32_t stack = c->sample->stack;
	size_t i;

	if (!stack)
		return;
	if (map_insert(&b->index, (struct map_key){stack, c->bin, 0}, &i))
		GROW(b->items, i, b->capacity)
	[i] = (struct call_bin){.stack = stack, .bin = c->bin};
	sums_add_record(&b->items[i].sums, c->record, p->recording->session.attr.sample_period);
}

const struct section section_call_bins = {"call-bins", .begin = bins_begin, .add = bins_add_call};

static uint32_t find_function(struct call_functions *f, const struct profile *p, uint32_t index)
{
	struct place *place = &p->samples.places[index];
	size_t i;

	place_find_symbol(place);
	if (map_insert(&f->index,
	               (struct map_key){(uintptr_t)place->object, place->start,
	                                (uint64_t)(place->symbol != NULL) << 1 | place->no_address},
	               &i))
		GROW(f->places, i, f->capacity)[i] = index;
	return (uint32_t)i;
}

void call_functions_make(struct call_functions *f, const struct profile *p)
{
	size_t count = p->samples.call_index.count;

	*f = (struct call_functions){.of_stack = xcalloc(count, sizeof(*f->of_stack))};
	for (uint32_t n = 1; n < count; n++)
		f->of_stack[n] = find_function(f, p, p->samples.calls[n].place);
}

void call_functions_free(struct call_functions *f)
{
	map_free(&f->index);
	free(f->places);
	free(f->of_stack);
}

void call_function_name(char *text, size_t size, const struct call_functions *f,
                        const struct profile *p, uint32_t function)
{
	struct place place = p->samples.places[f->places[function]];

	place.inlined = NULL; /* the place may be in an inlined part of the function */
	if (place.no_address)
		snprintf(text, size, "[unknown]");
	else
		place_name(text, size, &place, false);
}
