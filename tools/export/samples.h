/* SPDX-License-Identifier: MIT */
/*
 * The samples of recordings one by one, each joined with what is known of it: its task, the function and the line of
 * its instruction, and who called it.
 */
#ifndef TOOLS_EXPORT_SAMPLES_H
#define TOOLS_EXPORT_SAMPLES_H

#include "export_bytes.h"
#include "../base/map.h"
#include "../session/data_source.h"
#include "../session/sample_filter.h"
#include "../session/place.h"

struct recording {
	const char *path, *host; /* host: "" if the recording does not say it */
	struct session session;
	struct stacks *stacks;                 /* NULL: it has none */
	const struct source_encoding *sources; /* NULL: the core's is not known */
};

enum { CODE_FRAMES_MAX = 64 };

/* An instruction in one task. */
struct code {
	struct place place;
	uint64_t samples;     /* of which it is the instruction */
	bool found;           /* what follows was looked up, and the place's symbol and line */
	const char *function; /* its name, or "[OBJECT]" without one */
	struct frame *frames; /* what is inlined there, the innermost first; the last is function */
	uint32_t frame_count; /* 0: no debugging information */
};

/* A call stack: an instruction, and the stack of its caller. 0 is the one without any. */
struct call {
	uint32_t caller, code;
};

struct sample {
	const struct recording *recording;
	const struct chunk *chunk;
	const struct spemu_record *record;
	const struct task *task;
	uint64_t time; /* in ns; UINT64_MAX: none */
	uint32_t code,
	        stack; /* the sampled instruction; and as a call, with its callers if they are known */
};

struct samples {
	struct recording *recordings;
	unsigned recording_count;
	struct filter *filter;
	uint64_t count, left_out; /* that pass the filter, and that do not */
	uint64_t timed;           /* that have a total latency */
	struct map code_index, call_index;
	struct code *codes;
	struct call *calls;
	size_t code_capacity, call_capacity;
	struct bytes text; /* of samples_stack_text() */
};

/* Opens the recordings; dies when there is nothing to read. */
void samples_open(struct samples *s, const char *const *paths, size_t count, struct filter *filter);
/* Hands on each sample that passes the filter. */
void samples_read(struct samples *s, void (*take)(void *to, const struct sample *sample), void *to);
/* 0, or EXIT_DAMAGED if a part of a recording could not be read. */
int samples_status(const struct samples *s);
/* Warns of objects without symbols, and if nothing passes the filter. */
void samples_warn(const struct samples *s);

/* What a sample or a call says of its instruction. Valid until the next sample is taken. */
const struct code *samples_code(struct samples *s, uint32_t code);
/* The functions of an instruction: of those that are inlined there, and the one that is not. */
uint32_t code_frames(const struct code *code);
/* Of the innermost, number 0, and so on: its name; its file (NULL) and line. */
const char *code_frame(const struct code *code, uint32_t number, const char **file, int *line);

static inline bool code_is_kernel(const struct code *code)
{
	return code->place.kernel || code->place.addr >> 63;
}

/* The functions of a stack from the outermost on, with ';' between them; ';' in a name is ':'. Until the next one. */
const char *samples_stack_text(struct samples *s, uint32_t stack);

/* The build-id that was recorded of an object, in hexadecimal; "" if none was. Returns text. */
enum { BUILD_ID_TEXT = 2 * SPEMU_PERF_BUILD_ID_MAX + 1 };
char *build_id_text(char text[BUILD_ID_TEXT], const struct object *object);

static inline bool record_has_counter(const struct spemu_record *rec, unsigned index)
{
	return rec->present & SPEMU_RECORD_COUNTER(index);
}

#endif
