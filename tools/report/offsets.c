/* SPDX-License-Identifier: MIT */
/* Section "offsets": the offsets of cache lines, and the code that accesses them. */
#define _GNU_SOURCE
#include "memory.h"
#include "section.h"
#include "touch.h"
#include "../base/optext.h"

#include <stdlib.h>
#include <string.h>

static int compare_offsets(const struct touch *a, const struct touch *b, const struct profile *p)
{
	const struct place *x = &p->places[a->bin.place], *y = &p->places[b->bin.place];
	int order = compare_numbers(a->line, b->line);

	if (!order)
		order = compare_numbers(a->offset, b->offset);
	if (!order && x->object != y->object)
		order = !x->object || !y->object
		                ? (x->object != NULL) - (y->object != NULL)
		                : compare_numbers(object_index(x->object), object_index(y->object));
	return order ? order : compare_numbers(x->addr, y->addr);
}

/* A line, to be put in order. */
struct line_sum {
	uint32_t line;
	bool contended;
	uint64_t cycles;
};

static int compare_sums(const void *pa, const void *pb)
{
	const struct line_sum *a = pa, *b = pb;

	if (a->contended != b->contended)
		return a->contended ? -1 : 1;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return compare_numbers(a->line, b->line);
}

/* Lines that threads contend for first, then those with the most cycles; the rows of a line together. */
static void order_by_line(struct touch_groups *g, const struct profile *p)
{
	size_t n = p->line_index.count;
	struct line_sum *sums = xcalloc(n, sizeof(*sums));
	uint64_t *order = xcalloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		sums[i] = (struct line_sum){.line = (uint32_t)i,
		                            .contended = line_sharing(&p->lines[i]) > SHARING_READ};
	for (size_t i = 0; i < g->count; i++)
		sums[g->group[i].touches[0]->line].cycles +=
		        g->group[i].latency ? g->group[i].latency : g->group[i].samples;
	if (n)
		qsort(sums, n, sizeof(*sums), compare_sums);
	for (size_t i = 0; i < n; i++)
		order[sums[i].line] = n - i;
	for (size_t i = 0; i < g->count; i++)
		g->group[i].order = order[g->group[i].touches[0]->line];
	free(order);
	free(sums);
}

static const struct column offset_columns[] = {
        {"share", "Share", COLUMN_PERCENT, 0, .drop = 1},
        {"samples", "Samples", COLUMN_COUNT, 0, .drop = 9},
        {"line", "Cache line", COLUMN_ADDRESS, 0},
        {"offset", "Off", COLUMN_ADDRESS, 0},
        {"loads", "Loads", COLUMN_COUNT, 0},
        {"stores", "Stores", COLUMN_COUNT, 0},
        {"atomics", "Atomics", COLUMN_COUNT, 0, .drop = 8},
        {"l1d_refills", "L1 miss", COLUMN_COUNT, 0, .drop = 7},
        {"peer", "Peer", COLUMN_COUNT, 0, .drop = 2},
        {"hitm", "HITM", COLUMN_COUNT, 0, .drop = 6},
        {"latency", "Latency", COLUMN_NUMBER, 0},
        {"data_source", "Source", COLUMN_TEXT, 0, .drop = 10},
        {"threads", "Thr.", COLUMN_COUNT, 0, .drop = 3},
        {"tids", NULL, COLUMN_TEXT, 0},
        {"pid", NULL, COLUMN_COUNT, 0},
        {"sharing", NULL, COLUMN_TEXT, 0},
        {"data", "Data", COLUMN_TEXT, 40, CUT_SYMBOL, .drop = 4},
        {"object", NULL, COLUMN_TEXT, 0},
        {"symbol", "Symbol", COLUMN_TEXT, 60, CUT_SYMBOL},
        {"source_line", "Source line", COLUMN_TEXT, 60, CUT_MIDDLE, .drop = 5},
};
enum { OFFSET_COLUMNS = sizeof(offset_columns) / sizeof(offset_columns[0]) };

/* From another core's cache: such facets have their line. */
static uint64_t peer_of(const struct profile *p, const struct touch_group *group)
{
	uint64_t n = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct bin *bin = &group->touches[i]->bin;

		n += p->facets[bin->facet].line ? bin->sums.samples : 0;
	}
	return n;
}

static void fill_counts(struct cell *c, const struct profile *p, const struct touch_group *group,
                        struct metrics *m)
{
	char text[THREADS_TEXT];
	const char *source = metrics_source(text, sizeof(text), m);

	cell_count(&c[4], touch_group_operations(p, group, OP_LOAD));
	cell_count(&c[5], touch_group_operations(p, group, OP_STORE));
	cell_count(&c[6], touch_group_operations(p, group, OP_ATOMIC));
	cell_count(&c[7], m->events[SPEMU_EV_L1D_REFILL]);
	cell_count(&c[8], peer_of(p, group));
	cell_count(&c[9], m->events[SPEMU_EV_CACHE_DATA_MODIFIED]);
	if (m->sums.timed)
		cell_number(&c[10], (double)m->sums.latency / (double)m->sums.timed);
	if (source)
		cell_text(&c[11], source);
	cell_count(&c[12], touch_group_threads(text, sizeof(text), p, group));
	cell_text(&c[13], text);
}

static void fill_code(struct cell *c, struct place *place)
{
	char text[4200];

	place_find_symbol(place);
	place_find_line(place);
	cell_text(&c[17], place_object(place));
	place_name(text, sizeof(text), place, true);
	cell_text(&c[18], text);
	if (place->file) {
		place_line_text(text, sizeof(text), place);
		cell_text(&c[19], text);
	}
}

static void offset_row(struct cell *c, struct profile *p, const struct touch_group *group)
{
	const struct touch *touch = group->touches[0];
	const struct cache_line *line = &p->lines[touch->line];
	struct metrics m = touch_group_metrics(p, group);
	struct memory memory = memory_of_touch(p, touch);
	const char *sharing = sharing_word(line);
	char text[700];

	cell_share(&c[0], group->samples, line->samples);
	cell_count(&c[1], group->samples);
	cell_count(&c[2], line->addr);
	cell_count(&c[3], touch->offset);
	fill_counts(c, p, group, &m);
	cell_count(&c[14], line->pid);
	if (sharing)
		cell_text(&c[15], sharing);
	memory_name(text, sizeof(text), &memory);
	cell_text(&c[16], text);
	fill_code(c, &p->places[touch->bin.place]);
	metrics_free(&m);
}

void section_offsets(struct table *t, struct profile *p, const struct view *view)
{
	struct touch_groups g;
	size_t rows;

	table_init(t, "offsets", "Code and offsets of cache lines", offset_columns, OFFSET_COLUMNS);
	t->note = xstrdup("share: of the accesses to the line; peer: data from another core's "
	                  "cache; lines that threads contend for are first");
	touch_groups_make(&g, p, compare_offsets);
	order_by_line(&g, p);
	touch_groups_sort(&g, p, compare_offsets);
	rows = touch_rows(t, p, view, &g);
	for (size_t i = 0; i < rows; i++)
		offset_row(table_row(t), p, &g.group[i]);
	touch_groups_free(&g);
}
