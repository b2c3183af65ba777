/* SPDX-License-Identifier: MIT */
/* Sections about heap objects: by the call that allocated them, and by the offset in them. */
#define _GNU_SOURCE
#include "heap_sites.h"
#include "memory.h"
#include "section.h"
#include "touch.h"

#include <stdlib.h>
#include <string.h>

static const struct heap_row *row_of(const struct touch *t, const struct profile *p)
{
	const struct memory *m = &p->memories[t->memory];

	return m->kind == MEMORY_HEAP ? m->site : NULL;
}

/* What is of no heap object comes last, as one group. */
static int compare_by_site(const struct touch *a, const struct touch *b, const struct profile *p)
{
	const struct heap_row *x = row_of(a, p), *y = row_of(b, p);

	return !x || !y ? (x == NULL) - (y == NULL) : x < y ? -1 : x > y;
}

static int compare_by_offset(const struct touch *a, const struct touch *b, const struct profile *p)
{
	int order = compare_by_site(a, b, p);

	if (order || !row_of(a, p))
		return order;
	return compare_numbers(touch_address(a, p) - a->heap->start,
	                       touch_address(b, p) - b->heap->start);
}

static int compare_pointers(const void *pa, const void *pb)
{
	const struct heap_object *a = *(const struct heap_object *const *)pa;
	const struct heap_object *b = *(const struct heap_object *const *)pb;

	return a < b ? -1 : a > b;
}

/* The number of objects that samples are of, and the sizes of the smallest and the largest. */
static uint64_t count_objects(uint64_t size[2], const struct touch_group *group)
{
	const struct heap_object **objects =
	        xcalloc(group->count, sizeof(const struct heap_object *));
	uint64_t n = 0;

	size[0] = UINT64_MAX;
	size[1] = 0;
	for (size_t i = 0; i < group->count; i++)
		objects[i] = group->touches[i]->heap;
	qsort(objects, group->count, sizeof(*objects), compare_pointers);
	for (size_t i = 0; i < group->count; i++) {
		n += !i || objects[i] != objects[i - 1];
		size[0] = objects[i]->len < size[0] ? objects[i]->len : size[0];
		size[1] = objects[i]->len > size[1] ? objects[i]->len : size[1];
	}
	free(objects);
	return n;
}

static const struct column site_columns[] = {
        {"threads", "Threads", COLUMN_COUNT, 0, .drop = 8},
        {"allocations", "Allocs", COLUMN_COUNT, 0, .drop = 2},
        {"freed", "Freed", COLUMN_COUNT, 0, .drop = 10},
        {"bytes", "Bytes", COLUMN_COUNT, 0, .drop = 5},
        {"sampled_objects", "Sampled", COLUMN_COUNT, 0, .drop = 9},
        {"least_size", NULL, COLUMN_COUNT, 0},
        {"size", "Size", COLUMN_COUNT, 0, .drop = 1},
        {"call", "Call", COLUMN_TEXT, 0},
        {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, .drop = 7},
        {"symbol", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
        {"source_line", "Source line", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 4},
        {"inlined_line", NULL, COLUMN_TEXT, 0},
};
enum { SITE_COLUMNS = sizeof(site_columns) / sizeof(site_columns[0]) };

static void fill_site(struct cell *c, const struct heap_row *row)
{
	const char *file;
	char text[4200];
	int line = heap_row_line(row, &file);

	if (row->totals) {
		cell_count(&c[1], row->objects);
		cell_count(&c[2], row->freed);
		cell_count(&c[3], row->bytes);
	}
	cell_text(&c[7], row->call);
	cell_text(&c[8], place_object(&row->place));
	place_name(text, sizeof(text), &row->place, true);
	cell_text(&c[9], text);
	if (line) {
		snprintf(text, sizeof(text), "%s:%d", file, line);
		cell_text(&c[10], text);
	}
	if (row->place.caller_file) {
		place_line_text(text, sizeof(text), &row->place);
		cell_text(&c[11], text);
	}
}

static void fill_sampled_site(struct cell *c, struct profile *p, const struct touch_group *group)
{
	uint64_t size[2];
	char tids[200];

	cell_count(&c[0], touch_group_threads(tids, sizeof(tids), p, group));
	cell_count(&c[4], count_objects(size, group));
	cell_count(&c[5], size[0]);
	cell_count(&c[6], size[1]);
	fill_site(c, row_of(group->touches[0], p));
}

static int compare_bytes(const void *pa, const void *pb)
{
	const struct heap_row *a = *(const struct heap_row *const *)pa;
	const struct heap_row *b = *(const struct heap_row *const *)pb;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Sites of which there is no sample, the most bytes first. */
static void unsampled_rows(struct table *t, const struct profile *p, const struct view *view,
                           const bool *sampled)
{
	const struct heap_row **rows = xcalloc(p->heap_row_count, sizeof(const struct heap_row *));
	size_t n = 0;

	for (size_t i = 0; i < p->heap_row_count; i++) {
		if (!sampled[i])
			rows[n++] = &p->heap_rows[i];
	}
	qsort(rows, n, sizeof(*rows), compare_bytes);
	for (size_t i = 0; i < n; i++) {
		struct metrics none = {0};
		struct cell *c;

		if ((view->limit && t->row_count >= view->limit) || view->percent_limit > 0) {
			t->left_out++;
			continue;
		}
		c = table_row(t);
		view_fill_fields(c, view, &none, p);
		cell_count(&c[view->field_count + 4], 0);
		fill_site(&c[view->field_count], rows[i]);
	}
	free(rows);
}

/* Groups of heap objects alone: the others are in the last one of the order that they were made in. */
static void leave_others(struct touch_groups *g, const struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (row_of(g->group[i].touches[0], p))
			g->group[kept++] = g->group[i];
	}
	g->count = kept;
}

/* The groups of touches that the rows of a table about heap objects are of, with a note if there are none. */
static void heap_table(struct table *t, struct touch_groups *g, struct profile *p,
                       touch_compare_fn *compare)
{
	memory_find_all(p);
	heap_rows_find(p);
	if (!p->heap_row_count)
		t->note = xstrdup("none; 'spemu record --heap' records them");
	touch_groups_make(g, p, compare);
	leave_others(g, p);
}

void section_heap(struct table *t, struct profile *p, const struct view *view)
{
	struct touch_groups g;
	bool *sampled;

	view_table_init(t, view, "heap", "Heap objects by allocation", site_columns, SITE_COLUMNS);
	heap_table(t, &g, p, compare_by_site);
	sampled = xcalloc(p->heap_row_count, sizeof(*sampled));
	for (size_t i = 0; i < g.count; i++)
		sampled[row_of(g.group[i].touches[0], p) - p->heap_rows] = true;
	touch_fill_rows(t, p, view, &g, fill_sampled_site);
	unsampled_rows(t, p, view, sampled);
	view_hide_empty(t, view);
	touch_groups_free(&g);
	free(sampled);
}

static const struct column offset_columns[] = {
        {"sampled_objects", "Objects", COLUMN_COUNT, 0, .drop = 3},
        {"size", "Size", COLUMN_COUNT, 0, .drop = 1},
        {"offset", "Offset", COLUMN_ADDRESS, 0},
        {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
};
enum { OFFSET_COLUMNS = sizeof(offset_columns) / sizeof(offset_columns[0]) };

static void fill_offset(struct cell *c, struct profile *p, const struct touch_group *group)
{
	const struct touch *touch = group->touches[0];
	uint64_t size[2];

	cell_count(&c[0], count_objects(size, group));
	cell_count(&c[1], size[1]);
	cell_count(&c[2], touch_address(touch, p) - touch->heap->start);
	cell_text(&c[3], row_of(touch, p)->name);
}

void section_heap_offsets(struct table *t, struct profile *p, const struct view *view)
{
	struct touch_groups g;

	view_table_init(t, view, "heap_offsets", "Offsets in heap objects", offset_columns,
	                OFFSET_COLUMNS);
	heap_table(t, &g, p, compare_by_offset);
	touch_fill_rows(t, p, view, &g, fill_offset);
	view_hide_empty(t, view);
	touch_groups_free(&g);
}
