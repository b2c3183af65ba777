/* SPDX-License-Identifier: MIT */
/* Section "sharing": the members on contended cache lines, and the threads that write and read
 * them. */
#define _GNU_SOURCE
#include "data_types.h"
#include "line_order.h"
#include "section.h"

#include "../base/common.h"

#include <stdlib.h>

static int compare_types(const struct comparison *c, const struct member *a, const struct member *b)
{
	return compare_numbers(member_type_number(c->profile, a),
	                       member_type_number(c->profile, b));
}

static const struct key key = {"sharing", .number = member_line_offset, .compare = compare_types,
                               .of_data = true};

static bool is_contended_data(const struct profile *p, const struct member *m)
{
	const struct touch *touch = member_touch(m);

	return p->lines[touch->line].contended && data_type_of_touch(p, touch)->type;
}

enum {
	CYCLES,
	SAMPLES,
	LATENCY,
	LINE,
	OFFSET,
	OBJECT,
	TYPE,
	MEMBER,
	DATA,
	WRITERS,
	READERS,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
        [CYCLES] = {"cycles", "Cycles", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT, .drop = 3},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER, .drop = 4},
        [LINE] = {"line", "Cache line", COLUMN_ADDRESS},
        [OFFSET] = {"offset", "Off", COLUMN_ADDRESS},
        [OBJECT] = {"data_base", NULL, COLUMN_ADDRESS},
        [TYPE] = {"data_type", "Type", COLUMN_TEXT, 60, CUT_SYMBOL, .drop = 2},
        [MEMBER] = {"data_member", "Member", COLUMN_TEXT, 60, CUT_MIDDLE},
        [DATA] = {"data", "Data", COLUMN_TEXT, 40, CUT_SYMBOL, .drop = 1},
        [WRITERS] = {"written_by", "Written by", COLUMN_TEXT, 40, CUT_END},
        [READERS] = {"read_by", "Read by", COLUMN_TEXT, 40, CUT_END},
};

/* Fill the cell with the threads that write, or that read. An atomic operation does both. */
static void fill_threads(struct cell *c, const struct profile *p, const struct group *group,
                         bool write)
{
	struct member *chosen = xcalloc(group->count, sizeof(*chosen));
	struct group part = {.members = chosen};
	char text[THREADS_TEXT];

	for (size_t i = 0; i < group->count; i++) {
		enum op_group op = facet_operation(member_facet(p, &group->members[i]));

		if (op != (write ? OP_LOAD : OP_STORE))
			chosen[part.count++] = group->members[i];
	}
	if (part.count && group_threads(text, p, &part))
		cell_text(c, text);
	free(chosen);
}

static void fill_row(struct cell *c, struct profile *p, const struct group *group)
{
	const struct touch *touch = member_touch(group->members);
	struct memory memory = memory_of_touch(p, touch);
	struct metrics m = group_metrics(p, group);
	char text[700];

	if (p->all.latency)
		cell_ratio(&c[CYCLES], group->latency, p->all.latency);
	else
		cell_ratio(&c[CYCLES], group->samples, p->all.samples);
	cell_count(&c[SAMPLES], group->samples);
	cell_ratio(&c[LATENCY], m.sums.latency, m.sums.timed);
	cell_count(&c[LINE], p->lines[touch->line].addr);
	cell_count(&c[OFFSET], touch->offset);
	cell_count(&c[OBJECT], touch_base(p, touch));
	cell_text(&c[TYPE], data_type_of_touch(p, touch)->name);
	touch_member(text, sizeof(text), p, touch);
	if (*text)
		cell_text(&c[MEMBER], text);
	memory_name(text, sizeof(text), &memory);
	cell_text(&c[DATA], text);
	fill_threads(&c[WRITERS], p, group, true);
	fill_threads(&c[READERS], p, group, false);
	metrics_free(&m);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	const struct view v = view_by(view, &key);
	struct groups g;
	size_t rows;

	data_types_find(p);
	table_init(t, "sharing", "Members on contended cache lines", columns, COLUMNS);
	t->note = xstrdup("threads that write and read each member, by thread id");
	groups_make(&g, p, &v, false, is_contended_data);
	sort_by_line_cost(&g, p, &v);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), p, &g.group[i]);
	groups_free(&g);
}

const struct section section_sharing = {"sharing", .fill = fill, .with = &section_layout,
                                        .if_any = true, .of_data = true};
