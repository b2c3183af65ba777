/* SPDX-License-Identifier: MIT */
/* Section "objects": variables, stacks, heap objects and mappings that were accessed. */
#define _GNU_SOURCE
#include "memory.h"
#include "section.h"
#include "touch.h"

#include <stdlib.h>
#include <string.h>

static int compare_objects(const struct touch *a, const struct touch *b, const struct profile *p)
{
	(void)p;
	return compare_numbers(a->memory, b->memory);
}

static const struct column object_columns[] = {
        {"threads", "Threads", COLUMN_COUNT, 0, .drop = 5},
        {"size", "Size", COLUMN_COUNT, 0, .drop = 4},
        {"kind", "Kind", COLUMN_TEXT, 0, .drop = 2},
        {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, .drop = 1},
        {"data", "Data", COLUMN_TEXT, 80, CUT_SYMBOL},
};
enum { OBJECT_COLUMNS = sizeof(object_columns) / sizeof(object_columns[0]) };

static void fill_object(struct cell *c, struct profile *p, const struct touch_group *group)
{
	const struct memory *memory = &p->memories[group->touches[0]->memory];
	char text[THREADS_TEXT];

	cell_count(&c[0], touch_group_threads(text, sizeof(text), p, group));
	if (memory->size)
		cell_count(&c[1], memory->size);
	cell_text(&c[2], memory_word(memory->kind));
	if (memory->kind == MEMORY_GLOBAL)
		cell_text(&c[3], object_name(memory->object));
	cell_text(&c[4], memory->name);
}

void section_objects(struct table *t, struct profile *p, const struct view *view)
{
	struct touch_groups g;

	view_table_init(t, view, "objects", "Data objects", object_columns, OBJECT_COLUMNS);
	memory_find_all(p);
	touch_groups_make(&g, p, compare_objects);
	touch_fill_rows(t, p, view, &g, fill_object);
	view_hide_empty(t, view);
	touch_groups_free(&g);
}
