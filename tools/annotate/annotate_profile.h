/* SPDX-License-Identifier: MIT */
/* Counts of sampled instructions, and of the functions that contain them, for `spemu annotate`. */
#ifndef TOOLS_ANNOTATE_PROFILE_H
#define TOOLS_ANNOTATE_PROFILE_H

#include "../session/samples.h"

struct counts {
	uint64_t samples;
	uint64_t timed, latency; /* samples with a total latency, and the sum of these latencies */
	uint64_t l1_misses, llc_misses, tlb_walks, mispredicted;
};

/* A sampled instruction. */
struct instruction {
	struct object *object;
	uint64_t vaddr;
	struct counts counts;
	uint64_t start; /* address of the symbol */
	const char *symbol;
	const struct data_use *uses; /* accessed members, the most expensive first */
	size_t use_count;
};

struct function {
	struct object *object;
	const char *symbol;
	uint64_t start, end;
	struct counts counts;
	const struct instruction *instructions; /* sampled instructions, sorted by address */
	size_t count;
};

struct annotated {
	struct samples samples;
	struct map index;
	struct instruction *instructions;
	size_t capacity;
	struct function *functions; /* functions, the most expensive first */
	size_t function_count;
	struct counts all;
	struct typing *typing; /* votes of all samples, for annotated_find_types() */
};

/* Read all samples of the recording, which must be open. */
void annotated_collect(struct annotated *a);
void counts_add(struct counts *to, const struct counts *counts);

#endif
