/* SPDX-License-Identifier: MIT */
/* The weights of samples, and sums of them by stack. */
#include "export.h"

#include <string.h>

uint64_t sample_weight(const struct sample *sample, enum weight weight)
{
	switch (weight) {
	case WEIGHT_OPERATIONS:
		return sample->recording->session.attr.sample_period;
	case WEIGHT_CYCLES:
		/* 0 if the record does not have the packet */
		return sample->record->counter[SPEMU_COUNTER_TOTAL];
	default:
		return 1;
	}
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
