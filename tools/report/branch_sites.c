/* SPDX-License-Identifier: MIT */
/* Section "branches": instructions that branch, those that are mispredicted most first. */
#define _GNU_SOURCE
#include "section.h"

static bool is_branch(const struct member *m)
{
	return facet_operation(m->facet) == OP_BRANCH;
}

enum {
	MISPREDICT_SHARE,
	BRANCHES,
	MISPREDICTED,
	MISPREDICT_RATE,
	TAKEN_RATE,
	OBJECT,
	SITE,
	ADDRESS,
	SOURCE,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
        [MISPREDICT_SHARE] = {"mispredict_share", "Mispredicts", COLUMN_PERCENT},
        [BRANCHES] = {"branches", "Branches", COLUMN_COUNT, .drop = 1},
        [MISPREDICTED] = {"mispredicted", "Mispred.", COLUMN_COUNT, .drop = 3},
        [MISPREDICT_RATE] = {"mispredict_rate", "Rate", COLUMN_PERCENT},
        [TAKEN_RATE] = {"taken_rate", "Taken", COLUMN_PERCENT},
        [OBJECT] = {"object", "Shared Object", COLUMN_TEXT, 30, CUT_MIDDLE, .drop = 2},
        [SITE] = {"site", "Branch", COLUMN_TEXT, 60, CUT_SYMBOL},
        [ADDRESS] = {"address", NULL, COLUMN_ADDRESS},
        [SOURCE] = {"source", "Source line", COLUMN_TEXT, 50, CUT_MIDDLE},
};

static void fill_row(struct cell *c, const struct group *group, uint64_t mispredicted)
{
	struct metrics m = group_metrics(group);
	struct place *place = group->members->place;
	uint64_t bad = m.events[SPEMU_EV_MISPREDICTED];
	char text[4200];

	place_find_line(place);
	cell_ratio(&c[MISPREDICT_SHARE], bad, mispredicted);
	cell_count(&c[BRANCHES], m.sums.samples);
	cell_count(&c[MISPREDICTED], bad);
	cell_ratio(&c[MISPREDICT_RATE], bad, m.sums.samples);
	cell_ratio(&c[TAKEN_RATE], m.sums.samples - m.events[SPEMU_EV_NOT_TAKEN], m.sums.samples);
	cell_text(&c[OBJECT], place_object(place));
	place_name(text, sizeof(text), place, true);
	cell_text(&c[SITE], text);
	cell_count(&c[ADDRESS], place->addr);
	if (place->file) {
		place_line_text(text, sizeof(text), place);
		cell_text(&c[SOURCE], text);
	}
	metrics_free(&m);
}

/* Return the view of branches: a row each, those that are mispredicted most first. */
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

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct view v = branch_view(view);
	uint64_t branches = 0, mispredicted = 0;
	struct groups g;
	size_t rows;

	table_init(t, "branches", "Branches", columns, COLUMNS);
	groups_make(&g, p, &v, false, is_branch);
	for (size_t i = 0; i < g.count; i++) {
		branches += g.group[i].samples;
		mispredicted += (uint64_t)g.group[i].order[0];
	}
	t->note = xasprintf("%llu branches sampled, %llu mispredicted (%.2f%%)",
	                    (unsigned long long)branches, (unsigned long long)mispredicted,
	                    branches ? 100.0 * (double)mispredicted / (double)branches : 0.0);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), &g.group[i], mispredicted);
	groups_free(&g);
}

const struct section section_branches = {"branches", .fill = fill};
