/* SPDX-License-Identifier: MIT */
/*
 * The recorder: it alone writes the file, from memory that programs can write.
 *
 * What it relies on is in struct recorder. A request is copied out of the area once and checked in
 * the copy: its slot says which room it is in, its size is held against that room, events against
 * what events can be. Nothing that a program does not do holds it up: it waits for the bell alone, a
 * fifth of a second at most, and leaves between two requests when it is told to end.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "recorder_stacks.h"
#include "recording_area.h"
#include "recording_opening.h"

#define WAIT_MS 200
#define AUX_FLAGS                                                                       \
	(SPEMU_PERF_AUX_TRUNCATED | SPEMU_PERF_AUX_OVERWRITE | SPEMU_PERF_AUX_PARTIAL | \
	 SPEMU_PERF_AUX_COLLISION)

struct recorder {
	struct recording_file file;
	struct recording_opening opening;
	pthread_mutex_t lock; /* over all below, and the file */
	pthread_t thread;
	bool serving;
	atomic_bool stop;
	bool finished;
	uint32_t lanes;                       /* one more than the highest that trace came from */
	uint64_t offset[RECORDING_LANES];     /* of each lane's stream */
	uint64_t counter[RECORDING_COUNTERS]; /* what the recorder counts itself */
	uint8_t events[RECORDING_EVENTS_MAX]; /* copied before they are checked */
	uint8_t stacks[RECORDING_STACKS_MAX]; /* and so are these */
};

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
	return SPEMU_ERR_IO;
}

/*
 * Under the lock. A lane is a CPU of the file. Where a file cannot have as many, the last CPU is that of
 * all other lanes, which costs nothing but the order of records of equal time.
 */
static int append_aux(struct recorder *r, const struct spemu_perf_who *of_lane, const uint8_t *data,
                      size_t size, uint64_t flags)
{
	const uint32_t last = recording_opening_cpus(&r->opening) - 1;
	struct spemu_perf_who who = *of_lane;
	uint8_t aux[64]; /* header, three numbers, trailer */
	uint8_t auxtrace[SPEMU_PERF_AUXTRACE_SIZE];
	struct iovec parts[3] = {{aux, 0}, {auxtrace, 0}, {(void *)(uintptr_t)data, size}};
	uint64_t offset;
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
	if (status == SPEMU_OK)
		r->offset[who.cpu] = offset + size;
	if (status == SPEMU_OK)
		r->counter[RECORDING_AUX_BYTES] += size;
	return status;
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
	status = append_aux(r, who, data, size, flags);
	atomic_store(&rec->area->lane[who->cpu].used, 0);
	pthread_mutex_unlock(&r->lock);
	return status;
}

/* Little-endian, as everything in the file. */
static uint32_t number(const uint8_t *p, unsigned size)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

/*
 * Bytes of an event that a process may bring, with its text and trailer as the reader wants them; 0
 * if it is none. AUX and AUXTRACE are made here, so that trace cannot pass for events.
 */
static size_t event_size(const uint8_t *event, size_t left)
{
	const size_t trailer = SPEMU_PERF_TRAILER_SIZE;
	size_t size, text_at = 0;

	if (left < 8)
		return 0;
	size = number(event + 6, 2);
	switch (number(event, 4)) {
	case SPEMU_PERF_COMM:
		text_at = 8 + 8;
		break;
	case SPEMU_PERF_MMAP2:
		text_at = 8 + 64;
		break;
	case SPEMU_PERF_FORK:
	case SPEMU_PERF_EXIT:
		return size == 8 + 24 + trailer && size <= left ? size : 0;
	case SPEMU_PERF_ITRACE_START:
		return size == 8 + 8 + trailer && size <= left ? size : 0;
	default:
		return 0;
	}
	if (size > left || size % 8 || size < text_at + 8 + trailer ||
	    !memchr(event + text_at, 0, size - trailer - text_at))
		return 0;
	return size;
}

static bool are_events(const uint8_t *events, size_t size)
{
	while (size) {
		size_t n = event_size(events, size);

		if (!n)
			return false;
		events += n;
		size -= n;
	}
	return true;
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
	if (!are_events(r->events, part.iov_len))
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
	status = append_aux(rec->recorder, &who, room, (size_t)request->size, request->flags);
	atomic_store(&rec->area->lane[who.cpu].used, 0);
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

/* Under the lock. */
static void salvage(const struct recording *rec, uint32_t number)
{
	struct recording_lane *lane = &rec->area->lane[number];
	uint64_t used = atomic_load_explicit(&lane->used, memory_order_acquire);
	uint8_t *room = recording_room(rec, number);
	struct recorder *r = rec->recorder;
	struct recording_state state;
	struct spemu_perf_who who;
	struct timespec now;
	size_t size;

	salvage_stacks(rec, number);
	if (!used || number == RECORDING_COMMON || !room ||
	    used > recording_buffer_size(&rec->params))
		return;
	recording_copy_once(&state, &lane->state, sizeof(state));
	clock_gettime(CLOCK_MONOTONIC, &now);
	who = (struct spemu_perf_who){.pid = state.pid, .tid = state.tid, .cpu = number};
	who.time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	size = (size_t)(used + 7) & ~(size_t)7;
	memset(room + used, 0, size - (size_t)used);
	if (append_aux(r, &who, room, size, 0) == SPEMU_OK) {
		r->counter[RECORDING_SALVAGED_BYTES] += size;
		r->counter[RECORDING_SAMPLES] += state.samples;
	} else {
		r->counter[RECORDING_LOST_RECORDS] += state.samples;
		r->counter[RECORDING_LOST_BYTES] += size;
	}
	r->counter[RECORDING_OPERATIONS] += state.operations;
	atomic_store(&lane->used, 0);
}

void recorder_salvage(struct recording *rec, uint32_t lane)
{
	pthread_mutex_lock(&rec->recorder->lock);
	if (lane < RECORDING_LANES)
		salvage(rec, lane);
	pthread_mutex_unlock(&rec->recorder->lock);
}

static int answer(const struct recording *rec, uint32_t slot,
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

static void serve_slot(const struct recording *rec, uint32_t number)
{
	struct recording_slot *slot = &rec->area->slot[number];
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	struct recording_request request;

	if (RECORDING_PHASE(state) != RECORDING_ASKED)
		return;
	recording_copy_once(&request, &slot->request, sizeof(request));
	pthread_mutex_lock(&rec->recorder->lock);
	slot->status = answer(rec, number, &request);
	pthread_mutex_unlock(&rec->recorder->lock);
	state = RECORDING_SLOT_STATE(RECORDING_ANSWERED, RECORDING_TAKER(state));
	atomic_store_explicit(&slot->state, state, memory_order_release);
	recording_wake(&slot->state);
}

/* Slots whose bit is set; all of them if all is true. */
static void serve_slots(const struct recording *rec, bool all)
{
	struct recording_area *area = rec->area;

	for (uint32_t i = 0; i < RECORDING_LANES && !atomic_load(&rec->recorder->stop); i++) {
		uint64_t bit = UINT64_C(1) << i % 64;
		bool rung = atomic_load(&area->pending[i / 64]) & bit;

		if (rung)
			atomic_fetch_and(&area->pending[i / 64], ~bit);
		if (rung || all)
			serve_slot(rec, i);
	}
}

static void *serve(void *argument)
{
	const struct recording *rec = argument;
	struct recording_area *area = rec->area;
	bool quiet = false;

	while (!atomic_load(&rec->recorder->stop)) {
		uint32_t bell = atomic_load(&area->bell);

		/* A thread may have died between its request and the bell: look at all now and then. */
		serve_slots(rec, quiet);
		quiet = !recording_wait(&area->bell, bell, WAIT_MS);
	}
	return NULL;
}

static void describe(struct spemu_perf_head_config *config, const struct recording_params *params,
                     const struct recording_about *about)
{
	*config = (struct spemu_perf_head_config){
	        .size = sizeof(*config),
	        .period = params->period,
	        .pmscr = params->pmscr,
	        .pmsfcr = params->pmsfcr,
	        .pmsevfr = params->pmsevfr,
	        .min_latency = params->min_latency,
	        .midr = params->midr,
	        .jitter = params->jitter,
	        .physical_addresses = params->flags & RECORDING_PHYS_ADDR,
	        .callchains = params->flags & (RECORDING_STACKS_FP | RECORDING_STACKS_SHADOW),
	        .argv = about->argv,
	        .version = about->version,
	        .osrelease = about->osrelease,
	        .hostname = about->hostname,
	        .cpu_desc = about->cpu_desc,
	        .event_name = about->event_name,
	};
}

/* The file with the events that every file begins with. Returns an errno. */
static int create_file(struct recording *rec, const char *path, const struct recording_about *about)
{
	const struct recording_params *params = &rec->params;
	uint64_t hz = params->counter_hz ? params->counter_hz : UINT64_C(1000000000);
	struct recording_opening *opening = &rec->recorder->opening;
	struct recording_file *file = &rec->recorder->file;
	struct spemu_perf_head_config config;
	int error;

	if (spemu_perf_time_conv_init(&opening->time, hz, params->time_zero) != SPEMU_OK)
		return EINVAL;
	opening->describes_cpus = about->cpu;
	if (about->cpu)
		opening->cpu = *about->cpu;
	describe(&config, params, about);
	error = recording_file_create(file, path, &config);
	return error ? error : recording_opening_begin(file, opening);
}

/* The thread has no signal to handle: they are the program's that waits meanwhile. Returns an errno. */
static int start_thread(struct recording *rec)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&rec->recorder->thread, NULL, serve, rec);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	rec->recorder->serving = !error;
	return error;
}

static void stop_thread(struct recording *rec)
{
	struct recorder *r = rec->recorder;

	if (!r->serving)
		return;
	atomic_store(&r->stop, true);
	atomic_fetch_add(&rec->area->bell, 1);
	recording_wake(&rec->area->bell);
	pthread_join(r->thread, NULL);
	r->serving = false;
}

static int create(struct recording *rec, const char *path, const struct recording_about *about)
{
	int error;

	rec->recorder = calloc(1, sizeof(*rec->recorder));
	if (!rec->recorder)
		return ENOMEM;
	rec->recorder->file.fd = -1;
	pthread_mutex_init(&rec->recorder->lock, NULL);
	error = recording_area_create(rec);
	if (!error)
		error = create_file(rec, path, about);
	return error ? error : start_thread(rec);
}

int recording_create(struct recording *rec, const char *path, const struct recording_params *params,
                     const struct recording_about *about)
{
	static const struct recording_about nothing;
	int error;

	if (!rec || !path || !params || params->jitter > 1 || !recording_buffer_size(params) ||
	    !memchr(params->profile, 0, sizeof(params->profile)) ||
	    !memchr(params->features, 0, sizeof(params->features)) ||
	    !memchr(params->uarch, 0, sizeof(params->uarch)) ||
	    !memchr(params->layout, 0, sizeof(params->layout)))
		return SPEMU_ERR_INVALID;
	*rec = (struct recording){.area_fd = -1, .params = *params};
	error = create(rec, path, about ? about : &nothing);
	if (!error)
		return SPEMU_OK;
	rec->recorder_pid = getpid();
	recorder_free(rec);
	recording_area_close(rec);
	errno = error;
	return error == EINVAL ? SPEMU_ERR_INVALID : SPEMU_ERR_IO;
}

void recorder_free(struct recording *rec)
{
	struct recorder *r = recorder_here(rec);

	if (!r)
		return;
	stop_thread(rec);
	recording_file_close(&r->file);
	pthread_mutex_destroy(&r->lock);
	free(r);
	rec->recorder = NULL;
}

/* What processes said that are gone, and no to those that are not. */
static void serve_last(struct recording *rec)
{
	struct recorder *r = rec->recorder;

	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		serve_slot(rec, i);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_salvage(rec, i);
	pthread_mutex_lock(&r->lock);
	r->finished = true;
	pthread_mutex_unlock(&r->lock);
	atomic_store(&rec->area->finished, 1);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		serve_slot(rec, i);
}

int recording_finish(struct recording *rec, struct recording_totals *totals)
{
	struct recorder *r = recorder_here(rec);
	int error;

	if (!r || r->finished)
		return SPEMU_ERR_STATE;
	stop_thread(rec);
	serve_last(rec);
	error = recording_opening_finish(&r->file, &r->opening, r->file.cpus);
	if (!error)
		error = recording_file_finish(&r->file);
	if (totals)
		recording_totals(totals, rec);
	errno = error ? error : errno;
	return error ? SPEMU_ERR_IO : SPEMU_OK;
}

/* The note is the program's text as much as ours: nothing in it steers a terminal. */
static void read_note(char note[RECORDING_NOTE_MAX], const struct recording_area *area)
{
	if (atomic_load(&area->note_state) != 2)
		return;
	recording_copy_once(note, area->note, RECORDING_NOTE_MAX);
	note[RECORDING_NOTE_MAX - 1] = 0;
	for (char *p = note; *p; p++) {
		if (*p < ' ' || *p > '~')
			*p = '?';
	}
}

void recording_totals(struct recording_totals *totals, const struct recording *rec)
{
	struct recorder *r = recorder_here(rec);
	struct recording_area *area = rec->area;

	memset(totals, 0, sizeof(*totals));
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	for (int i = 0; i < RECORDING_COUNTERS; i++)
		totals->counter[i] = r->counter[i] +
		                     atomic_load_explicit(&area->counter[i], memory_order_relaxed);
	totals->data_bytes = r->file.data_size;
	totals->file_bytes = recording_file_size(&r->file);
	totals->lanes = r->lanes;
	totals->write_errno = r->file.error;
	totals->fate = recording_file_fate(&r->file);
	pthread_mutex_unlock(&r->lock);
	read_note(totals->note, area);
}
