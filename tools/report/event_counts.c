/* SPDX-License-Identifier: MIT */
/* Section "events": how many samples have each event. */
#include "section.h"
#include "../base/optext.h"

void section_events(struct table *t, struct profile *p, const struct view *view)
{
	static const struct column columns[] = {
	        {"share", "Share", COLUMN_PERCENT, 0},  {"samples", "Samples", COLUMN_COUNT, 0},
	        {"bit", "Bit", COLUMN_COUNT, 0},        {"event", "Event", COLUMN_TEXT, 0},
	        {"meaning", "Meaning", COLUMN_TEXT, 0},
	};

	(void)view;
	table_init(t, "events", "Events", columns, 5);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct cell *c;
		char name[32];

		if (!p->events[bit])
			continue;
		c = table_row(t);
		cell_share(&c[0], p->events[bit], p->samples);
		cell_count(&c[1], p->events[bit]);
		cell_count(&c[2], bit);
		event_name(name, sizeof(name), bit);
		cell_text(&c[3], name);
		cell_text(&c[4], spemu_event_meaning(bit) ? spemu_event_meaning(bit)
		                                          : "IMPLEMENTATION DEFINED");
	}
}
