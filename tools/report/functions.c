/* SPDX-License-Identifier: MIT */
/* Section "functions": samples by the keys of the view, by default command, object and symbol. */
#define _GNU_SOURCE
#include "section.h"

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	view_table(t, "functions", "Functions", p, view, NULL);
	if (p->all.timed)
		t->note =
		        xstrdup("cycles: share of the total latency of all samples; latency: mean "
		                "per sample");
}

const struct section section_functions = {"functions", .fill = fill};
