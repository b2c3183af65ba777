/* SPDX-License-Identifier: MIT */
/* The function, line and inlined functions of each instruction that has samples or calls. */
#ifndef TOOLS_EXPORT_CODE_H
#define TOOLS_EXPORT_CODE_H

#include "export_bytes.h"
#include "../session/data_memory.h"
#include "../session/samples.h"
#include "../types/typing.h"

enum { CODE_FRAMES_MAX = 64 };

/* An instruction in one task. */
struct code {
	const struct place *place; /* place with its symbol and line */
	bool found;                /* true after the look-up of the members below */
	const char *function;      /* name of the function, or "[OBJECT]" without a symbol */
	struct frame *frames;      /* functions inlined at the instruction, the innermost first;
	                              the last one is function */
	uint32_t frame_count;      /* 0 without debugging information */
};

/* The code of all places, by the index of the place. */
struct codes {
	struct samples *samples;
	struct code *items;
	size_t count, capacity;
	struct bytes text; /* text of stack_text() */
	struct typing *typing;
	struct typed typed; /* type of the last sample that was asked for */
	const struct chunk *typed_chunk;
	uint64_t typed_offset; /* offset of the record of that sample */
	struct memory memory;  /* data of the last sample that was asked for */
	const struct chunk *memory_chunk;
	uint64_t memory_offset;
	struct map allocation_index; /* index in the names by allocation site */
	char **allocations;
	size_t allocation_capacity;
};

/* Return the code of a place, after its look-up. It is valid until the next sample. */
const struct code *code_at(struct codes *codes, uint32_t place);
/* Return the number of functions at the instruction: the inlined ones, and the function that
 * contains them. */
uint32_t code_frames(const struct code *code);
/* Return the name of a function of the instruction, with 0 as the innermost. Set its file, which
 * may be NULL, and its line. */
const char *code_frame(const struct code *code, uint32_t number, const char **file, int *line);

static inline bool code_is_kernel(const struct code *code)
{
	return code->place->kernel || code->place->addr >> 63;
}

/* Return the type of the data that a sample accesses, or NULL without a data address. It is valid
 * until the next call. */
const struct typed *code_typed(struct codes *codes, const struct sample *sample);

/* Return the variable, allocation or mapping that a sample accesses. Return NULL without a data
 * address. The result is valid until the next call. */
const struct memory *code_memory(struct codes *codes, const struct sample *sample);

/* Return the functions of a stack from the outermost on, separated by ';'. A ';' in a name becomes
 * ':'. The text is valid until the next call. */
const char *stack_text(struct codes *codes, uint32_t stack);

/* Write the recorded build-id of an object in hexadecimal, or "" if none was recorded. Return
 * text. */
enum { BUILD_ID_TEXT = 2 * SPEMU_PERF_BUILD_ID_MAX + 1 };
char *build_id_text(char text[BUILD_ID_TEXT], const struct object *object);

#endif
