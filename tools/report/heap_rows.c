/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "heap_rows.h"
#include "../session/data_memory.h"
#include "../base/common.h"
#include "../base/fit.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_WIDTH = 40 };

/* An allocation site of a recording, with its place in the code. */
struct located {
	uint32_t input, index;
	const struct allocation_site *recorded;
	struct place place;
};

static int compare_located(const void *pa, const void *pb)
{
	const struct located *a = pa, *b = pb;
	int order = object_compare(a->place.object, b->place.object);

	if (!order)
		order = compare_numbers(a->place.addr, b->place.addr);
	return order ? order : strcmp(a->recorded->call, b->recorded->call);
}

void heap_row_words(char *text, size_t size, const struct heap_row *row)
{
	const char *file;
	int line = allocation_line(&row->place, &file);
	char whole[4200], name[200];

	/* The line of an inlined call is in the function around it. */
	if (row->place.caller_file && row->place.symbol)
		snprintf(whole, sizeof(whole), "%s", row->place.symbol);
	else
		place_name(whole, sizeof(whole), &row->place, !line);
	cut_symbol(name, sizeof(name), whole, WORDS_WIDTH);
	if (line)
		snprintf(text, size, "%s:%d (heap)", name, line);
	else
		snprintf(text, size, "%s (heap)", name);
}

static void add_row(struct profile *p, const struct located *first)
{
	struct heap_row *row = &p->heap_rows[p->heap_row_count++];

	*row = (struct heap_row){.place = first->place, .call = first->recorded->call};
	place_find_symbol(&row->place);
	place_find_line(&row->place);
	row->name = allocation_name(&row->place, row->call);
}

static void add_totals(struct heap_row *row, const struct allocation_site *recorded)
{
	row->totals = row->totals || recorded->totals;
	row->objects += recorded->objects;
	row->bytes += recorded->bytes;
	row->freed += recorded->freed;
}

/* Return the sorted allocation sites of all recordings, and set *count to their number. The caller
 * frees the array. */
static struct located *locate_all(struct profile *p, size_t *count)
{
	struct located *all = NULL;
	size_t n = 0, capacity = 0;

	for (uint32_t i = 0; i < p->samples.recording_count; i++) {
		struct session *s = &p->samples.recordings[i].session;
		const struct allocation_site *recorded;
		uint32_t k = 0;

		for (; (recorded = heap_allocation_site(s->heap, k)); k++, n++) {
			GROW(all, n, capacity)
			[n] = (struct located){i, k, recorded, place_of_allocation(s, recorded)};
		}
		p->heap_row_of[i] = xcalloc(k, sizeof(*p->heap_row_of[i]));
	}
	if (n)
		qsort(all, n, sizeof(*all), compare_located);
	*count = n;
	return all;
}

void heap_rows_find(struct profile *p)
{
	struct located *all;
	size_t n;

	if (p->heap_rows)
		return;
	p->heap_row_of = xcalloc(p->samples.recording_count, sizeof(*p->heap_row_of));
	all = locate_all(p, &n);
	p->heap_rows = xcalloc(n, sizeof(*p->heap_rows));
	for (size_t i = 0; i < n; i++) {
		if (!i || compare_located(&all[i - 1], &all[i]))
			add_row(p, &all[i]);
		add_totals(&p->heap_rows[p->heap_row_count - 1], all[i].recorded);
		p->heap_row_of[all[i].input][all[i].index] = (uint32_t)(p->heap_row_count - 1);
	}
	free(all);
}

const struct heap_row *heap_row_of(struct profile *p, uint32_t input,
                                   const struct heap_object *object)
{
	heap_rows_find(p);
	return &p->heap_rows[p->heap_row_of[input][object->allocation_site]];
}
