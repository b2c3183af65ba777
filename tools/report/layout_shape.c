/* SPDX-License-Identifier: MIT */
#include "layout_shape.h"

#include "../base/common.h"

#include <stdlib.h>

enum { APART = 4 };

/* A line that a member of an object lies in. */
struct line_entry {
	uint64_t line;
	uint64_t object;
	double weight;
};

struct line_entries {
	struct line_entry *of;
	size_t count, capacity;
};

static int compare_entries(const void *pa, const void *pb)
{
	const struct line_entry *a = pa, *b = pb;

	return a->line != b->line ? compare_numbers(a->line, b->line)
	                          : compare_numbers(a->object, b->object);
}

/* Return a number of objects after which the places in the lines repeat. It is large enough for the
 * lines of one object to be different. */
static uint64_t period_of(uint64_t stride, unsigned line_size)
{
	uint64_t period = line_size;

	while (period > 1 && stride % 2 == 0) {
		stride /= 2;
		period /= 2;
	}
	return APART * period;
}

/* Add the lines of the members of a part, for objects that begin at `start` and behind it. The
 * lines of the object after the last one are those of the first one. */
static void add_entries(struct line_entries *e, const struct shape_part *part, unsigned number,
                        const struct shape_member *members, size_t count, uint64_t start,
                        unsigned line_size)
{
	uint64_t period = period_of(part->stride, line_size);
	uint64_t lines = period * part->stride / line_size;

	for (uint64_t object = 0; object < period; object++) {
		for (size_t i = 0; i < count; i++) {
			const struct shape_member *m = &members[i];
			uint64_t from = start + object * part->stride + m->offset;

			if (m->part != number || m->weight <= 0)
				continue;
			for (uint64_t line = from / line_size;
			     line <= (from + m->size - 1) / line_size; line++)
				APPEND(e->of, e->count, e->capacity) =
				        (struct line_entry){line % lines, object, m->weight};
		}
	}
}

/* Add the shape of a part with one start to the sums. */
static void add_lines(struct shape *sum, struct line_entries *e, uint64_t period)
{
	double untouched = 1;

	if (e->count)
		qsort(e->of, e->count, sizeof(*e->of), compare_entries);
	for (size_t i = 0; i < e->count;) {
		const struct line_entry *first = &e->of[i];
		double weight = 0;

		for (; i < e->count && !compare_entries(first, &e->of[i]); i++)
			weight = e->of[i].weight > weight ? e->of[i].weight : weight;
		sum->touched += weight / (double)period;
		untouched *= 1 - weight;
		if (i == e->count || e->of[i].line != first->line) {
			sum->lines += (1 - untouched) / (double)period;
			untouched = 1;
		}
	}
}

struct shape shape_of(const struct shape_part *parts, const struct shape_member *members,
                      size_t count, unsigned line_size)
{
	struct shape all = {0};
	unsigned part_count = 0;

	for (size_t i = 0; i < count; i++)
		part_count = members[i].part >= part_count ? members[i].part + 1 : part_count;
	for (unsigned n = 0; n < part_count; n++) {
		const struct shape_part *part = &parts[n];
		struct shape sum = {0};
		double starts = 0;

		for (uint64_t at = part->start % part->step; at < line_size; at += part->step) {
			struct line_entries e = {0};

			add_entries(&e, part, n, members, count, at, line_size);
			add_lines(&sum, &e, period_of(part->stride, line_size));
			free(e.of);
			starts++;
		}
		all.touched += sum.touched / starts;
		all.lines += sum.lines / starts;
		for (size_t i = 0; i < count; i++) {
			if (members[i].part == n && members[i].weight > 0) {
				all.bytes += (double)part->stride;
				break;
			}
		}
	}
	return all;
}
