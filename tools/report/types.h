/* SPDX-License-Identifier: MIT */
/* Cells that the sections about data types share. The members of a group are touches. */
#ifndef TOOLS_REPORT_TYPES_H
#define TOOLS_REPORT_TYPES_H

#include "group.h"

/* Write what a list shows of a member, such as its source. */
typedef void describe_fn(char *text, size_t size, const struct profile *p, const struct member *m);
/* Describe the variable or allocation. Call memory_find_all() first. */
describe_fn describe_memory;

/* Fill a cell with a list of the texts that have the most cycles in a group. */
void fill_list(struct cell *c, const struct profile *p, const struct group *group,
               describe_fn *describe);
/* Fill the numbers of loads and stores. An atomic operation is both. */
void fill_counts(struct cell *loads, struct cell *stores, const struct profile *p,
                 const struct group *group);

#endif
