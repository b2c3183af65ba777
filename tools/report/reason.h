/* SPDX-License-Identifier: MIT */
/*
 * The reasons of cycles. Each cycle of a latency has one reason, by a table of rules over the
 * record. Records without a latency, or without events, have no reason.
 */
#ifndef TOOLS_REPORT_REASON_H
#define TOOLS_REPORT_REASON_H

#include "profile.h"

enum { REASON_MAX = 20 };

/* The estimated cost of a mispredicted branch to the operations after it, which no counter of a
 * record has. */
enum { MISPREDICTION_CYCLES = 12 };

struct reason {
	const char *word;
	const char *meaning; /* a sentence's end: "its data are in no cache" */
};

unsigned reason_count(void);
const struct reason *reason_at(unsigned index);

/* Add the cycles of samples of a facet to those of their reasons. */
void reason_add(uint64_t cycles[REASON_MAX], const struct profile *p, const struct facet *f,
                const struct sums *sums);
/* Return the reason with the most cycles, or REASON_MAX if none has any. */
unsigned reason_most(const uint64_t cycles[REASON_MAX]);
uint64_t reason_sum(const uint64_t cycles[REASON_MAX]);
/*
 * Take out the cycles of waiting for issue, and return them. An operation that waits for another
 * waits for cycles that count there already, with their reason.
 */
uint64_t reason_take_wait(uint64_t cycles[REASON_MAX]);

#endif
