/* SPDX-License-Identifier: MIT */
/* Section "reasons": the cycles of start-up, and all others by area (session/reason.h). The shares
 * add up to 100 %. */
#define _GNU_SOURCE
#include "cost.h"
#include "model_error.h"
#include "section.h"
#include "startup.h"

#include <stdlib.h>
#include <string.h>

enum { SHARE, CYCLES, AREA, AVOIDABLE, ERROR, REASON_LIST, COLUMNS };
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [CYCLES] = {"cycles", "Cycles", COLUMN_COUNT, .drop = 2},
        [AREA] = {"area", "Reason", COLUMN_TEXT},
        [AVOIDABLE] = {"avoidable", "Avoidable", COLUMN_PERCENT, .drop = 1},
        [ERROR] = {"model_error", "Error %", COLUMN_COUNT, .drop = 3},
        [REASON_LIST] = {"reasons", "Details", COLUMN_TEXT, 70, CUT_END},
};

struct row {
	enum area area; /* AREAS: start-up */
	uint64_t cycles;
};

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->cycles != b->cycles ? compare_numbers(b->cycles, a->cycles)
	                              : (int)a->area - (int)b->area;
}

/* Write "TLB walks 80%, TLB refills 20%": the reasons of an area with at least 1 % of it, the
 * largest first. */
static void list_reasons(char *text, size_t size, struct cost area)
{
	uint64_t whole = cost_sum(&area);
	enum reason r = cost_most(&area);
	size_t n = 0;

	for (; r != REASONS && 100 * area.cycles[r] >= whole && n < size; r = cost_most(&area)) {
		n += (size_t)snprintf(text + n, size - n, "%s%s %.0f%%", n ? ", " : "",
		                      reason_texts[r].word,
		                      100 * (double)area.cycles[r] / (double)whole);
		area.cycles[r] = 0;
	}
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct cost startup = cost_of_startup(p), cost = cost_of_all(p);
	uint64_t whole = cost_sum(&cost);
	struct row rows[AREAS + 1];
	char text[200];

	(void)view;
	table_init(t, "reasons", "Reasons", columns, COLUMNS);
	t->note = xasprintf("shares of all cycles, with %d for each misprediction; records do not "
	                    "show waits for instructions (front end)%s",
	                    MISPREDICTION_CYCLES,
	                    model_error(p, AREA_DRAM) < 0
	                            ? ""
	                            : "; error: of the timing model, the median difference from "
	                              "measurements of real cores");
	for (unsigned r = 0; r < REASONS; r++)
		cost.cycles[r] -= startup.cycles[r];
	for (unsigned i = 0; i < AREAS; i++)
		rows[i] = (struct row){i, cost_of_area(&cost, i)};
	rows[AREAS] = (struct row){AREAS, cost_sum(&startup)};
	qsort(rows, AREAS + 1, sizeof(*rows), compare_rows);
	for (unsigned i = 0; i <= AREAS && rows[i].cycles; i++) {
		bool starts = rows[i].area == AREAS;
		struct cost area = starts ? startup : cost_in_area(&cost, rows[i].area);
		struct cell *c = table_row(t);

		list_reasons(text, sizeof(text), area);
		cell_ratio(&c[SHARE], rows[i].cycles, whole);
		cell_count(&c[CYCLES], rows[i].cycles);
		cell_text(&c[AREA], starts ? "start-up" : area_words[rows[i].area]);
		cell_ratio(&c[AVOIDABLE], starts ? 0 : cost_avoidable(&area), whole);
		if (!starts && model_error(p, rows[i].area) >= 0)
			cell_count(&c[ERROR], (uint64_t)model_error(p, rows[i].area));
		cell_text(&c[REASON_LIST], text);
	}
}

const struct section section_reasons = {"reasons", .fill = fill};
