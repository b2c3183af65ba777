/* SPDX-License-Identifier: MIT */
/* Where heap memory was allocated: the calls of all recordings, those of one place in one file together. */
#ifndef TOOLS_REPORT_HEAP_H
#define TOOLS_REPORT_HEAP_H

#include "profile.h"

struct heap_row {
	struct place place; /* of the call; no task */
	const char *call;
	char *name; /* "malloc@make_node:12" */
	bool totals;
	uint64_t objects, bytes, freed; /* if totals */
};

/* Looks up all sites, once. */
void heap_rows_find(struct profile *p);
/* The row of an object of an input. */
const struct heap_row *heap_row_of(struct profile *p, uint32_t input,
                                   const struct heap_object *object);

/*
 * The line of the call in the function itself, 0: not known. What C++'s containers allocate is of the line that uses
 * them.
 */
int heap_row_line(const struct heap_row *row, const char **file);

#endif
