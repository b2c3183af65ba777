/* SPDX-License-Identifier: MIT */
/*
 * A sample profile as Clang reads it (text format): "FUNCTION:TOTAL:HEAD", then "OFFSET.DISCRIMINATOR: COUNT
 * [CALLEE:COUNT]...", then "OFFSET.DISCRIMINATOR: FUNCTION:TOTAL" of what is inlined there, each level a blank further in.
 */
#define _GNU_SOURCE
#include "profiles.h"
#include "sample_profile.h"

#include <stdlib.h>
#include <string.h>

/* Indexes into the lists of a profile, sorted by what they belong to. */
struct order {
	const struct sample_profile *p;
	uint32_t *functions, *lines, *calls;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(struct place_key a, struct place_key b)
{
	return a.offset != b.offset ? compare_numbers(a.offset, b.offset)
	                            : compare_numbers(a.discriminator, b.discriminator);
}

/* By parent; there by place and name, at the top by total, the largest first, and name. */
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

/* By line; the most frequent first. */
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
                        const struct sample_profile *p)
{
	uint32_t *list = xcalloc(count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = (uint32_t)i;
	if (count)
		qsort_r(list, count, sizeof(*list), compare, (void *)(uintptr_t)p);
	return list;
}

/* What element i of a list belongs to. */
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

/* The first of a sorted list that belongs to which; they follow each other. */
static size_t first_of(const struct sample_profile *p, const uint32_t *list, size_t count,
                       owner *owner_of, uint32_t which)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (owner_of(p, list[mid]) < which)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void write_place(struct out *o, unsigned depth, struct place_key place)
{
	out_fmt(o, "%*s%u", (int)depth, "", place.offset);
	if (place.discriminator)
		out_fmt(o, ".%u", place.discriminator);
	out_text(o, ": ");
}

static void write_line(struct out *o, const struct order *order, uint32_t line, unsigned depth)
{
	const struct sample_profile *p = order->p;
	size_t count = p->call_index.count;

	write_place(o, depth, p->lines[line].place);
	out_dec(o, p->lines[line].count);
	for (size_t i = first_of(p, order->calls, count, owner_of_call, line);
	     i < count && p->calls[order->calls[i]].line == line; i++) {
		out_fmt(o, " %s:", p->calls[order->calls[i]].name);
		out_dec(o, p->calls[order->calls[i]].count);
	}
	out_text(o, "\n");
}

/* depth: of its lines. What is inlined in a function is deeper: as deep as debugging information goes. */
static void write_function(struct out *o, const struct order *order, uint32_t function,
                           unsigned depth)
{
	const struct sample_profile *p = order->p;
	const struct function_samples *f = &p->functions[function];
	size_t lines = p->line_index.count, functions = p->function_index.count;

	out_text(o, f->name);
	out_text(o, ":");
	out_dec(o, f->total);
	if (f->parent == NO_PARENT) {
		out_text(o, ":");
		out_dec(o, f->head);
	}
	out_text(o, "\n");
	for (size_t i = first_of(p, order->lines, lines, owner_of_line, function);
	     i < lines && p->lines[order->lines[i]].function == function; i++)
		write_line(o, order, order->lines[i], depth);
	for (size_t i = first_of(p, order->functions, functions, owner_of_function, function);
	     i < functions && p->functions[order->functions[i]].parent == function; i++) {
		write_place(o, depth, p->functions[order->functions[i]].place);
		write_function(o, order, order->functions[i], depth + 1);
	}
}

size_t autofdo_write(const struct branches *b, struct out *o)
{
	struct sample_profile profile, *p = &profile;
	struct order order = {.p = p};
	size_t n, first;

	sample_profile_make(p, b);
	n = p->function_index.count;
	order.functions = sorted(n, compare_functions, p);
	order.lines = sorted(p->line_index.count, compare_lines, p);
	order.calls = sorted(p->call_index.count, compare_calls, p);
	first = first_of(p, order.functions, n, owner_of_function, NO_PARENT);
	for (size_t i = first; i < n; i++)
		write_function(o, &order, order.functions[i], 1);
	free(order.functions);
	free(order.lines);
	free(order.calls);
	sample_profile_free(p);
	return n - first;
}
