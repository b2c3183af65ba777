/* SPDX-License-Identifier: MIT */
/* Rows of data: touches that are equal by some rule, added up. */
#ifndef TOOLS_REPORT_TOUCH_H
#define TOOLS_REPORT_TOUCH_H

#include "group.h"

enum { THREADS_TEXT = 200 }; /* room for the ids of threads as text */

struct touch_group {
	struct touch *const *touches;
	size_t count;
	uint64_t latency, samples;
	uint64_t
	        order; /* the highest first, then by latency and samples; 0 unless the caller sets it */
};

struct touch_groups {
	struct touch **touches;
	struct touch_group *group;
	size_t count;
};

/* Equal is 0: in a row together. */
typedef int touch_compare_fn(const struct touch *a, const struct touch *b, const struct profile *p);
void touch_groups_make(struct touch_groups *g, struct profile *p, touch_compare_fn *compare);
/* In their order; equal ones by the rule that they were made with. */
void touch_groups_sort(struct touch_groups *g, const struct profile *p, touch_compare_fn *compare);
void touch_groups_free(struct touch_groups *g);

/* How many rows the limits of the view leave of them; the table says how many they do not. */
size_t touch_rows(struct table *t, const struct profile *p, const struct view *view,
                  struct touch_groups *g);

/*
 * A row for each group that the limits leave: the fields of the view, and of the columns after them fill
 * what the table has of its own.
 */
typedef void touch_fill_fn(struct cell *own, struct profile *p, const struct touch_group *group);
void touch_fill_rows(struct table *t, struct profile *p, const struct view *view,
                     struct touch_groups *g, touch_fill_fn *fill);

static inline uint64_t touch_address(const struct touch *t, const struct profile *p)
{
	return p->lines[t->line].addr + t->offset;
}

struct metrics touch_group_metrics(const struct profile *p, const struct touch_group *group);
/* How many touches were of such operations: enum op_group. */
uint64_t touch_group_operations(const struct profile *p, const struct touch_group *group,
                                unsigned op);
/* The number of threads; the first of them as text, "4000,4001,...". */
unsigned touch_group_threads(char *text, size_t size, const struct profile *p,
                             const struct touch_group *group);

#endif
