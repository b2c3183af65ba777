/* SPDX-License-Identifier: MIT */
/* Killed writers, lost descriptors, size limits, full disks: the file stays whole. */
#define _GNU_SOURCE
#include "recording_fixture.h"

/* Kills a child that only writes, at an arbitrary moment. The event counted last must be whole. */
static void a_killed_writer_leaves_a_good_file(void **state)
{
	struct summary s;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct recording_totals begin, now;
		pid_t child;

		recording_totals(&begin, &rec);
		child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			summarize(&s);
			for (uint64_t t = s.last_time[1] + 1;; t++)
				append_one(&rec, 1, 1, t);
		}
		do {
			nanosleep(&(struct timespec){0, 100000 + i * 17000}, NULL);
			recording_totals(&now, &rec);
		} while (now.counter[RECORDING_APPENDS] == begin.counter[RECORDING_APPENDS]);
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
	assert_int_equal(recording_finish(&rec, NULL), SPEMU_OK);
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
		if (recording_lock(&rec) != SPEMU_OK)
			_exit(1);
		recording_write_sizes(rec.fd, rec.control->data_size, 0);
		recording_pwrite(rec.fd, garbage, sizeof(garbage),
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

		recording_lock(&rec);
		recording_write_sizes(rec.fd, rec.control->data_size, 0);
		recording_pwrite(rec.fd, garbage, sizeof(garbage),
		                 rec.control->head.data_at + rec.control->data_size);
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(recording_repair(path), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
	assert_int_equal(spemu_perf_open(&file, path, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_feature(file, SPEMU_PERF_FEAT_SAMPLE_TIME, &data, &size),
	                 SPEMU_OK);
	assert_int_equal(size, 16);
	assert_int_equal(data[0], 1);
	assert_int_equal(data[8], 1);
	spemu_perf_close(file);
	assert_int_equal(recording_repair("/dev/null"), SPEMU_ERR_CORRUPT);
	assert_int_equal(recording_repair("/nonexistent"), SPEMU_ERR_IO);
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
	struct recording_totals totals;
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
	recording_totals(&totals, &rec);
	assert_int_equal(totals.write_errno, EMFILE);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], 64);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
}

static void a_file_size_limit_is_an_error_not_a_signal(void **state)
{
	struct recording_totals totals;
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
	recording_totals(&totals, &rec);
	assert_int_equal(totals.counter[RECORDING_WRITE_ERRORS], 1);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], 64);
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
	const struct recording_params params = {.period = 512};
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1};
	struct recording_totals totals;
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	struct recording small;
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
	assert_int_equal(recording_create(&small, name, &params, NULL), SPEMU_OK);
	while (written < 100 &&
	       recording_append_aux(&small, &who, trace, sizeof(trace), 0) == SPEMU_OK)
		written++;
	assert_true(written > 5 && written < 16);
	/* No second try, whatever there is room for. */
	assert_int_equal(append_one(&small, 1, 1, 1), SPEMU_ERR_IO);
	recording_totals(&totals, &small);
	assert_int_equal(totals.write_errno, ENOSPC);
	assert_int_equal(totals.counter[RECORDING_WRITE_ERRORS], 1);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], sizeof(trace) + 64);
	assert_int_equal(totals.counter[RECORDING_AUX_BYTES], written * sizeof(trace));
	assert_int_equal(recording_finish(&small, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_open(&file, name, NULL), SPEMU_OK);
	while ((status = spemu_perf_next(file, &c, &e)) == SPEMU_OK)
		read += e.type == SPEMU_PERF_AUXTRACE;
	assert_int_equal(status, SPEMU_ERR_END);
	assert_int_equal(read, written);
	spemu_perf_close(file);
	recording_detach(&small);
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
	assert_int_equal(recording_lock(&rec), SPEMU_OK);
	raise(SIGUSR1);
	recording_unlock(&rec);
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(handler_status, SPEMU_ERR_STATE);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.events[SPEMU_PERF_EXIT], 1);
}

/* A program that a signal ends has no chance to deliver what lies in its Profiling Buffer. */
static void a_dead_thread_s_buffer_is_delivered(void **state)
{
	struct spemu_perf_cursor c = {0};
	struct recording_totals totals;
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	unsigned found = 0;
	uint32_t tid = 0;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		size_t size;
		uint32_t lane = recording_lane_get(&rec);
		uint8_t *buffer = recording_buffer(&rec, lane, &size);

		if (!buffer || size != 65536)
			_exit(1);
		memset(buffer, 0xa5, 200);
		/* The rest is not a whole record yet. */
		recording_publish(&rec, lane, &(struct recording_state){77, 78, 100, 3, 3000});
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_SALVAGED_BYTES], 104);
	assert_int_equal(totals.counter[RECORDING_AUX_BYTES], 104);
	assert_int_equal(totals.counter[RECORDING_SAMPLES], 3);
	assert_int_equal(totals.counter[RECORDING_OPERATIONS], 3000);
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
	struct recording_totals totals;
	struct summary s;
	uint32_t lane = recording_lane_get(&rec);
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1, .cpu = lane};
	size_t size;
	uint8_t *buffer = recording_buffer(&rec, lane, &size);

	(void)state;
	assert_non_null(buffer);
	memset(buffer, 0xa5, 64);
	recording_publish(&rec, lane, &(struct recording_state){1, 1, 64, 1, 512});
	assert_int_equal(recording_append_aux(&rec, &who, buffer, 64, 0), SPEMU_OK);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_SALVAGED_BYTES], 0);
	assert_int_equal(totals.counter[RECORDING_SAMPLES], 0); /* the thread's own to count now */
	summarize(&s);
	assert_int_equal(s.trace, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	        REC_TEST(a_dead_thread_s_buffer_is_delivered),
	        REC_TEST(a_delivered_buffer_is_not_delivered_again),
	};
	return cmocka_run_group_tests_name("recording in trouble", tests, NULL, NULL);
}
