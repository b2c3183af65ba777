/* SPDX-License-Identifier: MIT */
/* What the recorder relies on: its own memory alone, which no program can write. */
#ifndef RECORDER_STATE_H
#define RECORDER_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "recorder_window.h"
#include "recording_file.h"
#include "recording_opening.h"

struct recorder {
	struct recording_file file;
	struct recording_opening opening;
	pthread_mutex_t lock; /* over all below, and the file */
	pthread_t thread;
	bool serving;
	atomic_bool stop;
	bool finished;
	uint32_t lanes;                   /* one more than the highest that trace came from */
	uint64_t offset[RECORDING_LANES]; /* of each lane's stream */
	uint64_t aux_at, aux_flags;       /* the last AUX event: its place in the file */
	bool has_aux;
	uint64_t counter[RECORDING_COUNTERS]; /* what the recorder counts itself */
	uint8_t events[RECORDING_EVENTS_MAX]; /* copied before they are checked */
	uint8_t stacks[RECORDING_STACKS_MAX]; /* and so are these */
	/* Snapshot mode: bytes of a lane that are kept, or 0; and whether the end is a snapshot,
	 * too. */
	uint64_t keep;
	bool at_end;
	struct recorder_window window[RECORDING_LANES];
	uint64_t taken[RECORDING_LANES]; /* of a lane's Profiling Buffer, by its window */
};

#endif
