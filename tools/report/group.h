/* SPDX-License-Identifier: MIT */
/* Rows of a table: samples that are equal in every key, added up and put in order. */
#ifndef TOOLS_REPORT_GROUP_H
#define TOOLS_REPORT_GROUP_H

#include "field.h"
#include "key.h"
#include "../base/optext.h"

enum {
	KEYS_MAX = 16,
	FIELDS_MAX = 160,
	ORDERS_MAX = 8,
	THREADS_TEXT = 200, /* room for the ids of threads as text */
};

/* The keys, the columns and the order of a table. */
struct view {
	const struct key *keys[KEYS_MAX];
	unsigned key_count;
	struct field fields[FIELDS_MAX];
	unsigned field_count;
	struct field orders[ORDERS_MAX]; /* none: by cycles, then by samples */
	unsigned order_count;
	bool chosen_fields;   /* the fields were chosen by name, and are shown even if empty */
	size_t limit;         /* rows, 0: all */
	double percent_limit; /* rows with a smaller share of all cycles are left out */
};

struct groups {
	struct member *members;
	struct group *group;
	double *orders; /* order_count values for each group */
	unsigned order_count;
	size_t count;
};

/* Return the same view with the keys of these names, for a table whose keys cannot be chosen. */
struct view view_of(const struct view *view, const char *const *keys);
/* Return the same view with this key alone, in the key's or the usual order. */
struct view view_by(const struct view *view, const struct key *key);
/* Return true if the view has a key of this name. */
bool view_has_key(const struct view *view, const char *name);

/*
 * Group the samples that want() takes, or all that have an address if it is NULL. The members are
 * touches if the first key is of data, else bins.
 */
typedef bool want_fn(const struct profile *p, const struct member *m);
void groups_make(struct groups *g, struct profile *p, const struct view *view, bool by_name,
                 want_fn *want);
/* Sort groups without an order by order[] of the cache line of their first touch, the highest
 * first. */
void groups_sort_by_line(struct groups *g, const struct profile *p, const struct view *view,
                         const double *order);
void groups_free(struct groups *g);

struct metrics group_metrics(const struct profile *p, const struct group *group);
/* Return the number of samples of this group of operations. */
uint64_t group_operations(const struct profile *p, const struct group *group, enum op_group op);
/* Return the number of threads. The text names the first of them: "4000,4001,...". */
unsigned group_threads(char text[THREADS_TEXT], const struct profile *p, const struct group *group);

/*
 * Return how many of count rows are shown, of which --percent-limit leaves large. The table gets
 * the number of those that are not.
 */
size_t view_limit(struct table *t, const struct view *view, size_t large, size_t count);
/* Apply both limits to groups. Return how many rows are shown. */
size_t view_rows(struct table *t, const struct view *view, struct groups *g,
                 const struct profile *p);

/* Make the table of the samples that want() takes. Its columns are the fields and then the keys. */
void view_table(struct table *t, const char *key, const char *title, struct profile *p,
                const struct view *view, want_fn *want);

/* Make an empty table. Its columns are the fields and then count own ones. */
void view_table_init(struct table *t, const struct view *view, const char *key, const char *title,
                     const struct column *own, unsigned count);
/* Add the columns of the keys after the first n columns. Return the new number of columns. */
unsigned view_add_key_columns(struct column *columns, unsigned n, const struct view *view);
/* Return how many columns the keys have. */
unsigned view_key_column_count(const struct view *view);
void view_fill_fields(struct cell *c, const struct view *view, const struct metrics *m,
                      const struct profile *p);
void view_fill_keys(struct cell *c, const struct view *view, const struct profile *p,
                    const struct group *group);
/* Hide the fields that are empty in every row, unless they were chosen. */
void view_hide_empty(struct table *t, const struct view *view);

#endif
