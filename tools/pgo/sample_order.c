/* SPDX-License-Identifier: MIT */
/* Sort a sample profile. */
#define _GNU_SOURCE
#include "sample_order.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(struct place_key a, struct place_key b)
{
	return a.offset != b.offset ? compare_numbers(a.offset, b.offset)
	                            : compare_numbers(a.discriminator, b.discriminator);
}

/* Compare by parent, then by place and name. Functions without a parent are in the order of their
 * totals, the largest first. */
static int compare_functions(const void *pa, const void *pb, void *arg)
{
	const struct sample_profile *p = arg;
	const struct function_samples *a = &p->functions[*(const uint32_t *)pa];
	const struct function_samples *b = &p->functions[*(const uint32_t *)pb];
	int order = compare_numbers(a->parent, b->parent);

	if (!order && a->parent == NO_PARENT)
		order = -compare_numbers(a->total, b->total);
	if (!order)
		order = compare_places(a->place, b->place);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_lines(const void *pa, const void *pb, void *arg)
{
	const struct sample_profile *p = arg;
	const struct line_samples *a = &p->lines[*(const uint32_t *)pa];
	const struct line_samples *b = &p->lines[*(const uint32_t *)pb];
	int order = compare_numbers(a->function, b->function);

	return order ? order : compare_places(a->place, b->place);
}

static int compare_lines_by_count(const void *pa, const void *pb, void *arg)
{
	const struct sample_profile *p = arg;
	const struct line_samples *a = &p->lines[*(const uint32_t *)pa];
	const struct line_samples *b = &p->lines[*(const uint32_t *)pb];

	if (a->function == b->function && a->place.offset == b->place.offset &&
	    a->count != b->count)
		return compare_numbers(a->count, b->count);
	return compare_lines(pa, pb, arg);
}

/* Compare by line, then by count, the largest first. */
static int compare_calls(const void *pa, const void *pb, void *arg)
{
	const struct sample_profile *p = arg;
	const struct call_samples *a = &p->calls[*(const uint32_t *)pa];
	const struct call_samples *b = &p->calls[*(const uint32_t *)pb];
	int order = compare_numbers(a->line, b->line);

	if (!order)
		order = -compare_numbers(a->count, b->count);
	return order ? order : strcmp(a->name, b->name);
}

static uint32_t *sorted(size_t count, int (*compare)(const void *, const void *, void *),
                        struct sample_profile *p)
{
	uint32_t *list = xcalloc(count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = (uint32_t)i;
	if (count)
		qsort_r(list, count, sizeof(*list), compare, p);
	return list;
}

/* Return the owner of element i of a list. */
typedef uint32_t owner(const struct sample_profile *p, uint32_t i);

static uint32_t owner_of_function(const struct sample_profile *p, uint32_t i)
{
	return p->functions[i].parent;
}

static uint32_t owner_of_line(const struct sample_profile *p, uint32_t i)
{
	return p->lines[i].function;
}

static uint32_t owner_of_call(const struct sample_profile *p, uint32_t i)
{
	return p->calls[i].line;
}

/* Set *first to the first element of a sorted list with the owner `which`. Return the number of
 * such elements. */
static size_t slice(const struct sample_profile *p, const uint32_t **first, const uint32_t *list,
                    size_t count, owner *owner_of, uint32_t which)
{
	size_t low, n = 0;

	COUNT_LEADING(low, count, i, owner_of(p, list[i]) < which);
	*first = list + low;
	while (low + n < count && owner_of(p, list[low + n]) == which)
		n++;
	return n;
}

size_t order_functions(const struct sample_order *o, const uint32_t **first, uint32_t parent)
{
	return slice(&o->profile, first, o->functions, o->profile.function_index.count,
	             owner_of_function, parent);
}

size_t order_lines(const struct sample_order *o, const uint32_t **first, uint32_t function)
{
	return slice(&o->profile, first, o->lines, o->profile.line_index.count, owner_of_line,
	             function);
}

size_t order_calls(const struct sample_order *o, const uint32_t **first, uint32_t line)
{
	return slice(&o->profile, first, o->calls, o->profile.call_index.count, owner_of_call,
	             line);
}

void sample_order_make(struct sample_order *o, const struct branches *b, enum sample_reader reader)
{
	struct sample_profile *p = &o->profile;

	sample_profile_make(p, b, reader);
	o->functions = sorted(p->function_index.count, compare_functions, p);
	o->lines = sorted(p->line_index.count,
	                  reader == READ_BY_GCC ? compare_lines_by_count : compare_lines, p);
	o->calls = sorted(p->call_index.count, compare_calls, p);
}

void sample_order_free(struct sample_order *o)
{
	sample_profile_free(&o->profile);
	free(o->functions);
	free(o->lines);
	free(o->calls);
}
