/* SPDX-License-Identifier: MIT */
/* The counts of `spemu annotate`: of instructions, and of the functions that contain them. */
#ifndef TOOLS_ANNOTATE_PROFILE_H
#define TOOLS_ANNOTATE_PROFILE_H

#include "../session/samples.h"

struct counts {
	uint64_t samples;
	uint64_t timed, latency; /* records with a total latency, and their cycles */
	uint64_t l1_misses, llc_misses, tlb_walks, mispredicted;
};

/* An instruction that was sampled. */
struct instruction {
	struct object *object; /* NULL: in no file */
	uint64_t vaddr;
	struct counts counts;
	uint64_t start; /* address of its symbol */
	const char *symbol;
};

struct function {
	struct object *object;
	const char *symbol;
	uint64_t start, end;
	struct counts counts;
	const struct instruction *instructions; /* sorted by address */
	size_t count;
};

struct annotated {
	struct samples samples;
	struct map index;
	struct instruction *instructions;
	size_t capacity;
	struct function *functions; /* the most expensive first */
	size_t function_count;
	struct counts all;
};

/* Read all samples of the recording, which is open. */
void annotated_collect(struct annotated *a);
void counts_add(struct counts *to, const struct counts *counts);

#endif
