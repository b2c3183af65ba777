/* SPDX-License-Identifier: MIT */
/* Section "offsets": the offsets of cache lines, and the code that accesses their data. */
#define _GNU_SOURCE
#include "line_order.h"
#include "memory.h"
#include "section.h"
#include "../session/reason.h"

#include <stdlib.h>
#include <string.h>

static int compare_code(const struct comparison *c, const struct member *a, const struct member *b)
{
	const struct place *x = member_place(c->profile, a), *y = member_place(c->profile, b);
	int order = object_compare(x->object, y->object);

	return order ? order : compare_numbers(x->addr, y->addr);
}

static const struct key key = {"offset", .number = member_line_offset, .compare = compare_code,
                               .of_data = true};

enum {
	SHARE,
	SAMPLES,
	LINE,
	OFFSET,
	LOADS,
	STORES,
	ATOMICS,
	REFILLS,
	PEER,
	HITM,
	LATENCY,
	SOURCE,
	THREADS,
	TIDS,
	PID,
	SHARING,
	DATA,
	OBJECT,
	SYMBOL,
	SOURCE_LINE,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT, .drop = 1},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT, .drop = 9},
        [LINE] = {"line", "Cache line", COLUMN_ADDRESS},
        [OFFSET] = {"offset", "Off", COLUMN_ADDRESS},
        [LOADS] = {"loads", "Loads", COLUMN_COUNT},
        [STORES] = {"stores", "Stores", COLUMN_COUNT},
        [ATOMICS] = {"atomics", "Atomics", COLUMN_COUNT, .drop = 8},
        [REFILLS] = {"l1d_refills", "L1 miss", COLUMN_COUNT, .drop = 7},
        [PEER] = {"peer", "Peer", COLUMN_COUNT, .drop = 2},
        [HITM] = {"hitm", "HITM", COLUMN_COUNT, .drop = 6},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER},
        [SOURCE] = {"data_source", "Source", COLUMN_TEXT, .drop = 10},
        [THREADS] = {"threads", "Thr.", COLUMN_COUNT, .drop = 3},
        [TIDS] = {"tids", NULL, COLUMN_TEXT},
        [PID] = {"pid", NULL, COLUMN_COUNT},
        [SHARING] = {"sharing", NULL, COLUMN_TEXT},
        [DATA] = {"data", "Data", COLUMN_TEXT, 40, CUT_SYMBOL, .drop = 4},
        [OBJECT] = {"object", NULL, COLUMN_TEXT},
        [SYMBOL] = {"symbol", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
        [SOURCE_LINE] = {"source_line", "Source line", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 5},
};

/* Return the number of samples whose data came from another core's cache. */
static uint64_t peer_of(const struct profile *p, const struct group *group)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct member *m = &group->members[i];
		const struct facet *f = member_facet(p, m);

		n += is_snooped(f->events, f->source_name) ? m->bin->sums.samples : 0;
	}
	return n;
}

static void fill_counts(struct cell *c, const struct profile *p, const struct group *group)
{
	struct metrics m = group_metrics(p, group);
	char text[THREADS_TEXT];
	const char *source = metrics_source(text, sizeof(text), &m);

	cell_count(&c[SAMPLES], group->samples);
	cell_count(&c[LOADS], group_operations(p, group, OP_LOAD));
	cell_count(&c[STORES], group_operations(p, group, OP_STORE));
	cell_count(&c[ATOMICS], group_operations(p, group, OP_ATOMIC));
	cell_count(&c[REFILLS], m.events[SPEMU_EV_L1D_REFILL]);
	cell_count(&c[PEER], peer_of(p, group));
	cell_count(&c[HITM], m.events[SPEMU_EV_CACHE_DATA_MODIFIED]);
	cell_ratio(&c[LATENCY], m.sums.latency, m.sums.timed);
	if (source)
		cell_text(&c[SOURCE], source);
	cell_count(&c[THREADS], group_threads(text, p, group));
	cell_text(&c[TIDS], text);
	metrics_free(&m);
}

static void fill_row(struct cell *c, struct profile *p, const struct group *group)
{
	const struct touch *touch = member_touch(group->members);
	const struct cache_line *line = &p->lines[touch->line];
	struct memory memory = memory_of_touch(p, touch);
	const char *sharing = sharing_word(line);
	char text[700];

	cell_ratio(&c[SHARE], group->samples, line->samples);
	cell_count(&c[LINE], line->addr);
	cell_count(&c[OFFSET], touch->offset);
	cell_count(&c[PID], line->pid);
	if (sharing)
		cell_text(&c[SHARING], sharing);
	memory_name(text, sizeof(text), &memory);
	cell_text(&c[DATA], text);
	fill_counts(c, p, group);
	place_fill(&c[OBJECT], &c[SYMBOL], &c[SOURCE_LINE], member_place(p, group->members));
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	const struct view v = view_by(view, &key);
	struct groups g;
	size_t rows;

	table_init(t, "offsets", "Code and offsets of cache lines", columns, COLUMNS);
	t->note = xstrdup("share: part of the memory accesses to the line; peer: data from another "
	                  "core's cache; contended lines come first");
	groups_make(&g, p, &v, false, NULL);
	sort_by_line_cost(&g, p, &v);
	rows = view_rows(t, &v, &g, p);
	for (size_t i = 0; i < rows; i++)
		fill_row(table_row(t), p, &g.group[i]);
	groups_free(&g);
}

const struct section section_offsets = {"offsets", .fill = fill, .of_data = true};
