/* SPDX-License-Identifier: MIT */
/* What a sample counts for. */
#include "export.h"

const char *const weight_names[WEIGHT_COUNT + 1] = {"samples", "operations", "cycles", NULL};

uint64_t sample_weight(const struct sample *sample, enum weight weight)
{
	switch (weight) {
	case WEIGHT_OPERATIONS:
		return sample->recording->session.attr.sample_period;
	case WEIGHT_CYCLES:
		/* 0 without the packet. */
		return sample->record->counter[SPEMU_COUNTER_TOTAL];
	default:
		return 1;
	}
}
