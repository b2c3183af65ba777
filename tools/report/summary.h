/* SPDX-License-Identifier: MIT */
/*
 * The summary of a report: the largest causes. A cause is a source line of a function, or the whole
 * function without line information. It has the reason (reason.h) of most of its cycles. Cycles of
 * waiting for other operations are left out, because they count in the causes of those operations.
 */
#ifndef TOOLS_REPORT_SUMMARY_H
#define TOOLS_REPORT_SUMMARY_H

#include <json-c/json_object.h>

#include "group.h"
#include "../base/common.h"

enum { CAUSES = 3 };

struct cause {
	const struct place *place;
	struct metrics metrics; /* sums of the cause, without data sources */
	uint64_t size, whole;   /* cycles, or samples if the recordings have no latencies */
	uint64_t wait;          /* cycles of waiting for other operations, not included in size */
	const struct cache_line
	        *line; /* cache line that came from another core most often, or NULL */
};

struct summary {
	struct cause causes[CAUSES];
	unsigned count;
	bool has_latencies;
};

void summary_find(struct summary *a, struct profile *p);
void summary_print(const struct summary *a, struct profile *p, struct out *o);
struct json_object *summary_json(const struct summary *a, struct profile *p);

#endif
