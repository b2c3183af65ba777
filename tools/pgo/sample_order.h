/* SPDX-License-Identifier: MIT */
/* A sorted sample profile, for writing: the elements of a function or a line are adjacent. */
#ifndef TOOLS_PGO_SAMPLE_ORDER_H
#define TOOLS_PGO_SAMPLE_ORDER_H

#include "sample_profile.h"

struct sample_order {
	struct sample_profile profile;
	uint32_t *functions, *lines, *calls; /* sorted indexes of the profile's lists */
};

/* Make the profile for a reader. For GCC, the largest count of a line with several discriminators
 * is last. */
void sample_order_make(struct sample_order *o, const struct branches *b, enum sample_reader reader);
void sample_order_free(struct sample_order *o);

/* Return the number of functions that are inlined in parent, and set *first to the first of them,
 * by place and name. For NO_PARENT, these are the functions that are not inlined, the largest total
 * first. */
size_t order_functions(const struct sample_order *o, const uint32_t **first, uint32_t parent);
/* Return the number of lines of a function, and set *first to the first of them. */
size_t order_lines(const struct sample_order *o, const uint32_t **first, uint32_t function);
/* Return the number of calls on a line, and set *first to the most frequent one. */
size_t order_calls(const struct sample_order *o, const uint32_t **first, uint32_t line);

#endif
