/* SPDX-License-Identifier: MIT */
/* Section "latency": histograms of the latencies of all samples. */
#define _GNU_SOURCE
#include "section.h"

enum latency_kind {
	LATENCY_TOTAL,
	LATENCY_ISSUE,
	LATENCY_TRANSLATION,
	LATENCY_KINDS,
};
#define BUCKETS 18 /* buckets of cycles: 0, 1, 2-3, 4-7, ... 65536 and above */

struct histogram {
	uint64_t bucket[BUCKETS];
	uint64_t samples, sum, max; /* samples is set after the last sample */
};

static void begin(struct profile *p)
{
	p->latencies = xcalloc(LATENCY_KINDS, sizeof(*p->latencies));
}

/* Count the cycles of a counter. A missing counter needs no branch, because its cycles are 0. */
static inline void count(struct histogram *h, const struct spemu_record *rec, unsigned index)
{
	uint16_t cycles = rec->counter[index];
	/* The bucket is the number of significant bits. */
	unsigned bucket = 31u ^ (unsigned)__builtin_clz(2u * cycles + 1);

	_Static_assert(BUCKETS > 16, "there is a bucket for each number of bits");
	h->bucket[bucket] += record_has_counter(rec, index);
	h->sum += cycles;
	h->max = cycles > h->max ? cycles : h->max;
}

static void add(struct profile *p, const struct counted *c)
{
	count(&p->latencies[LATENCY_TOTAL], c->record, SPEMU_COUNTER_TOTAL);
	count(&p->latencies[LATENCY_ISSUE], c->record, SPEMU_COUNTER_ISSUE);
	count(&p->latencies[LATENCY_TRANSLATION], c->record, SPEMU_COUNTER_TRANSLATION);
}

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

static void fill_row(struct cell *c, const struct profile *p, unsigned bucket)
{
	unsigned from = bucket ? 1u << (bucket - 1) : 0, to = bucket ? (1u << bucket) - 1 : 0;
	char text[32];

	snprintf(text, sizeof(text), bucket < 2 ? "%u" : "%u-%u", from, to);
	cell_count(&c[FROM], from);
	cell_count(&c[TO], to);
	cell_text(&c[CYCLES], text);
	for (int k = 0; k < LATENCY_KINDS; k++) {
		const struct histogram *h = &p->latencies[k];

		/* The two columns of each kind are adjacent, in the order of the kinds. */
		cell_ratio(&c[TOTAL_SHARE + 2 * k], h->bucket[bucket], h->samples);
		cell_count(&c[TOTAL + 2 * k], h->bucket[bucket]);
	}
}

static double mean_of(const struct histogram *h)
{
	return h->samples ? (double)h->sum / (double)h->samples : 0;
}

/* Count the samples of each kind. Return the number of buckets to show. */
static unsigned sum_up(struct histogram *h)
{
	unsigned rows = 0;

	for (int k = 0; k < LATENCY_KINDS; k++) {
		h[k].samples = 0;
		for (unsigned b = 0; b < BUCKETS; b++) {
			h[k].samples += h[k].bucket[b];
			if (h[k].bucket[b] && b + 1 > rows)
				rows = b + 1;
		}
	}
	return rows;
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	const struct histogram *total = &p->latencies[LATENCY_TOTAL],
	                       *issue = &p->latencies[LATENCY_ISSUE],
	                       *translation = &p->latencies[LATENCY_TRANSLATION];
	unsigned rows = sum_up(p->latencies);

	(void)view;
	table_init(t, "latency", "Latency", columns, COLUMNS);
	t->note = xasprintf(
	        "mean (maximum) cycles: total %.1f (%llu), issue %.1f (%llu), translation "
	        "%.1f (%llu)",
	        mean_of(total), (unsigned long long)total->max, mean_of(issue),
	        (unsigned long long)issue->max, mean_of(translation),
	        (unsigned long long)translation->max);
	for (unsigned b = 0; b < rows; b++)
		fill_row(table_row(t), p, b);
}

const struct section section_latency = {"latency", .begin = begin, .add = add, .fill = fill};
