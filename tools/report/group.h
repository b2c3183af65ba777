/* SPDX-License-Identifier: MIT */
/* Rows: samples that are equal in every key, added up and put in order; and the table of them. */
#ifndef TOOLS_REPORT_GROUP_H
#define TOOLS_REPORT_GROUP_H

#include "field.h"
#include "key.h"
#include "../base/optext.h"

enum {
	KEYS_MAX = 16,
	FIELDS_MAX = 160,
	THREADS_TEXT = 200, /* room for the ids of threads as text */
};

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

struct groups {
	struct member *members;
	struct group *group;
	size_t count;
};

/* Return the same view with the keys of these names: for a table whose keys are not for choice. */
struct view view_of(const struct view *view, const char *const *keys);
/* Return the same view with this key alone, in the usual order. */
struct view view_by(const struct view *view, const struct key *key);
/* Return true if a key of this name is among them. */
bool view_has_key(const struct view *view, const char *name);

/*
 * Group the samples; want NULL: all that have an address. With a key of data the members are touches, else bins. by_name:
 * what has one name in two recordings is equal.
 */
typedef bool want_fn(const struct member *m);
void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 want_fn *want);
/* Put them in order again, after their members order were set. */
void groups_sort(struct groups *g, const struct view *view);
void groups_free(struct groups *g);

struct metrics group_metrics(const struct group *group);
/* Return how many samples are of such operations. */
uint64_t group_operations(const struct group *group, enum op_group op);
/* Return the number of threads. The text names the first of them: "4000,4001,...". */
unsigned group_threads(char text[THREADS_TEXT], const struct group *group);

/* Leave out what the limits say, and return how many rows are shown. The table says how many are not. */
size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p);

/* Make the table of the samples that want() takes; its columns are those of the fields and the keys. */
void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view, want_fn *want);

/* Make an empty table, whose columns are those of the fields, and count of its own after them. */
void view_table_init(struct table *t, const struct view *view, const char *key, const char *title,
                     const struct column *own, unsigned count);
/* Add the columns of the keys after the first n columns. Return how many there are then. */
unsigned view_add_key_columns(struct column *columns, unsigned n, const struct view *view);
/* Return how many columns the keys have. */
unsigned view_key_column_count(const struct view *view);
void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p);
void view_fill_keys(struct cell *c, const struct view *view, const struct group *group);
/* Hide columns of fields in which no row has anything, unless they were chosen. */
void view_hide_empty(struct table *t, const struct view *view);

#endif
