/* SPDX-License-Identifier: MIT */
/*
 * A profile by functions and lines: each function of its own has lines, and on lines the functions
 * that are inlined there, which have the same.
 *
 * The counts are llvm-profgen's. A line has the largest count of its instructions; a total sums up
 * the counts of instructions, 4 for each, their bytes; the head is how often branches lead to the
 * function's begin. A function of which anything was executed is there whole, with 0 for what was
 * not.
 */
#ifndef TOOLS_PGO_SAMPLE_PROFILE_H
#define TOOLS_PGO_SAMPLE_PROFILE_H

#include "branches.h"
#include "../base/map.h"

#define NO_PARENT UINT32_MAX

/* A place in a function: its line less the function's first line, 16 bits, and a discriminator. */
struct place_key {
	uint32_t offset, discriminator;
};

/* A function of its own, or inlined in parent at a place. */
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

/* What branches on a line led to. */
struct call_samples {
	uint32_t line;
	const char *name;
	uint64_t count;
};

/*
 * What depends on the compiler. A discriminator of the debugging information is a number, or three
 * that LLVM packs in one. Functions that are not inlined have the name of the debugging
 * information, or for GCC that of the symbol, as create_gcov has it: GCC gives what is local in a
 * function no linkage name there, as a template of a lambda.
 */
enum sample_reader { READ_BY_GCC, READ_BY_LLVM };

/* The lists are in the order in which they were made; nothing in them depends on it. */
struct sample_profile {
	struct object *program;
	enum sample_reader reader;
	struct function_samples *functions;
	struct line_samples *lines;
	struct call_samples *calls;
	struct map function_index, line_index, call_index;
	size_t function_capacity, line_capacity, call_capacity;
	char **names; /* each once */
	size_t name_count, name_capacity;
	void *name_tree;
};

void sample_profile_make(struct sample_profile *p, const struct branches *b,
                         enum sample_reader reader);
void sample_profile_free(struct sample_profile *p);

#endif
