/* SPDX-License-Identifier: MIT */
/*
 * Creating and attaching to a recording: the control area, its parameters, counters and lanes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording_control.h"

int recording_high_fd(int fd)
{
	struct rlimit limit;
	int high = -1;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		rlim_t top = limit.rlim_cur < RECORDING_FD_MAX ? limit.rlim_cur : RECORDING_FD_MAX;

		if (top > RECORDING_FD_HEADROOM)
			high = fcntl(fd, F_DUPFD_CLOEXEC, (int)(top - RECORDING_FD_HEADROOM));
	}
	if (high < 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		return fd;
	}
	close(fd);
	return high;
}

static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

static struct recording_control *map_control(int fd)
{
	void *p = mmap(NULL, sizeof(struct recording_control), PROT_READ | PROT_WRITE, MAP_SHARED,
	               fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Returns an errno. */
static int create_control(struct recording *rec, const struct recording_params *params)
{
	int fd = memfd_create("spemu-control", MFD_CLOEXEC);

	if (fd < 0)
		return errno;
	rec->control_fd = recording_high_fd(fd);
	if (ftruncate(rec->control_fd, sizeof(struct recording_control)) != 0)
		return errno;
	rec->control = map_control(rec->control_fd);
	if (!rec->control)
		return errno;
	snprintf(rec->control_path, sizeof(rec->control_path), "/proc/%ld/fd/%d", (long)getpid(),
	         rec->control_fd);
	rec->control->params = *params;
	if (ftruncate(rec->control_fd,
	              (off_t)(recording_buffers_at() + recording_buffers_size(rec->control))) == 0)
		recording_buffers_map(rec, rec->control_fd);
	init_lock(&rec->control->lock);
	return 0;
}

/* Returns an errno. */
static int create_file(struct recording *rec, const char *path)
{
	struct recording_control *control = rec->control;
	struct stat st;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	rec->fd = recording_high_fd(fd);
	if (fstat(rec->fd, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return ESPIPE;
	control->file_dev = st.st_dev;
	control->file_ino = st.st_ino;
	snprintf(control->file_path, sizeof(control->file_path), "/proc/%ld/fd/%d", (long)getpid(),
	         rec->fd);
	return 0;
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
	        .argv = about->argv,
	        .version = about->version,
	        .osrelease = about->osrelease,
	        .hostname = about->hostname,
	        .cpu_desc = about->cpu_desc,
	        .event_name = about->event_name,
	};
}

/* Head, feature table and the events that every file begins with. Returns an errno. */
static int write_start(struct recording *rec, const struct recording_about *about)
{
	struct recording_control *control = rec->control;
	const struct recording_params *params = &control->params;
	uint64_t hz = params->counter_hz ? params->counter_hz : UINT64_C(1000000000);
	struct spemu_perf_head_config config;
	struct spemu_perf_time_conv tc;
	uint8_t events[128], *buf;
	struct iovec part;
	int n, error;

	if (spemu_perf_time_conv_init(&tc, hz, params->time_zero) != SPEMU_OK)
		return EINVAL;
	buf = calloc(1, SPEMU_PERF_HEAD_MAX);
	if (!buf)
		return ENOMEM;
	describe(&config, params, about);
	n = spemu_perf_put_head(buf, SPEMU_PERF_HEAD_MAX, &control->head, &config);
	error = n < 0 ? E2BIG : recording_pwrite(rec->fd, buf, (size_t)n, 0);
	free(buf);
	if (error)
		return error;
	control->cpus_written = 1;
	n = spemu_perf_put_time_conv(events, sizeof(events), &tc);
	n += spemu_perf_put_auxtrace_info(events + n, sizeof(events) - (size_t)n,
	                                  SPEMU_PERF_PMU_TYPE);
	part = (struct iovec){events, (size_t)n};
	return recording_append(rec, &part, 1) == SPEMU_OK ? 0 : control->write_errno;
}

int recording_create(struct recording *rec, const char *path, const struct recording_params *params,
                     const struct recording_about *about)
{
	static const struct recording_about nothing;
	int error;

	if (!rec || !path || !params || params->jitter > 1 ||
	    !memchr(params->profile, 0, sizeof(params->profile)) ||
	    !memchr(params->uarch, 0, sizeof(params->uarch)) ||
	    !memchr(params->layout, 0, sizeof(params->layout)))
		return SPEMU_ERR_INVALID;
	*rec = (struct recording){.fd = -1, .control_fd = -1, .owner = true};
	error = create_control(rec, params);
	if (!error)
		error = create_file(rec, path);
	if (!error)
		error = write_start(rec, about ? about : &nothing);
	if (error) {
		recording_detach(rec);
		errno = error;
		return error == EINVAL ? SPEMU_ERR_INVALID : SPEMU_ERR_IO;
	}
	/* The area counts as one only from here on. */
	rec->control->size = sizeof(*rec->control);
	rec->control->layout = RECORDING_LAYOUT;
	rec->control->magic = RECORDING_MAGIC;
	return SPEMU_OK;
}

const char *recording_control_path(const struct recording *rec)
{
	return rec->control_path;
}

/* Lanes of the image that this process ran before its exec. */
static void free_own_lanes(struct recording *rec)
{
	struct recording_control *control = rec->control;

	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		int32_t owner = (int32_t)getpid();

		if (atomic_load(&control->lane[i].owner) != owner)
			continue;
		recording_salvage(rec, i);
		atomic_store(&control->lane[i].owner, 0);
	}
}

static int check_control(const struct recording_control *control)
{
	if (control->magic != RECORDING_MAGIC)
		return SPEMU_ERR_CORRUPT;
	if (control->layout != RECORDING_LAYOUT || control->size != sizeof(*control))
		return SPEMU_ERR_NOT_SUPPORTED;
	return SPEMU_OK;
}

int recording_attach(struct recording *rec, const char *control_path)
{
	struct stat st;
	int fd, status = SPEMU_ERR_IO;

	if (!rec || !control_path || strlen(control_path) >= RECORDING_PATH_MAX)
		return SPEMU_ERR_INVALID;
	*rec = (struct recording){.fd = -1, .control_fd = -1};
	fd = open(control_path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return SPEMU_ERR_IO;
	if (fstat(fd, &st) == 0) {
		/* A shorter file would be SIGBUS at the first access. */
		status = SPEMU_ERR_CORRUPT;
		if (S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(*rec->control)) {
			rec->control = map_control(fd);
			status = rec->control ? check_control(rec->control) : SPEMU_ERR_IO;
		}
	}
	if (status == SPEMU_OK &&
	    st.st_size >= (off_t)(recording_buffers_at() + recording_buffers_size(rec->control)))
		recording_buffers_map(rec, fd);
	close(fd);
	if (status != SPEMU_OK) {
		recording_detach(rec);
		return status;
	}
	memcpy(rec->control_path, control_path, strlen(control_path) + 1);
	free_own_lanes(rec);
	recording_count(rec, RECORDING_PROCESSES, 1);
	return SPEMU_OK;
}

void recording_detach(struct recording *rec)
{
	int saved = errno;

	if (rec->control)
		recording_buffers_unmap(rec);
	if (rec->control)
		munmap(rec->control, sizeof(*rec->control));
	if (rec->fd >= 0)
		close(rec->fd);
	if (rec->control_fd >= 0)
		close(rec->control_fd);
	*rec = (struct recording){.fd = -1, .control_fd = -1};
	errno = saved;
}

const struct recording_params *recording_params(const struct recording *rec)
{
	return &rec->control->params;
}

void recording_count(struct recording *rec, enum recording_counter counter, uint64_t n)
{
	if ((unsigned)counter < RECORDING_COUNTERS)
		atomic_fetch_add_explicit(&rec->control->counter[counter], n, memory_order_relaxed);
}

static bool take_lane(struct recording_control *control, uint32_t lane, int32_t from)
{
	uint32_t held = atomic_load(&control->lanes_held);

	if (!atomic_compare_exchange_strong(&control->lane[lane].owner, &from, (int32_t)getpid()))
		return false;
	while (held < lane + 1 &&
	       !atomic_compare_exchange_weak(&control->lanes_held, &held, lane + 1))
		;
	return true;
}

uint32_t recording_lane_get(struct recording *rec)
{
	struct recording_control *control = rec->control;
	int saved = errno;

	recording_count(rec, RECORDING_THREADS, 1);
	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		if (atomic_load(&control->lane[i].owner) == 0 && take_lane(control, i, 0))
			return i;
	}
	for (uint32_t i = 0; i < RECORDING_LANES; i++) {
		int32_t owner = atomic_load(&control->lane[i].owner);

		if (owner && kill(owner, 0) != 0 && errno == ESRCH &&
		    take_lane(control, i, owner)) {
			recording_salvage(rec, i);
			errno = saved;
			return i;
		}
	}
	errno = saved;
	return RECORDING_LANES - 1;
}

void recording_lane_put(struct recording *rec, uint32_t lane)
{
	int32_t owner = (int32_t)getpid();

	if (lane < RECORDING_LANES)
		atomic_compare_exchange_strong(&rec->control->lane[lane].owner, &owner, 0);
}

void recording_note(struct recording *rec, const char *text)
{
	struct recording_control *control = rec->control;
	uint32_t none = 0;
	size_t length = strnlen(text, RECORDING_NOTE_MAX - 1);

	if (!atomic_compare_exchange_strong(&control->note_state, &none, 1))
		return;
	memcpy(control->note, text, length);
	control->note[length] = 0;
	atomic_store(&control->note_state, 2);
}

void recording_totals(struct recording_totals *totals, const struct recording *rec)
{
	struct recording_control *control = rec->control;

	memset(totals, 0, sizeof(*totals));
	for (int i = 0; i < RECORDING_COUNTERS; i++)
		totals->counter[i] =
		        atomic_load_explicit(&control->counter[i], memory_order_relaxed);
	totals->data_bytes = control->data_size;
	totals->lanes = atomic_load(&control->lanes_held);
	totals->write_errno = atomic_load(&control->write_errno);
	if (atomic_load(&control->note_state) == 2)
		memcpy(totals->note, control->note, sizeof(totals->note));
}
