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
