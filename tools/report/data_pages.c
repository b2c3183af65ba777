/* SPDX-License-Identifier: MIT */
/* Section "pages": pages of data, those with the most TLB walks first. */
#define _GNU_SOURCE
#include "memory.h"
#include "section.h"

#include <string.h>

enum { PAGE = 4096 };

static uint64_t page_of(const struct profile *p, const struct member *m)
{
	return touch_address(member_touch(m), p) & ~(uint64_t)(PAGE - 1);
}

static const struct cache_line *line_of(const struct profile *p, const struct member *m)
{
	return &p->lines[member_touch(m)->line];
}

static int compare_processes(const struct comparison *c, const struct member *a,
                             const struct member *b)
{
	const struct cache_line *x = line_of(c->profile, a), *y = line_of(c->profile, b);
	int order = compare_numbers(x->pid, y->pid);

	return order ? order : compare_numbers(x->input, y->input);
}

static double count_walks(const struct profile *p, const struct group *group)
{
	uint64_t walks = 0;

	for (size_t i = 0; i < group->count; i++) {
		if (member_facet(p, &group->members[i])->events >> SPEMU_EV_TLB_WALK & 1)
			walks += group->members[i].bin->sums.samples;
	}
	return (double)walks;
}

static const struct key key = {"page", .number = page_of, .compare = compare_processes,
                               .order = count_walks, .of_data = true};

/* Count the cache lines of a page. A bit marks each line, because memory accesses to one line are
 * not adjacent in the group. */
static unsigned count_lines(const struct profile *p, const struct group *group)
{
	uint64_t seen[PAGE / 16 / 64] = {0};
	unsigned n = 0;

	for (size_t i = 0; i < group->count; i++) {
		uint64_t line = line_of(p, &group->members[i])->addr % PAGE / p->line_size;

		n += !(seen[line / 64] >> line % 64 & 1);
		seen[line / 64] |= UINT64_C(1) << line % 64;
	}
	return n;
}

enum {
	SHARE,
	SAMPLES,
	PAGE_ADDRESS,
	WALKS,
	WALK_RATE,
	TRANSLATION,
	LATENCY,
	LINES,
	LOADS,
	STORES,
	THREADS,
	PID,
	DATA,
	COLUMNS
};
static const struct column page_columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT},
        [PAGE_ADDRESS] = {"page", "Page", COLUMN_ADDRESS},
        [WALKS] = {"walks", "Walks", COLUMN_COUNT},
        [WALK_RATE] = {"walk_rate", "Walk rate", COLUMN_PERCENT, .drop = 1},
        [TRANSLATION] = {"translation", "Transl.", COLUMN_NUMBER},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER, .drop = 2},
        [LINES] = {"lines", "Lines", COLUMN_COUNT, .drop = 5},
        [LOADS] = {"loads", "Loads", COLUMN_COUNT, .drop = 6},
        [STORES] = {"stores", "Stores", COLUMN_COUNT, .drop = 7},
        [THREADS] = {"threads", "Threads", COLUMN_COUNT, .drop = 4},
        [PID] = {"pid", NULL, COLUMN_COUNT},
        [DATA] = {"data", "Data", COLUMN_TEXT, 60, CUT_SYMBOL},
};

static void fill_row(struct cell *c, struct profile *p, const struct group *group,
                     uint64_t all_walks)
{
	const struct member *first = group->members;
	struct metrics m = group_metrics(p, group);
	uint64_t walks = m.events[SPEMU_EV_TLB_WALK];
	char text[THREADS_TEXT];

	cell_ratio(&c[SHARE], walks, all_walks);
	cell_count(&c[SAMPLES], group->samples);
	cell_count(&c[PAGE_ADDRESS], page_of(p, first));
	cell_count(&c[WALKS], walks);
	cell_ratio(&c[WALK_RATE], walks, group->samples);
	cell_ratio(&c[TRANSLATION], m.sums.translation, m.sums.timed);
	cell_ratio(&c[LATENCY], m.sums.latency, m.sums.timed);
	cell_count(&c[LINES], count_lines(p, group));
	cell_count(&c[LOADS], group_operations(p, group, OP_LOAD));
	cell_count(&c[STORES], group_operations(p, group, OP_STORE));
	cell_count(&c[THREADS], group_threads(text, p, group));
	cell_count(&c[PID], line_of(p, first)->pid);
	cell_text(&c[DATA], memory_of_touch(p, member_touch(first)).name);
	metrics_free(&m);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	const struct view v = view_by(view, &key);
	struct groups g;
	uint64_t walks = 0;
	size_t rows;

	table_init(t, "pages", "Pages", page_columns, COLUMNS);
	groups_make(&g, p, &v, false, NULL);
	for (size_t i = 0; i < g.count; i++)
		walks += (uint64_t)g.group[i].order[0];
	t->note = xasprintf("%d bytes each; share: part of the %llu TLB walks; transl.: mean "
	                    "cycles of translation",
	                    PAGE, (unsigned long long)walks);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), p, &g.group[i], walks);
	groups_free(&g);
}

const struct section section_pages = {"pages", .fill = fill, .of_data = true};
