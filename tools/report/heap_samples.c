/* SPDX-License-Identifier: MIT */
/* Sections "heap" and "heap-offsets": samples of heap objects by allocation site, and by the offset
 * in the object. */
#define _GNU_SOURCE
#include "heap_rows.h"
#include "memory.h"
#include "section.h"

#include <stdlib.h>
#include <string.h>

static const struct memory *memory_of(const struct profile *p, const struct member *m)
{
	return &p->memories[member_touch(m)->memory];
}

static bool is_heap(const struct profile *p, const struct member *m)
{
	return memory_of(p, m)->kind == MEMORY_HEAP;
}

/* Return the address of the heap row, which orders rows as they are in the array. */
static uint64_t row_of(const struct profile *p, const struct member *m)
{
	return (uintptr_t)memory_of(p, m)->heap_row;
}

static uint64_t offset_of(const struct profile *p, const struct member *m)
{
	return touch_address(member_touch(m), p) - member_touch(m)->heap->start;
}

static int compare_offsets(const struct comparison *c, const struct member *a,
                           const struct member *b)
{
	return compare_numbers(offset_of(c->profile, a), offset_of(c->profile, b));
}

/* The number and the sizes of the sampled objects of a row. */
struct objects {
	uint64_t count, least_size, size;
};

static int compare_pointers(const void *pa, const void *pb)
{
	const struct heap_object *a = *(const struct heap_object *const *)pa;
	const struct heap_object *b = *(const struct heap_object *const *)pb;

	return a < b ? -1 : a > b;
}

static struct objects objects_of(const struct group *group)
{
	const struct heap_object **objects =
	        xcalloc(group->count, sizeof(const struct heap_object *));
	struct objects all = {.least_size = UINT64_MAX};

	for (size_t i = 0; i < group->count; i++)
		objects[i] = member_touch(&group->members[i])->heap;
	qsort(objects, group->count, sizeof(*objects), compare_pointers);
	for (size_t i = 0; i < group->count; i++) {
		all.count += !i || objects[i] != objects[i - 1];
		if (objects[i]->len < all.least_size)
			all.least_size = objects[i]->len;
		if (objects[i]->len > all.size)
			all.size = objects[i]->len;
	}
	free(objects);
	return all;
}

/* ---- heap ---- */

enum {
	THREADS,
	ALLOCATIONS,
	FREED,
	BYTES,
	SAMPLED_OBJECTS,
	LEAST_SIZE,
	SIZE,
	CALL,
	OBJECT,
	SYMBOL,
	SOURCE_LINE,
	INLINED_LINE
};
static const struct column row_columns[] = {
        [THREADS] = {"threads", "Threads", COLUMN_COUNT, .drop = 8},
        [ALLOCATIONS] = {"allocations", "Allocs", COLUMN_COUNT, .drop = 2},
        [FREED] = {"freed", "Freed", COLUMN_COUNT, .drop = 10},
        [BYTES] = {"bytes", "Bytes", COLUMN_COUNT, .drop = 5},
        [SAMPLED_OBJECTS] = {"sampled_objects", "Sampled", COLUMN_COUNT, .drop = 9},
        [LEAST_SIZE] = {"least_size", NULL, COLUMN_COUNT},
        [SIZE] = {"size", "Size", COLUMN_COUNT, .drop = 1},
        [CALL] = {"call", "Call", COLUMN_TEXT},
        [OBJECT] = {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, .drop = 7},
        [SYMBOL] = {"symbol", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
        [SOURCE_LINE] = {"source_line", "Source line", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 4},
        [INLINED_LINE] = {"inlined_line", NULL, COLUMN_TEXT},
};

static void fill_row(struct cell *c, const struct heap_row *row)
{
	const char *file;
	char text[4200];
	int line = allocation_line(&row->place, &file);

	if (row->totals) {
		cell_count(&c[ALLOCATIONS], row->objects);
		cell_count(&c[FREED], row->freed);
		cell_count(&c[BYTES], row->bytes);
	}
	cell_text(&c[CALL], row->call);
	cell_text(&c[OBJECT], place_object(&row->place));
	place_name(text, sizeof(text), &row->place, true);
	cell_text(&c[SYMBOL], text);
	if (line) {
		snprintf(text, sizeof(text), "%s:%d", file, line);
		cell_text(&c[SOURCE_LINE], text);
	}
	if (row->place.caller_file) {
		place_line_text(text, sizeof(text), &row->place);
		cell_text(&c[INLINED_LINE], text);
	}
}

static void fill_sampled_row(struct cell *c, const struct profile *p, const struct group *group)
{
	struct objects objects = objects_of(group);
	char tids[THREADS_TEXT];

	cell_count(&c[THREADS], group_threads(tids, p, group));
	cell_count(&c[SAMPLED_OBJECTS], objects.count);
	cell_count(&c[LEAST_SIZE], objects.least_size);
	cell_count(&c[SIZE], objects.size);
	fill_row(c, memory_of(p, group->members)->heap_row);
}

static const struct key row_key = {"heap", .number = row_of, .fill = fill_sampled_row,
                                   .of_data = true, KEY_COLUMNS(row_columns)};

static int compare_bytes(const void *pa, const void *pb)
{
	const struct heap_row *a = *(const struct heap_row *const *)pa;
	const struct heap_row *b = *(const struct heap_row *const *)pb;

	return a->bytes != b->bytes ? compare_numbers(b->bytes, a->bytes) : a < b ? -1 : a > b;
}

/* Add the rows without a sample, the most bytes first. */
static void add_unsampled(struct table *t, struct profile *p, const struct view *view)
{
	const struct heap_row **rows = xcalloc(p->heap_row_count, sizeof(const struct heap_row *));
	size_t n = 0;

	for (size_t i = 0; i < p->touch_count; i++) {
		const struct memory *m = &p->memories[p->touches[i].memory];

		if (m->kind == MEMORY_HEAP)
			p->heap_rows[m->heap_row - p->heap_rows].sampled = true;
	}
	for (size_t i = 0; i < p->heap_row_count; i++) {
		if (!p->heap_rows[i].sampled)
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
		c += view->field_count;
		cell_count(&c[SAMPLED_OBJECTS], 0);
		fill_row(c, rows[i]);
	}
	free(rows);
}

/* Make a table of the heap objects, with a note if there are none. */
static void heap_table(struct table *t, const char *name, const char *title, struct profile *p,
                       const struct view *view)
{
	memory_find_all(p);
	heap_rows_find(p);
	view_table(t, name, title, p, view, is_heap);
	if (!p->heap_row_count)
		t->note = xstrdup("none; 'spemu record --heap' records them");
}

static void fill_heap(struct table *t, struct profile *p, const struct view *view)
{
	struct view by_row = view_by(view, &row_key);

	heap_table(t, "heap", "Heap objects by allocation", p, &by_row);
	add_unsampled(t, p, view);
}

/* ---- heap-offsets ---- */

enum { OFFSET_OBJECTS, OFFSET_SIZE, OFFSET, DATA };
static const struct column offset_columns[] = {
        [OFFSET_OBJECTS] = {"sampled_objects", "Objects", COLUMN_COUNT, .drop = 3},
        [OFFSET_SIZE] = {"size", "Size", COLUMN_COUNT, .drop = 1},
        [OFFSET] = {"offset", "Offset", COLUMN_ADDRESS},
        [DATA] = {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
};

static void fill_offset(struct cell *c, const struct profile *p, const struct group *group)
{
	struct objects objects = objects_of(group);

	cell_count(&c[OFFSET_OBJECTS], objects.count);
	cell_count(&c[OFFSET_SIZE], objects.size);
	cell_count(&c[OFFSET], offset_of(p, group->members));
	cell_text(&c[DATA], memory_of(p, group->members)->heap_row->name);
}

static const struct key offset_key = {
        "heap-offset",       .number = row_of, .compare = compare_offsets,
        .fill = fill_offset, .of_data = true,  KEY_COLUMNS(offset_columns)};

static void fill_heap_offsets(struct table *t, struct profile *p, const struct view *view)
{
	struct view by_offset = view_by(view, &offset_key);

	heap_table(t, "heap_offsets", "Offsets in heap objects", p, &by_offset);
}

const struct section section_heap = {"heap", .fill = fill_heap, .if_any = true, .of_data = true};
const struct section section_heap_offsets = {"heap-offsets", .fill = fill_heap_offsets,
                                             .if_any = true, .of_data = true};
