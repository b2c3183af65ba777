/* SPDX-License-Identifier: MIT */
/* Shared declarations of spemu export: one writer per format. */
#ifndef TOOLS_EXPORT_EXPORT_H
#define TOOLS_EXPORT_EXPORT_H

#include "code.h"
#include "../base/common.h"
#include "../base/options.h"

/* The weight of a sample in formats that add samples up. */
enum weight {
	WEIGHT_SAMPLES = EXPORT_WEIGHT_SAMPLES,
	WEIGHT_OPERATIONS = EXPORT_WEIGHT_OPERATIONS, /* those that it stands for: the interval */
	WEIGHT_CYCLES = EXPORT_WEIGHT_CYCLES,         /* its total latency; 0 without one */
	WEIGHT_COUNT,
};
#define weight_names (export_options.rows[EXPORT_WEIGHT].words)
uint64_t sample_weight(const struct sample *sample, enum weight weight);

/* The sums of the samples of a stack, by every weight. An empty entry is all zero. */
struct stack_sums {
	uint64_t (*sum)[WEIGHT_COUNT];
	size_t count, capacity; /* stacks from count on have no sample */
};

struct export
{
	struct samples samples;
	struct codes codes;
	struct stack_sums sums; /* if the format takes samples with take_stack() */
	enum weight weight;
	struct out *out;  /* NULL: the format makes the file itself */
	const char *path; /* of that file, for messages */
};

/*
 * A format. begin() is called before the first sample and returns the state for the other
 * functions; if it is NULL, the state is the export itself. end() may be NULL. Each function dies
 * if the output cannot be written.
 */
struct format {
	const char *name;
	void *(*begin)(struct export *e);
	void (*sample)(void *state, const struct sample *sample);
	void (*end)(void *state);
	bool has_rows;   /* a row for each sample, with every weight; else sums by weight */
	bool makes_file; /* the format is not a stream */
};
/* A sample() of formats whose state is the export: add a sample to the sums of its stack. */
void take_stack(void *state, const struct sample *sample);
/* Each word of --format in tools/options/export.txt has its writer, NAME_format. */
#define DECLARE_FORMAT(name) extern const struct format name##_format;
EXPORT_FORMAT_WORDS(DECLARE_FORMAT)

#endif
