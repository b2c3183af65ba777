/* SPDX-License-Identifier: MIT */
/* Groups: samples that are equal in every key, added up and sorted. Each group is a row. */
#ifndef TOOLS_REPORT_GROUP_H
#define TOOLS_REPORT_GROUP_H

#include "field.h"
#include "key.h"
#include "../base/optext.h"

enum {
	KEYS_MAX = 20,
	FIELDS_MAX = 160,
	ORDERS_MAX = 8,
	THREADS_TEXT = 200, /* size of a text with the ids of threads */
};

/* The keys, the columns and the order of a table. */
struct view {
	const struct key *keys[KEYS_MAX];
	unsigned key_count;
	struct field fields[FIELDS_MAX];
	unsigned field_count;
	struct field orders[ORDERS_MAX]; /* order of the rows; if empty, by cycles, then samples */
	unsigned order_count;
	bool chosen_fields;   /* true if -F chose the fields, which are shown even if empty */
	size_t limit;         /* most rows to show, or 0 for all */
	bool limited;         /* true if the limit was asked for */
	double percent_limit; /* least share of all cycles of a row */
};

struct groups {
	struct member *members;
	struct group *group;
	double *orders; /* order_count values for each group */
	unsigned order_count;
	size_t count;
};

/* Return a copy of the view with the keys of these names, for a table with fixed keys. */
struct view view_of(const struct view *view, const char *const *keys);
/* Return a copy of the view with this key alone, in the order of the key or the default order. */
struct view view_by(const struct view *view, const struct key *key);
/* Return true if the view has a key of this name. */
bool view_has_key(const struct view *view, const char *name);
/* Return true if a key of the view is about data. */
bool view_is_of_data(const struct view *view);

/*
 * Group the samples that want() accepts. If want is NULL, group all samples that have an address.
 * The members are touches if a key is about data, else bins.
 */
typedef bool want_fn(const struct profile *p, const struct member *m);
void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 want_fn *want);
/* Sort groups by order[], the highest first. Its index is the cache line of a group's first
 * touch. */
void groups_sort_by_line(struct groups *g, const struct profile *p, const struct view *view,
                         const double *order);
void groups_free(struct groups *g);

struct metrics group_metrics(const struct profile *p, const struct group *group);
/* Return the number of samples whose operation is in this group of operations. */
uint64_t group_operations(const struct profile *p, const struct group *group, enum op_group op);
/* Return the number of threads. Write the ids of the first ones to text: "4000,4001,...". */
unsigned group_threads(char text[THREADS_TEXT], const struct profile *p, const struct group *group);

/*
 * Apply --limit. count is the number of all rows, large the number that --percent-limit keeps.
 * Return the number of rows to show, and set the number of omitted rows in the table.
 */
size_t view_limit(struct table *t, const struct view *view, size_t large, size_t count);
/* Apply both limits to the groups. Return the number of rows to show. */
size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p);

/* Make a table of the samples that want() accepts. Its columns are the fields, then the keys. */
void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view, want_fn *want);

/* Make an empty table. Its first columns are the fields. The columns own[0] to own[count - 1]
 * follow. */
void view_table_init(struct table *t, const struct view *view, const char *key, const char *title,
                     const struct column *own, unsigned count);
/* Add the columns of the keys after the first n columns. Return the new number of columns. */
unsigned view_add_key_columns(struct column *columns, unsigned n, const struct view *view);
/* Return the number of columns of the keys. */
unsigned view_key_column_count(const struct view *view);
void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p);
void view_fill_keys(struct cell *c, const struct view *view, const struct profile *p,
                    const struct group *group);
/* Hide the fields that are empty in every row, unless they were chosen. */
void view_hide_empty(struct table *t, const struct view *view);

#endif
