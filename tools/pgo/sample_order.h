/* SPDX-License-Identifier: MIT */
/* A sample profile in the order in which it is written: the elements of a function or a line are
 * adjacent. */
#ifndef TOOLS_PGO_SAMPLE_ORDER_H
#define TOOLS_PGO_SAMPLE_ORDER_H

#include "sample_profile.h"

struct sample_order {
	struct sample_profile profile;
	uint32_t *functions, *lines, *calls; /* indexes */
};

/* Make the profile for a reader. For GCC, the largest count of a line with several discriminators
 * is last. */
void sample_order_make(struct sample_order *o, const struct branches *b, enum sample_reader reader);
void sample_order_free(struct sample_order *o);

/* Return the number of functions that are inlined in parent, and the first, by place and name.
 * For NO_PARENT, these are the functions that are not inlined, the largest total first. */
size_t order_functions(const struct sample_order *o, const uint32_t **first, uint32_t parent);
/* Return the lines of a function. */
size_t order_lines(const struct sample_order *o, const uint32_t **first, uint32_t function);
/* Return the calls of a line, the most frequent first. */
size_t order_calls(const struct sample_order *o, const uint32_t **first, uint32_t line);

#endif
