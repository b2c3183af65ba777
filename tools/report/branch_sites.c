/* SPDX-License-Identifier: MIT */
/* Section "branches": instructions that branch, those that are mispredicted most first. */
#define _GNU_SOURCE
#include "section.h"
#include "../base/optext.h"

#include <string.h>

static bool is_branch(const struct member *m)
{
	return op_group(m->facet->op_class, m->facet->op_subclass) == OP_BRANCH;
}

static void branch_row(struct cell *c, const struct profile *p, const struct group *group,
                       uint64_t mispredicted)
{
	struct metrics m = group_metrics(p, group);
	const struct place *place = group->members[0].place;
	uint64_t bad = m.events[SPEMU_EV_MISPREDICTED];
	char text[4200];

	cell_share(&c[0], bad, mispredicted);
	cell_count(&c[1], m.sums.samples);
	cell_count(&c[2], bad);
	cell_share(&c[3], bad, m.sums.samples);
	cell_share(&c[4], m.sums.samples - m.events[SPEMU_EV_NOT_TAKEN], m.sums.samples);
	cell_text(&c[5], place_object(place));
	place_name(text, sizeof(text), place, true);
	cell_text(&c[6], text);
	cell_count(&c[7], place->addr);
	if (place->file) {
		place_line_text(text, sizeof(text), place);
		cell_text(&c[8], text);
	}
	metrics_free(&m);
}

/* The view of branches: a row each, those that are mispredicted most first. */
static struct view branch_view(const struct view *view)
{
	static const char *const keys[] = {"addr", NULL};
	struct view v = view_of(view, keys);

	v.order_count = 2;
	field_find(&v.orders[0], "mispred-count");
	field_find(&v.orders[1], "sample");
	v.percent_limit = 0;
	return v;
}

void section_branches(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"mispredict_share", "Mispredicts", COLUMN_PERCENT, 0},
	        {"branches", "Branches", COLUMN_COUNT, 0, .drop = 1},
	        {"mispredicted", "Mispred.", COLUMN_COUNT, 0, .drop = 3},
	        {"mispredict_rate", "Rate", COLUMN_PERCENT, 0},
	        {"taken_rate", "Taken", COLUMN_PERCENT, 0},
	        {"object", "Shared Object", COLUMN_TEXT, 30, CUT_MIDDLE, .drop = 2},
	        {"site", "Branch", COLUMN_TEXT, 60, CUT_SYMBOL},
	        {"address", NULL, COLUMN_ADDRESS, 0},
	        {"source", "Source line", COLUMN_TEXT, 50, CUT_MIDDLE},
	};
	struct view v = branch_view(view);
	uint64_t branches = 0, mispredicted = 0;
	struct groups g;
	size_t rows;

	table_init(t, "branches", "Branches", columns, 9);
	groups_make(&g, p, &v, false, is_branch);
	for (size_t i = 0; i < g.count; i++) {
		branches += g.group[i].samples;
		mispredicted += (uint64_t)g.group[i].order[0];
	}
	t->note = xasprintf("%llu branches sampled, %llu mispredicted (%.2f%%)",
	                    (unsigned long long)branches, (unsigned long long)mispredicted,
	                    branches ? 100.0 * (double)mispredicted / (double)branches : 0.0);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++) {
		place_find_line(g.group[i].members[0].place);
		branch_row(table_row(t), p, &g.group[i], mispredicted);
	}
	groups_free(&g);
}
