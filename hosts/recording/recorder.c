/* SPDX-License-Identifier: MIT */
/*
 * The recorder, which alone writes the file, from memory that programs can write.
 *
 * The recorder relies only on struct recorder. It copies a request out of the area once and checks
 * the copy: the slot determines the room, the size must fit the room, and events must be
 * well-formed. No program can block the recorder. It waits only for the bell, at most a fifth of a
 * second, and checks between requests whether it has to stop. Only the reader of a stream can make
 * it wait longer.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void serve_slot(const struct recording *rec, uint32_t number)
{
	struct recording_slot *slot = &rec->area->slot[number];
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	struct recording_request request;

	if (RECORDING_PHASE(state) != RECORDING_ASKED)
		return;
	recording_copy_once(&request, &slot->request, sizeof(request));
	slot->status = recorder_reply(rec, number, &request);
	state = RECORDING_SLOT_STATE(RECORDING_REPLIED, RECORDING_TAKER(state));
	atomic_store_explicit(&slot->state, state, memory_order_release);
	recording_wake(&slot->state);
}

/* Serve the slots whose bits are set, or every slot if `all`. */
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

/* Write the records that running threads have published into a stream, at time *next and every
 * RECORDING_LIVE_MS after it. */
static void stream_live(const struct recording *rec, uint64_t *next)
{
	if (!rec->recorder->file.streams || recording_now() < *next)
		return;
	recorder_take_live(rec);
	*next = recording_now() + RECORDING_LIVE_MS * UINT64_C(1000000);
}

static void *serve(void *argument)
{
	const struct recording *rec = argument;
	struct recording_area *area = rec->area;
	uint64_t next = 0;
	bool quiet = false;

	while (!atomic_load(&rec->recorder->stop)) {
		uint32_t bell = atomic_load(&area->bell);

		/* A thread may have died between its request and the bell, so check all slots when
		 * the bell was quiet. */
		serve_slots(rec, quiet);
		stream_live(rec, &next);
		quiet = !recording_wait(&area->bell, bell, RECORDING_LIVE_MS);
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
	        .monotonic = true,
	};
}

/* Create the file at path or, if path is NULL, the stream to fd, with its opening events. Return an
 * errno. */
static int create_file(struct recording *rec, const char *path, int fd,
                       const struct recording_about *about)
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
	error = path ? recording_file_create(file, path, &config)
	             : recording_file_stream(file, fd, &config);
	return error ? error : recording_opening_begin(file, opening);
}

/* Start the thread with all signals blocked, so that the main thread handles them. Return an
 * errno. */
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

static int create(struct recording *rec, const char *path, int fd,
                  const struct recording_about *about)
{
	int error;

	rec->recorder = calloc(1, sizeof(*rec->recorder));
	if (!rec->recorder)
		return ENOMEM;
	rec->recorder->file.fd = -1;
	pthread_mutex_init(&rec->recorder->lock, NULL);
	error = recording_area_create(rec);
	if (!error)
		error = create_file(rec, path, fd, about);
	return error ? error : start_thread(rec);
}

static int create_at(struct recording *rec, const char *path, int fd,
                     const struct recording_params *params, const struct recording_about *about)
{
	static const struct recording_about nothing;
	int error;

	if (!rec || (!path && fd < 0) || !params || params->jitter > 1 ||
	    !recording_params_check(params))
		return SPEMU_ERR_INVALID;
	*rec = (struct recording){.area_fd = -1, .params = *params};
	error = create(rec, path, fd, about ? about : &nothing);
	if (!error)
		return SPEMU_OK;
	rec->recorder_pid = getpid();
	recorder_free(rec);
	recording_area_close(rec);
	errno = error;
	return error == EINVAL ? SPEMU_ERR_INVALID : SPEMU_ERR_IO;
}

int recording_create(struct recording *rec, const char *path, const struct recording_params *params,
                     const struct recording_about *about)
{
	return create_at(rec, path, -1, params, about);
}

int recording_create_stream(struct recording *rec, int fd, const struct recording_params *params,
                            const struct recording_about *about)
{
	return create_at(rec, NULL, fd, params, about);
}

void recorder_free(struct recording *rec)
{
	struct recorder *r = recorder_here(rec);

	if (!r)
		return;
	stop_thread(rec);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_ring_clear(&r->ring[i]);
	recorder_copies_free(&r->copies);
	recording_file_close(&r->file);
	pthread_mutex_destroy(&r->lock);
	free(r);
	rec->recorder = NULL;
}

/* Accept the last data of dead processes. Then refuse all further requests. */
static void serve_last(struct recording *rec)
{
	struct recorder *r = rec->recorder;

	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		serve_slot(rec, i);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_reply(
		        rec, RECORDING_COMMON,
		        &(struct recording_request){.kind = RECORDING_ASK_SALVAGE, .lane = i});
	pthread_mutex_lock(&r->lock);
	recorder_end_rings(rec);
	recorder_copies_end(r);
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

/* Copy the note, which the program may have written. Replace all characters that are not
 * printable. */
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
	for (int i = 0; i < RECORDING_LANES; i++)
		totals->counter[RECORDING_MISSED] += r->ring[i].missed;
	totals->data_bytes = r->file.data_size;
	totals->file_bytes = recording_file_size(&r->file);
	totals->lanes = r->lanes;
	totals->left_out = r->copies.left_out;
	totals->write_errno = r->file.error;
	totals->fate = recording_file_fate(&r->file);
	pthread_mutex_unlock(&r->lock);
	read_note(totals->note, area);
}
