/* SPDX-License-Identifier: MIT */
/* Metrics: the sums of all bins of a row, from which fields are computed. */
#ifndef TOOLS_REPORT_METRICS_H
#define TOOLS_REPORT_METRICS_H

#include "profile.h"
#include "cost.h"

/* The samples that can have an event. The rate of the event is its share of these samples. */
enum event_base {
	BASE_SAMPLES,
	BASE_MEMORY, /* loads, stores, atomic operations */
	BASE_BRANCHES,
	BASES,
};

/* The sums of a row. All zero is empty. */
struct metrics {
	struct sums sums;
	uint64_t base[BASES]; /* samples of each base */
	uint64_t events[64];  /* samples with each event */
	uint64_t of_base[64]; /* samples with each event that belong to the event's base */
	struct cost cost;     /* cycles of each reason */
	uint64_t sourced;     /* samples with a data source */
	uint64_t *sources;    /* samples by source_group() */
	unsigned source_count;
};

void metrics_add(struct metrics *m, const struct profile *p, const struct bin *bin);
void metrics_free(struct metrics *m);

/* Compute the rate of an event. Return false if no sample can have it. */
bool metrics_rate(double *rate, const struct metrics *m, unsigned bit);
/* Return the source_group() of the commonest data source, or -1. */
int metrics_commonest_source(const struct metrics *m);
/* Return the word of the commonest data source, or its payload as a number in text. Return NULL if
 * no sample has a data source. */
const char *metrics_source(char *text, size_t size, const struct metrics *m);
/* Return the reason with the most cycles, or NULL. Set *share, unless NULL, to its share of the
 * cycles. */
const char *metrics_reason(double *share, const struct metrics *m);

#endif
