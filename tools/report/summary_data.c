/* SPDX-License-Identifier: MIT */
/* The data of a cause: members of types, and the variables or allocations where they are. */
#define _GNU_SOURCE
#include "advice.h"
#include "data_types.h"
#include "heap_rows.h"
#include "memory.h"
#include "most.h"
#include "summary.h"

#include <stdlib.h>
#include <string.h>

enum {
	MEMBERS_MAX = 3, /* members that a cause names */
	LEAST = 5,       /* least share of a member in percent */
	MUCH = 30,       /* percent of a cause that an advice saves at least */
};

/* An object in memory, with its cycles of a cause. */
struct datum {
	struct memory memory;
	uint64_t cycles;
};

struct data {
	struct map index;
	struct datum *of;
	size_t capacity, most; /* index of the one with the most cycles */
	uint64_t all;
	struct most members;
};

/* Return the name of an object in memory, or the option that records it. Return NULL if the memory
 * is unknown. */
static char *datum_name(const struct memory *m)
{
	bool anonymous = !strcmp(m->name, "//anon") || !strcmp(m->name, "[heap]");
	char text[MOST_TEXT];

	if (m->kind == MEMORY_UNKNOWN)
		return NULL;
	if (m->kind == MEMORY_MAPPING && anonymous)
		return xstrdup("heap; record with --heap to see which call allocated them");
	if (m->kind == MEMORY_HEAP) {
		heap_row_words(text, sizeof(text), m->heap_row);
		return xstrdup(text);
	}
	return xasprintf("%s (%s)", m->name, memory_word(m->kind));
}

/* Add the member, as "Order.price", if the type is a known structure. */
static void add_member(struct data *d, const struct profile *p, const struct touch *t,
                       uint64_t cycles)
{
	const struct data_type *type = data_type_of_touch(p, t);
	const char *name = type->name;
	char member[MOST_TEXT / 2], text[MOST_TEXT] = "";

	touch_member(member, sizeof(member), p, t);
	if (type->type && type_is_aggregate(type->type) && *member &&
	    type_of_touch(p, t)->source != TYPE_WEAK) {
		const char *blank = strchr(name, ' ');

		if (!strncmp(name, "struct ", 7) || !strncmp(name, "class ", 6) ||
		    !strncmp(name, "union ", 6))
			name = blank + 1;
		snprintf(text, sizeof(text), "%.150s.%s", name, member);
	}
	most_add(&d->members, text, cycles);
}

static void add_touch(struct data *d, struct profile *p, const struct touch *t, uint64_t cycles)
{
	struct memory m = memory_of_touch(p, t);
	size_t at;

	if (map_insert(&d->index, memory_key(&m), &at))
		GROW(d->of, at, d->capacity)[at] = (struct datum){m, 0};
	d->of[at].cycles += cycles;
	d->all += cycles;
	d->most = d->of[at].cycles > d->of[d->most].cycles ? at : d->most;
	add_member(d, p, t, cycles);
}

void summary_data(struct cause *c, struct profile *p)
{
	struct data d = {0};
	char members[MOST_TEXT];

	data_types_find(p);
	for (size_t i = 0; i < p->touch_count; i++) {
		const struct touch *t = &p->touches[i];
		struct cost cost;

		if (!cause_has(&p->samples.places[t->bin.place], c))
			continue;
		cost = cause_cost(p, &t->bin, c->kind);
		if (cost_sum(&cost))
			add_touch(&d, p, t, cost_sum(&cost));
	}
	if (d.index.count && d.of[d.most].cycles * 2 > d.all)
		c->data = datum_name(&d.of[d.most].memory);
	most_write(members, &d.members, MEMBERS_MAX, LEAST);
	if (*members)
		c->members = xstrdup(members);
	map_free(&d.index);
	free(d.of);
}

void summary_layout(struct cause *c, struct profile *p)
{
	const struct advices *all = advices_find(p);

	for (size_t i = 0; i < all->count && !c->layout; i++) {
		const struct advice *a = &all->of[i];
		bool shared = a->kind == ADVICE_PAD || a->kind == ADVICE_SEPARATE;

		if (shared != (c->kind == CAUSE_CONTENTION) ||
		    (c->kind != CAUSE_MEMORY && c->kind != CAUSE_CONTENTION))
			continue;
		if (100 * a->cycles >= MUCH * (double)c->size && cause_has(a->place, c))
			c->layout = a;
	}
}
