/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "type_use.h"

#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4 };

uint64_t alignment_of(const struct profile *p, const struct group *group, uint64_t *step)
{
	uint64_t first = 0;

	*step = p->line_size;
	for (size_t i = 0; i < group->count; i++) {
		const struct touch *touch = member_touch(group->members + i);
		uint64_t base = touch_base(p, touch);

		if (!i)
			first = base;
		while ((base - first) % *step)
			*step /= 2;
	}
	return first % *step;
}

/* ---- members ---- */

static bool add_member(struct type_use *use, const struct type_member *m, uint64_t offset,
                       char *path, unsigned line_size)
{
	struct use_member *last = use->members + use->member_count - 1;

	if (use->member_count && offset < last->offset + last->size) {
		/* A bit field in the bytes of the one before. */
		if (offset + m->size > last->offset + last->size)
			last->size = offset + m->size - last->offset;
		free(path);
		return true;
	}
	if (use->member_count == USE_MEMBERS || !m->size) {
		free(path);
		return use->member_count < USE_MEMBERS;
	}
	use->members[use->member_count++] = (struct use_member){
	        .offset = offset, .size = m->size, .path = path, .large = m->size > line_size};
	return true;
}

static bool add_members(struct type_use *use, struct type *type, uint64_t offset, const char *path,
                        unsigned depth, unsigned line_size)
{
	const struct type_member *members;
	bool fits = true;
	size_t n;

	members = type_members(use->type->types, type, &n);
	for (size_t i = 0; i < n && fits; i++) {
		const struct type_member *m = &members[i];
		const char *name = m->name ? m->name : "";
		char *own = xasprintf("%s%s%s", path, *path && *name ? "." : "", name);

		if (m->type && m->type->kind == TYPE_STRUCT && depth < DEPTH_MAX) {
			fits = add_members(use, m->type, offset + m->offset, own, depth + 1,
			                   line_size);
			free(own);
		} else {
			fits = add_member(use, m, offset + m->offset, own, line_size);
		}
	}
	return fits;
}

size_t use_member_at(const struct type_use *use, uint64_t offset)
{
	for (size_t i = 0; i < use->member_count; i++) {
		const struct use_member *m = &use->members[i];

		if (offset >= m->offset && offset - m->offset < m->size)
			return i;
	}
	return USE_MEMBERS;
}

/* ---- functions ---- */

bool use_has_place(const struct function_use *f, const struct place *place)
{
	return place->object == f->place->object &&
	       !place_compare_functions(place, f->place, false);
}

static struct function_use *function_of(struct type_use *use, struct place *place)
{
	place_find_symbol(place);
	for (size_t i = 0; i < use->function_count; i++) {
		if (use_has_place(&use->functions[i], place))
			return &use->functions[i];
	}
	/* The last one counts for all others, too. */
	if (use->function_count < USE_FUNCTIONS)
		use->functions[use->function_count++].place = place;
	return &use->functions[use->function_count - 1];
}

static void count_member(struct member_use *m, const struct touch *touch, const struct place *place,
                         const struct touch_type *type, bool stores)
{
	if (!m->samples || place->addr < m->first_pc)
		m->first_pc = place->addr;
	if (place->addr > m->last_pc)
		m->last_pc = place->addr;
	m->access = m->samples && m->access != type->access ? 0 : type->access;
	m->samples += touch->bin.sums.samples;
	m->stores += stores ? touch->bin.sums.samples : 0;
}

static enum fetch_level level_of(enum op_group op, const struct facet *f)
{
	switch (reason_texts[reason_of(op, f->events, f->source_name)].area) {
	case AREA_LLC:
		return FETCH_LLC;
	case AREA_DRAM:
	case AREA_REMOTE:
	case AREA_CONTENTION:
		return FETCH_DRAM;
	default:
		return FETCH_L2;
	}
}

static void count_loads(struct load_use *use, const struct facet *facet, const struct sums *sums,
                        enum op_group op)
{
	struct loads *loads = &use->near;

	if (facet->events >> SPEMU_EV_L1D_REFILL & 1)
		loads = &use->fetched[level_of(op, facet)];
	loads->count += (double)sums->timed;
	loads->cycles += (double)sums->execution;
}

static void count_cycles(struct function_use *f, const struct profile *p, const struct touch *touch,
                         enum op_group op)
{
	const struct facet *facet = &p->facets[touch->bin.facet];
	const struct sums *sums = &touch->bin.sums;
	uint64_t least = p->least_store * sums->timed;

	if (op != OP_STORE)
		count_loads(&f->loads, facet, sums, op);
	else if (sums->execution > least)
		f->loads.store_wait += (double)(sums->execution - least);
	f->loads.translation += (double)sums->translation;
	f->loads.walks += facet->events >> SPEMU_EV_TLB_WALK & 1 ? (double)sums->timed : 0;
	f->samples += sums->timed;
	f->squares += (double)sums->latency_squares;
}

/* Count the second member of a pair of registers. The sample has the address of the first one. */
static void count_second(struct type_use *use, struct function_use *f, const struct touch *touch,
                         const struct place *place, const struct touch_type *type, enum op_group op)
{
	size_t first = use_member_at(use, type->offset);
	size_t second = use_member_at(use, type->offset + type->access);
	uint64_t n = touch->bin.sums.samples;

	if (type->count != 2 || !type->access || second == USE_MEMBERS || second == first)
		return;
	use->members[second].samples += n;
	use->members[second].loads += op != OP_STORE ? n : 0;
	use->members[second].stores += op != OP_LOAD ? n : 0;
	count_member(&f->members[second], touch, place, type, op != OP_LOAD);
	f->members[first].paired += op != OP_STORE ? n : 0;
}

static void count_touch(struct type_use *use, struct profile *p, const struct touch *touch,
                        const struct touch_type *type)
{
	enum op_group op = facet_operation(&p->facets[touch->bin.facet]);
	struct place *place = &p->samples.places[touch->bin.place];
	size_t at = use_member_at(use, type->offset);
	struct use_member *m = &use->members[at];
	struct function_use *f;

	use->samples += touch->bin.sums.samples;
	if (at == USE_MEMBERS)
		return;
	m->samples += touch->bin.sums.samples;
	m->loads += op != OP_STORE ? touch->bin.sums.samples : 0;
	m->stores += op != OP_LOAD ? touch->bin.sums.samples : 0;
	if (m->large)
		return;
	f = function_of(use, place);
	count_member(&f->members[at], touch, place, type, op != OP_LOAD);
	count_second(use, f, touch, place, type, op);
	if (!touch->bin.contended)
		count_cycles(f, p, touch, op);
}

/* Count accesses to the objects for which the code does not tell the structure. */
static void count_untyped(struct type_use *use, struct profile *p, const struct visits *v)
{
	for (size_t i = 0; i < p->touch_count; i++) {
		const struct touch *touch = &p->touches[i];
		const struct type *known = data_type_of_touch(p, touch)->type;
		struct touch_type type = *type_of_touch(p, touch);
		bool weak = type.source == TYPE_WEAK || !known || !type_is_aggregate(known);

		if (type.source != TYPE_SAVED && weak &&
		    visits_offset(v, use, &type.offset, p->lines[touch->line].pid,
		                  touch_address(touch, p)))
			count_touch(use, p, touch, &type);
		else if (type.source == TYPE_WEAK && data_type_of_touch(p, touch) == use->type)
			use->weak += touch->bin.sums.samples;
	}
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct function_use *a = pa, *b = pb;
	double x = load_cycles(&a->loads), y = load_cycles(&b->loads);

	return (x < y) - (x > y);
}

double use_weight(const struct function_use *f, size_t member)
{
	return f->loads.visits > 0 ? (double)f->members[member].samples / f->loads.visits : 0;
}

static void count_visits(struct type_use *use)
{
	for (size_t i = 0; i < use->function_count; i++) {
		struct function_use *f = &use->functions[i];

		for (size_t m = 0; m < use->member_count; m++) {
			if ((double)f->members[m].samples > f->loads.visits)
				f->loads.visits = (double)f->members[m].samples;
		}
	}
}

uint64_t weak_samples(const struct profile *p, const struct data_type *type)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->touch_count; i++) {
		const struct touch *t = &p->touches[i];

		if (type_of_touch(p, t)->source == TYPE_WEAK && data_type_of_touch(p, t) == type)
			n += t->bin.sums.samples;
	}
	return n;
}

bool type_use_find(struct type_use *use, struct profile *p, const struct group *group)
{
	struct visits visits;

	*use = (struct type_use){.type = data_type_of_touch(p, member_touch(group->members))};
	use->size = use->type->type->size;
	if (!use->size || !add_members(use, use->type->type, 0, "", 0, p->line_size))
		return false;
	use->functions = xcalloc(USE_FUNCTIONS, sizeof(*use->functions));
	for (size_t i = 0; i < group->count; i++) {
		const struct touch *touch = member_touch(&group->members[i]);

		count_touch(use, p, touch, type_of_touch(p, touch));
	}
	visits_find(&visits, use, p, group);
	count_untyped(use, p, &visits);
	count_visits(use);
	use->start = alignment_of(p, group, &use->step);
	visits_find_order(&visits, use, p);
	free(visits.of);
	if (use->function_count)
		qsort(use->functions, use->function_count, sizeof(*use->functions),
		      compare_functions);
	return true;
}

void type_use_free(struct type_use *use)
{
	for (size_t i = 0; i < use->member_count; i++)
		free(use->members[i].path);
	free(use->functions);
	*use = (struct type_use){0};
}
