/* SPDX-License-Identifier: MIT */
/* Function, line and inlined functions of each instruction that has samples or calls. */
#ifndef TOOLS_EXPORT_CODE_H
#define TOOLS_EXPORT_CODE_H

#include "export_bytes.h"
#include "../session/samples.h"

enum { CODE_FRAMES_MAX = 64 };

/* An instruction in one task. */
struct code {
	const struct place *place; /* with its symbol and line */
	bool found;                /* what follows was looked up */
	const char *function;      /* its name, or "[OBJECT]" without one */
	struct frame
	        *frames; /* functions inlined there, the innermost first; the last is function */
	uint32_t frame_count; /* 0: no debugging information */
};

/* By the index of the place. */
struct codes {
	struct samples *samples;
	struct code *items;
	size_t count, capacity;
	struct bytes text; /* of stack_text() */
};

/* Return the code of a place, looked up. It is valid until the next sample is taken. */
const struct code *code_at(struct codes *codes, uint32_t place);
/* Return how many functions the instruction has: those that are inlined there, and the one that is
 * not. */
uint32_t code_frames(const struct code *code);
/* Return the name of the innermost function, number 0, and so on; its file (NULL) and line. */
const char *code_frame(const struct code *code, uint32_t number, const char **file, int *line);

static inline bool code_is_kernel(const struct code *code)
{
	return code->place->kernel || code->place->addr >> 63;
}

/* Return the functions of a stack from the outermost on, with ';' between them; ';' in a name is
 * ':'. Until the next one. */
const char *stack_text(struct codes *codes, uint32_t stack);

/* Write the build-id that was recorded of an object in hexadecimal; "" if none was. Return text. */
enum { BUILD_ID_TEXT = 2 * SPEMU_PERF_BUILD_ID_MAX + 1 };
char *build_id_text(char text[BUILD_ID_TEXT], const struct object *object);

#endif
