/* SPDX-License-Identifier: MIT */
/*
 * Section "events": the number of samples with each event. If the recording has totals of the
 * timing model, the section also compares them with the samples' estimates.
 */
#include "section.h"

#include <string.h>

enum { SHARE, SAMPLES, EXACT, ERROR, BIT, EVENT, MEANING, COLUMNS };
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT},
        [EXACT] = {"exact", "Exact", COLUMN_COUNT},
        [ERROR] = {"error", "Error", COLUMN_PERCENT},
        [BIT] = {"bit", "Bit", COLUMN_COUNT},
        [EVENT] = {"event", "Event", COLUMN_TEXT},
        [MEANING] = {"meaning", "Meaning", COLUMN_TEXT},
};

/* The samples with each event, and the operations that they represent. */
struct counts {
	uint64_t samples[64], operations[64];
};

static void count(struct counts *counts, const struct profile *p)
{
	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct sums *sums = &p->bins[i].sums;
		uint64_t events = p->facets[p->bins[i].facet].events;

		for (; events; events &= events - 1) {
			counts->samples[__builtin_ctzll(events)] += sums->samples;
			counts->operations[__builtin_ctzll(events)] += sums->operations;
		}
	}
}

/* Add the totals of all recordings. Return false if one has none. */
static bool add_totals(uint64_t totals[SPEMU_PERF_TOTALS], const struct profile *p)
{
	for (unsigned i = 0; i < p->samples.recording_count; i++) {
		const uint64_t *of = sample_totals(&p->samples.recordings[i]);

		if (!of)
			return false;
		for (unsigned k = 0; k < SPEMU_PERF_TOTALS; k++)
			totals[k] += of[k];
	}
	return true;
}

/* Set *exact to the timing model's number for an event. Return false if it has none. */
static bool exact_number(uint64_t *exact, const uint64_t t[SPEMU_PERF_TOTALS], unsigned bit)
{
	switch (bit) {
	case SPEMU_EV_L1D_REFILL:
		*exact = t[SPEMU_PERF_TOTAL_REFILLS] + t[SPEMU_PERF_TOTAL_REFILLS_STORES];
		return true;
	case SPEMU_EV_L2D_MISS: /* loads only */
		*exact = t[SPEMU_PERF_TOTAL_L2_MISSES];
		return true;
	case SPEMU_EV_LLC_MISS:
		*exact = t[SPEMU_PERF_TOTAL_LLC_MISSES] + t[SPEMU_PERF_TOTAL_LLC_MISSES_STORES];
		return true;
	case SPEMU_EV_DATA_SNOOPED: /* loads only */
		*exact = t[SPEMU_PERF_TOTAL_SNOOPED];
		return true;
	case SPEMU_EV_TLB_WALK:
		*exact = t[SPEMU_PERF_TOTAL_WALKS];
		return true;
	case SPEMU_EV_MISPREDICTED:
		*exact = t[SPEMU_PERF_TOTAL_MISPREDICTED];
		return true;
	default:
		return false;
	}
}

/* Start the table; totals is NULL if there are none. */
static void init(struct table *t, const uint64_t *totals)
{
	struct column *own = xcalloc(COLUMNS, sizeof(*own));

	memcpy(own, columns, sizeof(columns));
	if (!totals)
		own[EXACT].heading = own[ERROR].heading = NULL;
	table_init(t, "events", "Events", own, COLUMNS);
	t->owned_columns = own;
	if (totals)
		t->note = xasprintf(
		        "exact: number in the timing model, sampled or not; error: of the "
		        "samples' estimate; loads, stores and dispatch took %llu cycles "
		        "in the model",
		        (unsigned long long)totals[SPEMU_PERF_TOTAL_CYCLES]);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct counts counts = {{0}, {0}};
	uint64_t totals[SPEMU_PERF_TOTALS] = {0}, exact;
	bool has_totals = add_totals(totals, p);

	(void)view;
	count(&counts, p);
	init(t, has_totals ? totals : NULL);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct cell *c;
		char name[32];

		if (!counts.samples[bit])
			continue;
		c = table_row(t);
		cell_ratio(&c[SHARE], counts.samples[bit], p->all.samples);
		cell_count(&c[SAMPLES], counts.samples[bit]);
		if (has_totals && exact_number(&exact, totals, bit)) {
			cell_count(&c[EXACT], exact);
			if (exact)
				cell_number(&c[ERROR],
				            (double)counts.operations[bit] / (double)exact - 1);
		}
		cell_count(&c[BIT], bit);
		cell_text(&c[EVENT], event_name(name, sizeof(name), bit));
		cell_text(&c[MEANING], spemu_event_meaning(bit) ? spemu_event_meaning(bit)
		                                                : "IMPLEMENTATION DEFINED");
	}
}

const struct section section_events = {"events", .fill = fill};
