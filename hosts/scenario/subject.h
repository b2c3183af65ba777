/* SPDX-License-Identifier: MIT */
/* Subjects of expectations other than registers. */
#ifndef SCENARIO_SUBJECT_H
#define SCENARIO_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/codec.h>
#include "values.h"

struct machine;

/* A query of the machine, or of a record that it wrote. */
struct query {
	const struct machine *machine;
	const struct spemu_record *record;
	uint64_t argument;
	char text[160];
};

struct subject {
	const char *name; /* names like "pmu." take an argument after the full stop */
	enum value_kind kind;
	/* Gets the value. Returns false if it does not exist ("none"). */
	bool (*get)(struct query *query, uint64_t *value);
	unsigned argument;
};
extern const struct subject machine_subjects[], write_subjects[], record_subjects[];

#endif
