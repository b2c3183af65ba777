/* SPDX-License-Identifier: MIT */
/*
 * A function visits objects in order if the address grows from sample to sample, or falls, by about
 * as many objects as were visited in the meantime.
 */
#include "type_use.h"

#include "../base/common.h"

#include <stdlib.h>

enum {
	IN_ORDER = 8,     /* tenths of the steps that have one direction */
	LEAST_STEPS = 10, /* steps that show an order */
};

static int compare_times(const void *pa, const void *pb)
{
	const struct visit *a = pa, *b = pb;

	return a->tid != b->tid ? compare_numbers(a->tid, b->tid)
	                        : compare_numbers(a->time, b->time);
}

/* The steps of a function from object to object. */
struct steps {
	uint64_t *risen, *fallen; /* distances */
	size_t up, down;
	const struct visit *last; /* last visit */
};

static void add_step(struct steps *s, const struct visit *v)
{
	const struct visit *last = s->last;

	s->last = v;
	if (!last || last->tid != v->tid)
		return;
	if (v->base > last->base)
		s->risen[s->up++] = v->base - last->base;
	else if (v->base < last->base)
		s->fallen[s->down++] = last->base - v->base;
}

/*
 * Return true if the steps are those of visits in order. Between two samples of the function are
 * `period` operations or a multiple; between two visits that are sampled, on average `period`
 * visits. So a step is as long as that many visits, and at least as long as the visits of a period.
 */
static bool is_in_order(const struct steps *s, double period, double visits_per_operation,
                        uint64_t size)
{
	size_t steps = s->up + s->down, most = s->up > s->down ? s->up : s->down;
	uint64_t *distances = s->up > s->down ? s->risen : s->fallen;
	double step;

	if (steps < LEAST_STEPS || 10 * most < IN_ORDER * steps)
		return false;
	sort_distances(distances, most);
	step = (double)distances[most / 2];
	return step <= 2 * period * (double)size &&
	       2 * step >= period * visits_per_operation * (double)size;
}

/* Count the samples of a function, of all operations. */
static double samples_of(struct profile *p, const struct function_use *f)
{
	double n = 0;

	for (size_t i = 0; i < p->samples.place_index.count; i++) {
		struct place *place = &p->samples.places[i];

		if (place->object != f->place->object)
			continue;
		place_find_symbol(place);
		n += use_has_place(f, place) ? (double)place->samples : 0;
	}
	return n;
}

static void find_order(struct function_use *f, struct profile *p, const struct visit *visits,
                       size_t count, double period, uint64_t size)
{
	struct steps s = {.risen = xcalloc(count + 1, sizeof(uint64_t)),
	                  .fallen = xcalloc(count + 1, sizeof(uint64_t))};
	double samples = samples_of(p, f);

	for (size_t v = 0; v < count; v++) {
		if (use_has_place(f, visits[v].place))
			add_step(&s, &visits[v]);
	}
	f->loads.in_order = samples > 0 && is_in_order(&s, period, f->loads.visits / samples, size);
	free(s.risen);
	free(s.fallen);
}

void visits_find_order(struct visits *v, struct type_use *use, struct profile *p)
{
	qsort(v->of, v->count, sizeof(*v->of), compare_times);
	for (size_t i = 0; i < use->function_count; i++)
		find_order(&use->functions[i], p, v->of, v->count, v->period, use->size);
}
