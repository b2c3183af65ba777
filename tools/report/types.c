/* SPDX-License-Identifier: MIT */
/* Sections "types" and "members": memory accesses by the type of the data, and by the member. */
#define _GNU_SOURCE
#include "data_types.h"
#include "heap_rows.h"
#include "memory.h"
#include "most.h"
#include "section.h"
#include "types.h"
#include "../session/reason.h"

#include <string.h>

/* Number of texts in a list, and the least share of a text in percent. */
enum { LIST_COUNT = 3, LIST_LEAST = 1 };

/* Return the cycles of a member, or its samples if the recording has no latencies. */
static uint64_t weight_of(const struct profile *p, const struct member *m)
{
	return p->all.latency ? m->bin->sums.latency : m->bin->sums.samples;
}

/* Write a list of the texts with the most cycles in a group. */
static void list_most(char text[MOST_TEXT], const struct profile *p, const struct group *group,
                      describe_fn *describe)
{
	struct most most = {0};

	for (size_t i = 0; i < group->count; i++) {
		char one[MOST_TEXT];

		describe(one, sizeof(one), p, &group->members[i]);
		most_add(&most, one, weight_of(p, &group->members[i]));
	}
	most_write(text, &most, LIST_COUNT, LIST_LEAST);
}

void describe_memory(char *text, size_t size, const struct profile *p, const struct member *m)
{
	const struct memory *memory = &p->memories[member_touch(m)->memory];

	if (memory->kind == MEMORY_UNKNOWN)
		text[0] = 0;
	else if (memory->kind == MEMORY_HEAP)
		heap_row_words(text, size, memory->heap_row);
	else
		snprintf(text, size, "%s", memory->name);
}

static void describe_member(char *text, size_t size, const struct profile *p,
                            const struct member *m)
{
	touch_member(text, size, p, member_touch(m));
}

static void describe_source(char *text, size_t size, const struct profile *p,
                            const struct member *m)
{
	const struct touch_type *t = type_of_touch(p, member_touch(m));

	snprintf(text, size, "%s", t->reason ? t->reason : type_source_word(t->source));
}

/* ---- columns ---- */

void fill_counts(struct cell *loads, struct cell *stores, const struct profile *p,
                 const struct group *group)
{
	uint64_t atomics = group_operations(p, group, OP_ATOMIC);

	cell_count(loads, group_operations(p, group, OP_LOAD) + atomics);
	cell_count(stores, group_operations(p, group, OP_STORE) + atomics);
}

void fill_list(struct cell *c, const struct profile *p, const struct group *group,
               describe_fn *describe)
{
	char text[MOST_TEXT];

	list_most(text, p, group, describe);
	if (*text)
		cell_text(c, text);
}

enum { LOADS, STORES, THREADS, SIZE, TYPE, MEMBERS, WHERE, SOURCE };
static const struct column type_columns[] = {
        [LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 6},
        [STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 5},
        [THREADS] = {"threads", "Threads", COLUMN_COUNT, .drop = 8},
        [SIZE] = {"size", "Size", COLUMN_COUNT, .drop = 4},
        [TYPE] = {"data_type", "Type", COLUMN_TEXT, 60, CUT_SYMBOL},
        [MEMBERS] = {"hot_members", "Hot members", COLUMN_TEXT, 60, CUT_END, .drop = 1},
        [WHERE] = {"where", "Where", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 2},
        [SOURCE] = {"type_source", "Source", COLUMN_TEXT, 40, CUT_END, .drop = 7},
};

static void fill_type(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct data_type *type = data_type_of_touch(p, member_touch(group->members));
	char tids[THREADS_TEXT];

	fill_counts(&c[LOADS], &c[STORES], p, group);
	cell_count(&c[THREADS], group_threads(tids, p, group));
	if (type->type && type->type->size)
		cell_count(&c[SIZE], type->type->size);
	cell_text(&c[TYPE], type->name);
	fill_list(&c[MEMBERS], p, group, describe_member);
	fill_list(&c[WHERE], p, group, describe_memory);
	fill_list(&c[SOURCE], p, group, describe_source);
}

static const struct key type_key = {
        "type",          .number = member_type_number, .fill = fill_type,
        .of_data = true, .needs_type = true,           KEY_COLUMNS(type_columns)};

/* ---- section "members" ---- */

static int compare_offsets(const struct comparison *c, const struct member *a,
                           const struct member *b)
{
	return compare_numbers(type_of_touch(c->profile, member_touch(a))->offset,
	                       type_of_touch(c->profile, member_touch(b))->offset);
}

enum { M_LOADS, M_STORES, M_THREADS, M_TIDS, M_OFFSET, M_TYPE, M_MEMBER, M_SOURCE };
static const struct column member_columns[] = {
        [M_LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 4},
        [M_STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 3},
        [M_THREADS] = {"threads", "Threads", COLUMN_COUNT, .drop = 2},
        [M_TIDS] = {"tids", NULL, COLUMN_TEXT},
        [M_OFFSET] = {"type_offset", "Offset", COLUMN_COUNT},
        [M_TYPE] = {"data_type", "Type", COLUMN_TEXT, 60, CUT_SYMBOL},
        [M_MEMBER] = {"data_member", "Member", COLUMN_TEXT, 60, CUT_MIDDLE},
        [M_SOURCE] = {"type_source", "Source", COLUMN_TEXT, 40, CUT_END, .drop = 1},
};

static void fill_member(struct cell *c, const struct profile *p, const struct group *group)
{
	const struct touch *touch = member_touch(group->members);
	char text[MOST_TEXT], tids[THREADS_TEXT];

	fill_counts(&c[M_LOADS], &c[M_STORES], p, group);
	cell_count(&c[M_THREADS], group_threads(tids, p, group));
	cell_text(&c[M_TIDS], tids);
	cell_count(&c[M_OFFSET], type_of_touch(p, touch)->offset);
	cell_text(&c[M_TYPE], data_type_of_touch(p, touch)->name);
	touch_member(text, sizeof(text), p, touch);
	if (*text)
		cell_text(&c[M_MEMBER], text);
	fill_list(&c[M_SOURCE], p, group, describe_source);
}

static const struct key member_key = {"typeoff",
                                      .number = member_type_number,
                                      .compare = compare_offsets,
                                      .fill = fill_member,
                                      .of_data = true,
                                      .needs_type = true,
                                      KEY_COLUMNS(member_columns)};

/* Return true if a type is known. */
static bool has_type(const struct profile *p, const struct member *m)
{
	return data_type_of_touch(p, member_touch(m))->type != NULL;
}

static bool any_type(const struct profile *p)
{
	return p->data_type_index.count > 2;
}

static void fill(struct table *t, struct profile *p, const struct view *view, const char *name,
                 const char *title, const struct key *key, want_fn *want)
{
	struct view by_key = view_by(view, key);

	memory_find_all(p);
	data_types_find(p);
	view_table(t, name, title, p, &by_key, any_type(p) ? want : has_type);
}

static void fill_types(struct table *t, struct profile *p, const struct view *view)
{
	fill(t, p, view, "types", "Data types", &type_key, NULL);
	t->note =
	        xstrdup(any_type(p) ? "type of the data that loads and stores access; a source is "
	                              "the evidence for the type"
	                            : "no type is known; build the program with -g, or install "
	                              "its " DEBUG_SYMBOLS);
}

static void fill_members(struct table *t, struct profile *p, const struct view *view)
{
	fill(t, p, view, "members", "Members of data types", &member_key, has_type);
}

const struct section section_types = {"types", .fill = fill_types, .if_any = true, .of_data = true};
const struct section section_members = {"members", .fill = fill_members, .if_any = true,
                                        .of_data = true};
