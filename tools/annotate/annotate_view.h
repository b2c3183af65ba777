/* SPDX-License-Identifier: MIT */
/* A function as it is shown: its source lines, the functions that are inlined in them, and its
 * instructions. */
#ifndef TOOLS_ANNOTATE_VIEW_H
#define TOOLS_ANNOTATE_VIEW_H

#include "annotate_profile.h"
#include "disassemble.h"

enum { FRAMES_MAX = 64 };

/* Samples of one stack of inlined functions. */
struct inlined {
	struct frame frame; /* the innermost */
	struct counts counts;
};

struct view_line {
	const char *file;
	int line;
	struct counts counts; /* of the line and of the functions inlined there */
	struct inlined *inlined;
	size_t inlined_count, inlined_capacity;
};

struct view {
	const struct function *function;
	struct view_line *lines; /* lines with samples, sorted by file and line */
	size_t line_count, line_capacity;
	struct disassembly code;
};

void view_make(struct view *v, const struct function *f, const char *objdump);
void view_free(struct view *v);

/* Write the inlined functions at an address, or only its line. Return the number of frames. */
size_t view_frames(const struct view *v, struct frame *frames, uint64_t vaddr);
/* Return the counts of an instruction, or NULL. */
const struct counts *view_counts(const struct view *v, uint64_t vaddr);

#endif
