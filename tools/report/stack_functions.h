/* SPDX-License-Identifier: MIT */
/* The functions on call stacks, including the functions that are inlined at their addresses. */
#ifndef TOOLS_REPORT_STACK_FUNCTIONS_H
#define TOOLS_REPORT_STACK_FUNCTIONS_H

#include "profile.h"

struct stack_function {
	uint32_t place;      /* a place in the function */
	uint32_t same;       /* number that a function shares with its inlined copies */
	const char *inlined; /* name of an inlined function, or NULL */
};

struct stack_functions {
	struct stack_function *functions; /* array of index.count functions */
	size_t capacity;
	struct map index; /* functions */
	struct map names; /* linkage names: the numbers of struct stack_function */
	struct map known; /* addresses in objects, which several tasks may share */
	/* Functions at each place, the outermost first: a range of the list. */
	struct function_range {
		size_t first, count;
	} * at, *known_at;
	size_t known_capacity;
	uint32_t *list;
	size_t list_count, list_capacity;
};

/* Find the functions of all call stacks. places_hide_inlined() leaves out inlined functions. */
void stack_functions_make(struct stack_functions *f, const struct profile *p);
void stack_functions_free(struct stack_functions *f);
/* Return the name and the object of a function. The name is written to text. */
const char *stack_function_name(char *text, size_t size, const struct stack_functions *f,
                                const struct profile *p, uint32_t function);
const char *stack_function_object(const struct stack_functions *f, const struct profile *p,
                                  uint32_t function);

#endif
