/* SPDX-License-Identifier: MIT */
/* Section "objects": variables, stacks, heap objects and mappings with sampled memory accesses. */
#include "memory.h"
#include "section.h"

enum { THREADS, SIZE, KIND, OBJECT, DATA };
static const struct column columns[] = {
        [THREADS] = {"threads", "Threads", COLUMN_COUNT, .drop = 5},
        [SIZE] = {"size", "Size", COLUMN_COUNT, .drop = 4},
        [KIND] = {"kind", "Kind", COLUMN_TEXT, .drop = 2},
        [OBJECT] = {"object", "Shared Object", COLUMN_TEXT, 40, CUT_MIDDLE, .drop = 1},
        [DATA] = {"data", "Data", COLUMN_TEXT, 80, CUT_SYMBOL},
};

static uint64_t memory_of(const struct profile *p, const struct member *m)
{
	(void)p;
	return member_touch(m)->memory;
}

static void fill_row(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct memory *memory = &p->memories[memory_of(p, group->members)];
	char text[THREADS_TEXT];

	cell_count(&c[THREADS], group_threads(text, p, group));
	if (memory->size)
		cell_count(&c[SIZE], memory->size);
	cell_text(&c[KIND], memory_word(memory->kind));
	if (memory->kind == MEMORY_GLOBAL)
		cell_text(&c[OBJECT], object_name(memory->object));
	cell_text(&c[DATA], memory->name);
}

static const struct key key = {"memory", .number = memory_of, .fill = fill_row, .of_data = true,
                               KEY_COLUMNS(columns)};

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct view by_memory = view_by(view, &key);

	memory_find_all(p);
	view_table(t, "objects", "Data objects", p, &by_memory, NULL);
}

const struct section section_objects = {"objects", .fill = fill, .of_data = true};
