/* SPDX-License-Identifier: MIT */
/*
 * Why cycles were spent, in a word: each cycle of a latency has one reason, by a table of rules over what the
 * record says. Without a latency, or without events, nothing is said.
 */
#ifndef TOOLS_REPORT_REASON_H
#define TOOLS_REPORT_REASON_H

#include "profile.h"

enum { REASON_MAX = 20 };

/* What a mispredicted branch costs those after it, by estimate: no counter of a record has it. */
enum { MISPREDICTION_CYCLES = 12 };

struct reason {
	const char *word;
	const char *meaning; /* a sentence's end: "its data are in no cache" */
};

unsigned reason_count(void);
const struct reason *reason_at(unsigned index);

/* Adds the cycles of samples of a facet to those of their reasons. */
void reason_add(uint64_t cycles[REASON_MAX], const struct profile *p, const struct facet *f,
                const struct sums *sums);
/* The one with the most cycles, or REASON_MAX if none has any. */
unsigned reason_most(const uint64_t cycles[REASON_MAX]);
uint64_t reason_sum(const uint64_t cycles[REASON_MAX]);
/*
 * Leaves what has a cause: the wait for issue is taken out and returned. Who waits for another operation waits for cycles that
 * count there, with their reason; with both, one miss is as many times as dear as operations wait for it.
 */
uint64_t reason_take_wait(uint64_t cycles[REASON_MAX]);
/* The reason of the execution cycles of samples of a facet. */
unsigned reason_of_execution(const struct profile *p, const struct facet *f);

#endif
