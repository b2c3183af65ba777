/* SPDX-License-Identifier: MIT */
/* Sums of the samples of each call stack (struct call in samples.h). The total of a function is the
 * sum of its stacks. For the reasons of a stack, there are also sums by stack and bin. */
#ifndef TOOLS_REPORT_CALLS_H
#define TOOLS_REPORT_CALLS_H

#include "profile.h"

struct call_sums {
	uint64_t samples, latency;
};

struct calls {
	struct call_sums *self; /* sums of each stack, by its index */
	size_t count, capacity;
};

/* The samples of one call stack in one bin. */
struct call_bin {
	uint32_t stack, bin;
	struct sums sums;
};

struct call_bins {
	struct map index;
	struct call_bin *items; /* array of index.count items */
	size_t capacity;
};

static inline void call_sums_add(struct call_sums *to, const struct call_sums *from)
{
	to->samples += from->samples;
	to->latency += from->latency;
}

/* Return the cycles, or the samples if the recordings have no latencies, as other tables do. */
static inline uint64_t call_weight(const struct profile *p, const struct call_sums *sums)
{
	return p->all.latency ? sums->latency : sums->samples;
}

static inline struct call_sums call_self(const struct calls *calls, size_t stack)
{
	return stack < calls->count ? calls->self[stack] : (struct call_sums){0, 0};
}

/* Implement begin and add (section.h) of the sections about calls. */
void calls_begin(struct profile *p);
void calls_add(struct profile *p, const struct counted *c);
/* A section without a table, for the reasons in the flame graph of the HTML page. */
extern const struct section section_call_bins;

#endif
