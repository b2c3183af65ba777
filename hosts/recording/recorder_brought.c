/* SPDX-License-Identifier: MIT */
/* See recorder_brought.h. */
#define _GNU_SOURCE
#include "recorder_brought.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "recorder_events.h"
#include "recorder_stacks.h"
#include "recorder_state.h"
#include "recording_area.h"

#define AUX_FLAGS                                                                       \
	(SPEMU_PERF_AUX_TRUNCATED | SPEMU_PERF_AUX_OVERWRITE | SPEMU_PERF_AUX_PARTIAL | \
	 SPEMU_PERF_AUX_COLLISION)

struct recorder *recorder_here(const struct recording *rec)
{
	return rec->recorder && rec->recorder_pid == getpid() ? rec->recorder : NULL;
}

/* Under the lock. */
static int append(struct recorder *r, const struct iovec *parts, int n, size_t size)
{
	bool failed = r->file.error;

	if (r->finished)
		return SPEMU_ERR_STATE;
	if (recording_file_append(&r->file, parts, n, size) == 0) {
		r->counter[RECORDING_APPENDS]++;
		return SPEMU_OK;
	}
	if (!failed)
		r->counter[RECORDING_WRITE_ERRORS]++;
	/* There is no room for an event that says so: the last one does. */
	if (!failed && r->has_aux)
		recording_file_flag_aux(&r->file, r->aux_at,
		                        r->aux_flags | SPEMU_PERF_AUX_TRUNCATED);
	return SPEMU_ERR_IO;
}

/*
 * Under the lock. A lane is a CPU of the file. Where a file cannot have as many, the last CPU is
 * that of all other lanes, which costs nothing but the order of records of equal time.
 */
static int append_aux(struct recorder *r, const struct spemu_perf_who *of_lane, const uint8_t *data,
                      size_t size, uint64_t flags)
{
	const uint32_t last = recording_opening_cpus(&r->opening) - 1;
	struct spemu_perf_who who = *of_lane;
	uint8_t aux[64]; /* header, three numbers, trailer */
	uint8_t auxtrace[SPEMU_PERF_AUXTRACE_SIZE];
	struct iovec parts[3] = {{aux, 0}, {auxtrace, 0}, {(void *)(uintptr_t)data, size}};
	uint64_t offset, at = r->file.head.data_at + r->file.data_size;
	int status;

	if (r->lanes < who.cpu + 1)
		r->lanes = who.cpu + 1;
	if (who.cpu > last)
		who.cpu = last;
	offset = r->offset[who.cpu];
	recording_file_cover(&r->file, who.cpu + 1);
	parts[0].iov_len = (size_t)spemu_perf_put_aux(aux, sizeof(aux), &who, offset, size, flags);
	parts[1].iov_len =
	        (size_t)spemu_perf_put_auxtrace(auxtrace, sizeof(auxtrace), who.cpu, offset, size);
	if (size)
		status = append(r, parts, 3, parts[0].iov_len + parts[1].iov_len + size);
	else
		status = append(r, parts, 1, parts[0].iov_len);
	if (status != SPEMU_OK)
		return status;
	r->offset[who.cpu] = offset + size;
	r->aux_at = at;
	r->aux_flags = flags;
	r->has_aux = true;
	r->counter[RECORDING_AUX_BYTES] += size;
	return SPEMU_OK;
}

/* Under the lock. What a thread brought: into the file, or into the window of its lane. */
static int bring_aux(struct recorder *r, const struct spemu_perf_who *who, const uint8_t *data,
                     size_t size, uint64_t flags)
{
	if (!r->keep)
		return append_aux(r, who, data, size, flags);
	if (r->finished)
		return SPEMU_ERR_STATE;
	return recorder_window_add(&r->window[who->cpu], r->keep, who, data, size, flags)
	               ? SPEMU_OK
	               : SPEMU_ERR_IO;
}

/* Under the lock. The window of a lane goes into the file, its deliveries with these flags besides
 * their own. */
static int write_window(struct recorder *r, uint32_t number, uint64_t limit, uint64_t flags)
{
	const uint32_t last = recording_opening_cpus(&r->opening) - 1;
	struct recorder_window *window = &r->window[number];
	struct recorder_piece *piece;
	uint64_t skipped;
	int status = SPEMU_OK;

	while ((piece = recorder_window_take(window, limit, &skipped))) {
		size_t size = (piece->size - piece->start + 7) & ~(size_t)7;
		int error = SPEMU_OK;

		r->offset[number < last ? number : last] += skipped;
		if (size || piece->flags)
			error = append_aux(r, &piece->who, piece->bytes + piece->start, size,
			                   piece->flags | flags);
		/* Of what is taken live the thread hears at its next delivery, and counts it. */
		if (error && r->keep) {
			r->counter[RECORDING_LOST_RECORDS] += recorder_piece_records(piece);
			r->counter[RECORDING_LOST_BYTES] += size;
		}
		status = error ? error : status;
		free(piece);
	}
	return status;
}

/*
 * Under the lock. size bytes of a lane's Profiling Buffer, less those that a snapshot or the stream
 * has had already; what is left and shorter than any record is padding.
 */
static int bring_buffer(struct recorder *r, const struct spemu_perf_who *who, const uint8_t *buffer,
                        size_t size, uint64_t flags)
{
	uint64_t had = r->taken[who->cpu];

	if (!had)
		return bring_aux(r, who, buffer, size, flags);
	if (had + 8 > size)
		return bring_aux(r, who, NULL, 0, flags);
	if (r->keep)
		return bring_aux(r, who, buffer + had, size - (size_t)had, flags);
	/* What is left may begin and end anywhere: by way of the window it gets its padding. */
	if (!recorder_window_add(&r->window[who->cpu], UINT64_MAX, who, buffer + had,
	                         size - (size_t)had, flags))
		return SPEMU_ERR_IO;
	return write_window(r, who->cpu, UINT64_MAX, 0);
}

/* Under the lock. The thread begins its Profiling Buffer anew. */
static void empty_buffer(const struct recording *rec, uint32_t lane)
{
	rec->recorder->taken[lane] = 0;
	atomic_store(&rec->area->lane[lane].used, 0);
}

int recorder_append(struct recording *rec, const struct iovec *parts, int n, size_t size)
{
	struct recorder *r = rec->recorder;
	int status;

	pthread_mutex_lock(&r->lock);
	status = append(r, parts, n, size);
	pthread_mutex_unlock(&r->lock);
	return status;
}

int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags)
{
	struct recorder *r = rec->recorder;
	int status;

	pthread_mutex_lock(&r->lock);
	status = bring_aux(r, who, data, size, flags);
	empty_buffer(rec, who->cpu);
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* Under the lock, as the other answers. What is lost the process counts. */
static int answer_events(const struct recording *rec, uint32_t slot,
                         const struct recording_request *request)
{
	struct recorder *r = rec->recorder;
	const uint8_t *room = recording_events_room(rec, slot);
	struct iovec part = {r->events, (size_t)request->size};

	if (!room || !request->size || request->size > sizeof(r->events))
		return SPEMU_ERR_INVALID;
	recording_copy_once(r->events, room, part.iov_len);
	if (!recorder_events_check(r->events, part.iov_len))
		return SPEMU_ERR_INVALID;
	return append(r, &part, 1, part.iov_len);
}

static int answer_aux(const struct recording *rec, uint32_t slot,
                      const struct recording_request *request)
{
	const uint8_t *room = recording_room(rec, slot);
	const struct spemu_perf_who who = {
	        .pid = request->pid,
	        .tid = request->tid,
	        .time = request->time,
	        .cpu = slot == RECORDING_COMMON ? request->lane : slot,
	};
	int status;

	if (!room || who.cpu >= RECORDING_LANES || request->size % 8 ||
	    request->size > recording_buffer_size(&rec->params) + RECORDING_PAGE ||
	    (request->flags & ~(uint64_t)AUX_FLAGS))
		return SPEMU_ERR_INVALID;
	/* What the bytes are is the program's own matter: they go from its memory to the file. */
	status = slot == RECORDING_COMMON ? bring_aux(rec->recorder, &who, room,
	                                              (size_t)request->size, request->flags)
	                                  : bring_buffer(rec->recorder, &who, room,
	                                                 (size_t)request->size, request->flags);
	empty_buffer(rec, who.cpu);
	return status;
}

/* Under the lock. What is lost the process counts, or salvage(). */
static int append_stacks(const struct recording *rec, uint32_t number, uint64_t size)
{
	struct recorder *r = rec->recorder;
	const uint8_t *room = number < RECORDING_COMMON ? recording_stacks_room(rec, number) : NULL;
	const uint32_t last = recording_opening_cpus(&r->opening) - 1;
	struct iovec part = {r->stacks, (size_t)size};

	if (!room || !size || size > sizeof(r->stacks))
		return SPEMU_ERR_INVALID;
	recording_copy_once(r->stacks, room, part.iov_len);
	if (!recorder_stacks_check(r->stacks, part.iov_len, number < last ? number : last))
		return SPEMU_ERR_INVALID;
	return append(r, &part, 1, part.iov_len);
}

int recorder_append_stacks(struct recording *rec, uint32_t lane, uint64_t size)
{
	int status;

	pthread_mutex_lock(&rec->recorder->lock);
	status = append_stacks(rec, lane, size);
	pthread_mutex_unlock(&rec->recorder->lock);
	return status;
}

/* Under the lock. */
static void salvage_stacks(const struct recording *rec, uint32_t number)
{
	struct recording_lane *lane = &rec->area->lane[number];
	uint64_t size = atomic_load_explicit(&lane->stacks, memory_order_acquire);
	uint64_t n = atomic_load(&lane->stack_count);

	if (!size)
		return;
	if (append_stacks(rec, number, size) == SPEMU_OK)
		rec->recorder->counter[RECORDING_STACKS] += n;
	else
		rec->recorder->counter[RECORDING_STACKS_LOST] += n;
	atomic_store(&lane->stacks, 0);
}

/* Who has a lane, at this time. */
static struct spemu_perf_who who_has(const struct recording *rec, uint32_t number,
                                     struct recording_state *state)
{
	struct timespec now;

	recording_copy_once(state, &rec->area->lane[number].state, sizeof(*state));
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct spemu_perf_who){
	        .pid = state->pid,
	        .tid = state->tid,
	        .cpu = number,
	        .time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
	};
}

/* Bytes of whole records that are published in a lane's Profiling Buffer; 0 if there is none. */
static uint64_t published(const struct recording *rec, uint32_t number)
{
	uint64_t used = atomic_load_explicit(&rec->area->lane[number].used, memory_order_acquire);

	if (number == RECORDING_COMMON || !recording_room(rec, number) ||
	    used > recording_buffer_size(&rec->params))
		return 0;
	return used;
}

/* Under the lock. */
static void salvage(const struct recording *rec, uint32_t number)
{
	uint64_t used = published(rec, number);
	uint8_t *room = recording_room(rec, number);
	struct recorder *r = rec->recorder;
	struct recording_state state;
	struct spemu_perf_who who;
	size_t size;

	salvage_stacks(rec, number);
	if (!used)
		return;
	who = who_has(rec, number, &state);
	size = (size_t)(used + 7) & ~(size_t)7;
	memset(room + used, 0, size - (size_t)used);
	if (bring_buffer(r, &who, room, size, 0) == SPEMU_OK) {
		r->counter[RECORDING_SALVAGED_BYTES] += size;
		r->counter[RECORDING_SAMPLES] += state.samples;
	} else {
		r->counter[RECORDING_LOST_RECORDS] += state.samples;
		r->counter[RECORDING_LOST_BYTES] += size;
	}
	r->counter[RECORDING_OPERATIONS] += state.operations;
	empty_buffer(rec, number);
}

void recorder_salvage(struct recording *rec, uint32_t lane)
{
	pthread_mutex_lock(&rec->recorder->lock);
	if (lane < RECORDING_LANES)
		salvage(rec, lane);
	pthread_mutex_unlock(&rec->recorder->lock);
}

/*
 * Under the lock. What a thread has published since it began its buffer: it goes on after that, and
 * cannot begin anew before it is answered.
 */
static void take_published(const struct recording *rec, uint32_t number, uint64_t limit)
{
	uint64_t used = published(rec, number);
	struct recorder *r = rec->recorder;
	const uint64_t had = r->taken[number];
	struct recording_state state;
	struct spemu_perf_who who;

	if (used <= had)
		return;
	who = who_has(rec, number, &state);
	if (recorder_window_add(&r->window[number], limit, &who, recording_room(rec, number) + had,
	                        (size_t)(used - had), 0))
		r->taken[number] = used;
}

/* Under the lock. */
static int snapshot(const struct recording *rec)
{
	struct recorder *r = rec->recorder;
	int status = SPEMU_OK;

	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		int error;

		take_published(rec, i, r->keep);
		error = write_window(r, i, r->keep, SPEMU_PERF_AUX_OVERWRITE);
		status = error ? error : status;
	}
	r->counter[RECORDING_SNAPSHOTS]++;
	return status;
}

void recorder_take_live(const struct recording *rec)
{
	struct recorder *r = rec->recorder;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < RECORDING_LANES && !r->keep; i++) {
		take_published(rec, i, UINT64_MAX);
		write_window(r, i, UINT64_MAX, 0);
	}
	pthread_mutex_unlock(&r->lock);
}

int recording_keep(struct recording *rec, uint64_t window, bool at_end)
{
	struct recorder *r = recorder_here(rec);

	if (!r || !window || rec->params.flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW))
		return SPEMU_ERR_INVALID;
	pthread_mutex_lock(&r->lock);
	r->keep = window;
	r->at_end = at_end;
	pthread_mutex_unlock(&r->lock);
	return SPEMU_OK;
}

int recording_snapshot(struct recording *rec)
{
	struct recorder *r = recorder_here(rec);
	int status = SPEMU_ERR_STATE;

	if (!r)
		return status;
	pthread_mutex_lock(&r->lock);
	if (r->keep && !r->finished)
		status = snapshot(rec);
	pthread_mutex_unlock(&r->lock);
	return status;
}

int recorder_answer(const struct recording *rec, uint32_t slot,
                    const struct recording_request *request)
{
	if (rec->recorder->finished)
		return SPEMU_ERR_STATE;
	switch (request->kind) {
	case RECORDING_ASK_EVENTS:
		return answer_events(rec, slot, request);
	case RECORDING_ASK_AUX:
		return answer_aux(rec, slot, request);
	case RECORDING_ASK_SALVAGE:
		if (request->lane >= RECORDING_LANES)
			return SPEMU_ERR_INVALID;
		salvage(rec, request->lane);
		return SPEMU_OK;
	case RECORDING_ASK_STACKS:
		return append_stacks(rec, slot, request->size);
	default:
		return SPEMU_ERR_INVALID;
	}
}

void recorder_end_windows(const struct recording *rec)
{
	struct recorder *r = rec->recorder;

	if (r->keep && r->at_end)
		snapshot(rec);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_window_clear(&r->window[i]);
}
