/* SPDX-License-Identifier: MIT */
/* Sums of samples. */
#ifndef TOOLS_REPORT_SUMS_H
#define TOOLS_REPORT_SUMS_H

#include "../session/samples.h"

/*
 * Sums of samples. Only records with a total latency have cycles. Their issue and translation
 * cycles are those of the counters; the rest of the total are execution cycles.
 */
struct sums {
	uint64_t samples;
	uint64_t operations; /* number of operations that the samples represent */
	uint64_t timed;      /* samples with a total latency */
	uint64_t latency, latency_squares;
	uint64_t issue, translation, execution;
	uint64_t issue_known; /* timed samples with an issue latency */
};

/* The parts of a record's total latency. They are 0 if it has none. */
struct latency_parts {
	uint64_t issue, translation, execution;
};

static inline struct latency_parts latency_parts(const struct spemu_record *rec)
{
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	uint64_t issue = rec->counter[SPEMU_COUNTER_ISSUE];
	uint64_t translation = rec->counter[SPEMU_COUNTER_TRANSLATION];

	issue = issue < total ? issue : total;
	translation = translation < total - issue ? translation : total - issue;
	return (struct latency_parts){issue, translation, total - issue - translation};
}

/* Add a record. The function is inline because it runs for every record. */
static inline void sums_add_record(struct sums *to, const struct spemu_record *rec, uint64_t period)
{
	const struct latency_parts parts = latency_parts(rec);
	uint64_t total = rec->counter[SPEMU_COUNTER_TOTAL];
	bool timed = record_has_counter(rec, SPEMU_COUNTER_TOTAL);

	to->samples++;
	to->operations += period;
	to->timed += timed;
	to->latency += total;
	to->latency_squares += total * total;
	to->issue += parts.issue;
	to->translation += parts.translation;
	to->execution += parts.execution;
	to->issue_known += timed & record_has_counter(rec, SPEMU_COUNTER_ISSUE);
}

void sums_add(struct sums *to, const struct sums *add);

#endif
