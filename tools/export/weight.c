/* SPDX-License-Identifier: MIT */
/* The weights of samples, and sums of them by stack. */
#include "export.h"

#include <string.h>

/* The events of the weights from WEIGHT_EVENTS on, which are those of a report's columns. */
static const uint8_t events[WEIGHT_COUNT] = {
        [EXPORT_WEIGHT_L1D_REFILL] = SPEMU_EV_L1D_REFILL,
        [EXPORT_WEIGHT_L2D_MISS] = SPEMU_EV_L2D_MISS,
        [EXPORT_WEIGHT_LLC_REFILL] = SPEMU_EV_LLC_MISS,
        [EXPORT_WEIGHT_TLB_REFILL] = SPEMU_EV_TLB_WALK,
        [EXPORT_WEIGHT_MISPRED] = SPEMU_EV_MISPREDICTED,
        [EXPORT_WEIGHT_SNOOPED] = SPEMU_EV_DATA_SNOOPED,
        [EXPORT_WEIGHT_REMOTE_ACCESS] = SPEMU_EV_REMOTE_ACCESS,
};

uint64_t sample_weight(const struct sample *sample, enum weight weight)
{
	const struct spemu_record *rec = sample->record;

	switch (weight) {
	case WEIGHT_SAMPLES:
		return 1;
	case WEIGHT_OPERATIONS:
		return sample->recording->session.attr.sample_period;
	case WEIGHT_CYCLES:
		/* 0 if the record does not have the packet */
		return rec->counter[SPEMU_COUNTER_TOTAL];
	default:
		return rec->present & SPEMU_RECORD_EVENTS && rec->events >> events[weight] & 1;
	}
}

const char *weight_meaning(enum weight weight)
{
	static const char *const meanings[WEIGHT_EVENTS] = {
	        [WEIGHT_SAMPLES] = "samples",
	        [WEIGHT_OPERATIONS] = "operations that the samples represent",
	        [WEIGHT_CYCLES] = "total latency in cycles",
	};

	return weight < WEIGHT_EVENTS ? meanings[weight] : spemu_event_meaning(events[weight]);
}

void take_stack(void *state, const struct sample *sample)
{
	struct stack_sums *sums = &((struct export *)state)->sums;
	uint64_t *sum;

	for (; sums->count <= sample->stack; sums->count++)
		memset(GROW(sums->sum, sums->count, sums->capacity)[sums->count], 0,
		       sizeof(*sums->sum));
	sum = sums->sum[sample->stack];
	for (unsigned i = 0; i < WEIGHT_COUNT; i++)
		sum[i] += sample_weight(sample, (enum weight)i);
}
