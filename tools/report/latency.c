/* SPDX-License-Identifier: MIT */
/* Section "latency": histograms of the latencies of all samples. */
#define _GNU_SOURCE
#include "section.h"

#include <string.h>

void section_latency(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"from", NULL, COLUMN_COUNT, 0},
	        {"to", NULL, COLUMN_COUNT, 0},
	        {"cycles", "Cycles", COLUMN_TEXT, 0},
	        {"total_share", "Total", COLUMN_PERCENT, 0},
	        {"total", "Samples", COLUMN_COUNT, 0, .drop = 1},
	        {"issue_share", "Issue", COLUMN_PERCENT, 0},
	        {"issue", "Samples", COLUMN_COUNT, 0, .drop = 2},
	        {"translation_share", "Transl.", COLUMN_PERCENT, 0},
	        {"translation", "Samples", COLUMN_COUNT, 0, .drop = 3},
	};
	double mean[LATENCY_KINDS];
	unsigned last = 0;

	(void)view;
	table_init(t, "latency", "Latency", columns, 9);
	for (int k = 0; k < LATENCY_KINDS; k++) {
		const struct histogram *h = &p->latency[k];

		mean[k] = h->samples ? (double)h->sum / (double)h->samples : 0;
		for (unsigned b = 0; b < LATENCY_BUCKETS; b++) {
			if (h->bucket[b] && b + 1 > last)
				last = b + 1;
		}
	}
	t->note = xasprintf("mean (most) cycles: total %.1f (%llu), issue %.1f (%llu), translation "
	                    "%.1f (%llu)",
	                    mean[0], (unsigned long long)p->latency[0].max, mean[1],
	                    (unsigned long long)p->latency[1].max, mean[2],
	                    (unsigned long long)p->latency[2].max);
	for (unsigned b = 0; b < last; b++) {
		struct cell *c = table_row(t);
		unsigned from = b ? 1u << (b - 1) : 0, to = b ? (1u << b) - 1 : 0;
		char text[32];

		snprintf(text, sizeof(text), b < 2 ? "%u" : "%u-%u", from, to);
		cell_count(&c[0], from);
		cell_count(&c[1], to);
		cell_text(&c[2], text);
		for (int k = 0; k < LATENCY_KINDS; k++) {
			cell_share(&c[3 + 2 * k], p->latency[k].bucket[b], p->latency[k].samples);
			cell_count(&c[4 + 2 * k], p->latency[k].bucket[b]);
		}
	}
}
