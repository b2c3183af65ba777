/* SPDX-License-Identifier: MIT */
/* Values as text; see values.h. Arm ARM: DDI 0487 M.a, D14.3 (PMU events). */
#include "values.h"

#include <stdbool.h>
#include <stdio.h>
#include <spemu/codec.h>
#include <spemu/spu.h>

const char *const pmu_event_names[] = {
        "SAMPLE_POP",       "SAMPLE_FEED",       "SAMPLE_FILTRATE",
        "SAMPLE_COLLISION", "SAMPLE_FEED_DS",    "SAMPLE_BUFFER_FULL",
        "SAMPLE_FEED_BR",   "SAMPLE_FEED_LD",    "SAMPLE_FEED_ST",
        "SAMPLE_FEED_OP",   "SAMPLE_FEED_EVENT", "SAMPLE_FEED_LAT",
        "SAMPLE_FEED_FP",   "SAMPLE_FEED_SIMD",  NULL,
};
const uint16_t pmu_event_numbers[] = {
        SPEMU_PMU_SAMPLE_POP,       SPEMU_PMU_SAMPLE_FEED,       SPEMU_PMU_SAMPLE_FILTRATE,
        SPEMU_PMU_SAMPLE_COLLISION, SPEMU_PMU_SAMPLE_FEED_DS,    SPEMU_PMU_SAMPLE_BUFFER_FULL,
        SPEMU_PMU_SAMPLE_FEED_BR,   SPEMU_PMU_SAMPLE_FEED_LD,    SPEMU_PMU_SAMPLE_FEED_ST,
        SPEMU_PMU_SAMPLE_FEED_OP,   SPEMU_PMU_SAMPLE_FEED_EVENT, SPEMU_PMU_SAMPLE_FEED_LAT,
        SPEMU_PMU_SAMPLE_FEED_FP,   SPEMU_PMU_SAMPLE_FEED_SIMD,
};
_Static_assert(sizeof(pmu_event_numbers) / sizeof(uint16_t) == PMU_EVENT_COUNT,
               "a number for each");

const char *const security_names[] = {"Secure", "Non-secure", "Root", "Realm", NULL};
const char *const capture_names[] = {"Disabled", "Prohibited", "Allowed", NULL};
const char *const address_type_names[] = {"va", "ipa", "pa", NULL};
const char *const memory_type_names[] = {"device-nGnRnE", "device-nGnRE", "device-nGRE",
                                         "device-GRE",    "normal",       NULL};
const char *const cacheability_names[] = {"nc", "wt", "wb", NULL};
const char *const shareability_names[] = {"nsh", "reserved", "osh", "ish", NULL};
const char *const level_names[] = {"EL0", "EL1", "EL2", "EL3", NULL};

const char *const *value_names(enum value_kind kind)
{
	static const char *const *const names[VALUE_TEXT + 1] = {
	        [VALUE_SECURITY] = security_names,
	        [VALUE_CAPTURE] = capture_names,
	        [VALUE_ADDRESS_TYPE] = address_type_names,
	        [VALUE_MEMORY_TYPE] = memory_type_names,
	        [VALUE_CACHEABILITY] = cacheability_names,
	        [VALUE_SHAREABILITY] = shareability_names,
	        [VALUE_LEVEL] = level_names,
	};

	return names[kind];
}

/* Write names of events, like "retired,l1d-access". A bit without a name is written like
 * "bit12". */
static void events_text(char *text, size_t size, uint64_t events)
{
	size_t used = 0;

	snprintf(text, size, "%s", events ? "" : "0");
	for (unsigned bit = 0; bit < 64 && used < size; bit++) {
		const char *comma = used ? "," : "";
		const char *name = spemu_event_name(bit);
		int n;

		if (!(events >> bit & 1))
			continue;
		n = name ? snprintf(text + used, size - used, "%s%s", comma, name)
		         : snprintf(text + used, size - used, "%sbit%u", comma, bit);
		used += (size_t)n;
	}
}

void value_text(char *text, size_t size, enum value_kind kind, uint64_t value)
{
	const char *const *names = value_names(kind);
	const char *word = NULL;

	for (uint64_t i = 0; names && names[i]; i++)
		if (i == value)
			word = names[i];
	switch (kind) {
	case VALUE_YES_NO:
		word = value == 0 ? "no" : value == 1 ? "yes" : NULL;
		break;
	case VALUE_DISTANCE:
		word = value == UINT64_MAX ? "never" : NULL;
		break;
	case VALUE_OWNER:
		snprintf(text, size, "%s/EL%u", security_names[value >> 8 & 3],
		         (unsigned)value & 3);
		return;
	case VALUE_EVENTS:
		events_text(text, size, value);
		return;
	case VALUE_HEX:
		snprintf(text, size, "%#llx", (unsigned long long)value);
		return;
	default:
		break;
	}
	if (word)
		snprintf(text, size, "%s", word);
	else
		snprintf(text, size, "%llu", (unsigned long long)value);
}

void put_number(void *at, size_t size, uint64_t value)
{
	switch (size) {
	case sizeof(uint8_t):
		*(uint8_t *)at = (uint8_t)value;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)at = (uint16_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
	}
}
