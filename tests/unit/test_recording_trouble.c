/* SPDX-License-Identifier: MIT */
/* Test that the file stays whole if writers are killed, privileges are dropped, or size limits and
 * full disks are reached. */
#define _GNU_SOURCE
#include "not_here.h"
#include "recording_fixture.h"
#include "perfdata/perf_file.h"

/* Wait until the recorder has written the requests of a dead process. */
static void wait_until_idle(void)
{
	_Atomic uint32_t *state = &rec.area->slot[RECORDING_COMMON].state;

	for (int i = 0; i < 1000 && RECORDING_PHASE(atomic_load(state)) == RECORDING_ASKED; i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* Kill a child that only writes, at an arbitrary moment. The last event that was counted must be
 * whole. */
static void killed_writer_leaves_a_valid_file(void **state)
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
		wait_until_idle();
		assert_int_equal(append_one(&rec, 2, 2, (uint64_t)i + 1), SPEMU_OK);
		summarize(&s);
		assert_true(s.last_time[1] > 0);
	}
	assert_int_equal(recording_finish(&rec, NULL), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[2], 60);
}

/* If a recorder dies between two writes, the file has no feature flags and ends with garbage. */
static void file_of_dead_recorder_is_repaired(void **state)
{
	static const uint8_t garbage[64] = {0xff, 0xff, 0xff};
	uint8_t sizes[SPEMU_PERF_SIZES_SIZE];
	struct recording_totals totals;
	struct spemu_perf_file *file;
	struct spemu_perf_head head;
	uint8_t bytes[1024];
	const uint8_t *data;
	struct summary s;
	uint64_t size;
	int fd;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	recording_totals(&totals, &rec);
	recording_detach(&rec);
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(spemu_perf_get_head(&head, &size, bytes, sizeof(bytes)), SPEMU_OK);
	assert_int_equal(size, totals.data_bytes);
	spemu_perf_put_sizes(sizes, size, 0);
	assert_int_equal(pwrite(fd, sizes, sizeof(sizes), SPEMU_PERF_SIZES_AT), sizeof(sizes));
	assert_int_equal(pwrite(fd, garbage, sizeof(garbage), (off_t)(head.data_at + size)),
	                 sizeof(garbage));
	close(fd);
	assert_int_equal(recording_repair(path), SPEMU_OK);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	assert_int_equal(spemu__perf_feature(file, &data, &size, SPEMU_PERF_FEAT_SAMPLE_TIME),
	                 SPEMU_OK);
	assert_int_equal(size, 16);
	assert_int_equal(data[0], 1);
	assert_int_equal(data[8], 1);
	spemu_perf_close(file);
	assert_int_equal(recording_repair("/dev/null"), SPEMU_ERR_CORRUPT);
	assert_int_equal(recording_repair("/nonexistent"), SPEMU_ERR_IO);
}

/* Drop a privilege of the program, in one of several ways. Each function returns true if that was
 * possible. */
static bool close_all(void)
{
	for (int fd = 3; fd < 70000; fd++)
		close(fd);
	return true;
}

static bool take_all_descriptors(void)
{
	struct rlimit limit;

	/* Only the soft limit is changed, because valgrind refuses to change the hard limit. */
	if (!close_all() || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	limit.rlim_cur = 0;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool limit_file_size(void)
{
	const struct rlimit none = {0, 0};

	return setrlimit(RLIMIT_FSIZE, &none) == 0; /* SIGXFSZ kills by default */
}

static bool change_root(void)
{
	return chroot(folder) == 0 && chdir("/") == 0;
}

static bool change_user(void)
{
	return setgid(65534) == 0 && setuid(65534) == 0;
}

static void program_dropping_privileges_is_recorded(void **state)
{
	static bool (*const drop[])(void) = {close_all, take_all_descriptors, limit_file_size,
	                                     change_root, change_user};
	struct recording_totals totals;
	uint64_t events = 0;
	struct summary s;

	(void)state;
	for (unsigned i = 0; i < sizeof(drop) / sizeof(drop[0]); i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0) {
			struct recording own;
			size_t size;
			uint32_t lane;
			uint8_t *buffer;
			struct spemu_perf_who who = {.pid = 1, .tid = 1};

			if (recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK)
				_exit(1);
			lane = who.cpu = recording_lane_get(&own);
			buffer = recording_buffer(&own, lane, &size);
			if (!drop[i]())
				_exit(2);
			errno = 4321;
			if (append_one(&own, 1, 1, events + 1) != SPEMU_OK || errno != 4321)
				_exit(3);
			_exit(recording_append_aux(&own, &who, buffer, 64, 0) == SPEMU_OK ? 0 : 4);
		}
		/* chroot() and setuid() require root. */
		if (geteuid() != 0 && (drop[i] == change_root || drop[i] == change_user)) {
			wait_for(child, 2 << 8);
			continue;
		}
		wait_for(child, 0);
		events++;
	}
	recording_totals(&totals, &rec);
	assert_int_equal(totals.write_errno, 0);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], 0);
	summarize(&s);
	assert_int_equal(s.last_time[1], events);
	assert_int_equal(s.trace, 64 * events);
}

static void reattaching_needs_permission_to_open_recording(void **state)
{
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		struct recording own;

		if (recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK ||
		    !recording_is_reachable(&own))
			_exit(1);
		if (!change_user())
			_exit(0); /* needs root */
		_exit(recording_is_reachable(&own) ? 2 : 0);
	}
	wait_for(child, 0);
}

static void held_descriptor_outlives_change_of_user(void **state)
{
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		struct recording own, next;
		const char *control = recording_control_path(&rec);
		int held;

		if (recording_attach(&own, control) != SPEMU_OK || recording_held(&own) >= 0)
			_exit(1);
		recording_hold(&own);
		held = recording_held(&own);
		recording_hold(&own);
		if (held < 900 || recording_held(&own) != held ||
		    !(fcntl(held, F_GETFD) & FD_CLOEXEC))
			_exit(2);
		change_user();
		if (recording_attach_held(&next, control, held) != SPEMU_OK ||
		    recording_held(&next) != held || recording_process_number(&next) != getpid())
			_exit(3);
		/* The program uses the number for its own file. */
		if (dup2(open("/dev/null", O_RDONLY), held) != held || recording_held(&own) >= 0)
			_exit(4);
		_exit(recording_attach_held(&next, control, held) == SPEMU_ERR_CORRUPT ? 0 : 5);
	}
	wait_for(child, 0);
}

static void append_reports_dead_recorder(void **state)
{
	struct summary s;
	int ready[2], go[2];
	pid_t recorder;
	char control[RECORDING_PATH_MAX];
	struct recording own;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	recorder = fork();
	assert_true(recorder >= 0);
	if (recorder == 0) {
		const struct recording_params params = {.period = 512};
		static const char *const argv[] = {"spemu", "record", "--", "true", NULL};
		const struct recording_about about = {.argv = argv};
		struct recording mine;

		if (recording_create(&mine, path, &params, &about) != SPEMU_OK ||
		    write(ready[1], recording_control_path(&mine), sizeof(control)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], control, sizeof(control)), sizeof(control));
	assert_int_equal(recording_attach(&own, control), SPEMU_OK);
	assert_int_equal(append_one(&own, 1, 1, 1), SPEMU_OK);
	kill(recorder, SIGKILL);
	wait_for(recorder, SIGKILL);
	assert_int_equal(append_one(&own, 1, 1, 2), SPEMU_ERR_IO);
	assert_int_equal(append_one(&own, 1, 1, 2), SPEMU_ERR_IO);
	recording_detach(&own);
	summarize(&s);
	assert_int_equal(s.last_time[1], 1);
}

static void removed_or_replaced_file_is_reported(void **state)
{
	struct recording_totals totals;
	char other[128];
	int fd;

	(void)state;
	recording_totals(&totals, &rec);
	assert_int_equal(totals.fate, RECORDING_IN_PLACE);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(rename(path, other), 0);
	recording_totals(&totals, &rec);
	assert_int_equal(totals.fate, RECORDING_RENAMED);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.fate, RECORDING_RENAMED);
	close(fd);
	unlink(path);
	unlink(other);
	recording_totals(&totals, &rec);
	assert_int_equal(totals.fate, RECORDING_REMOVED);
}

static void truncated_file_is_left_alone(void **state)
{
	struct recording_totals totals;
	struct stat st;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(append_one(&rec, 1, 1, 2), SPEMU_ERR_IO);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_ERR_IO);
	assert_int_equal(totals.fate, RECORDING_CUT);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 100);
}

static void file_size_limit_is_an_error_not_a_signal(void **state)
{
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		const struct recording_params params = {.period = 512};
		struct recording_totals totals;
		struct recording mine;
		struct rlimit limit;
		struct stat st;
		uint64_t t = 0;

		/* By default SIGXFSZ would kill the child. */
		if (recording_create(&mine, path, &params, NULL) != SPEMU_OK ||
		    stat(path, &st) != 0)
			_exit(90);
		limit.rlim_cur = limit.rlim_max = (rlim_t)st.st_size + 150;
		setrlimit(RLIMIT_FSIZE, &limit);
		errno = 4321;
		while (t < 10 && append_one(&mine, 1, 1, t + 1) == SPEMU_OK)
			t++;
		if (errno != 4321)
			_exit(91);
		recording_totals(&totals, &mine);
		if (totals.write_errno != EFBIG || totals.counter[RECORDING_LOST_BYTES] != 64 ||
		    totals.counter[RECORDING_WRITE_ERRORS] != 1)
			_exit(92);
		_exit((int)t);
	}
	wait_for(child, 2 << 8); /* two events of 64 bytes fit into 150 bytes */
}

static size_t read_file(uint8_t *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, size);

	assert_true(n > 0 && (size_t)n < size);
	close(fd);
	return (size_t)n;
}

/* The failed event overwrites a part of the old feature table. The table is restored before the
 * recording is finished. */
static void failed_append_leaves_the_file_unchanged(void **state)
{
	static uint8_t before[1 << 16], after[1 << 16];
	struct rlimit old, limit;
	size_t size;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	size = read_file(before, sizeof(before));
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = size; /* the event fits, but not the whole table after it */
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(append_one(&rec, 1, 1, 2), SPEMU_ERR_IO);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(read_file(after, sizeof(after)), size);
	assert_memory_equal(before, after, size);
}

static void full_disk_keeps_whole_events(void **state)
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
	unsigned written = 0, read = 0, flagged = 0;
	int status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	if (mount("none", dir, "tmpfs", 0, "size=64k") != 0) {
		rmdir(dir);
		NOT_HERE("needs root");
	}
	snprintf(name, sizeof(name), "%s/perf.data", dir);
	assert_int_equal(recording_create(&small, name, &params, NULL), SPEMU_OK);
	while (written < 100 && recording_append_aux(&small, &who, trace, sizeof(trace),
	                                             SPEMU_PERF_AUX_COLLISION) == SPEMU_OK)
		written++;
	assert_true(written > 5 && written < 16);
	/* The recorder does not try again, even if there is room. */
	assert_int_equal(append_one(&small, 1, 1, 1), SPEMU_ERR_IO);
	recording_totals(&totals, &small);
	assert_int_equal(totals.write_errno, ENOSPC);
	assert_int_equal(totals.counter[RECORDING_WRITE_ERRORS], 1);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], sizeof(trace) + 64);
	assert_int_equal(totals.counter[RECORDING_AUX_BYTES], written * sizeof(trace));
	assert_int_equal(recording_finish(&small, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_open(&file, NULL, name), SPEMU_OK);
	while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK) {
		read += e.type == SPEMU_PERF_AUXTRACE;
		if (e.type == SPEMU_PERF_AUX) /* the last flags show that data are missing */
			assert_int_equal(
			        e.u.aux.flags,
			        SPEMU_PERF_AUX_COLLISION |
			                (++flagged == written ? SPEMU_PERF_AUX_TRUNCATED : 0));
	}
	assert_int_equal(flagged, written);
	assert_int_equal(status, SPEMU_ERR_END);
	assert_int_equal(read, written);
	spemu_perf_close(file);
	recording_detach(&small);
	unlink(name);
	umount(dir);
	rmdir(dir);
}

/* A signal handler interrupts an append of its own thread. It must neither hang nor damage the
 * file. The thread waits for a slot that another thread holds, so the signal arrives inside the
 * append. */
static struct recording *in_handler;
static volatile int handler_status;
static void append_in_handler(int sig)
{
	(void)sig;
	handler_status = append_one(in_handler, 3, 3, 1);
}

static void *signal_soon(void *argument)
{
	const pthread_t *to = argument;

	nanosleep(&(struct timespec){0, 100000000}, NULL);
	pthread_kill(*to, SIGUSR1);
	nanosleep(&(struct timespec){0, 100000000}, NULL);
	atomic_store(&in_handler->area->slot[RECORDING_COMMON].state, 0);
	return NULL;
}

static void append_inside_append_is_refused(void **state)
{
	struct summary s;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		pthread_t self = pthread_self(), thread;
		struct recording own;

		if (recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK)
			_exit(1);
		in_handler = &own;
		signal(SIGUSR1, append_in_handler);
		pthread_create(&thread, NULL, signal_soon, &self);
		atomic_store(&own.area->slot[RECORDING_COMMON].state,
		             RECORDING_SLOT_STATE(RECORDING_TAKEN, getppid()));
		if (append_one(&own, 1, 1, 1) != SPEMU_OK)
			_exit(2);
		_exit(handler_status == SPEMU_ERR_STATE ? 0 : 3);
	}
	wait_for(child, 0);
	summarize(&s);
	assert_int_equal(s.events[SPEMU_PERF_EXIT], 1);
}

/* Return the time of CLOCK_MONOTONIC in nanoseconds. */
static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * If a signal ends a program, the program cannot deliver the contents of its Profiling Buffer.
 * The recorder delivers them.
 */
static void buffer_of_dead_thread_is_delivered(void **state)
{
	struct spemu_perf_cursor c = {0};
	struct recording_totals totals;
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	unsigned found = 0;
	uint32_t tid = 0;
	uint64_t before = monotonic_ns();
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
		/* The rest of the buffer is not a whole record yet. */
		recording_publish(&rec, lane, &(struct recording_state){77, 78, 100, 3, 3000});
		kill(getpid(), SIGKILL);
	}
	wait_for(child, SIGKILL);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_SALVAGED_BYTES], 104);
	assert_int_equal(totals.counter[RECORDING_AUX_BYTES], 104);
	assert_int_equal(totals.counter[RECORDING_SAMPLES], 3);
	assert_int_equal(totals.counter[RECORDING_OPERATIONS], 3000);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	while (spemu_perf_next(file, &e, &c) == SPEMU_OK) {
		if (e.type == SPEMU_PERF_AUX) {
			tid = e.who.tid;
			assert_int_equal(e.u.aux.flags, 0);
			assert_in_range(e.who.time, before, monotonic_ns());
		}
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

static void delivered_buffer_is_not_delivered_again(void **state)
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
	/* Only the thread itself counts its samples. */
	assert_int_equal(totals.counter[RECORDING_SAMPLES], 0);
	summarize(&s);
	assert_int_equal(s.trace, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        REC_TEST(killed_writer_leaves_a_valid_file),
	        REC_TEST(file_of_dead_recorder_is_repaired),
	        REC_TEST(program_dropping_privileges_is_recorded),
	        REC_TEST(reattaching_needs_permission_to_open_recording),
	        REC_TEST(held_descriptor_outlives_change_of_user),
	        REC_TEST_IF(children_may_have_threads(false), append_reports_dead_recorder),
	        REC_TEST(removed_or_replaced_file_is_reported),
	        REC_TEST(truncated_file_is_left_alone),
	        REC_TEST_IF(children_may_have_threads(false),
	                    file_size_limit_is_an_error_not_a_signal),
	        REC_TEST(failed_append_leaves_the_file_unchanged),
	        REC_TEST(full_disk_keeps_whole_events),
	        REC_TEST_IF(children_may_have_threads(false), append_inside_append_is_refused),
	        REC_TEST(buffer_of_dead_thread_is_delivered),
	        REC_TEST(delivered_buffer_is_not_delivered_again),
	};
	return cmocka_run_group_tests_name("recording in trouble", tests, NULL, NULL);
}
