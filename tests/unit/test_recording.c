/* SPDX-License-Identifier: MIT */
/* Test one recording with many writers: the guarantees of recording.h while nothing fails. */
#define _GNU_SOURCE
#include "recording_fixture.h"
#include "recording_who.h"

static void new_file_is_complete(void **state)
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
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, &conv), SPEMU_OK);
	assert_int_equal(info.version, 1);
	assert_int_equal(conv.time_mult, 1);
	assert_int_equal(conv.time_shift, 0);
	assert_int_equal(spemu_perf_attr(file, &attr, 0), SPEMU_OK);
	assert_int_equal(attr.type, info.pmu_type);
	assert_int_equal(attr.sample_period, 512);
	assert_string_equal(attr.name, "arm_spe_0//");
	spemu_perf_close(file);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(recording_params(&rec)->seed, 9);
	assert_string_equal(recording_params(&rec)->profile, "n1");
}

enum {
	PROCESSES = 4,
	THREADS = 3,
	ROUNDS = 200,
};

struct job {
	struct recording *rec;
	uint32_t number;
};

static void *write_events(void *arg)
{
	const struct job *job = arg;
	static const uint8_t trace[64];
	uint32_t lane = recording_lane_get(job->rec);
	const struct spemu_perf_who who = {.pid = 1, .tid = job->number, .time = 1, .cpu = lane};

	for (unsigned i = 1; i <= ROUNDS; i++) {
		if (append_one(job->rec, 1, job->number, i) != SPEMU_OK ||
		    recording_append_aux(job->rec, &who, trace, sizeof(trace), 0) != SPEMU_OK)
			return (void *)1;
		recording_count(job->rec, RECORDING_SAMPLES, 1);
	}
	recording_lane_put(job->rec, lane);
	return NULL;
}

static void child_writes(uint32_t first, bool attach)
{
	struct recording own;
	struct job jobs[THREADS];
	pthread_t threads[THREADS];
	void *failed;

	if (attach && recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK)
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
	struct recording_totals totals;
	struct spemu_perf_file *file;
	struct summary s;
	pid_t children[PROCESSES];

	(void)state;
	/* Half of the processes use the handle of the parent, and half attach to the recording. */
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
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_SAMPLES], PROCESSES * THREADS * ROUNDS);
	assert_int_equal(totals.counter[RECORDING_AUX_BYTES], s.trace);
	assert_int_equal(totals.counter[RECORDING_THREADS], PROCESSES * THREADS);
	assert_int_equal(totals.counter[RECORDING_PROCESSES], PROCESSES / 2);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], 0);
	assert_int_equal(totals.counter[RECORDING_WRITE_ERRORS], 0);
	assert_true(totals.lanes >= 1 && totals.lanes <= PROCESSES * THREADS);
	summarize(&s);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_ERR_STATE);
	assert_int_equal(recording_finish(&rec, NULL), SPEMU_ERR_STATE);
}

/* Threads of one process write whole events, too. The thread sanitizer can check this test. */
static void threads_beside_the_recorder_write_whole_events(void **state)
{
	struct job jobs[THREADS];
	pthread_t threads[THREADS];
	struct recording_totals totals;
	struct summary s;
	void *failed;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){&rec, i};
		assert_int_equal(pthread_create(&threads[i], NULL, write_events, &jobs[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	summarize(&s);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(s.last_time[i], ROUNDS);
	assert_int_equal(s.trace, 64 * THREADS * ROUNDS);
	assert_int_equal(totals.counter[RECORDING_SAMPLES], THREADS * ROUNDS);
	assert_int_equal(totals.counter[RECORDING_LOST_BYTES], 0);
}

static void lanes_are_reused_and_reclaimed(void **state)
{
	pid_t child;

	(void)state;
	assert_int_equal(recording_lane_get(&rec), 0);
	assert_int_equal(recording_lane_get(&rec), 1);
	recording_lane_put(&rec, 0);
	assert_int_equal(recording_lane_get(&rec), 0);
	/* A child cannot release the lane of its parent. When the child dies, its own lanes become
	 * free. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		recording_lane_put(&rec, 1);
		for (uint32_t i = 2; i < RECORDING_LANES; i++) {
			if (recording_lane_get(&rec) != i)
				_exit(1);
		}
		/* If no lane is free, the last lane is shared. */
		_exit(recording_lane_get(&rec) == RECORDING_LANES - 1 ? 0 : 2);
	}
	wait_for(child, 0);
	assert_int_equal(recording_lane_get(&rec), 2);
	/* A process that attaches again, like a new program image, starts without lanes. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct recording own;

		if (recording_lane_get(&rec) != 3 ||
		    recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK)
			_exit(1);
		_exit(recording_lane_get(&own) == 3 ? 0 : 2);
	}
	wait_for(child, 0);
}

/* The first process of a PID namespace has number 1 in it. Its kill() reaches no process outside.
 * The lanes of outside processes must be kept nevertheless. */
static void lanes_of_other_pid_namespaces_are_kept(void **state)
{
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(recording_lane_get(&rec), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		pid_t first;

		if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
			_exit(77);
		first = fork();
		if (first == 0) {
			struct recording own;

			if (getpid() != 1 ||
			    recording_attach(&own, recording_control_path(&rec)) != SPEMU_OK ||
			    recording_process_number(&own) == 1)
				_exit(1);
			for (uint32_t i = 1; i < RECORDING_LANES; i++) {
				if (recording_lane_get(&own) != i)
					_exit(2);
			}
			_exit(recording_lane_get(&own) == RECORDING_LANES - 1 ? 0 : 3);
		}
		if (waitpid(first, &status, 0) != first || !WIFEXITED(status))
			_exit(4);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	/* The lanes of the child are free again. */
	assert_int_equal(recording_lane_get(&rec), 1);
}

/* A client in another PID namespace looks up processes in /proc. An old value of errno must not
 * matter. */
static void processes_of_other_pid_namespaces_are_found_in_proc(void **state)
{
	const struct recording foreign = {.is_foreign = true, .sees_proc = true};
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		_exit(0);
	errno = ENOENT;
	assert_false(recording_who_is_gone(&foreign, (int32_t)child));
	assert_int_equal(errno, ENOENT);
	wait_for(child, 0);
	assert_true(recording_who_is_gone(&foreign, (int32_t)child));
}

static void trace_offsets_are_counted_for_each_lane(void **state)
{
	static const uint8_t trace[128];
	struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1, .cpu = 5};
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	static const uint64_t expected[][2] = {{5, 0}, {5, 128}, {6, 0}, {5, 192}};
	unsigned n = 0;

	(void)state;
	assert_int_equal(recording_append_aux(&rec, &who, trace, 128, 0), SPEMU_OK);
	assert_int_equal(recording_append_aux(&rec, &who, trace, 64, 0), SPEMU_OK);
	who.cpu = 6;
	assert_int_equal(recording_append_aux(&rec, &who, trace, 64, 0), SPEMU_OK);
	who.cpu = 5;
	/* An AUX event may have flags and no trace. */
	assert_int_equal(recording_append_aux(&rec, &who, NULL, 0, 1), SPEMU_OK);
	assert_int_equal(recording_append_aux(&rec, &who, trace, 8, 0), SPEMU_OK);
	assert_int_equal(recording_append_aux(&rec, &who, trace, 7, 0), SPEMU_ERR_INVALID);
	who.cpu = RECORDING_LANES;
	assert_int_equal(recording_append_aux(&rec, &who, trace, 8, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	while (spemu_perf_next(file, &e, &c) == SPEMU_OK) {
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

static void invalid_control_area_is_refused(void **state)
{
	struct recording other;
	char control[RECORDING_PATH_MAX];

	(void)state;
	assert_int_equal(recording_attach(&other, "/nonexistent"), SPEMU_ERR_IO);
	assert_int_equal(recording_attach(&other, path), SPEMU_ERR_CORRUPT);
	assert_int_equal(recording_attach(&other, NULL), SPEMU_ERR_INVALID);
	rec.area->card.layout++;
	strcpy(control, recording_control_path(&rec));
	assert_int_equal(recording_attach(&other, control), SPEMU_ERR_NOT_SUPPORTED);
	rec.area->card.layout--;
	assert_int_equal(recording_attach(&other, control), SPEMU_OK);
	assert_int_equal(recording_finish(&other, NULL), SPEMU_ERR_STATE);
	recording_detach(&other);
}

static void partial_events_are_refused(void **state)
{
	uint8_t bytes[32] = {0};
	const struct iovec odd = {bytes, 12}, none = {bytes, 0}, null = {NULL, 8};

	(void)state;
	assert_int_equal(recording_append(&rec, &odd, 1), SPEMU_ERR_INVALID);
	assert_int_equal(recording_append(&rec, &none, 1), SPEMU_ERR_INVALID);
	assert_int_equal(recording_append(&rec, &null, 1), SPEMU_ERR_INVALID);
	assert_int_equal(recording_append(&rec, &odd, 0), SPEMU_ERR_INVALID);
	assert_int_equal(recording_append(&rec, NULL, 1), SPEMU_ERR_INVALID);
}

static void first_note_is_kept(void **state)
{
	struct recording_totals totals;
	char longer[600];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	recording_note(&rec, longer);
	recording_note(&rec, "second");
	recording_totals(&totals, &rec);
	assert_int_equal(strlen(totals.note), RECORDING_NOTE_MAX - 1);
	assert_int_equal(totals.note[0], 'x');
}

static void invalid_recording_files_are_refused(void **state)
{
	struct recording_params params = {.period = 512};
	struct recording other;

	(void)state;
	assert_int_equal(recording_create(&other, "/nonexistent/x", &params, NULL), SPEMU_ERR_IO);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(other.area_fd, -1);
	assert_int_equal(recording_create(&other, "/dev/null", &params, NULL), SPEMU_ERR_IO);
	params.counter_hz = UINT64_MAX;
	assert_int_equal(recording_create(&other, path, &params, NULL), SPEMU_ERR_INVALID);
	assert_true(fcntl(1, F_GETFD) >= 0); /* the descriptors of the program are still open */
}

/* On a 64-bit system, the lanes map at most 64 GiB of address space. Lanes beyond this limit have
 * no room. */
static void large_buffers_reduce_mapped_lanes(void **state)
{
	struct recording_params params = {.period = 512};
	struct recording other;

	(void)state;
	for (unsigned log2 = 16; log2 <= 30 && SIZE_MAX > UINT32_MAX; log2++) {
		uint64_t most = UINT64_C(1) << (36 - log2);

		params.buffer_size = UINT32_C(1) << log2;
		assert_int_equal(recording_create(&other, path, &params, NULL), SPEMU_OK);
		/* A limit of the process, or valgrind, may permit fewer. */
		assert_in_range(other.rooms, 0, most < RECORDING_LANES ? most : RECORDING_LANES);
		recording_detach(&other);
	}
}

static void long_command_line_is_cut_between_arguments(void **state)
{
	static const char *argv[10001];
	const struct recording_about about = {.argv = argv};
	const struct recording_params params = {.period = 512};
	struct spemu_perf_file *file;
	struct recording other;
	const char *text;
	uint32_t n = 0;

	(void)state;
	for (int i = 0; i < 10000; i++)
		argv[i] =
		        "an argument of some length, with blanks in it, as long as a line is wide";
	assert_int_equal(recording_create(&other, path, &params, &about), SPEMU_OK);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	while (spemu_perf_cmdline(file, &text, n) == SPEMU_OK) {
		assert_string_equal(text, argv[0]);
		n++;
	}
	assert_int_equal(spemu_perf_cmdline(file, &text, n), SPEMU_ERR_END);
	assert_true(n > 1000 && n < 10000);
	assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_ARCH), SPEMU_OK);
	assert_string_equal(text, "aarch64");
	spemu_perf_close(file);
	recording_detach(&other);
}

/* Check that the CPUs that the file describes are numbered in order and have the given MIDR. Return
 * their number. */
static uint32_t cpus_described(const char *name, uint64_t midr)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_spe_cpu cpu;
	struct spemu_perf_file *file;
	uint32_t n = 0;

	assert_int_equal(spemu_perf_open(&file, NULL, name), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_OK);
	assert_int_equal(info.version, 2);
	assert_int_equal(info.priv_size, 32 + 56 * info.n_cpus);
	for (; spemu_perf_spe_cpu(&cpu, &info, n) == SPEMU_OK; n++) {
		assert_int_equal(cpu.cpu, n);
		assert_int_equal(cpu.midr, midr);
		assert_int_equal(cpu.pmu_type, info.pmu_type);
		assert_int_equal(cpu.min_interval, 512);
		assert_int_equal(cpu.event_filter, 0xfe);
	}
	assert_int_equal(n, info.n_cpus);
	spemu_perf_close(file);
	return n;
}

/* Store the cpu of each AUXTRACE event in cpus[]. The file must have n such events. */
static void trace_cpus(uint32_t *cpus, unsigned n, const char *name)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	unsigned i = 0;

	assert_int_equal(spemu_perf_open(&file, NULL, name), SPEMU_OK);
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		if (event.type != SPEMU_PERF_AUXTRACE)
			continue;
		assert_true(i < n);
		assert_int_equal(event.u.auxtrace.idx, event.u.auxtrace.cpu);
		assert_int_equal(event.u.auxtrace.offset,
		                 i && cpus[i - 1] == event.u.auxtrace.cpu ? 64 : 0);
		cpus[i++] = event.u.auxtrace.cpu;
	}
	assert_int_equal(i, n);
	spemu_perf_close(file);
}

/*
 * In metadata version 2, lanes become CPUs. A file describes at most as many CPUs as an event can
 * hold, and the last CPU then stands for all further lanes. An unfinished file describes all
 * possible CPUs, and a finished file describes the CPUs that were used.
 */
static void metadata_version_2_describes_used_lanes(void **state)
{
	static const uint8_t trace[64];
	const struct {
		uint32_t lanes[3], cpus[3], described;
	} rows[] = {
	        {{0, 0, 3}, {0, 0, 3}, 4},
	        {{0, 3, 1166}, {0, 3, 1166}, 1167},
	        {{0, 3, 1167}, {0, 3, 1167}, SPEMU_PERF_SPE_CPUS_MAX},
	        {{0, 1168, 2000}, {0, 1168, 1168}, SPEMU_PERF_SPE_CPUS_MAX},
	};
	const struct spemu_perf_spe_cpu cpu = {
	        .midr = 0x410fd490, .min_interval = 512, .event_filter = 0xfe};
	const struct recording_about about = {.cpu = &cpu};
	const struct recording_params params = {.period = 512};
	char name[128];

	(void)state;
	snprintf(name, sizeof(name), "%s.2", path);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct recording own;
		uint32_t cpus[3];

		assert_int_equal(recording_create(&own, name, &params, &about), SPEMU_OK);
		assert_int_equal(cpus_described(name, cpu.midr), SPEMU_PERF_SPE_CPUS_MAX);
		for (int k = 0; k < 3; k++) {
			const struct spemu_perf_who who = {.time = 1, .cpu = rows[i].lanes[k]};

			assert_int_equal(recording_append_aux(&own, &who, trace, sizeof(trace), 0),
			                 SPEMU_OK);
		}
		assert_int_equal(cpus_described(name, cpu.midr), SPEMU_PERF_SPE_CPUS_MAX);
		assert_int_equal(recording_finish(&own, NULL), SPEMU_OK);
		recording_detach(&own);
		assert_int_equal(cpus_described(name, cpu.midr), rows[i].described);
		trace_cpus(cpus, 3, name);
		assert_memory_equal(cpus, rows[i].cpus, sizeof(cpus));
		/* A finished file may be repaired, which finishes it again. */
		assert_int_equal(recording_repair(name), SPEMU_OK);
		assert_int_equal(cpus_described(name, cpu.midr), rows[i].described);
	}
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        REC_TEST(new_file_is_complete),
	        REC_TEST_IF(children_may_have_threads(true),
	                    processes_and_threads_write_whole_events),
	        REC_TEST(threads_beside_the_recorder_write_whole_events),
	        REC_TEST(lanes_are_reused_and_reclaimed),
	        REC_TEST(processes_of_other_pid_namespaces_are_found_in_proc),
	        REC_TEST(lanes_of_other_pid_namespaces_are_kept),
	        REC_TEST(trace_offsets_are_counted_for_each_lane),
	        REC_TEST(invalid_control_area_is_refused),
	        REC_TEST(partial_events_are_refused),
	        REC_TEST(first_note_is_kept),
	        REC_TEST(metadata_version_2_describes_used_lanes),
	        REC_TEST(long_command_line_is_cut_between_arguments),
	        REC_TEST(invalid_recording_files_are_refused),
	        REC_TEST(large_buffers_reduce_mapped_lanes),
	};
	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
