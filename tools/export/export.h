/* SPDX-License-Identifier: MIT */
/* Declarations that the writers of spemu export share. There is one writer per format. */
#ifndef TOOLS_EXPORT_EXPORT_H
#define TOOLS_EXPORT_EXPORT_H

#include "code.h"
#include "../base/common.h"
#include "../base/options.h"

/* The weight of a sample in formats that sum up samples. */
enum weight {
	WEIGHT_SAMPLES = EXPORT_WEIGHT_SAMPLES,
	WEIGHT_OPERATIONS = EXPORT_WEIGHT_OPERATIONS, /* number of operations that the sample
	                                                 represents: the interval */
	WEIGHT_CYCLES = EXPORT_WEIGHT_CYCLES,         /* total latency of the sample; 0 if it has
	                                                 none */
	WEIGHT_EVENTS,                                /* first weight that counts an event */
	WEIGHT_COUNT = EXPORT_WEIGHT_REMOTE_ACCESS + 1,
};
#define weight_names (export_options.rows[EXPORT_WEIGHT].words)
uint64_t sample_weight(const struct sample *sample, enum weight weight);
/* Return the description of a weight. */
const char *weight_meaning(enum weight weight);

/* The sums of the samples of each stack, by every weight. All zero is empty. */
struct stack_sums {
	uint64_t (*sum)[WEIGHT_COUNT];
	size_t count, capacity; /* stacks from `count` on do not have samples */
};

struct export
{
	struct samples samples;
	struct codes codes;
	struct stack_sums sums; /* sums of take_stack() */
	enum weight weight;
	bool escape_formulas; /* true to make texts of csv harmless for spreadsheets */
	struct out *out;      /* NULL if the format makes the file itself */
	const char *path;     /* name of that file for messages */
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
	bool has_types;  /* the format has the types of data */
	bool has_sums;   /* the sums of every weight; cycles are the main ones if they are known */
	bool makes_file; /* the format is not a stream */
};
/* Add a sample to the sums of its stack: the sample() of formats whose state is the export. */
void take_stack(void *state, const struct sample *sample);
/* Each word of --format in tools/options/export.txt has a writer, NAME_format. */
#define DECLARE_FORMAT(name) extern const struct format name##_format;
EXPORT_FORMAT_WORDS(DECLARE_FORMAT)

#endif
