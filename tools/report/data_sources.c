/* SPDX-License-Identifier: MIT */
/* Section "sources": where data came from. */
#include "section.h"
#include "../session/data_source.h"

void section_sources(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},    {"samples", "Samples", COLUMN_COUNT, 0},
	        {"latency", "Latency", COLUMN_NUMBER, 0}, {"source", "Source", COLUMN_ADDRESS, 0},
	        {"name", "Name", COLUMN_TEXT, 0},
	};
	uint64_t whole = 0;

	(void)view;
	table_init(t, "sources", "Data sources", columns, 5);
	for (unsigned i = 0; i < SOURCE_INDEXES; i++)
		whole += p->sources[i].samples;
	for (unsigned i = 0; i < SOURCE_INDEXES; i++) {
		const struct source_count *s = &p->sources[i];
		const char *name = source_names[source_index_name(i)].meaning;
		struct cell *c;

		if (!s->samples)
			continue;
		c = table_row(t);
		cell_share(&c[0], s->samples, whole);
		cell_count(&c[1], s->samples);
		if (s->latency_samples)
			cell_number(&c[2], (double)s->latency / (double)s->latency_samples);
		cell_count(&c[3], source_index_payload(i));
		if (name)
			cell_text(&c[4], name);
	}
}
