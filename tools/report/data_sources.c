/* SPDX-License-Identifier: MIT */
/* Section "sources": the data sources of loads. */
#include "section.h"
#include "../session/data_source.h"

#include <stdlib.h>

enum { SHARE, SAMPLES, LATENCY, SOURCE, NAME, COLUMNS };
static const struct column columns[COLUMNS] = {
        [SHARE] = {"share", "Share", COLUMN_PERCENT},
        [SAMPLES] = {"samples", "Samples", COLUMN_COUNT},
        [LATENCY] = {"latency", "Latency", COLUMN_NUMBER},
        [SOURCE] = {"source", "Source", COLUMN_ADDRESS},
        [NAME] = {"name", "Name", COLUMN_TEXT},
};

/* Add up the bins by source_index(). Return the number of samples that have a data source. */
static uint64_t add_up(struct sums *sums, const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->bin_index.count; i++) {
		const struct facet *f = &p->facets[p->bins[i].facet];

		if (!f->has_source)
			continue;
		sums_add(&sums[source_index(f->source_name, f->source)], &p->bins[i].sums);
		samples += p->bins[i].sums.samples;
	}
	return samples;
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	struct sums *sums = xcalloc(SOURCE_INDEXES, sizeof(*sums));
	uint64_t samples = add_up(sums, p);

	(void)view;
	table_init(t, "sources", "Data sources", columns, COLUMNS);
	for (unsigned i = 0; i < SOURCE_INDEXES; i++) {
		const char *name = source_names[source_index_name(i)].meaning;
		struct cell *c;

		if (!sums[i].samples)
			continue;
		c = table_row(t);
		cell_ratio(&c[SHARE], sums[i].samples, samples);
		cell_count(&c[SAMPLES], sums[i].samples);
		cell_ratio(&c[LATENCY], sums[i].latency, sums[i].timed);
		cell_count(&c[SOURCE], source_index_payload(i));
		if (name)
			cell_text(&c[NAME], name);
	}
	free(sums);
}

const struct section section_sources = {"sources", .fill = fill};
