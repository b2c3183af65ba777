/* SPDX-License-Identifier: MIT */
/* Section "functions": rows by the keys of the view. */
#define _GNU_SOURCE
#include "section.h"

static void note_latencies(struct table *t, const struct profile *p)
{
	if (p->all.timed)
		t->note = xstrdup("cycles: share of the total latency of all samples; latency: its "
		                  "mean");
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	view_table(t, "functions", "Functions", p, view, NULL);
	note_latencies(t, p);
}

const struct section section_functions = {"functions", .fill = fill};
