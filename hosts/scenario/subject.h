/* SPDX-License-Identifier: MIT */
/* What expectations can be about, beside registers: names, kinds of value, and how to ask. */
#ifndef SCENARIO_SUBJECT_H
#define SCENARIO_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/codec.h>

struct machine;

enum value_kind {
	VALUE_HEX,
	VALUE_DECIMAL,
	VALUE_YES_NO,
	VALUE_DISTANCE, /* UINT64_MAX is "never" */
	VALUE_OWNER,    /* enum spemu_security << 8 | EL: "Non-secure/EL1" */
	VALUE_SECURITY,
	VALUE_CAPTURE, /* enum spemu_capture */
	VALUE_ADDRESS_TYPE,
	VALUE_MEMORY_TYPE,
	VALUE_CACHEABILITY,
	VALUE_SHAREABILITY,
	VALUE_LEVEL,
	VALUE_EVENTS,
	VALUE_TEXT, /* compared as text; the getter fills query.text */
};

/* A question: to the machine, or to a record that it wrote. */
struct query {
	const struct machine *machine;
	const struct spemu_record *record;
	const uint8_t *bytes; /* the record's */
	uint64_t argument;
	char text[160];
};

struct subject {
	const char *name; /* "pmu." and the like take an argument after the full stop */
	enum value_kind kind;
	/* False: it is not there ("none"). */
	bool (*get)(struct query *query, uint64_t *value);
	unsigned argument;
};
extern const struct subject machine_subjects[], write_subjects[], record_subjects[];

/* PMU events that the SPU generates; NULL-terminated names, and their numbers. */
extern const char *const pmu_event_names[];
extern const uint16_t pmu_event_numbers[];

/* Names of values, in the order of their enumerations; NULL-terminated. */
extern const char *const security_names[], *const address_type_names[],
                                                   *const memory_type_names[],
                                                           *const cacheability_names[],
                                                                   *const shareability_names[],
                                                                           *const level_names[];
extern const char *const capture_names[]; /* by enum spemu_capture */
/* The names of a kind of value; NULL if it has none. */
const char *const *value_names(enum value_kind kind);

void value_text(char *text, size_t size, enum value_kind kind, uint64_t value);

#endif
