/* SPDX-License-Identifier: MIT */
/*
 * Sums of the samples of each call stack (struct call in samples.h). What a function has in total follows from the
 * stacks that it is on.
 */
#ifndef TOOLS_REPORT_CALLS_H
#define TOOLS_REPORT_CALLS_H

#include "profile.h"

struct call_sums {
	uint64_t samples, latency;
};

struct calls {
	struct call_sums *self; /* by the index of the stack: of the instruction that was sampled */
	size_t count, capacity;
};

static inline struct call_sums call_self(const struct calls *calls, size_t stack)
{
	return stack < calls->count ? calls->self[stack] : (struct call_sums){0, 0};
}

/* Of the sections of calls: see section.h. */
void calls_begin(struct profile *p);
void calls_add(struct profile *p, const struct counted *c);
/* The function of each stack, as an index; and of each function a place in it, for the name. */
struct call_functions {
	struct map index;
	uint32_t *places;
	size_t capacity;
	uint32_t *of_stack; /* not of stack 0 */
};
void call_functions_make(struct call_functions *f, const struct profile *p);
void call_functions_free(struct call_functions *f);
void call_function_name(char *text, size_t size, const struct call_functions *f,
                        const struct profile *p, uint32_t function);

#endif
