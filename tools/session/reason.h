/* SPDX-License-Identifier: MIT */
/*
 * Reasons of cycles: a table of rules gives the execution of an operation one reason, from its
 * record alone. tools/report/cost.h divides the cycles of many records among the reasons.
 */
#ifndef TOOLS_REASON_H
#define TOOLS_REASON_H

#include <spemu/codec.h>

#include "data_source.h"
#include "../base/optext.h"

enum reason {
	REASON_FALSE_SHARING,
	REASON_CONTENDED_ATOMICS,
	REASON_DATA_SHARING,
	REASON_REMOTE,
	REASON_LATE,
	REASON_DRAM,
	REASON_LLC,
	REASON_L2_MISSES,
	REASON_L2,
	REASON_L1_MISSES,
	REASON_ATOMICS,
	REASON_L1,
	REASON_LOADS,
	REASON_STORE_MISSES,
	REASON_STORE_WAIT,
	REASON_STORES,
	REASON_MISPREDICTED,
	REASON_BRANCHES,
	REASON_EXECUTION,
	REASON_ISSUE,
	REASON_TLB_WALKS,
	REASON_TLB_REFILLS,
	REASONS
};

/* The parts of a core or system that reasons belong to: the rows of the summary. */
enum area {
	AREA_CONTENTION,
	AREA_REMOTE,
	AREA_DRAM,
	AREA_LLC,
	AREA_L2,
	AREA_IN_FLIGHT,
	AREA_TLB,
	AREA_STORE,
	AREA_BRANCH,
	AREA_L1,
	AREA_EXECUTION,
	AREA_ISSUE,
	AREAS
};

struct reason_text {
	const char *word;
	enum area area;
	bool avoidable;      /* false for the cost of executing operations */
	const char *meaning; /* what happens, a sentence without a full stop */
	const char *advice;  /* what to try, in the imperative */
};

/* Texts by enum reason, and words by enum area. docs/howto/remedies.md has a section for each
 * reason that is avoidable. */
extern const struct reason_text reason_texts[REASONS];
extern const char *const area_words[AREAS];

/* Estimated cost of a mispredicted branch to the operations that follow it. No counter of a record
 * has this cost. */
enum { MISPREDICTION_CYCLES = 12 };

/* Return true if the data came from the cache of another core or cluster. */
bool is_snooped(uint64_t events, enum source_name source);

/* Return the reason of the execution of an operation with these events and this data source. */
enum reason reason_of(enum op_group op, uint64_t events, enum source_name source);

/* Return the reason of most cycles of a record, without waiting to issue, or REASONS if the record
 * has no operation type, no events or no total latency. */
enum reason reason_of_record(const struct spemu_record *rec, enum source_name source);

/* Return the reasons with this word, or in the area with this word, as bits of enum reason. Case
 * does not matter, and a hyphen may stand for a blank. */
unsigned reasons_named(const char *name);

#endif
