/* SPDX-License-Identifier: MIT */
/* Section "events": the number of samples with each event. */
#include "section.h"

enum { SHARE, SAMPLES, BIT, EVENT, MEANING, COLUMNS };
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT},
        [BIT] = {"bit", "Bit", COLUMN_COUNT},
        [EVENT] = {"event", "Event", COLUMN_TEXT},
        [MEANING] = {"meaning", "Meaning", COLUMN_TEXT},
};

static void count_samples(uint64_t samples[64], const struct profile *p)
{
	for (size_t i = 0; i < p->bin_index.count; i++) {
		uint64_t events = p->facets[p->bins[i].facet].events;

		for (; events; events &= events - 1)
			samples[__builtin_ctzll(events)] += p->bins[i].sums.samples;
	}
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	uint64_t samples[64] = {0};

	(void)view;
	count_samples(samples, p);
	table_init(t, "events", "Events", columns, COLUMNS);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct cell *c;
		char name[32];

		if (!samples[bit])
			continue;
		c = table_row(t);
		cell_ratio(&c[SHARE], samples[bit], p->all.samples);
		cell_count(&c[SAMPLES], samples[bit]);
		cell_count(&c[BIT], bit);
		cell_text(&c[EVENT], event_name(name, sizeof(name), bit));
		cell_text(&c[MEANING], spemu_event_meaning(bit) ? spemu_event_meaning(bit)
		                                                : "IMPLEMENTATION DEFINED");
	}
}

const struct section section_events = {"events", .fill = fill};
