/* SPDX-License-Identifier: MIT */
/*
 * A sample profile: counts by function and line. A function has lines, and functions that are
 * inlined on them, which again have lines.
 *
 * Counts are computed as in llvm-profgen. The count of a line is the largest count of its
 * instructions. A total is the sum of the counts of instructions, times 4, their size in bytes. A
 * head is the number of branches to the start of the function. If any part of a function ran, the
 * profile has the whole function, with the count 0 for the rest.
 */
#ifndef TOOLS_PGO_SAMPLE_PROFILE_H
#define TOOLS_PGO_SAMPLE_PROFILE_H

#include "branches.h"
#include "../base/map.h"

#define NO_PARENT UINT32_MAX

/* A place in a function: the distance from the function's first line, in 16 bits, and a
 * discriminator. */
struct place_key {
	uint32_t offset, discriminator;
};

/* A function that is not inlined, or that is inlined in parent at a place. */
struct function_samples {
	uint32_t parent;
	struct place_key place;
	const char *name;
	uint64_t total, head;
};

struct line_samples {
	uint32_t function;
	struct place_key place;
	uint64_t count, called; /* count of the line, and sum of the counts of its calls */
};

/* A function that branches on a line called. */
struct call_samples {
	uint32_t line;
	const char *name;
	uint64_t count;
};

/*
 * The compiler that reads the profile. For GCC, a discriminator in the debugging information is a
 * number; for LLVM, it is three packed numbers. The name of a function that is not inlined comes
 * from the debugging information for LLVM, and from the symbol for GCC, as in create_gcov. GCC
 * writes no linkage name for functions local to another function, such as an instance of a generic
 * lambda.
 */
enum sample_reader { READ_BY_GCC, READ_BY_LLVM };

/* A sample profile. The lists are in any order. */
struct sample_profile {
	struct object *program;
	enum sample_reader reader;
	struct function_samples *functions;
	struct line_samples *lines;
	struct call_samples *calls;
	struct map function_index, line_index, call_index;
	size_t function_capacity, line_capacity, call_capacity;
	char **names; /* the only copies of names */
	size_t name_count, name_capacity;
	void *name_tree;
};

void sample_profile_make(struct sample_profile *p, const struct branches *b,
                         enum sample_reader reader);
void sample_profile_free(struct sample_profile *p);

#endif
