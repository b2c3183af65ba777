/* SPDX-License-Identifier: MIT */
/*
 * Profiling Buffers in memory shared with the recorder, one a lane, so that the records in them
 * survive the death of the process.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "recording_control.h"

#define PAGE UINT64_C(4096)
#define DEFAULT_SIZE 65536
/* Address space for all buffers together; lanes beyond it have none. */
#define BUFFERS_MAX (UINT64_C(1) << 36)

static uint64_t buffer_size(const struct recording_control *control)
{
	uint64_t size = control->params.buffer_size ? control->params.buffer_size : DEFAULT_SIZE;

	return (size + PAGE - 1) & ~(PAGE - 1);
}

/* One page more, for the zeroes that make a delivery whole. */
static uint64_t stride(const struct recording_control *control)
{
	return buffer_size(control) + PAGE;
}

/* The last lane may be shared by threads: it has none. */
static uint32_t n_buffers(const struct recording_control *control)
{
	uint64_t n = BUFFERS_MAX / stride(control);

	return n < RECORDING_LANES - 1 ? (uint32_t)n : RECORDING_LANES - 1;
}

uint64_t recording_buffers_at(void)
{
	return (sizeof(struct recording_control) + PAGE - 1) & ~(PAGE - 1);
}

uint64_t recording_buffers_size(const struct recording_control *control)
{
	return n_buffers(control) * stride(control);
}

void recording_buffers_map(struct recording *rec, int fd)
{
	void *p = mmap(NULL, recording_buffers_size(rec->control), PROT_READ | PROT_WRITE,
	               MAP_SHARED | MAP_NORESERVE, fd, (off_t)recording_buffers_at());

	rec->buffers = p == MAP_FAILED ? NULL : p;
}

void recording_buffers_unmap(struct recording *rec)
{
	if (rec->buffers)
		munmap(rec->buffers, recording_buffers_size(rec->control));
	rec->buffers = NULL;
}

uint8_t *recording_buffer(struct recording *rec, uint32_t lane, size_t *size)
{
	if (!rec->buffers || lane >= n_buffers(rec->control))
		return NULL;
	*size = buffer_size(rec->control);
	return rec->buffers + lane * stride(rec->control);
}

void recording_publish(struct recording *rec, uint32_t number, const struct recording_state *state)
{
	struct recording_lane *lane = &rec->control->lane[number];

	lane->state = *state;
	atomic_store_explicit(&lane->used, state->used, memory_order_release);
}

/* Under the lock, so that nobody delivers the same bytes at the same time. */
static void salvage_locked(struct recording *rec, uint32_t number)
{
	struct recording_lane *lane = &rec->control->lane[number];
	uint64_t used = atomic_load_explicit(&lane->used, memory_order_acquire);
	struct spemu_perf_who who = {.pid = lane->state.pid, .tid = lane->state.tid, .cpu = number};
	struct timespec now;
	size_t size = 0;
	uint8_t *data = recording_buffer(rec, number, &size);

	if (!used || !data || used > size)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	who.time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	size = (size_t)(used + 7) & ~(size_t)7;
	memset(data + used, 0, size - used);
	if (recording_append_aux_locked(rec, &who, data, size, 0) == SPEMU_OK) {
		recording_count(rec, RECORDING_AUX_BYTES, size);
		recording_count(rec, RECORDING_SALVAGED_BYTES, size);
	} else {
		recording_count(rec, RECORDING_LOST_BYTES, size);
	}
	recording_count(rec, RECORDING_SAMPLES, lane->state.samples);
	recording_count(rec, RECORDING_OPERATIONS, lane->state.operations);
}

void recording_salvage(struct recording *rec, uint32_t number)
{
	/* Most lanes have nothing: no lock for those. */
	if (!atomic_load(&rec->control->lane[number].used) || recording_lock(rec) != SPEMU_OK)
		return;
	salvage_locked(rec, number);
	recording_unlock(rec);
}
