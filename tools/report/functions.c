/* SPDX-License-Identifier: MIT */
/* Section "functions": samples by the keys of the view, by default command, object and symbol. */
#define _GNU_SOURCE
#include "cost.h"
#include "section.h"

enum { ESTIMATED_MIN = 2 }; /* percentage of estimated cycles that a reader should know of */

/* Return a note about the fields. The summary counts more cycles than the records have. */
static char *note_of(const struct profile *p)
{
	struct cost cost = cost_of_all(p);
	uint64_t cycles = cost_sum(&cost), recorded = p->all.latency;
	uint64_t percent = cycles > recorded ? 100 * (cycles - recorded) / cycles : 0;

	if (percent < ESTIMATED_MIN)
		return xstrdup("cycles: share of the total latency of all samples; latency: mean "
		               "per sample");
	return xasprintf("cycles: share of the total latency of all samples, without the summary's "
	                 "estimates for mispredictions and contention (%" PRIu64
	                 "%% of its cycles); latency: mean per sample",
	                 percent);
}

static void fill(struct table *t, struct profile *p, const struct view *view)
{
	view_table(t, "functions", "Functions", p, view, NULL);
	if (view_is_of_data(view))
		t->note = xstrdup("only loads and stores with a data address; ?: the evidence for "
		                  "the type is weak");
	else if (p->all.timed)
		t->note = note_of(p);
}

const struct section section_functions = {"functions", .fill = fill};
