/* SPDX-License-Identifier: MIT */
/* Fields: the numbers of a row. Each can be a column and can order the rows. They have perf's names
 * if perf has such a field. */
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
	FIELD_EVENT,       /* rate of an event */
	FIELD_EVENT_COUNT, /* number of samples with an event */
};

struct field {
	enum field_kind kind;
	unsigned event;
	bool json_only; /* true for a default field that only JSON has */
	bool heading_is_name;
	char name[40], key[40];
	struct column column; /* without its key, and without its heading if heading_is_name */
};

/* Return the number of default columns, or set *f to one of them. */
unsigned field_default_count(void);
void field_default(struct field *f, unsigned index);

/* Find a field by its name. The name of an event is its rate, with "-count" the number of its
 * samples. Return false if the name is unknown. */
bool field_find(struct field *f, const char *name);
/* Names of the fields that are not events, ending with NULL. */
extern const char *const field_names[];

void field_fill(struct cell *c, const struct field *f, const struct metrics *m,
                const struct profile *p);
/* Return the sort value of a row; larger values come first. An unknown value is -1. */
double field_order(const struct field *f, const struct metrics *m, const struct profile *p);

#endif
