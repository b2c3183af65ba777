/* SPDX-License-Identifier: MIT */
/*
 * The events at the beginning of every file: the conversion of timestamps, and the description of
 * the trace.
 *
 * Version 1 of the trace's metadata does not describe CPUs; version 2 describes each. Its event
 * cannot grow after other events follow it, so it begins with as many CPUs as it can hold. The
 * finished file has only the used CPUs. A stream keeps all.
 */
#ifndef RECORDING_OPENING_H
#define RECORDING_OPENING_H

#include "recording_file.h"

struct recording_opening {
	struct spemu_perf_time_conv time;
	bool describes_cpus;           /* metadata version 2 */
	struct spemu_perf_spe_cpu cpu; /* description of each CPU; its number is ignored */
};

/* Return the number of CPUs that a file can have. */
uint32_t recording_opening_cpus(const struct recording_opening *opening);
/* Append the opening to a file without events. Return 0, or errno. */
int recording_opening_begin(struct recording_file *file, const struct recording_opening *opening);
/* Reduce the opening to CPUs 0..n-1. Return 0, or errno with the file unchanged. */
int recording_opening_finish(struct recording_file *file, const struct recording_opening *opening,
                             uint32_t n);

#endif
