/* SPDX-License-Identifier: MIT */
/* The numbers of a row, in perf's words where perf has them: each is a column, and an order of
 * rows. */
#ifndef TOOLS_REPORT_FIELD_H
#define TOOLS_REPORT_FIELD_H

#include "metrics.h"
#include "../base/table.h"

enum field_kind {
	FIELD_CYCLES,
	FIELD_OVERHEAD,
	FIELD_SAMPLE,
	FIELD_PERIOD,
	FIELD_WEIGHT,
	FIELD_LATENCY,
	FIELD_ISSUE,
	FIELD_EXECUTION,
	FIELD_TRANSLATION,
	FIELD_REASON,
	FIELD_REASON_SHARE,
	FIELD_SOURCE,
	FIELD_EVENT,       /* the rate of an event */
	FIELD_EVENT_COUNT, /* the samples that have it */
};

struct field {
	enum field_kind kind;
	unsigned event;
	bool json_only; /* only in JSON, if nobody chose it */
	bool heading_is_name;
	char name[40], key[40];
	struct column column; /* its key and, if heading_is_name, its heading are those above */
};

/* The number of the usual columns, and one of them. */
unsigned field_default_count(void);
void field_default(struct field *f, unsigned index);

/* Return false if there is no such field. WORD names the rate of an event, and "WORD-count" its
 * samples. */
bool field_find(struct field *f, const char *name);
/* The names of the fields that are not events; NULL-terminated. */
extern const char *const field_names[];

void field_fill(struct cell *c, const struct field *f, const struct metrics *m,
                const struct profile *p);
/* Return the value that rows are ordered by, the largest first. An unknown value is -1. */
double field_order(const struct field *f, const struct metrics *m, const struct profile *p);

#endif
