/* SPDX-License-Identifier: MIT */
/* The functions on call stacks, including the functions that are inlined at their addresses. */
#ifndef TOOLS_REPORT_STACK_FUNCTIONS_H
#define TOOLS_REPORT_STACK_FUNCTIONS_H

#include "calls.h"

struct stack_function {
	struct object *object; /* object of an inlined function */
	const char *inlined;   /* name of an inlined function, or NULL */
	uint32_t same;         /* number that a function shares with its inlined copies */
};

struct stack_functions {
	struct call_functions outer; /* functions that are not inlined; their indexes come first */
	struct stack_function *functions;
	size_t count, capacity;
	struct map names;   /* linkage names: the numbers of struct stack_function */
	struct map inlined; /* inlined functions, by such a number */
	/* Functions at each place, the outermost first: a range of the list. */
	struct function_range {
		size_t first, count;
	} * at;
	uint32_t *list;
	size_t list_count, list_capacity;
};

void stack_functions_make(struct stack_functions *f, const struct profile *p);
void stack_functions_free(struct stack_functions *f);
/* Return the name and the object of a function. The name is written to text. */
const char *stack_function_name(char *text, size_t size, const struct stack_functions *f,
                                const struct profile *p, uint32_t function);
const char *stack_function_object(const struct stack_functions *f, const struct profile *p,
                                  uint32_t function);

#endif
