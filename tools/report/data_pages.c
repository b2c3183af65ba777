/* SPDX-License-Identifier: MIT */
/* Section "pages": pages of data, those with the most TLB walks first. */
#define _GNU_SOURCE
#include "memory.h"
#include "section.h"
#include "touch.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static uint64_t page_of(const struct touch *t, const struct profile *p)
{
	return touch_address(t, p) & ~(uint64_t)(PAGE - 1);
}

static int compare_pages(const struct touch *a, const struct touch *b, const struct profile *p)
{
	const struct cache_line *x = &p->lines[a->line], *y = &p->lines[b->line];
	int order = compare_numbers(page_of(a, p), page_of(b, p));

	if (!order)
		order = compare_numbers(x->pid, y->pid);
	return order ? order : compare_numbers(x->input, y->input);
}

/* In a group of one page the touches of a line are not together: lines are counted by a bit each. */
static unsigned lines_of(const struct profile *p, const struct touch_group *group)
{
	uint64_t seen[PAGE / 16 / 64] = {0};
	unsigned n = 0;

	for (size_t i = 0; i < group->count; i++) {
		uint64_t line = p->lines[group->touches[i]->line].addr % PAGE / p->line_size;

		n += !(seen[line / 64] >> line % 64 & 1);
		seen[line / 64] |= UINT64_C(1) << line % 64;
	}
	return n;
}

static const struct column page_columns[] = {
        {"share", "Share", COLUMN_PERCENT, 0},
        {"samples", "Samples", COLUMN_COUNT, 0},
        {"page", "Page", COLUMN_ADDRESS, 0},
        {"walks", "Walks", COLUMN_COUNT, 0},
        {"walk_rate", "Walk rate", COLUMN_PERCENT, 0, .drop = 1},
        {"translation", "Transl.", COLUMN_NUMBER, 0},
        {"latency", "Latency", COLUMN_NUMBER, 0, .drop = 2},
        {"lines", "Lines", COLUMN_COUNT, 0, .drop = 5},
        {"loads", "Loads", COLUMN_COUNT, 0, .drop = 6},
        {"stores", "Stores", COLUMN_COUNT, 0, .drop = 7},
        {"threads", "Threads", COLUMN_COUNT, 0, .drop = 4},
        {"pid", NULL, COLUMN_COUNT, 0},
        {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
};

static uint64_t walks_of(const struct profile *p, const struct touch_group *group)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct bin *bin = &group->touches[i]->bin;

		if (p->facets[bin->facet].events >> SPEMU_EV_TLB_WALK & 1)
			n += bin->sums.samples;
	}
	return n;
}

static void page_row(struct cell *c, struct profile *p, const struct touch_group *group,
                     uint64_t walks)
{
	const struct touch *touch = group->touches[0];
	struct metrics m = touch_group_metrics(p, group);
	char text[THREADS_TEXT];

	cell_share(&c[0], group->order, walks);
	cell_count(&c[1], group->samples);
	cell_count(&c[2], page_of(touch, p));
	cell_count(&c[3], group->order);
	cell_share(&c[4], group->order, group->samples);
	if (m.sums.timed) {
		cell_number(&c[5], (double)m.sums.translation / (double)m.sums.timed);
		cell_number(&c[6], (double)m.sums.latency / (double)m.sums.timed);
	}
	cell_count(&c[7], lines_of(p, group));
	cell_count(&c[8], touch_group_operations(p, group, OP_LOAD));
	cell_count(&c[9], touch_group_operations(p, group, OP_STORE));
	cell_count(&c[10], touch_group_threads(text, sizeof(text), p, group));
	cell_count(&c[11], p->lines[touch->line].pid);
	cell_text(&c[12], memory_of_touch(p, touch).name);
	metrics_free(&m);
}

void section_pages(struct table *t, struct profile *p, const struct view *view)
{
	struct touch_groups g;
	uint64_t walks = 0;
	size_t rows;

	table_init(t, "pages", "Pages", page_columns,
	           sizeof(page_columns) / sizeof(page_columns[0]));
	touch_groups_make(&g, p, compare_pages);
	for (size_t i = 0; i < g.count; i++) {
		g.group[i].order = walks_of(p, &g.group[i]);
		walks += g.group[i].order;
	}
	t->note = xasprintf("%d bytes each; share: of %llu TLB walks; transl.: mean cycles of "
	                    "translation",
	                    PAGE, (unsigned long long)walks);
	touch_groups_sort(&g, p, compare_pages);
	rows = touch_rows(t, p, view, &g);
	for (size_t i = 0; i < rows; i++)
		page_row(table_row(t), p, &g.group[i], walks);
	touch_groups_free(&g);
}
