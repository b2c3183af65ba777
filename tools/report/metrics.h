/* SPDX-License-Identifier: MIT */
/* The sums of all bins of a row. */
#ifndef TOOLS_REPORT_METRICS_H
#define TOOLS_REPORT_METRICS_H

#include "profile.h"
#include "reason.h"

/* The samples that can have an event. Its rate is a share of them. */
enum event_base {
	BASE_SAMPLES,
	BASE_MEMORY, /* loads, stores, atomic operations */
	BASE_BRANCHES,
	BASES,
};

/* All zero is empty. */
struct metrics {
	struct sums sums;
	uint64_t base[BASES]; /* samples of each */
	uint64_t events[64];  /* samples that have the event */
	uint64_t of_base[64]; /* those of them whose operation is of the event's base */
	uint64_t reasons[REASON_MAX];
	uint64_t sourced;  /* samples that have a data source */
	uint64_t *sources; /* samples by source_group() */
	unsigned source_count;
};

void metrics_add(struct metrics *m, const struct profile *p, const struct bin *bin);
void metrics_free(struct metrics *m);

/* Compute the rate of an event. Return false if no sample can have it. */
bool metrics_rate(double *rate, const struct metrics *m, unsigned bit);
/* Return the source_group() of the commonest data source, or -1. */
int metrics_commonest_source(const struct metrics *m);
/* Return the commonest data source in words, or as a number in text; NULL: none. */
const char *metrics_source(char *text, size_t size, const struct metrics *m);
/* Return the reason of most cycles, or NULL. *share, unless NULL, gets its part of them. */
const char *metrics_reason(double *share, const struct metrics *m);

#endif
