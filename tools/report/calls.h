/* SPDX-License-Identifier: MIT */
/*
 * Call stacks of a profile: a tree of places, whose paths from the root are the stacks. Sums are at the place
 * that was sampled; what a function has in total follows from the paths that it is on.
 */
#ifndef TOOLS_REPORT_CALLS_H
#define TOOLS_REPORT_CALLS_H

#include "profile.h"
#include "../session/call_stacks.h"

struct call_sums {
	uint64_t samples, latency;
};

/* Node 0 is the root, which is no place. */
struct call_node {
	uint32_t parent, place;
	struct call_sums self;
};

struct calls {
	struct map index;
	struct call_node *nodes;
	size_t capacity;
	bool found;       /* a recording has call stacks */
	uint64_t without; /* samples that have none */
	uint64_t full;    /* stacks of as many addresses as are recorded at most */
	/* The stack before, the outermost first: most begin as it does. */
	const struct task *task;
	uint64_t caller[SPEMU_PERF_CALLCHAIN_MAX];
	uint32_t node[SPEMU_PERF_CALLCHAIN_MAX], depth;
};

/* Of the sections of calls: see section.h. */
void calls_begin(struct profile *p);
void calls_add(struct profile *p, const struct sample *s);

/* Which function each node is of: an index; and of each function a place in it, for the name. */
struct call_functions {
	struct map index;
	uint32_t *places;
	size_t capacity;
	uint32_t *of_node; /* not of the root */
};
void call_functions_make(struct call_functions *f, const struct profile *p);
void call_functions_free(struct call_functions *f);
void call_function_name(char *text, size_t size, const struct call_functions *f,
                        const struct profile *p, uint32_t function);

#endif
