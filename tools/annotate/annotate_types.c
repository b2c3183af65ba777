/* SPDX-License-Identifier: MIT */
/* See annotate_types.h. */
#include "annotate_types.h"
#include "../report/most.h"
#include "../types/sample_access.h"
#include "../base/common.h"

#include <spemu/codec.h>
#include <stdlib.h>
#include <string.h>

enum {
	USES_MAX = 32, /* members of an instruction; the rest is not counted */
	PATH_SIZE = 1000,
	SHOWN = 2, /* members of an instruction in its text */
};

struct collection {
	struct annotated *a;
	struct map wanted;   /* instructions of the chosen functions, by object and address */
	struct map known;    /* uses by instruction, type, and offset with size */
	uint32_t *known_use; /* index in uses + 1, or 0 for none */
	size_t known_capacity;
	struct data_use *uses;
	size_t count, capacity;
	uint32_t *first; /* first use of each instruction, as data_use.next */
};

static const char *name_of(const struct typed *typed)
{
	return typed->type ? typed->type->name : "(stack operation)";
}

/* Return the index + 1 of the use with the same names, which is new at first, or 0 if the
 * instruction has too many. */
static uint32_t use_of(struct collection *c, size_t instruction, const struct typed *typed)
{
	bool weak = typed->source == TYPE_WEAK;
	unsigned uses = 0;
	char path[PATH_SIZE];

	typed_member(path, sizeof(path), typed);
	for (uint32_t i = c->first[instruction]; i; i = c->uses[i - 1].next, uses++) {
		const struct data_use *u = &c->uses[i - 1];

		if (u->weak == weak && !strcmp(u->member, path) && !strcmp(u->type, name_of(typed)))
			return i;
	}
	if (uses == USES_MAX)
		return 0;
	APPEND(c->uses, c->count, c->capacity) =
	        (struct data_use){.instruction = instruction,
	                          .next = c->first[instruction],
	                          .type = name_of(typed),
	                          .member = xstrdup(path),
	                          .offset = typed->offset,
	                          .source = type_source_word(typed->source),
	                          .weak = weak};
	c->first[instruction] = (uint32_t)c->count;
	return (uint32_t)c->count;
}

static void count_use(struct collection *c, size_t instruction, const struct typed *typed,
                      const struct spemu_record *rec)
{
	struct map_key key = {instruction, (uintptr_t)typed->type,
	                      typed->offset << 16 | typed->size << 8 | typed->source};
	struct data_use *use;
	size_t i;

	if (map_insert(&c->known, key, &i))
		GROW(c->known_use, i, c->known_capacity)[i] = use_of(c, instruction, typed);
	if (!c->known_use[i])
		return;
	use = &c->uses[c->known_use[i] - 1];
	use->samples++;
	use->latency += rec->counter[SPEMU_COUNTER_TOTAL];
}

static void take_sample(void *collection, const struct sample *sample)
{
	struct collection *c = collection;
	const struct place *place = &c->a->samples.places[sample->place];
	struct data_access access;
	struct typed typed;
	size_t i;

	if (!place->resolved || !sample_access(&access, &c->a->samples, sample))
		return;
	i = map_find(&c->wanted, (struct map_key){(uintptr_t)place->object, place->addr, 0});
	if (i == MAP_NONE)
		return;
	typing_find(c->a->typing, &typed, &access);
	if (typed.source != TYPE_NONE)
		count_use(c, i, &typed, sample->record);
}

static int compare_uses(const void *pa, const void *pb)
{
	const struct data_use *a = pa, *b = pb;
	int order = compare_numbers(a->instruction, b->instruction);

	order = order ? order : compare_numbers(b->latency, a->latency);
	order = order ? order : compare_numbers(b->samples, a->samples);
	return order ? order : strcmp(a->member, b->member);
}

/* Give each instruction its part of the sorted uses. */
static void hand_out(struct collection *c, const bool *chosen)
{
	const struct data_use *use = c->uses, *end;
	size_t n = 0;

	if (!c->count)
		return;
	end = use + c->count;
	qsort(c->uses, c->count, sizeof(*c->uses), compare_uses);
	for (size_t f = 0; f < c->a->function_count; f++) {
		const struct function *function = &c->a->functions[f];

		for (size_t i = 0; chosen[f] && i < function->count; i++, n++) {
			struct instruction *in = &c->a->instructions[function->instructions + i -
			                                             c->a->instructions];

			in->uses = use;
			while (use < end && use->instruction == n)
				use++;
			in->use_count = (size_t)(use - in->uses);
		}
	}
}

void uses_text(char text[USES_TEXT], const struct instruction *in)
{
	struct most most = {0};

	_Static_assert((int)USES_TEXT == (int)MOST_TEXT, "room for the list");
	for (size_t i = 0; i < in->use_count; i++) {
		const struct data_use *use = &in->uses[i];
		char one[USES_TEXT];

		snprintf(one, sizeof(one), "%.200s%s%.180s%s", type_plain_name(use->type),
		         *use->member ? "." : "", use->member, use->weak ? "?" : "");
		most_add(&most, one, use->latency ? use->latency : use->samples);
	}
	most_write(text, &most, SHOWN, 1);
}

void annotated_find_types(struct annotated *a, const bool *chosen)
{
	struct collection c = {.a = a};

	for (size_t f = 0; f < a->function_count; f++) {
		for (size_t i = 0; chosen[f] && i < a->functions[f].count; i++) {
			const struct instruction *in = &a->functions[f].instructions[i];

			map_add(&c.wanted, (struct map_key){(uintptr_t)in->object, in->vaddr, 0});
		}
	}
	c.first = xcalloc(c.wanted.count + 1, sizeof(*c.first));
	samples_rewind(&a->samples);
	a->samples.want_stacks = true;
	samples_read(&a->samples, take_sample, NULL, &c);
	hand_out(&c, chosen);
	typing_free(a->typing);
	a->typing = NULL;
	map_free(&c.wanted);
	map_free(&c.known);
	free(c.known_use);
	free(c.first);
}
