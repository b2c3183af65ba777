/* SPDX-License-Identifier: MIT */
/*
 * One file, many writers: processes, threads, killed writers, lost descriptors, full disks. What
 * must hold is stated in <spemu/recording.h>; the file is judged with the reader, which has a test
 * of its own.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <spemu/recording.h>

#include "perfdata/rec_control.h"

static char folder[64];
static char path[96];
static struct spemu_rec rec;

static int set_up(void **state)
{
	static const char *const argv[] = {"spemu", "record", "--", "true", NULL};
	const struct spemu_rec_about about = {.argv = argv, .version = "1"};
	const struct spemu_rec_params params = {.period = 512, .seed = 9, .profile = "n1"};

	(void)state;
	strcpy(folder, "/tmp/spemu-rec-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	return spemu_rec_create(&rec, path, &params, &about);
}

static int tear_down(void **state)
{
	(void)state;
	spemu_rec_detach(&rec);
	unlink(path);
	rmdir(folder);
	return 0;
}

/* An EXIT event for pid, tid with a checkable time. */
static int append_one(struct spemu_rec *r, uint32_t pid, uint32_t tid, uint64_t time)
{
	const struct spemu_perf_who who = {.pid = pid, .tid = tid, .time = time};
	uint8_t buf[128];
	int n = spemu_perf_put_exit(buf, sizeof(buf), &who, pid, 1, tid, 1);
	/* Two parts: a write may be cut between them. */
	const struct iovec parts[2] = {{buf, 24}, {buf + 24, (size_t)n - 24}};

	return spemu_rec_append(r, parts, 2);
}

/*
 * Who opens a file while others write it can find the feature table in motion, and tries again, or
 * find no features; a file that nobody writes must open at once and have them.
 */
static void open_while_written(struct spemu_perf_file **file)
{
	int status = SPEMU_ERR_TRUNCATED;

	for (int i = 0; i < 1000 && status != SPEMU_OK; i++)
		status = spemu_perf_open(file, path, NULL);
	assert_int_equal(status, SPEMU_OK);
}

/* Events of each type in the file, which must be whole. last_time[tid % 64]: must grow. */
struct summary {
	unsigned events[128];
	uint64_t last_time[64];
	uint64_t trace;
};

static void summarize_file(struct summary *s, struct spemu_perf_file *file, bool being_written)
{
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	const char *text;
	int status;

	memset(s, 0, sizeof(*s));
	while ((status = spemu_perf_next(file, &c, &e)) == SPEMU_OK) {
		assert_true(e.type < 128);
		s->events[e.type]++;
		if (e.type == SPEMU_PERF_EXIT) {
			uint64_t *last = &s->last_time[e.u.task.tid % 64];

			assert_int_equal(e.u.task.time, *last + 1);
			*last = e.u.task.time;
		} else if (e.type == SPEMU_PERF_AUXTRACE) {
			s->trace += e.u.auxtrace.size;
		}
	}
	assert_int_equal(status, SPEMU_ERR_END);
	if (being_written) {
		spemu_perf_close(file);
		return;
	}
	assert_int_equal(spemu_perf_feature_string(file, SPEMU_PERF_FEAT_CPUID, &text), SPEMU_OK);
	assert_string_equal(text, "0x00000000413fd0c1");
	assert_int_equal(spemu_perf_cmdline(file, 3, &text), SPEMU_OK);
	assert_string_equal(text, "true");
	spemu_perf_close(file);
}

static void summarize(struct summary *s)
{
	struct spemu_perf_file *file;

	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	summarize_file(s, file, false);
}

static void wait_for(pid_t pid, int expected)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, expected);
}

static void a_new_file_is_complete(void **state)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_attr attr;
	struct spemu_perf_file *file;
	struct summary s;
	struct stat st;

	(void)state;
	summarize(&s);
	assert_int_equal(s.events[SPEMU_PERF_AUXTRACE_INFO], 1);
	assert_int_equal(s.events[SPEMU_PERF_TIME_CONV], 1);
	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, &conv), SPEMU_OK);
	assert_int_equal(info.version, 1);
	assert_int_equal(conv.time_mult, 1);
	assert_int_equal(conv.time_shift, 0);
	assert_int_equal(spemu_perf_attr(file, 0, &attr), SPEMU_OK);
	assert_int_equal(attr.type, info.pmu_type);
	assert_int_equal(attr.sample_period, 512);
	assert_string_equal(attr.name, "arm_spe_0//");
	spemu_perf_close(file);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(spemu_rec_params(&rec)->seed, 9);
	assert_string_equal(spemu_rec_params(&rec)->profile, "n1");
}

enum {
	PROCESSES = 4,
	THREADS = 3,
	ROUNDS = 200,
};

struct job {
	struct spemu_rec *rec;
	uint32_t number;
};

static void *write_events(void *arg)
{
	const struct job *job = arg;
	static const uint8_t trace[64];
	uint32_t lane = spemu_rec_lane_get(job->rec);
	const struct spemu_perf_who who = {.pid = 1, .tid = job->number, .time = 1, .cpu = lane};

	for (unsigned i = 1; i <= ROUNDS; i++) {
		if (append_one(job->rec, 1, job->number, i) != SPEMU_OK ||
		    spemu_rec_append_aux(job->rec, &who, trace, sizeof(trace), 0) != SPEMU_OK)
			return (void *)1;
		spemu_rec_count(job->rec, SPEMU_REC_SAMPLES, 1);
	}
	spemu_rec_lane_put(job->rec, lane);
	return NULL;
}

static void child_writes(uint32_t first, bool attach)
{
	struct spemu_rec own;
	struct job jobs[THREADS];
	pthread_t threads[THREADS];
	void *failed;

	if (attach && spemu_rec_attach(&own, spemu_rec_control_path(&rec)) != SPEMU_OK)
		_exit(1);
	for (uint32_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){attach ? &own : &rec, first + i};
		if (pthread_create(&threads[i], NULL, write_events, &jobs[i]) != 0)
			_exit(2);
	}
	for (int i = 0; i < THREADS; i++) {
		if (pthread_join(threads[i], &failed) != 0 || failed)
			_exit(3);
	}
	_exit(0);
}

static void processes_and_threads_write_whole_events(void **state)
{
	struct spemu_rec_totals totals;
	struct spemu_perf_file *file;
	struct summary s;
	pid_t children[PROCESSES];

	(void)state;
	/* Half of them go on with the parent's handle, half attach. */
	for (uint32_t i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			child_writes(i * THREADS, i & 1);
	}
	for (int i = 0; i < 20; i++) {
		open_while_written(&file);
		summarize_file(&s, file, true);
	}
	for (int i = 0; i < PROCESSES; i++)
		wait_for(children[i], 0);
	summarize(&s);
	for (int i = 0; i < PROCESSES * THREADS; i++)
		assert_int_equal(s.last_time[i], ROUNDS);
	assert_int_equal(s.events[SPEMU_PERF_AUX], PROCESSES * THREADS * ROUNDS);
	assert_int_equal(s.events[SPEMU_PERF_AUXTRACE], PROCESSES * THREADS * ROUNDS);
	assert_int_equal(s.trace, 64 * PROCESSES * THREADS * ROUNDS);
	assert_int_equal(spemu_rec_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[SPEMU_REC_SAMPLES], PROCESSES * THREADS * ROUNDS);
	assert_int_equal(totals.counter[SPEMU_REC_AUX_BYTES], s.trace);
	assert_int_equal(totals.counter[SPEMU_REC_THREADS], PROCESSES * THREADS);
	assert_int_equal(totals.counter[SPEMU_REC_PROCESSES], PROCESSES / 2);
	assert_int_equal(totals.counter[SPEMU_REC_LOST_BYTES], 0);
	assert_int_equal(totals.counter[SPEMU_REC_WRITE_ERRORS], 0);
	assert_true(totals.lanes >= 1 && totals.lanes <= PROCESSES * THREADS);
	summarize(&s);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_ERR_STATE);
	assert_int_equal(spemu_rec_finish(&rec, NULL), SPEMU_ERR_STATE);
}

/* Kills a child that only writes, at an arbitrary moment. The event counted last must be whole. */
static void a_killed_writer_leaves_a_good_file(void **state)
{
	struct summary s;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct spemu_rec_totals begin, now;
		pid_t child;

		spemu_rec_totals(&begin, &rec);
		child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			summarize(&s);
			for (uint64_t t = s.last_time[1] + 1;; t++)
				append_one(&rec, 1, 1, t);
		}
		do {
			nanosleep(&(struct timespec){0, 100000 + i * 17000}, NULL);
			spemu_rec_totals(&now, &rec);
		} while (now.counter[SPEMU_REC_APPENDS] == begin.counter[SPEMU_REC_APPENDS]);
		kill(child, SIGKILL);
		wait_for(child, SIGKILL);
		/* Also before anybody took the lock again: flags may be 0 then, data are whole. */
		if (i & 1) {
			struct spemu_perf_cursor c = {0};
			struct spemu_perf_event e;
			struct spemu_perf_file *file;
			int status;

			assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
			while ((status = spemu_perf_next(file, &c, &e)) == SPEMU_OK)
				;
			assert_int_equal(status, SPEMU_ERR_END);
			spemu_perf_close(file);
		}
		assert_int_equal(append_one(&rec, 2, 2, (uint64_t)i + 1), SPEMU_OK);
		summarize(&s);
		assert_true(s.last_time[1] > 0);
	}
	assert_int_equal(spemu_rec_finish(&rec, NULL), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[2], 60);
}

/* What a writer leaves that dies between its writes: lock held, flags 0, garbage behind the data.
 */
static void an_interrupted_append_is_rolled_back(void **state)
{
	struct summary s;
	pid_t child;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		uint8_t garbage[4096];

		memset(garbage, 0xee, sizeof(garbage));
		if (rec_lock(&rec) != SPEMU_OK)
			_exit(1);
		rec_write_flags(rec.fd, 0);
		rec_pwrite(rec.fd, garbage, sizeof(garbage),
		           rec.control->head.data_at + rec.control->data_size);
		rec.control->data_size += 12345; /* the file's header is the truth, not this */
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(append_one(&rec, 1, 1, 2), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 2);
}

static void a_dead_recorder_s_file_can_be_repaired(void **state)
{
	struct spemu_perf_file *file;
	const uint8_t *data;
	struct summary s;
	uint64_t size;
	pid_t child;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		static const uint8_t garbage[64] = {0xff, 0xff, 0xff};

		rec_lock(&rec);
		rec_write_flags(rec.fd, 0);
		rec_pwrite(rec.fd, garbage, sizeof(garbage),
		           rec.control->head.data_at + rec.control->data_size);
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(spemu_rec_repair(path), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_feature(file, SPEMU_PERF_FEAT_SAMPLE_TIME, &data, &size),
	                 SPEMU_OK);
	assert_int_equal(size, 16);
	assert_int_equal(data[0], 1);
	assert_int_equal(data[8], 1);
	spemu_perf_close(file);
	assert_int_equal(spemu_rec_repair("/dev/null"), SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu_rec_repair("/nonexistent"), SPEMU_ERR_IO);
}

static void a_closed_descriptor_is_opened_again(void **state)
{
	struct summary s;

	(void)state;
	for (uint64_t t = 1; t <= 3; t++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			/* As daemons do. */
			for (int fd = 3; fd < 70000; fd++)
				close(fd);
			_exit(append_one(&rec, 1, 1, t) == SPEMU_OK ? 0 : 1);
		}
		wait_for(child, 0);
	}
	summarize(&s);
	assert_int_equal(s.last_time[1], 3);
}

static void another_file_on_our_number_is_left_alone(void **state)
{
	char other[] = "/tmp/spemu-other-XXXXXX";
	struct summary s;
	struct stat st;
	int fd = mkstemp(other);
	pid_t child;

	(void)state;
	assert_true(fd >= 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int number = rec.fd;

		if (dup2(fd, number) != number || append_one(&rec, 1, 1, 1) != SPEMU_OK)
			_exit(1);
		/* It is still the program's, and open. */
		_exit(rec.fd != number && fcntl(number, F_GETFD) >= 0 ? 0 : 2);
	}
	wait_for(child, 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	close(fd);
	unlink(other);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
}

static void the_file_itself_opened_otherwise_is_not_ours(void **state)
{
	static const int flags[] = {O_RDONLY, O_WRONLY, O_RDWR | O_APPEND};
	struct summary s;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			int number = rec.fd, fd = open(path, flags[i]);

			if (fd < 0 || dup2(fd, number) != number ||
			    append_one(&rec, 1, 1, i + 1) != SPEMU_OK)
				_exit(1);
			_exit(rec.fd != number ? 0 : 2);
		}
		wait_for(child, 0);
	}
	summarize(&s);
	assert_int_equal(s.last_time[1], 3);
}

static void a_process_without_a_way_to_the_file_does_not_stop_others(void **state)
{
	struct spemu_rec_totals totals;
	struct summary s;
	pid_t child;

	(void)state;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit none = {0, 0};

		close(rec.fd);
		setrlimit(RLIMIT_NOFILE, &none);
		_exit(append_one(&rec, 1, 1, 1) == SPEMU_ERR_IO ? 0 : 1);
	}
	wait_for(child, 0);
	spemu_rec_totals(&totals, &rec);
	assert_int_equal(totals.write_errno, EMFILE);
	assert_int_equal(totals.counter[SPEMU_REC_LOST_BYTES], 64);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
}

static void a_file_size_limit_is_an_error_not_a_signal(void **state)
{
	struct spemu_rec_totals totals;
	struct summary s;
	pid_t child;

	(void)state;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct stat st;
		struct rlimit limit;
		uint64_t t = 0;

		/* SIGXFSZ has its default action: it would kill. */
		stat(path, &st);
		limit.rlim_cur = limit.rlim_max = (rlim_t)st.st_size + 150;
		setrlimit(RLIMIT_FSIZE, &limit);
		errno = 4321;
		while (t < 10 && append_one(&rec, 1, 1, t + 1) == SPEMU_OK)
			t++;
		_exit(errno == 4321 ? (int)t : 99);
	}
	wait_for(child, 2 << 8); /* two events of 64 bytes fit in 150 */
	spemu_rec_totals(&totals, &rec);
	assert_int_equal(totals.counter[SPEMU_REC_WRITE_ERRORS], 1);
	assert_int_equal(totals.counter[SPEMU_REC_LOST_BYTES], 64);
	assert_int_equal(totals.write_errno, EFBIG);
	assert_string_not_equal(totals.note, "");
	/* The limit was that process's own. */
	assert_int_equal(append_one(&rec, 1, 1, 3), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 3);
}

static void a_full_disk_keeps_whole_events(void **state)
{
	static uint8_t trace[4096];
	const struct spemu_rec_params params = {.period = 512};
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1};
	struct spemu_rec_totals totals;
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	struct spemu_rec small;
	char dir[] = "/tmp/spemu-full-XXXXXX", name[64];
	unsigned written = 0, read = 0;
	int status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	if (mount("none", dir, "tmpfs", 0, "size=64k") != 0) {
		rmdir(dir);
		skip(); /* needs root */
	}
	snprintf(name, sizeof(name), "%s/perf.data", dir);
	assert_int_equal(spemu_rec_create(&small, name, &params, NULL), SPEMU_OK);
	while (written < 100 &&
	       spemu_rec_append_aux(&small, &who, trace, sizeof(trace), 0) == SPEMU_OK)
		written++;
	assert_true(written > 5 && written < 16);
	/* No second try, whatever there is room for. */
	assert_int_equal(append_one(&small, 1, 1, 1), SPEMU_ERR_IO);
	spemu_rec_totals(&totals, &small);
	assert_int_equal(totals.write_errno, ENOSPC);
	assert_int_equal(totals.counter[SPEMU_REC_WRITE_ERRORS], 1);
	assert_int_equal(totals.counter[SPEMU_REC_LOST_BYTES], sizeof(trace) + 64);
	assert_int_equal(totals.counter[SPEMU_REC_AUX_BYTES], written * sizeof(trace));
	assert_int_equal(spemu_rec_finish(&small, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_open(&file, name, NULL), SPEMU_OK);
	while ((status = spemu_perf_next(file, &c, &e)) == SPEMU_OK)
		read += e.type == SPEMU_PERF_AUXTRACE;
	assert_int_equal(status, SPEMU_ERR_END);
	assert_int_equal(read, written);
	spemu_perf_close(file);
	spemu_rec_detach(&small);
	unlink(name);
	umount(dir);
	rmdir(dir);
}

/* A signal handler that interrupts its own thread's append must neither hang nor break the file. */
static volatile int handler_status;
static void append_in_handler(int sig)
{
	(void)sig;
	handler_status = append_one(&rec, 3, 3, 1);
}

static void a_handler_inside_an_append_is_told(void **state)
{
	struct summary s;

	(void)state;
	signal(SIGUSR1, append_in_handler);
	assert_int_equal(rec_lock(&rec), SPEMU_OK);
	raise(SIGUSR1);
	rec_unlock(&rec);
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(handler_status, SPEMU_ERR_STATE);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.events[SPEMU_PERF_EXIT], 1);
}

static void lanes_are_reused_and_taken_back(void **state)
{
	pid_t child;

	(void)state;
	assert_int_equal(spemu_rec_lane_get(&rec), 0);
	assert_int_equal(spemu_rec_lane_get(&rec), 1);
	spemu_rec_lane_put(&rec, 0);
	assert_int_equal(spemu_rec_lane_get(&rec), 0);
	/* A child cannot give its parent's lane away, and leaves its own behind when it dies. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		spemu_rec_lane_put(&rec, 1);
		for (uint32_t i = 2; i < SPEMU_REC_LANES; i++) {
			if (spemu_rec_lane_get(&rec) != i)
				_exit(1);
		}
		/* None left: the last is shared. */
		_exit(spemu_rec_lane_get(&rec) == SPEMU_REC_LANES - 1 ? 0 : 2);
	}
	wait_for(child, 0);
	assert_int_equal(spemu_rec_lane_get(&rec), 2);
	/* A new image of this process starts without lanes. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct spemu_rec own;

		if (spemu_rec_lane_get(&rec) != 3 ||
		    spemu_rec_attach(&own, spemu_rec_control_path(&rec)) != SPEMU_OK)
			_exit(1);
		_exit(spemu_rec_lane_get(&own) == 3 ? 0 : 2);
	}
	wait_for(child, 0);
}

static void stream_offsets_count_each_lane(void **state)
{
	static const uint8_t trace[128];
	struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1, .cpu = 5};
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	static const uint64_t expected[][2] = {{5, 0}, {5, 128}, {6, 0}, {5, 192}};
	unsigned n = 0;

	(void)state;
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 128, 0), SPEMU_OK);
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 64, 0), SPEMU_OK);
	who.cpu = 6;
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 64, 0), SPEMU_OK);
	who.cpu = 5;
	/* Flags alone: an AUX event without trace. */
	assert_int_equal(spemu_rec_append_aux(&rec, &who, NULL, 0, 1), SPEMU_OK);
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 8, 0), SPEMU_OK);
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 7, 0), SPEMU_ERR_INVALID);
	who.cpu = SPEMU_REC_LANES;
	assert_int_equal(spemu_rec_append_aux(&rec, &who, trace, 8, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	while (spemu_perf_next(file, &c, &e) == SPEMU_OK) {
		if (e.type != SPEMU_PERF_AUXTRACE)
			continue;
		assert_int_equal(e.u.auxtrace.idx, expected[n][0]);
		assert_int_equal(e.u.auxtrace.cpu, expected[n][0]);
		assert_int_equal(e.u.auxtrace.tid, UINT32_MAX);
		assert_int_equal(e.u.auxtrace.offset, expected[n][1]);
		n++;
	}
	assert_int_equal(n, 4);
	spemu_perf_close(file);
}

/* A program that a signal ends has no chance to deliver what lies in its Profiling Buffer. */
static void a_dead_thread_s_buffer_is_delivered(void **state)
{
	struct spemu_perf_cursor c = {0};
	struct spemu_rec_totals totals;
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	unsigned found = 0;
	uint32_t tid = 0;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		size_t size;
		uint32_t lane = spemu_rec_lane_get(&rec);
		uint8_t *buffer = spemu_rec_buffer(&rec, lane, &size);

		if (!buffer || size != 65536)
			_exit(1);
		memset(buffer, 0xa5, 200);
		/* The rest is not a whole record yet. */
		spemu_rec_publish(&rec, lane, &(struct spemu_rec_state){77, 78, 100, 3, 3000});
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(spemu_rec_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[SPEMU_REC_SALVAGED_BYTES], 104);
	assert_int_equal(totals.counter[SPEMU_REC_AUX_BYTES], 104);
	assert_int_equal(totals.counter[SPEMU_REC_SAMPLES], 3);
	assert_int_equal(totals.counter[SPEMU_REC_OPERATIONS], 3000);
	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	while (spemu_perf_next(file, &c, &e) == SPEMU_OK) {
		if (e.type == SPEMU_PERF_AUX)
			tid = e.who.tid;
		if (e.type != SPEMU_PERF_AUXTRACE)
			continue;
		found++;
		assert_int_equal(e.u.auxtrace.size, 104);
		assert_int_equal(e.u.auxtrace.data[99], 0xa5);
		for (int i = 100; i < 104; i++)
			assert_int_equal(e.u.auxtrace.data[i], 0);
	}
	assert_int_equal(found, 1);
	assert_int_equal(tid, 78);
	spemu_perf_close(file);
}

static void a_delivered_buffer_is_not_delivered_again(void **state)
{
	struct spemu_rec_totals totals;
	struct summary s;
	uint32_t lane = spemu_rec_lane_get(&rec);
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1, .cpu = lane};
	size_t size;
	uint8_t *buffer = spemu_rec_buffer(&rec, lane, &size);

	(void)state;
	assert_non_null(buffer);
	memset(buffer, 0xa5, 64);
	spemu_rec_publish(&rec, lane, &(struct spemu_rec_state){1, 1, 64, 1, 512});
	assert_int_equal(spemu_rec_append_aux(&rec, &who, buffer, 64, 0), SPEMU_OK);
	assert_int_equal(spemu_rec_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[SPEMU_REC_SALVAGED_BYTES], 0);
	assert_int_equal(totals.counter[SPEMU_REC_SAMPLES], 0); /* the thread's own to count now */
	summarize(&s);
	assert_int_equal(s.trace, 64);
}

static void what_is_no_control_area_is_refused(void **state)
{
	struct spemu_rec other;
	char control[SPEMU_REC_PATH_MAX];

	(void)state;
	assert_int_equal(spemu_rec_attach(&other, "/nonexistent"), SPEMU_ERR_IO);
	assert_int_equal(spemu_rec_attach(&other, path), SPEMU_ERR_CORRUPT);
	assert_int_equal(spemu_rec_attach(&other, NULL), SPEMU_ERR_INVALID);
	rec.control->layout++;
	strcpy(control, spemu_rec_control_path(&rec));
	assert_int_equal(spemu_rec_attach(&other, control), SPEMU_ERR_NOT_SUPPORTED);
	rec.control->layout--;
	assert_int_equal(spemu_rec_attach(&other, control), SPEMU_OK);
	assert_int_equal(spemu_rec_finish(&other, NULL), SPEMU_ERR_STATE);
	spemu_rec_detach(&other);
}

static void only_whole_parts_are_taken(void **state)
{
	uint8_t bytes[32] = {0};
	const struct iovec odd = {bytes, 12}, none = {bytes, 0}, null = {NULL, 8};

	(void)state;
	assert_int_equal(spemu_rec_append(&rec, &odd, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_rec_append(&rec, &none, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_rec_append(&rec, &null, 1), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_rec_append(&rec, &odd, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_rec_append(&rec, NULL, 1), SPEMU_ERR_INVALID);
}

static void the_first_note_stays(void **state)
{
	struct spemu_rec_totals totals;
	char longer[600];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	spemu_rec_note(&rec, longer);
	spemu_rec_note(&rec, "second");
	spemu_rec_totals(&totals, &rec);
	assert_int_equal(strlen(totals.note), SPEMU_REC_NOTE_MAX - 1);
	assert_int_equal(totals.note[0], 'x');
}

static void files_that_cannot_be_are_refused(void **state)
{
	struct spemu_rec_params params = {.period = 512};
	struct spemu_rec other;

	(void)state;
	assert_int_equal(spemu_rec_create(&other, "/nonexistent/x", &params, NULL), SPEMU_ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(spemu_rec_create(&other, "/dev/null", &params, NULL), SPEMU_ERR_IO);
	params.counter_hz = UINT64_MAX;
	assert_int_equal(spemu_rec_create(&other, path, &params, NULL), SPEMU_ERR_INVALID);
}

#define REC_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        REC_TEST(a_new_file_is_complete),
	        REC_TEST(processes_and_threads_write_whole_events),
	        REC_TEST(a_killed_writer_leaves_a_good_file),
	        REC_TEST(an_interrupted_append_is_rolled_back),
	        REC_TEST(a_dead_recorder_s_file_can_be_repaired),
	        REC_TEST(a_closed_descriptor_is_opened_again),
	        REC_TEST(another_file_on_our_number_is_left_alone),
	        REC_TEST(the_file_itself_opened_otherwise_is_not_ours),
	        REC_TEST(a_process_without_a_way_to_the_file_does_not_stop_others),
	        REC_TEST(a_file_size_limit_is_an_error_not_a_signal),
	        REC_TEST(a_full_disk_keeps_whole_events),
	        REC_TEST(a_handler_inside_an_append_is_told),
	        REC_TEST(lanes_are_reused_and_taken_back),
	        REC_TEST(stream_offsets_count_each_lane),
	        REC_TEST(a_dead_thread_s_buffer_is_delivered),
	        REC_TEST(a_delivered_buffer_is_not_delivered_again),
	        REC_TEST(what_is_no_control_area_is_refused),
	        REC_TEST(only_whole_parts_are_taken),
	        REC_TEST(the_first_note_stays),
	        REC_TEST(files_that_cannot_be_are_refused),
	};
	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
