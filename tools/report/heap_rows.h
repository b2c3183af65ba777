/* SPDX-License-Identifier: MIT */
/* The calls that allocated heap memory: the allocation sites of all recordings by their place in
 * the code. */
#ifndef TOOLS_REPORT_HEAP_ROWS_H
#define TOOLS_REPORT_HEAP_ROWS_H

#include "profile.h"

struct heap_row {
	struct place place; /* of the call; no task */
	const char *call;
	char *name;   /* "malloc@make_node:12" */
	bool sampled; /* heap_samples.c sets it */
	bool totals;
	uint64_t objects, bytes, freed; /* if totals */
};

/* Look up all allocation sites, once. */
void heap_rows_find(struct profile *p);
/* Return the row of a heap object of a recording. */
const struct heap_row *heap_row_of(struct profile *p, uint32_t input,
                                   const struct heap_object *object);

/*
 * Return the line of the call in the function itself, or 0. For an inlined call, as C++'s
 * containers make them, that is the line that uses the container.
 */
int heap_row_line(const struct heap_row *row, const char **file);

#endif
