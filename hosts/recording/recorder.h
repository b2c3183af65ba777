/* SPDX-License-Identifier: MIT */
/* The recorder's side of a recording: its memory, which no program can write, and the functions
 * that serve the processes. */
#ifndef RECORDING_RECORDER_H
#define RECORDING_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>

#include "recorder_ring.h"
#include "recording_area.h"
#include "recording_file.h"
#include "recording_opening.h"

#define RECORDER_COPIED_PROCESSES 4096 /* processes that generate code at the same time */

/* A process that generates code. */
struct recorder_generator {
	uint32_t pid;
	bool generates; /* has executable memory without a file */
	char *dump;     /* path of its jitdump file, or NULL */
};

/* Copies of files with names of generated code (recorder_copies.c). If the struct is zeroed,
 * nothing is copied. */
struct recorder_copies {
	recording_open_fn *open; /* NULL if nothing is copied */
	struct recorder_generator *items;
	size_t count, capacity;
	uint64_t left;     /* bytes that may still be copied */
	uint64_t left_out; /* files that were not copied because of their size or number */
	uint8_t data[SPEMU_PERF_COPY_MAX], event[SPEMU_PERF_EVENT_MAX];
};

struct recorder {
	struct recording_file file;
	struct recording_opening opening;
	pthread_mutex_t lock; /* protects the file and all members below */
	pthread_t thread;
	bool serving;
	atomic_bool stop;
	bool finished;
	uint32_t lanes;                   /* highest lane with trace, plus 1 */
	uint64_t offset[RECORDING_LANES]; /* position in each lane's trace */
	uint64_t aux_at, aux_flags;       /* place and flags of the last AUX event in the file */
	bool has_aux;
	uint64_t counter[RECORDING_COUNTERS]; /* counters of the recorder itself */
	uint8_t events[RECORDING_EVENTS_MAX]; /* copy of events for the check */
	uint8_t stacks[RECORDING_STACKS_MAX]; /* copy of call stacks for the check */
	uint64_t keep;                        /* bytes kept of each lane in snapshot mode, or 0 */
	bool at_end;                          /* recording_finish() takes a snapshot, too */
	struct recorder_ring ring[RECORDING_LANES];
	uint64_t taken[RECORDING_LANES]; /* bytes of a lane's buffer already in its ring */
	struct recorder_copies copies;
};

/* Return the recorder, or NULL in any other process, including children of the recorder. */
struct recorder *recorder_here(const struct recording *rec);

/*
 * Do the same as recording_append() and recording_append_aux(), for the recorder itself.
 *
 * These and the functions below take the lock, except recorder_end_rings() and recorder_free().
 */
int recorder_append(struct recording *rec, const struct iovec *parts, int n, size_t size);
int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags);

/* Append whole events. The caller holds the lock. Return the same as recording_append(). */
int recorder_put(struct recorder *r, const struct iovec *parts, int n, size_t size);

/* Serve a request through a slot, and return the reply. `request` is the recorder's copy. */
int recorder_reply(const struct recording *rec, uint32_t slot,
                   const struct recording_request *request);

/*
 * Write the records that running threads have published into the stream, except in snapshot mode.
 * The call stacks come with the threads' deliveries.
 */
void recorder_take_live(const struct recording *rec);

/* End snapshot mode: drop records that are in no snapshot. The caller holds the lock. */
void recorder_end_rings(const struct recording *rec);

/*
 * Learn from checked events of a process that it generates code, or that it has ended. Copy the
 * files of a process that has ended. The caller holds the lock, as for recorder_copies_end().
 */
void recorder_copies_see(struct recorder *r, const uint8_t *events, size_t size);
/* Copy the files of all processes that have not ended. */
void recorder_copies_end(struct recorder *r);
void recorder_copies_free(struct recorder_copies *copies);

/* End the thread and close the file. */
void recorder_free(struct recording *rec);

#endif
