/* SPDX-License-Identifier: MIT */
/* The recorder's side of a recording: its own memory, which no program can write, and the functions
 * that serve the processes. */
#ifndef RECORDING_RECORDER_H
#define RECORDING_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>

#include "recorder_ring.h"
#include "recording_area.h"
#include "recording_file.h"
#include "recording_opening.h"

struct recorder {
	struct recording_file file;
	struct recording_opening opening;
	pthread_mutex_t lock; /* protects the file and all members below */
	pthread_t thread;
	bool serving;
	atomic_bool stop;
	bool finished;
	uint32_t lanes;                   /* one more than the highest that trace came from */
	uint64_t offset[RECORDING_LANES]; /* of each lane's stream */
	uint64_t aux_at, aux_flags;       /* the last AUX event: its place in the file */
	bool has_aux;
	uint64_t counter[RECORDING_COUNTERS]; /* counted by the recorder itself */
	uint8_t events[RECORDING_EVENTS_MAX]; /* copied before they are checked */
	uint8_t stacks[RECORDING_STACKS_MAX]; /* copied before they are checked */
	uint64_t keep; /* snapshot mode: bytes of each lane that are kept; else 0 */
	bool at_end;   /* snapshot mode: recording_finish() is a snapshot, too */
	struct recorder_ring ring[RECORDING_LANES];
	uint64_t taken[RECORDING_LANES]; /* bytes of a lane's buffer that its ring has had */
};

/* Return the recorder if this process is it, not a child of it; else NULL. */
struct recorder *recorder_here(const struct recording *rec);

/*
 * The functions below take the lock, except recorder_end_rings() and recorder_free().
 *
 * Do for the recorder itself what recording_append() and recording_append_aux() do.
 */
int recorder_append(struct recording *rec, const struct iovec *parts, int n, size_t size);
int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags);

/* Serve a request through a slot, and return the reply. `request` is the recorder's copy. */
int recorder_reply(const struct recording *rec, uint32_t slot,
                   const struct recording_request *request);

/*
 * Write what running threads have published into the stream; do nothing in snapshot mode. Their
 * call stacks come with their own deliveries.
 */
void recorder_take_live(const struct recording *rec);

/* End snapshot mode: drop records that no snapshot has had. The caller holds the lock. */
void recorder_end_rings(const struct recording *rec);

/* End the thread and close the file. */
void recorder_free(struct recording *rec);

#endif
