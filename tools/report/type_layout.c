/* SPDX-License-Identifier: MIT */
/*
 * Section "layout": the members of the structures with the most cycles in the order of memory, with
 * holes, padding and cache lines.
 */
#define _GNU_SOURCE
#include "data_types.h"
#include "memory.h"
#include "section.h"
#include "type_use.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROWS_OF_TYPE = 6, /* rows that a structure counts as, unless --limit gives their number */
	ROWS_MAX = 4096,  /* rows of a structure */
	DEPTH_MAX = 4,    /* structures in structures */
	LINES_TEXT = 32,
};

/* A member, a hole or the padding at the end. */
struct part {
	uint64_t offset, size;
	unsigned depth;  /* number of structures around it, minus 1 */
	char *path;      /* "at.keys[]", as in the section "members" */
	char *type_name; /* NULL for a hole; "int:3" for a bit field */
	struct metrics metrics;
	uint64_t loads, stores;
};

struct parts {
	struct part *of;
	size_t count, capacity;
};

static void add_part(struct parts *parts, const struct part *part)
{
	if (parts->count < ROWS_MAX)
		APPEND(parts->of, parts->count, parts->capacity) = *part;
}

static void add_hole(struct parts *parts, uint64_t from, uint64_t to, unsigned depth, bool at_end)
{
	if (from < to)
		add_part(parts, &(struct part){.offset = from,
		                               .size = to - from,
		                               .depth = depth,
		                               .path = xstrdup(at_end ? "(padding)" : "(hole)")});
}

/* Return the path of a member in the structure that `path` leads to. */
static char *member_path(const char *path, const struct type_member *m)
{
	const char *name = m->name ? m->name : "";
	bool array = m->type && m->type->kind == TYPE_ARRAY;

	return xasprintf("%s%s%s%s", path, *path && *name ? "." : "", name, array ? "[]" : "");
}

static char *member_type_name(const struct type_member *m)
{
	const char *name = m->type ? m->type->name : "";

	return m->bits ? xasprintf("%s:%u", name, m->bits) : xstrdup(name);
}

/* Add the members of a structure at an offset, and the holes between them. */
static void add_members(struct parts *parts, struct types *types, struct type *type,
                        uint64_t offset, const char *path, unsigned depth)
{
	const struct type_member *members;
	uint64_t end = 0;
	size_t n;

	members = type_members(types, type, &n);
	for (size_t i = 0; i < n && parts->count < ROWS_MAX; i++) {
		const struct type_member *m = &members[i];
		char *own = member_path(path, m);

		add_hole(parts, offset + end, offset + m->offset, depth, false);
		add_part(parts, &(struct part){.offset = offset + m->offset,
		                               .size = m->size,
		                               .depth = depth,
		                               .path = own,
		                               .type_name = member_type_name(m)});
		if (m->offset + m->size > end)
			end = m->offset + m->size;
		if (m->type && type_is_aggregate(m->type) && depth + 1 < DEPTH_MAX)
			add_members(parts, types, m->type, offset + m->offset, own, depth + 1);
	}
	add_hole(parts, offset + end, offset + type->size, depth, true);
}

/* Return the innermost part at an offset, or NULL. Of the members of a union, that is the first. */
static struct part *part_at(const struct parts *parts, uint64_t offset)
{
	struct part *best = NULL;

	for (size_t i = 0; i < parts->count; i++) {
		struct part *p = &parts->of[i];
		bool flexible = !p->size && p->type_name && i + 1 == parts->count;

		if (offset < p->offset || (!flexible && offset - p->offset >= p->size))
			continue;
		if (!best || p->depth > best->depth)
			best = p;
	}
	return best;
}

static void count_members(const struct parts *parts, const struct profile *p,
                          const struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct member *m = &group->members[i];
		struct part *part = part_at(parts, type_of_touch(p, member_touch(m))->offset);
		enum op_group op = facet_operation(member_facet(p, m));

		if (!part)
			continue;
		metrics_add(&part->metrics, p, m->bin);
		part->loads += op != OP_STORE ? m->bin->sums.samples : 0;
		part->stores += op != OP_LOAD ? m->bin->sums.samples : 0;
	}
}

/* Write the numbers of the cache lines of an object that a part may be in. */
static void lines_of(char text[LINES_TEXT], const struct part *part, uint64_t line_size,
                     uint64_t start, uint64_t step)
{
	uint64_t low = (part->offset + start) / line_size;
	uint64_t high =
	        (part->offset + (part->size ? part->size - 1 : 0) + start + line_size - step) /
	        line_size;

	if (low == high)
		snprintf(text, LINES_TEXT, "%llu", (unsigned long long)low);
	else
		snprintf(text, LINES_TEXT, "%llu-%llu", (unsigned long long)low,
		         (unsigned long long)high);
}

enum {
	CYCLES,
	SAMPLES,
	LOADS,
	STORES,
	MISSES,
	LATENCY,
	TYPE,
	LINE,
	OFFSET,
	SIZE,
	MEMBER,
	MEMBER_TYPE,
	LINE_SIZE,
	LINE_OFFSET
};
static const struct column columns[] = {
        [CYCLES] = {"cycles", "Cycles", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT, .drop = 5},
        [LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 2},
        [STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 1},
        [MISSES] = {"l1d_refills", "L1 miss", COLUMN_COUNT, .drop = 4},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER, .drop = 3},
        [TYPE] = {"data_type", NULL, COLUMN_TEXT},
        [LINE] = {"cache_lines", "Line", COLUMN_TEXT},
        [OFFSET] = {"type_offset", "Offset", COLUMN_COUNT},
        [SIZE] = {"size", "Size", COLUMN_COUNT},
        [MEMBER] = {"data_member", "Member", COLUMN_TEXT, 60, CUT_MIDDLE},
        [MEMBER_TYPE] = {"member_type", "Type", COLUMN_TEXT, 60, CUT_SYMBOL},
        [LINE_SIZE] = {"line_size", NULL, COLUMN_COUNT},
        [LINE_OFFSET] = {"line_offset", NULL, COLUMN_COUNT},
};

static void fill_metrics(struct cell *c, const struct profile *p, const struct part *part)
{
	const struct sums *sums = &part->metrics.sums;

	if (!sums->samples)
		return;
	if (p->all.latency)
		cell_ratio(&c[CYCLES], sums->latency, p->all.latency);
	else
		cell_ratio(&c[CYCLES], sums->samples, p->all.samples);
	cell_count(&c[SAMPLES], sums->samples);
	cell_count(&c[LOADS], part->loads);
	cell_count(&c[STORES], part->stores);
	cell_count(&c[MISSES], part->metrics.events[SPEMU_EV_L1D_REFILL]);
	cell_ratio(&c[LATENCY], sums->latency, sums->timed);
}

static void fill_type(struct table *t, const struct profile *p, const struct group *group)
{
	const struct data_type *type = data_type_of_touch(p, member_touch(group->members));
	uint64_t step, start = alignment_of(p, group, &step);
	struct parts parts = {0};
	struct cell *c = table_row(t);

	cell_ratio(&c[CYCLES], p->all.latency ? group->latency : group->samples,
	           p->all.latency ? p->all.latency : p->all.samples);
	cell_count(&c[SAMPLES], group->samples);
	cell_text(&c[TYPE], type->name);
	cell_count(&c[SIZE], type->type->size);
	cell_text(&c[MEMBER], type->name);
	cell_count(&c[LINE_SIZE], p->line_size);
	if (step == p->line_size)
		cell_count(&c[LINE_OFFSET], start);
	add_members(&parts, type->types, type->type, 0, "", 0);
	count_members(&parts, p, group);
	for (size_t i = 0; i < parts.count; i++) {
		struct part *part = &parts.of[i];
		char lines[LINES_TEXT];

		c = table_row(t);
		fill_metrics(c, p, part);
		cell_text(&c[TYPE], type->name);
		lines_of(lines, part, p->line_size, start, step);
		cell_text(&c[LINE], lines);
		cell_count(&c[OFFSET], part->offset);
		cell_count(&c[SIZE], part->size);
		cell_text(&c[MEMBER], part->path);
		if (part->type_name)
			cell_text(&c[MEMBER_TYPE], part->type_name);
		metrics_free(&part->metrics);
		free(part->path);
		free(part->type_name);
	}
	free(parts.of);
}

static const struct key type_key = {"type", .number = member_type_number, .of_data = true,
                                    .needs_type = true};

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct view v = view_by(view, &type_key);
	struct groups g;
	size_t rows;

	/* The usual limit is one of rows. */
	if (!v.limited)
		v.limit /= ROWS_OF_TYPE;
	data_types_find(p);
	table_init(t, "layout", "Layout of the structures with the most cycles", columns,
	           sizeof(columns) / sizeof(columns[0]));
	t->note = xasprintf("cache lines have %u bytes; line 0 is the line where an object begins; "
	                    "\"0-1\": objects begin at different offsets in a line",
	                    p->line_size);
	groups_make(&g, p, &v, false, member_is_structure);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++)
		fill_type(t, p, &g.group[i]);
	groups_free(&g);
}

const struct section section_layout = {"layout", .fill = fill, .if_any = true, .of_data = true,
                                       .asked_for = true};
