/* SPDX-License-Identifier: MIT */
/*
 * The cost of samples: their cycles by reason (session/reason.h). A total latency has three parts:
 *
 *   issue        cycles beyond the shortest issue latency of the recordings are "issue wait"; every
 *                operation pays the shortest one, which counts as execution
 *   translation  "TLB walks" with the TLB walk event, else "TLB refills"
 *   execution    the reason of the operation, its events and its data source; "store buffer" for
 *                cycles of a store beyond the shortest store of the recordings
 *
 * A mispredicted branch costs MISPREDICTION_CYCLES more. On contended lines (contention.h), the
 * execution of memory accesses counts as contention.
 */
#ifndef TOOLS_REPORT_COST_H
#define TOOLS_REPORT_COST_H

#include "profile.h"
#include "../session/reason.h"

/* Cycles by enum reason. */
struct cost {
	uint64_t cycles[REASONS];
};

/* Add the cycles of the samples of a bin, also of a bin in a touch. Bins without a total latency,
 * without events or without an operation type have none. */
void cost_add(struct cost *cost, const struct profile *p, const struct bin *bin);
/* Return the cost of all samples. */
struct cost cost_of_all(const struct profile *p);

/* Return the reason with the most cycles, or REASONS if there are none. */
enum reason cost_most(const struct cost *cost);
uint64_t cost_sum(const struct cost *cost);
uint64_t cost_of_area(const struct cost *cost, enum area area);
/* Return the cost without the reasons of other areas. */
struct cost cost_in_area(const struct cost *cost, enum area area);
/* Return the area with the most cycles. */
enum area cost_main_area(const struct cost *cost);
/* Return the cycles whose reason is avoidable. */
uint64_t cost_avoidable(const struct cost *cost);
/*
 * Set the cycles of waiting for issue to 0, and return them. An operation that waits for another
 * one waits for cycles that already count there, with their own reason.
 */
uint64_t cost_take_wait(struct cost *cost);

#endif
