/* SPDX-License-Identifier: MIT */
/* The recorder's handling of requests. It checks the data of processes and appends them to the file
 * or, in snapshot mode, keeps trace in rings. Callers of the static functions hold the lock. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder.h"
#include "recorder_check.h"

#define AUX_FLAGS                                                                       \
	(SPEMU_PERF_AUX_TRUNCATED | SPEMU_PERF_AUX_OVERWRITE | SPEMU_PERF_AUX_PARTIAL | \
	 SPEMU_PERF_AUX_COLLISION)

struct recorder *recorder_here(const struct recording *rec)
{
	return rec->recorder && rec->recorder_pid == getpid() ? rec->recorder : NULL;
}

int recorder_put(struct recorder *r, const struct iovec *parts, int n, size_t size)
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
	/* Flag the last AUX event, because the file has no room for an event about the loss. */
	if (!failed && r->has_aux)
		recording_file_flag_aux(&r->file, r->aux_at,
		                        r->aux_flags | SPEMU_PERF_AUX_TRUNCATED);
	return SPEMU_ERR_IO;
}

/*
 * Return the file's CPU for a lane. If a file cannot have a CPU for each lane, all further lanes
 * share the last CPU. That affects only the order of records with equal times.
 */
static uint32_t cpu_of(const struct recorder *r, uint32_t lane)
{
	const uint32_t last = recording_opening_cpus(&r->opening) - 1;

	return lane < last ? lane : last;
}

static int append_aux(struct recorder *r, const struct spemu_perf_who *of_lane, const uint8_t *data,
                      size_t size, uint64_t flags)
{
	struct spemu_perf_who who = *of_lane;
	uint8_t aux[64]; /* size of the header, three numbers and the trailer */
	uint8_t auxtrace[SPEMU_PERF_AUXTRACE_SIZE];
	struct iovec parts[3] = {{aux, 0}, {auxtrace, 0}, {(void *)(uintptr_t)data, size}};
	uint64_t offset, at = r->file.head.data_at + r->file.data_size;
	int status;

	if (r->lanes < who.cpu + 1)
		r->lanes = who.cpu + 1;
	who.cpu = cpu_of(r, who.cpu);
	offset = r->offset[who.cpu];
	recording_file_cover(&r->file, who.cpu + 1);
	parts[0].iov_len = (size_t)spemu_perf_put_aux(aux, sizeof(aux), &who, offset, size, flags);
	parts[1].iov_len =
	        (size_t)spemu_perf_put_auxtrace(auxtrace, sizeof(auxtrace), who.cpu, offset, size);
	if (size)
		status = recorder_put(r, parts, 3, parts[0].iov_len + parts[1].iov_len + size);
	else
		status = recorder_put(r, parts, 1, parts[0].iov_len);
	if (status != SPEMU_OK)
		return status;
	r->offset[who.cpu] = offset + size;
	r->aux_at = at;
	r->aux_flags = flags;
	r->has_aux = true;
	r->counter[RECORDING_AUX_BYTES] += size;
	return SPEMU_OK;
}

/* Write the ring of a lane into the file. `flags` are added to the flags of its deliveries. */
static int write_ring(struct recorder *r, uint32_t number, uint64_t limit, uint64_t flags)
{
	struct recorder_piece *piece;
	uint64_t skipped;
	int status = SPEMU_OK;

	while ((piece = recorder_ring_take(&r->ring[number], limit, &skipped))) {
		size_t size = (piece->size - piece->start + 7) & ~(size_t)7;
		int error = SPEMU_OK;

		r->offset[cpu_of(r, number)] += skipped;
		if (size || piece->flags)
			error = append_aux(r, &piece->who, piece->bytes + piece->start, size,
			                   piece->flags | flags);
		/* If a live copy fails, the thread's next delivery fails, too, and the thread
		 * counts the loss. */
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
 * Put a thread's delivery into the file or, in snapshot mode, into the ring of its lane. `had` is
 * the number of bytes at the beginning that a snapshot or the stream already has. A rest shorter
 * than any record is padding.
 */
static int bring(struct recorder *r, const struct spemu_perf_who *who, const uint8_t *data,
                 size_t size, uint64_t flags, uint64_t had)
{
	if (r->finished)
		return SPEMU_ERR_STATE;
	if (had) {
		const bool padding = had + 8 > size;

		data = padding ? NULL : data + had;
		size = padding ? 0 : size - (size_t)had;
	}
	if (!r->keep && (!had || !size))
		return append_aux(r, who, data, size, flags);
	/* Outside snapshot mode the rest may begin and end at any byte, so it goes through the
	 * ring, which pads it. */
	if (!recorder_ring_add(&r->ring[who->cpu], r->keep ? r->keep : UINT64_MAX, who, data, size,
	                       flags))
		return SPEMU_ERR_IO;
	return r->keep ? SPEMU_OK : write_ring(r, who->cpu, UINT64_MAX, 0);
}

/* Note that the thread starts at the beginning of its Profiling Buffer again. */
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
	status = recorder_put(r, parts, n, size);
	pthread_mutex_unlock(&r->lock);
	return status;
}

int recorder_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                        const uint8_t *data, size_t size, uint64_t flags)
{
	struct recorder *r = rec->recorder;
	int status;

	pthread_mutex_lock(&r->lock);
	status = bring(r, who, data, size, flags, 0);
	empty_buffer(rec, who->cpu);
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* Append the events in a slot's room. The process counts lost events. */
static int reply_events(const struct recording *rec, uint32_t slot,
                        const struct recording_request *request)
{
	struct recorder *r = rec->recorder;
	const uint8_t *room = recording_events_room(rec, slot);
	struct iovec part = {r->events, (size_t)request->size};
	int status;

	if (!room || !request->size || request->size > sizeof(r->events))
		return SPEMU_ERR_INVALID;
	recording_copy_once(r->events, room, part.iov_len);
	if (!recorder_events_check(r->events, part.iov_len))
		return SPEMU_ERR_INVALID;
	status = recorder_put(r, &part, 1, part.iov_len);
	recorder_copies_see(r, r->events, part.iov_len);
	return status;
}

/* Take the trace in a slot's room. The process counts lost trace. */
static int reply_aux(const struct recording *rec, uint32_t slot,
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
	/* The bytes go from the program's memory to the file without being read, so they may be
	 * anything. */
	status = bring(rec->recorder, &who, room, (size_t)request->size, request->flags,
	               slot == RECORDING_COMMON ? 0 : rec->recorder->taken[slot]);
	empty_buffer(rec, who.cpu);
	return status;
}

/* Append published call stacks. The process or salvage_stacks() counts lost ones. */
static int append_stacks(const struct recording *rec, uint32_t number, uint64_t size)
{
	struct recorder *r = rec->recorder;
	const uint8_t *room = recording_stacks(rec, number);
	struct iovec part = {r->stacks, (size_t)size};

	if (!room || !size || size > sizeof(r->stacks))
		return SPEMU_ERR_INVALID;
	recording_copy_once(r->stacks, room, part.iov_len);
	if (!recorder_stacks_check(r->stacks, part.iov_len, cpu_of(r, number)))
		return SPEMU_ERR_INVALID;
	return recorder_put(r, &part, 1, part.iov_len);
}

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

/* Return the owner of the lane, with the present time. */
static struct spemu_perf_who who_has(const struct recording *rec, uint32_t number,
                                     struct recording_state *state)
{
	recording_copy_once(state, &rec->area->lane[number].state, sizeof(*state));
	return (struct spemu_perf_who){
	        .pid = state->pid,
	        .tid = state->tid,
	        .cpu = number,
	        .time = recording_now(),
	};
}

/* Return the bytes of whole records published in a lane's Profiling Buffer, or 0 if the lane does
 * not have a buffer. */
static uint64_t published(const struct recording *rec, uint32_t number)
{
	uint64_t used = atomic_load_explicit(&rec->area->lane[number].used, memory_order_acquire);

	if (number == RECORDING_COMMON || !recording_room(rec, number) ||
	    used > recording_buffer_size(&rec->params))
		return 0;
	return used;
}

/* Deliver the records and call stacks of the lane's dead thread. */
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
	if (bring(r, &who, room, size, 0, r->taken[number]) == SPEMU_OK) {
		r->counter[RECORDING_SALVAGED_BYTES] += size;
		r->counter[RECORDING_SAMPLES] += state.samples;
	} else {
		r->counter[RECORDING_LOST_RECORDS] += state.samples;
		r->counter[RECORDING_LOST_BYTES] += size;
	}
	r->counter[RECORDING_OPERATIONS] += state.operations;
	empty_buffer(rec, number);
}

/*
 * Put the records that a thread has published in its buffer since the last call into the ring. The
 * thread continues after them, and cannot start its buffer again before the recorder has replied.
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
	if (recorder_ring_add(&r->ring[number], limit, &who, recording_room(rec, number) + had,
	                      (size_t)(used - had), 0))
		r->taken[number] = used;
}

static int snapshot(const struct recording *rec)
{
	struct recorder *r = rec->recorder;
	int status = SPEMU_OK;

	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		int error;

		take_published(rec, i, r->keep);
		error = write_ring(r, i, r->keep, SPEMU_PERF_AUX_OVERWRITE);
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
		write_ring(r, i, UINT64_MAX, 0);
	}
	pthread_mutex_unlock(&r->lock);
}

int recording_keep(struct recording *rec, uint64_t bytes, bool at_end)
{
	struct recorder *r = recorder_here(rec);

	if (!r || !bytes || rec->params.flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW))
		return SPEMU_ERR_INVALID;
	pthread_mutex_lock(&r->lock);
	r->keep = bytes;
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

static int reply(const struct recording *rec, uint32_t slot,
                 const struct recording_request *request)
{
	if (rec->recorder->finished)
		return SPEMU_ERR_STATE;
	switch (request->kind) {
	case RECORDING_ASK_EVENTS:
		return reply_events(rec, slot, request);
	case RECORDING_ASK_AUX:
		return reply_aux(rec, slot, request);
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

int recorder_reply(const struct recording *rec, uint32_t slot,
                   const struct recording_request *request)
{
	int status;

	pthread_mutex_lock(&rec->recorder->lock);
	status = reply(rec, slot, request);
	pthread_mutex_unlock(&rec->recorder->lock);
	return status;
}

void recorder_end_rings(const struct recording *rec)
{
	struct recorder *r = rec->recorder;

	if (r->keep && r->at_end)
		snapshot(rec);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_ring_clear(&r->ring[i]);
}
