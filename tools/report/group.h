/* SPDX-License-Identifier: MIT */
/* Rows: bins that are equal in every key, added up and put in order; and the table of them. */
#ifndef TOOLS_REPORT_GROUP_H
#define TOOLS_REPORT_GROUP_H

#include "field.h"
#include "key.h"

enum { KEYS_MAX = 16, FIELDS_MAX = 160, ORDERS_MAX = 8 };

/* What a table is grouped by, what it shows and how it is ordered. */
struct view {
	const struct key *keys[KEYS_MAX];
	unsigned key_count;
	struct field fields[FIELDS_MAX];
	unsigned field_count;
	struct field orders[ORDERS_MAX]; /* none: by cycles, then by samples */
	unsigned order_count;
	bool chosen_fields;   /* by name: shown even if nothing is in them */
	size_t limit;         /* rows, 0: all */
	double percent_limit; /* rows with a smaller share of what leads are not shown; 0: all are */
};

struct group {
	const struct member *members;
	size_t count;
	uint64_t samples, latency;
	double order[ORDERS_MAX];
};

struct groups {
	struct member *members;
	struct group *group;
	size_t count;
};

/* The same view with these keys alone: of a table whose keys are not for choice. */
struct view view_of(const struct view *view, const char *const *keys);
/* Whether a key is among them. */
bool view_has_key(const struct view *view, const char *name);

/* want NULL: all. Samples without an address have no row. */
void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 bool (*want)(const struct member *m));
void groups_free(struct groups *g);
struct metrics group_metrics(const struct profile *p, const struct group *group);

/* How many of them are shown: those that the limits leave; the table says how many are not. */
size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p);

/* The table of groups, whose columns are those of the fields and the keys. */
void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view);

/* An empty table whose columns are those of the fields, and count of its own after them. */
void view_table_init(struct table *t, const struct view *view, const char *key, const char *title,
                     const struct column *own, unsigned count);
void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p);
/* Columns of fields in which no row has anything are not shown, unless they were chosen. */
void view_hide_empty(struct table *t, const struct view *view);

#endif
