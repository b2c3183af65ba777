/* SPDX-License-Identifier: MIT */
/* What a sample counts for. */
#include "export.h"

#include <string.h>

const char *const weight_names[WEIGHT_COUNT + 1] = {"samples", "operations", "cycles", NULL};

void stack_sums_add(struct stack_sums *sums, const struct sample *sample)
{
	uint64_t *sum;

	for (; sums->count <= sample->stack; sums->count++)
		memset(GROW(sums->sum, sums->count, sums->capacity)[sums->count], 0,
		       sizeof(*sums->sum));
	sum = sums->sum[sample->stack];
	sum[WEIGHT_SAMPLES]++;
	sum[WEIGHT_OPERATIONS] += sample->recording->session.attr.sample_period;
	/* 0 without the packet. */
	sum[WEIGHT_CYCLES] += sample->record->counter[SPEMU_COUNTER_TOTAL];
}
