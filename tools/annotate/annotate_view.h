/* SPDX-License-Identifier: MIT */
/* View of a function: its source lines, the functions that are inlined in them, and its
 * instructions. */
#ifndef TOOLS_ANNOTATE_VIEW_H
#define TOOLS_ANNOTATE_VIEW_H

#include "annotate_profile.h"
#include "../session/disassemble.h"

enum { FRAMES_MAX = 64 };

/* Samples of an inlined function on a source line. */
struct inlined {
	struct frame frame; /* innermost frame */
	struct counts counts;
};

struct view_line {
	const char *file;
	int line;
	struct counts counts; /* counts of the line, including functions inlined there */
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

/* Write the frames at an address, the innermost first. Without debugging information, write one
 * frame. Return the number of frames. */
size_t view_frames(const struct view *v, struct frame *frames, uint64_t vaddr);
/* Return an instruction, or NULL if it has no samples. */
const struct instruction *view_instruction(const struct view *v, uint64_t vaddr);

#endif
