/* SPDX-License-Identifier: MIT */
/*
 * Contended cache lines: lines that one thread writes while another one accesses them.
 *
 * Threads that run freely under an emulator rarely meet in a line, so their records seldom show
 * that the data came from another core. The addresses and threads of the samples show the
 * contention all the same. A line is contended if
 *
 *   - at least two threads access it often, and one of them writes it: each has at least six samples
 *     of it, and a thousandth of its samples;
 *   - they access it in the same part of the run: the gap between their accesses is not longer than
 *     the accesses of one of them last. So data that one thread prepares for another one do not
 *     count.
 *
 * Samples whose data came from another core are contention, with their own latencies. If they are
 * fewer than a 20th of the samples of a contended line, the cost of the others is estimated: each
 * write makes every other thread fetch the line once, for CONTENTION_CYCLES. If the threads took
 * turns, nothing is estimated, because the records show all contention.
 */
#ifndef TOOLS_REPORT_CONTENTION_H
#define TOOLS_REPORT_CONTENTION_H

#include "profile.h"

/* Latency of a line from another core's cache on Neoverse N1, the default machine. */
enum { CONTENTION_CYCLES = 70 };

/* Kinds of contention, in the order of their reasons from REASON_FALSE_SHARING on. */
enum contention {
	CONTENTION_FALSE,  /* threads use different parts of the line */
	CONTENTION_ATOMIC, /* at least a tenth of the accesses are atomic operations */
	CONTENTION_DATA,
	CONTENTION_KINDS
};

/* The contention of a bin. */
struct contended {
	uint64_t moved;                    /* cycles of execution that are contention */
	uint64_t cycles[CONTENTION_KINDS]; /* cycles of each kind, with estimates */
};

/* Find the contended lines, and the contention of each bin and touch. */
void contention_find(struct profile *p);

/* Return true if contention_find() found that the line is contended. */
static inline bool is_contended(const struct cache_line *line)
{
	return line->contended;
}

#endif
