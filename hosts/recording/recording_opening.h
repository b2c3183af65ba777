/* SPDX-License-Identifier: MIT */
/*
 * The events that every file begins with: how timestamps become times, and what the trace is.
 *
 * Version 1 of the trace's metadata does not describe CPUs; version 2 describes each. Its event
 * cannot grow once others follow it, so it begins with as many CPUs as it can hold. The finished
 * file has only the CPUs that were used. A stream stays as it began.
 */
#ifndef RECORDING_OPENING_H
#define RECORDING_OPENING_H

#include "recording_file.h"

struct recording_opening {
	struct spemu_perf_time_conv time;
	bool describes_cpus;           /* metadata version 2 */
	struct spemu_perf_spe_cpu cpu; /* of each CPU; its number does not matter */
};

/* Return how many CPUs a file can have. */
uint32_t recording_opening_cpus(const struct recording_opening *opening);
/* Append the opening to a file without events. Return 0, or errno. */
int recording_opening_begin(struct recording_file *file, const struct recording_opening *opening);
/* Reduce the opening to CPUs 0..n-1. Return 0, or errno with the file as it was. */
int recording_opening_finish(struct recording_file *file, const struct recording_opening *opening,
                             uint32_t n);

#endif
