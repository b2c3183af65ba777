/* SPDX-License-Identifier: MIT */
/* Rows of the heap sections: the allocation sites of all recordings, merged by their place in the
 * code. */
#ifndef TOOLS_REPORT_HEAP_ROWS_H
#define TOOLS_REPORT_HEAP_ROWS_H

#include "profile.h"

struct heap_row {
	struct place place; /* place of the call, without a task */
	const char *call;
	char *name;   /* "malloc@make_node:12" */
	bool sampled; /* true if a sample accesses an object of this row; set by heap_samples.c */
	bool totals;  /* true if the numbers below are known */
	uint64_t objects, bytes, freed;
};

/* Write the place of the call in few words: "make_node:12 (heap)". */
void heap_row_words(char *text, size_t size, const struct heap_row *row);
/* Look up all allocation sites, once. */
void heap_rows_find(struct profile *p);
/* Return the row of a heap object of a recording. */
const struct heap_row *heap_row_of(struct profile *p, uint32_t input,
                                   const struct heap_object *object);

#endif
