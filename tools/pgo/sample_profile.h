/* SPDX-License-Identifier: MIT */
/*
 * A profile by functions and lines. A function that is not inlined has lines, and on the lines the
 * functions that are inlined there, which have lines of their own.
 *
 * The counts are those of llvm-profgen. A line has the largest count of its instructions. A total
 * is the sum of the counts of instructions, times 4, their bytes. The head is how often branches
 * lead to the beginning of the function. If any part of a function ran, the whole function is
 * included, with 0 for the rest.
 */
#ifndef TOOLS_PGO_SAMPLE_PROFILE_H
#define TOOLS_PGO_SAMPLE_PROFILE_H

#include "branches.h"
#include "../base/map.h"

#define NO_PARENT UINT32_MAX

/* A place in a function: its line less the function's first line, in 16 bits, and a
 * discriminator. */
struct place_key {
	uint32_t offset, discriminator;
};

/* A function that is not inlined, or one that is inlined in parent at a place. */
struct function_samples {
	uint32_t parent;
	struct place_key place;
	const char *name;
	uint64_t total, head;
};

struct line_samples {
	uint32_t function;
	struct place_key place;
	uint64_t count, called; /* called: the sum of its calls */
};

/* A function to which branches on a line led. */
struct call_samples {
	uint32_t line;
	const char *name;
	uint64_t count;
};

/*
 * The compiler that reads the profile. A discriminator of the debugging information is a number for
 * GCC, and three packed numbers for LLVM. The name of a function that is not inlined comes from the
 * debugging information, or for GCC from the symbol, as in create_gcov: GCC writes no linkage name
 * for functions local to another function, such as an instance of a generic lambda.
 */
enum sample_reader { READ_BY_GCC, READ_BY_LLVM };

/* Nothing depends on the order of the lists. */
struct sample_profile {
	struct object *program;
	enum sample_reader reader;
	struct function_samples *functions;
	struct line_samples *lines;
	struct call_samples *calls;
	struct map function_index, line_index, call_index;
	size_t function_capacity, line_capacity, call_capacity;
	char **names; /* each name once */
	size_t name_count, name_capacity;
	void *name_tree;
};

void sample_profile_make(struct sample_profile *p, const struct branches *b,
                         enum sample_reader reader);
void sample_profile_free(struct sample_profile *p);

#endif
