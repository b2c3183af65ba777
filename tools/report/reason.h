/* SPDX-License-Identifier: MIT */
/*
 * Reasons of cycles. A table of rules gives each cycle of a latency one reason, from the record
 * alone. Records without a total latency, without events or without an operation type have no
 * reason.
 */
#ifndef TOOLS_REPORT_REASON_H
#define TOOLS_REPORT_REASON_H

#include "profile.h"

enum { REASON_MAX = 20 };

/* Estimated cost of a mispredicted branch to the operations that follow it. No counter of a record
 * has this cost. */
enum { MISPREDICTION_CYCLES = 12 };

struct reason {
	const char *word;
	const char *meaning; /* meaning of the reason, and advice */
};

unsigned reason_count(void);
const struct reason *reason_at(unsigned index);

/* Add the cycles of the samples of a facet to their reasons. */
void reason_add(uint64_t cycles[REASON_MAX], const struct profile *p, const struct facet *f,
                const struct sums *sums);
/* Return the reason with the most cycles, or REASON_MAX if none has any. */
unsigned reason_most(const uint64_t cycles[REASON_MAX]);
uint64_t reason_sum(const uint64_t cycles[REASON_MAX]);
/*
 * Set the cycles of waiting for issue to 0, and return them. An operation that waits for another
 * one waits for cycles that already count there, with their own reason.
 */
uint64_t reason_take_wait(uint64_t cycles[REASON_MAX]);

#endif
