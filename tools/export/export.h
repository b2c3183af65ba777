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
void stack_sums_add(struct stack_sums *sums, const struct sample *sample);

struct export
{
	struct samples samples;
	struct codes codes;
	enum weight weight;
	struct out *out;  /* NULL: the format makes the file itself */
	const char *path; /* of that file, for messages */
};

/*
 * A format: begin() comes before the first sample and returns what the others are handed. Each dies
 * of an output that cannot be written.
 */
struct format {
	const char *name;
	void *(*begin)(struct export *e);
	void (*sample)(void *state, const struct sample *sample);
	void (*end)(void *state);
	enum {
		ROWS,     /* a row for each sample, which has every weight */
		SUMS,     /* adds samples up by the weight that is asked for */
		ALL_SUMS, /* by all three of them; the one that is asked for is shown first */
	} kind;
	bool makes_file; /* the format is not a stream */
};
/* Each word of --format in tools/options/export.txt has its writer, NAME_format. */
#define DECLARE_FORMAT(name) extern const struct format name##_format;
EXPORT_FORMAT_WORDS(DECLARE_FORMAT)

#endif
