/* SPDX-License-Identifier: MIT */
/* Section "latency": histograms of the latencies of all samples. */
#define _GNU_SOURCE
#include "section.h"

enum {
	FROM,
	TO,
	CYCLES,
	TOTAL_SHARE,
	TOTAL,
	ISSUE_SHARE,
	ISSUE,
	TRANSLATION_SHARE,
	TRANSLATION,
	COLUMNS
};
static const struct column columns[COLUMNS] = {
        [FROM] = {"from", NULL, COLUMN_COUNT},
        [TO] = {"to", NULL, COLUMN_COUNT},
        [CYCLES] = {"cycles", "Cycles", COLUMN_TEXT},
        [TOTAL_SHARE] = {"total_share", "Total", COLUMN_PERCENT},
        [TOTAL] = {"total", "Samples", COLUMN_COUNT, .drop = 1},
        [ISSUE_SHARE] = {"issue_share", "Issue", COLUMN_PERCENT},
        [ISSUE] = {"issue", "Samples", COLUMN_COUNT, .drop = 2},
        [TRANSLATION_SHARE] = {"translation_share", "Transl.", COLUMN_PERCENT},
        [TRANSLATION] = {"translation", "Samples", COLUMN_COUNT, .drop = 3},
};

/* Where the numbers of each kind go. */
static const struct {
	unsigned share, count;
} columns_of[LATENCY_KINDS] = {
        [LATENCY_TOTAL] = {TOTAL_SHARE, TOTAL},
        [LATENCY_ISSUE] = {ISSUE_SHARE, ISSUE},
        [LATENCY_TRANSLATION] = {TRANSLATION_SHARE, TRANSLATION},
};

static void fill_row(struct cell *c, const struct profile *p, unsigned bucket)
{
	unsigned from = bucket ? 1u << (bucket - 1) : 0, to = bucket ? (1u << bucket) - 1 : 0;
	char text[32];

	snprintf(text, sizeof(text), bucket < 2 ? "%u" : "%u-%u", from, to);
	cell_count(&c[FROM], from);
	cell_count(&c[TO], to);
	cell_text(&c[CYCLES], text);
	for (int k = 0; k < LATENCY_KINDS; k++) {
		const struct histogram *h = &p->latency[k];

		cell_ratio(&c[columns_of[k].share], h->bucket[bucket], h->samples);
		cell_count(&c[columns_of[k].count], h->bucket[bucket]);
	}
}

static double mean_of(const struct histogram *h)
{
	return h->samples ? (double)h->sum / (double)h->samples : 0;
}

void section_latency(struct table *t, struct profile *p, const struct view *view)
{
	const struct histogram *h = p->latency;
	unsigned rows = 0;

	(void)view;
	table_init(t, "latency", "Latency", columns, COLUMNS);
	t->note = xasprintf("mean (most) cycles: total %.1f (%llu), issue %.1f (%llu), translation "
	                    "%.1f (%llu)",
	                    mean_of(&h[LATENCY_TOTAL]), (unsigned long long)h[LATENCY_TOTAL].max,
	                    mean_of(&h[LATENCY_ISSUE]), (unsigned long long)h[LATENCY_ISSUE].max,
	                    mean_of(&h[LATENCY_TRANSLATION]),
	                    (unsigned long long)h[LATENCY_TRANSLATION].max);
	for (unsigned b = 0; b < LATENCY_BUCKETS; b++) {
		if (h[LATENCY_TOTAL].bucket[b] || h[LATENCY_ISSUE].bucket[b] ||
		    h[LATENCY_TRANSLATION].bucket[b])
			rows = b + 1;
	}
	for (unsigned b = 0; b < rows; b++)
		fill_row(table_row(t), p, b);
}
