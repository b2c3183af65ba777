/* SPDX-License-Identifier: MIT */
/* Make a new recording for each test. The tests check the file with the perf.data reader, which
 * other tests cover. */
#ifndef SPEMU_TESTS_RECORDING_FIXTURE_H
#define SPEMU_TESTS_RECORDING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
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

#include "recording_area.h"

static char folder[64];
static char path[96];
static struct recording rec;

/* Return the state of a thread of this process, as in proc(5). */
static inline char state_of(const char *tid)
{
	char name[300], state = '?';
	FILE *in;

	snprintf(name, sizeof(name), "/proc/self/task/%s/stat", tid);
	in = fopen(name, "r");
	if (in && fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	if (in)
		fclose(in);
	return state;
}

/*
 * Wait until the recorder, a thread of this process, waits for work. While the recorder starts, it
 * may hold the lock of the address sanitizer's allocator. If a test called fork() at that moment,
 * nobody would release the lock in the child.
 */
static inline void recorder_is_idle(void)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	unsigned busy = 1;

	for (unsigned i = 0; i < 5000 && busy; i++) {
		DIR *tasks = opendir("/proc/self/task");
		struct dirent *task;

		busy = 0;
		while (tasks && (task = readdir(tasks)))
			busy += task->d_name[0] != '.' && atoi(task->d_name) != getpid() &&
			        state_of(task->d_name) != 'S';
		if (tasks)
			closedir(tasks);
		nanosleep(&moment, NULL);
	}
	assert_int_equal(busy, 0);
}

static inline int set_up(void **state)
{
	static const char *const argv[] = {"spemu", "record", "--", "true", NULL};
	const struct recording_about about = {.argv = argv, .version = "1"};
	const struct recording_params params = {.period = 512, .seed = 9, .profile = "n1"};

	(void)state;
	strcpy(folder, "/tmp/spemu-rec-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	if (recording_create(&rec, path, &params, &about) != SPEMU_OK)
		return -1;
	recorder_is_idle();
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	recording_detach(&rec);
	unlink(path);
	rmdir(folder);
	return 0;
}

/* Append an EXIT event for pid and tid, with a time that can be checked. */
static inline int append_one(struct recording *r, uint32_t pid, uint32_t tid, uint64_t time)
{
	const struct spemu_perf_who who = {.pid = pid, .tid = tid, .time = time};
	uint8_t buf[128];
	int n = spemu_perf_put_task(buf, sizeof(buf), &who, SPEMU_PERF_EXIT, pid, 1, tid, 1);
	/* The event has two parts, so that a write may be cut between them. */
	const struct iovec parts[2] = {{buf, 24}, {buf + 24, (size_t)n - 24}};

	return recording_append(r, parts, 2);
}

/*
 * Open a file to which other processes may be writing. If a reader meets a feature table that
 * changes, it tries again or finds no features. A file without writers must open at once and must
 * have its features.
 */
static inline void open_while_written(struct spemu_perf_file **file)
{
	int status = SPEMU_ERR_TRUNCATED;

	for (int i = 0; i < 1000 && status != SPEMU_OK; i++)
		status = spemu_perf_open(file, NULL, path);
	assert_int_equal(status, SPEMU_OK);
}

/* The number of events of each type in a file. All events must be whole, and the time in
 * last_time[tid % 64] must increase. */
struct summary {
	unsigned events[128];
	uint64_t last_time[64];
	uint64_t trace;
};

static inline void summarize_file(struct summary *s, struct spemu_perf_file *file,
                                  bool being_written)
{
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	const char *text;
	int status;

	memset(s, 0, sizeof(*s));
	while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK) {
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
	/* An event that is still being written may be missing. */
	assert_true(status == SPEMU_ERR_END || (being_written && status == SPEMU_ERR_TRUNCATED));
	if (being_written) {
		spemu_perf_close(file);
		return;
	}
	assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUID), SPEMU_OK);
	assert_string_equal(text, "0x00000000413fd0c1");
	assert_int_equal(spemu_perf_cmdline(file, &text, 3), SPEMU_OK);
	assert_string_equal(text, "true");
	spemu_perf_close(file);
}

static inline void summarize(struct summary *s)
{
	struct spemu_perf_file *file;

	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	summarize_file(s, file, false);
}

static inline void wait_for(pid_t pid, int expected)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, expected);
}

/*
 * Return true if a child may create threads although its parent, this process, has threads. In this
 * case, the user mode of QEMU 7.2 aborts, and so does ThreadSanitizer with many threads.
 * tests/unit/meson.build sets the environment variable.
 */
static inline bool children_may_have_threads(bool many)
{
#ifdef __SANITIZE_THREAD__
	if (many)
		return false;
#endif
	(void)many;
	return !getenv("SPEMU_TEST_QEMU_USER");
}

#define REC_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
/* If the condition is false, the entry has no name and is left out. */
#define REC_TEST_IF(condition, f)                                                               \
	{                                                                                       \
		(condition) ? #f : NULL, (condition) ? (f) : NULL, (condition) ? set_up : NULL, \
		        (condition) ? tear_down : NULL, NULL                                    \
	}

#endif
