/* SPDX-License-Identifier: MIT */
/* A sample profile in the order in which it is written: what belongs to a function or a line
 * follows each other. */
#ifndef TOOLS_PGO_SAMPLE_ORDER_H
#define TOOLS_PGO_SAMPLE_ORDER_H

#include "sample_profile.h"

struct sample_order {
	const struct sample_profile *p;
	uint32_t *functions, *lines, *calls; /* indexes */
};

/* by_count: of a line with several discriminators, the largest count last. */
void sample_order_make(struct sample_order *o, const struct sample_profile *p, bool by_count);
void sample_order_free(struct sample_order *o);

/* Those that are inlined in parent, by place and name; of NO_PARENT the functions of their own, the
 * largest total first. */
size_t order_functions(const struct sample_order *o, const uint32_t **first, uint32_t parent);
/* The lines of a function. */
size_t order_lines(const struct sample_order *o, const uint32_t **first, uint32_t function);
/* The calls of a line, the most frequent first. */
size_t order_calls(const struct sample_order *o, const uint32_t **first, uint32_t line);

#endif
