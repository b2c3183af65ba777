/* SPDX-License-Identifier: MIT */
/* Kinds of values in scenarios, and their names. */
#ifndef SCENARIO_VALUES_H
#define SCENARIO_VALUES_H

#include <stddef.h>
#include <stdint.h>

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

/* PMU events that the SPU generates; NULL-terminated names, and their numbers. */
enum { PMU_EVENT_COUNT = 14 };
extern const char *const pmu_event_names[];
extern const uint16_t pmu_event_numbers[];

/* Names of values, in the order of their enumerations; NULL-terminated. */
extern const char *const security_names[], *const address_type_names[],
                                                   *const memory_type_names[],
                                                           *const cacheability_names[],
                                                                   *const shareability_names[],
                                                                           *const level_names[];
extern const char *const capture_names[]; /* by enum spemu_capture */
/* Return the names of a kind of value, or NULL. */
const char *const *value_names(enum value_kind kind);

void value_text(char *text, size_t size, enum value_kind kind, uint64_t value);
/* Write the value to an unsigned integer of size bytes. */
void put_number(void *at, size_t size, uint64_t value);

#endif
