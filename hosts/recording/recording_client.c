/* SPDX-License-Identifier: MIT */
/*
 * The recorded processes' side: lanes and requests to the recorder.
 *
 * Other processes may write into the area. So an append can fail, or wait up to TAKE_MS for a slot.
 * But this process never reads or writes outside the area.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"
#include "recording_who.h"

#define TAKE_MS 5000 /* longest wait for a slot that another thread keeps */
#define SLICE_MS 100 /* time between two checks that the recorder is alive */
#define SLICES 300   /* slices to wait for a reply */
/* A descriptor in a program has a number among the HIGH numbers below HIGH_END, or below the
 * program's limit. Programs use low numbers. */
#define HIGH 16
#define HIGH_END 1024

/* True during a request, for a signal handler that interrupts it. */
static _Thread_local bool asking __attribute__((tls_model("initial-exec")));

/* Return true if a slot in this state can be taken. The thread that took it may have died. */
static bool is_free(const struct recording *rec, uint32_t state)
{
	int32_t taker = RECORDING_TAKER(state);

	switch (RECORDING_PHASE(state)) {
	case RECORDING_IDLE:
		return true;
	case RECORDING_ASKED:
		return false;
	default:
		return taker == 0 || recording_who_is_gone(rec, taker);
	}
}

/* Take the slot. Return false if others kept it for the whole time. */
static bool take_slot(struct recording *rec, struct recording_slot *slot)
{
	const uint32_t mine = RECORDING_SLOT_STATE(RECORDING_TAKEN, recording_thread_number(rec));
	uint32_t seen = 0;
	int kept = 0; /* ms for which one thread kept the slot, without the recorder's time */

	for (int i = 0; i < SLICES * SLICE_MS && kept < TAKE_MS; i++) {
		uint32_t state = atomic_load(&slot->state);

		if (is_free(rec, state) &&
		    atomic_compare_exchange_strong(&slot->state, &state, mine))
			return true;
		if (state != seen)
			kept = 0;
		else if (RECORDING_PHASE(state) != RECORDING_ASKED)
			kept++;
		seen = state;
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	return false;
}

/* Return the recorder's reply to the request in the slot. Make the slot idle. */
static int await(struct recording *rec, struct recording_slot *slot, uint32_t asked)
{
	int status = SPEMU_ERR_IO;

	for (int i = 0; i < SLICES && !rec->gone;) {
		if (atomic_load_explicit(&slot->state, memory_order_acquire) != asked) {
			status = slot->status;
			break;
		}
		if (atomic_load(&rec->area->finished)) {
			status = SPEMU_ERR_STATE;
			break;
		}
		if (recording_wait(&slot->state, asked, SLICE_MS))
			continue;
		if (recording_who_is_gone(rec, rec->recorder_pid) || ++i == SLICES)
			rec->gone = true;
	}
	atomic_store(&slot->state, RECORDING_IDLE);
	return status;
}

/* Send a request through a taken slot, whose room has the data. */
static int ask(struct recording *rec, uint32_t number, const struct recording_request *request)
{
	const uint32_t asked = RECORDING_SLOT_STATE(RECORDING_ASKED, recording_thread_number(rec));
	struct recording_area *area = rec->area;
	struct recording_slot *slot = &area->slot[number];

	slot->request = *request;
	atomic_store_explicit(&slot->state, asked, memory_order_release);
	atomic_fetch_or(&area->pending[number / 64], UINT64_C(1) << number % 64);
	atomic_fetch_add(&area->bell, 1);
	recording_wake(&area->bell);
	return await(rec, slot, asked);
}

/* Copy parts into a room. */
static void gather(uint8_t *room, const struct iovec *parts, int n)
{
	for (int i = 0; i < n; i++) {
		if (parts[i].iov_base != room)
			memcpy(room, parts[i].iov_base, parts[i].iov_len);
		room += parts[i].iov_len;
	}
}

/* Take the slot, copy the parts into its room and send the request. */
static int request_slot(struct recording *rec, uint32_t number,
                        const struct recording_request *request, const struct iovec *parts, int n)
{
	uint8_t *room = request->kind == RECORDING_ASK_EVENTS ? recording_events_room(rec, number)
	                                                      : recording_room(rec, number);
	int status = SPEMU_ERR_IO;

	if (asking)
		return SPEMU_ERR_STATE;
	if (rec->gone)
		return SPEMU_ERR_IO;
	asking = true;
	if (take_slot(rec, &rec->area->slot[number])) {
		gather(room, parts, n);
		status = ask(rec, number, request);
	} else {
		rec->gone = true; /* do not wait for it again */
	}
	asking = false;
	return status;
}

/* Send a request without data, or serve it if this is the recorder. */
static int request_plain(struct recording *rec, uint32_t number,
                         const struct recording_request *request)
{
	return recorder_here(rec) ? recorder_reply(rec, number, request)
	                          : request_slot(rec, number, request, NULL, 0);
}

/* Return the size of all parts, or 0 if they are not well-formed. */
static size_t parts_size(const struct iovec *parts, int n)
{
	size_t size = 0;

	if (!parts || n < 1 || n > RECORDING_APPEND_MAX)
		return 0;
	for (int i = 0; i < n; i++) {
		if ((!parts[i].iov_base && parts[i].iov_len) ||
		    parts[i].iov_len > RECORDING_EVENTS_MAX - size)
			return 0;
		size += parts[i].iov_len;
	}
	return size % 8 ? 0 : size;
}

int recording_append(struct recording *rec, const struct iovec *parts, int n)
{
	const size_t size = parts_size(parts, n);
	const struct recording_request request = {.kind = RECORDING_ASK_EVENTS, .size = size};
	int status, saved = errno;

	if (!size)
		return SPEMU_ERR_INVALID;
	if (recorder_here(rec))
		status = recorder_append(rec, parts, n, size);
	else
		status = request_slot(rec, RECORDING_COMMON, &request, parts, n);
	if (status != SPEMU_OK)
		recording_count(rec, RECORDING_LOST_BYTES, size);
	errno = saved;
	return status;
}

int recording_append_aux(struct recording *rec, const struct spemu_perf_who *who,
                         const uint8_t *data, size_t size, uint64_t flags)
{
	const struct iovec part = {(void *)(uintptr_t)data, size};
	struct recording_request request = {
	        .kind = RECORDING_ASK_AUX, .size = size, .flags = flags};
	uint32_t slot = RECORDING_COMMON;
	int status, saved = errno;

	if (!who || who->cpu >= RECORDING_LANES || size % 8 || (size && !data))
		return SPEMU_ERR_INVALID;
	if (!recorder_here(rec) && size > recording_buffer_size(&rec->params) + RECORDING_PAGE)
		return SPEMU_ERR_INVALID;
	if (recording_room(rec, who->cpu) == data)
		slot = who->cpu;
	request.lane = who->cpu;
	request.pid = who->pid;
	request.tid = who->tid;
	request.time = who->time;
	if (recorder_here(rec))
		status = recorder_append_aux(rec, who, data, size, flags);
	else
		status = request_slot(rec, slot, &request, &part, size ? 1 : 0);
	if (status != SPEMU_OK)
		recording_count(rec, RECORDING_LOST_BYTES, size);
	errno = saved;
	return status;
}

void recording_switch(struct recording *rec, bool on)
{
	atomic_store(&rec->area->off, on ? 0 : 1);
}

bool recording_is_on(const struct recording *rec)
{
	return !atomic_load_explicit(&rec->area->off, memory_order_acquire);
}

void recording_publish_stacks(struct recording *rec, uint32_t number, uint64_t used, uint64_t n)
{
	struct recording_lane *lane = &rec->area->lane[number];

	atomic_store_explicit(&lane->stack_count, n, memory_order_relaxed);
	atomic_store_explicit(&lane->stacks, used, memory_order_release);
}

int recording_append_stacks(struct recording *rec, uint32_t number)
{
	struct recording_lane *lane = &rec->area->lane[number];
	const struct recording_request request = {
	        .kind = RECORDING_ASK_STACKS, .lane = number, .size = atomic_load(&lane->stacks)};
	uint64_t n = atomic_load(&lane->stack_count);
	int status, saved = errno;

	if (!recording_stacks(rec, number))
		return SPEMU_ERR_INVALID;
	if (!request.size)
		return SPEMU_OK;
	status = request_plain(rec, number, &request);
	recording_publish_stacks(rec, number, 0, 0);
	recording_count(rec, status == SPEMU_OK ? RECORDING_STACKS : RECORDING_STACKS_LOST, n);
	errno = saved;
	return status;
}

static void salvage(struct recording *rec, uint32_t lane)
{
	const struct recording_request request = {.kind = RECORDING_ASK_SALVAGE, .lane = lane};

	/* Send no request for lanes without data, which are most. */
	if (!atomic_load(&rec->area->lane[lane].used) &&
	    !atomic_load(&rec->area->lane[lane].stacks))
		return;
	request_plain(rec, RECORDING_COMMON, &request);
}

/* Clean up after the dead thread that had the lane: deliver its data and free its slot. */
static void inherit(struct recording *rec, uint32_t lane)
{
	struct recording_slot *slot = &rec->area->slot[lane];

	for (int i = 0; i < SLICES && !atomic_load(&rec->area->finished); i++) {
		uint32_t state = atomic_load(&slot->state);

		if (RECORDING_PHASE(state) != RECORDING_ASKED)
			break;
		recording_wait(&slot->state, state, SLICE_MS);
	}
	salvage(rec, lane);
	if (lane != RECORDING_COMMON)
		atomic_store(&slot->state, RECORDING_IDLE);
}

/* Free the lanes of the image that this process ran before its exec. */
static void free_own_lanes(struct recording *rec)
{
	struct recording_area *area = rec->area;

	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		if (atomic_load(&area->lane[i].owner) != recording_process_number(rec))
			continue;
		inherit(rec, i);
		atomic_store(&area->lane[i].owner, 0);
	}
}

int recording_attach(struct recording *rec, const char *control_path)
{
	return recording_attach_held(rec, control_path, -1);
}

int recording_attach_held(struct recording *rec, const char *control_path, int fd)
{
	int status;

	if (!rec || !control_path || strlen(control_path) >= RECORDING_PATH_MAX)
		return SPEMU_ERR_INVALID;
	*rec = (struct recording){.area_fd = -1};
	status = recording_area_open(rec, control_path, fd);
	if (status != SPEMU_OK)
		return status;
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	free_own_lanes(rec);
	recording_count(rec, RECORDING_PROCESSES, 1);
	return SPEMU_OK;
}

void recording_detach(struct recording *rec)
{
	recorder_free(rec);
	recording_area_close(rec);
}

const char *recording_control_path(const struct recording *rec)
{
	return rec->control_path;
}

const struct recording_params *recording_params(const struct recording *rec)
{
	return &rec->params;
}

void recording_count(struct recording *rec, enum recording_counter counter, uint64_t n)
{
	if ((unsigned)counter < RECORDING_COUNTERS)
		atomic_fetch_add_explicit(&rec->area->counter[counter], n, memory_order_relaxed);
}

/* Take the lane if it is free or, with `dead`, if its owner has ended. Return false otherwise. */
static bool take_lane(struct recording *rec, uint32_t lane, bool dead)
{
	int32_t owner = atomic_load(&rec->area->lane[lane].owner);

	return (dead ? recording_who_is_gone(rec, owner) : owner == 0) &&
	       atomic_compare_exchange_strong(&rec->area->lane[lane].owner, &owner,
	                                      recording_process_number(rec));
}

uint32_t recording_lane_get(struct recording *rec)
{
	uint32_t lane = 0;
	int saved = errno;

	recording_count(rec, RECORDING_THREADS, 1);
	while (lane < RECORDING_LANES && !take_lane(rec, lane, false))
		lane++;
	if (lane < RECORDING_LANES)
		return lane;
	for (lane = 0; lane < RECORDING_LANES; lane++) {
		if (take_lane(rec, lane, true)) {
			inherit(rec, lane);
			break;
		}
	}
	errno = saved;
	return lane < RECORDING_LANES ? lane : RECORDING_COMMON;
}

void recording_lane_put(struct recording *rec, uint32_t lane)
{
	int32_t owner = recording_process_number(rec);

	if (lane < RECORDING_LANES)
		atomic_compare_exchange_strong(&rec->area->lane[lane].owner, &owner, 0);
}

uint8_t *recording_buffer(struct recording *rec, uint32_t lane, size_t *size)
{
	if (lane >= RECORDING_COMMON || !recording_room(rec, lane))
		return NULL;
	*size = (size_t)recording_buffer_size(&rec->params);
	return recording_room(rec, lane);
}

void recording_publish(struct recording *rec, uint32_t number, const struct recording_state *state)
{
	struct recording_lane *lane = &rec->area->lane[number];

	lane->state = *state;
	atomic_store_explicit(&lane->used, state->used, memory_order_release);
}

bool recording_is_reachable(const struct recording *rec)
{
	int saved = errno;
	int fd = recording_area_descriptor(rec->control_path);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return fd >= 0;
}

int recording_held(const struct recording *rec)
{
	int saved = errno;
	struct recording_card card;
	/* The program may have closed the descriptor, and may use its number for a file. */
	bool held = rec->area_fd >= 0 &&
	            pread(rec->area_fd, &card, sizeof(card), 0) == sizeof(card) &&
	            card.magic == RECORDING_MAGIC && card.recorder == rec->recorder_pid;

	errno = saved;
	return held ? rec->area_fd : -1;
}

void recording_hold(struct recording *rec)
{
	int saved = errno, fd;
	struct rlimit limit;

	if (recording_held(rec) >= 0)
		return;
	fd = recording_area_descriptor(rec->control_path);
	rec->area_fd = -1;
	if (fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		rlim_t end = limit.rlim_cur < HIGH_END ? limit.rlim_cur : HIGH_END;

		rec->area_fd = fcntl(fd, F_DUPFD_CLOEXEC, end > HIGH ? (int)(end - HIGH) : 0);
	}
	if (fd >= 0)
		close(fd);
	errno = saved;
}

void recording_note(struct recording *rec, const char *text)
{
	struct recording_area *area = rec->area;
	uint32_t none = 0;
	size_t length = strnlen(text, RECORDING_NOTE_MAX - 1);

	if (!atomic_compare_exchange_strong(&area->note_state, &none, 1))
		return;
	memcpy(area->note, text, length);
	area->note[length] = 0;
	atomic_store(&area->note_state, 2);
}
