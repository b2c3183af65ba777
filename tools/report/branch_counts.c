/* SPDX-License-Identifier: MIT */
/* Section "branches": instructions that branch, the most mispredicted first. */
#define _GNU_SOURCE
#include "section.h"

static bool is_branch(const struct profile *p, const struct member *m)
{
	return facet_operation(member_facet(p, m)) == OP_BRANCH;
}

enum {
	MISPREDICT_SHARE,
	BRANCHES,
	MISPREDICTED,
	MISPREDICT_RATE,
	TAKEN_RATE,
	OBJECT,
	BRANCH,
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
        [BRANCH] = {"site", "Branch", COLUMN_TEXT, 60, CUT_SYMBOL},
        [ADDRESS] = {"address", NULL, COLUMN_ADDRESS},
        [SOURCE] = {"source", "Source line", COLUMN_TEXT, 50, CUT_MIDDLE},
};

static void fill_row(struct cell *c, const struct profile *p, const struct group *group,
                     uint64_t mispredicted)
{
	struct metrics m = group_metrics(p, group);
	struct place *place = member_place(p, group->members);
	uint64_t bad = m.events[SPEMU_EV_MISPREDICTED];

	cell_ratio(&c[MISPREDICT_SHARE], bad, mispredicted);
	cell_count(&c[BRANCHES], m.sums.samples);
	cell_count(&c[MISPREDICTED], bad);
	cell_ratio(&c[MISPREDICT_RATE], bad, m.sums.samples);
	cell_ratio(&c[TAKEN_RATE], m.sums.samples - m.events[SPEMU_EV_NOT_TAKEN], m.sums.samples);
	place_fill(&c[OBJECT], &c[BRANCH], &c[SOURCE], place);
	cell_count(&c[ADDRESS], place->addr);
	metrics_free(&m);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct view v = view_by(view, key_find("addr"));
	uint64_t branches = 0, mispredicted = 0;
	struct groups g;
	size_t rows;

	v.order_count = 2;
	field_find(&v.orders[0], "mispred-count");
	field_find(&v.orders[1], "sample");
	v.percent_limit = 0;
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
		fill_row(table_row(t), p, &g.group[i], mispredicted);
	groups_free(&g);
}

const struct section section_branches = {"branches", .fill = fill};
