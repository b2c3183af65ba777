/* SPDX-License-Identifier: MIT */
/* Test the recorder's copies of files that describe generated code: their time, their contents and
 * their limits. */
#define _GNU_SOURCE
#include "recording_fixture.h"

#include "recorder.h"

enum { PID = 3000000 };

static uint8_t content[200000];
static unsigned opened;

/* Open the file in the folder of the test that has the same name. */
static int open_here(const char *name)
{
	char here[160];

	opened++;
	snprintf(here, sizeof(here), "%s/%s", folder, strrchr(name, '/') + 1);
	return open(here, O_RDONLY | O_CLOEXEC);
}

static int set_up_copies(void **state)
{
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 11 + i / 999);
	opened = 0;
	return set_up(state) || recording_copy_files(&rec, open_here) != SPEMU_OK;
}

static int tear_down_copies(void **state)
{
	char name[400];
	struct dirent *entry;
	DIR *files = opendir(folder);

	while (files && (entry = readdir(files))) {
		snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
		unlink(name);
	}
	closedir(files);
	return tear_down(state);
}

/* Write the file of a process. Its first bytes are the content, and the others are zeros. */
static void write_file(const char *format, unsigned pid, off_t size)
{
	char name[160], base[40];
	int fd;

	snprintf(base, sizeof(base), format, pid);
	snprintf(name, sizeof(name), "%s/%s", folder, base);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_true(write(fd, content, sizeof(content)) == (ssize_t)sizeof(content));
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static void map(struct recording *own, uint32_t pid, bool executable, const char *name)
{
	const struct spemu_perf_who who = {.pid = pid, .tid = pid, .time = 1};
	const struct spemu_perf_mmap m = {.pid = pid,
	                                  .tid = pid,
	                                  .start = 0x10000,
	                                  .len = 0x1000,
	                                  .prot = executable ? PROT_READ | PROT_EXEC : PROT_READ,
	                                  .data = !executable,
	                                  .filename = name};
	uint8_t buf[1024];
	struct iovec part = {buf, 0};

	part.iov_len = (size_t)spemu_perf_put_mmap2(buf, sizeof(buf), &who, &m);
	if (recording_append(own, &part, 1) != SPEMU_OK)
		_exit(1);
}

static void end(struct recording *own, uint32_t pid, uint32_t tid)
{
	static uint64_t time[64];

	if (append_one(own, pid, tid, ++time[tid % 64]) != SPEMU_OK)
		_exit(2);
}

/* Call `with` in a child process, because the recorder's own events are not those of a program. */
static void in_child(void (*with)(struct recording *))
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct recording own = rec; /* the child is not the recorder */

		with(&own);
		_exit(0);
	}
	wait_for(child, 0);
}

/* Read the copy of a file. Return its size, or -1 if the recording does not have a part of it. */
static ssize_t read_copy(uint8_t *bytes, uint32_t kind, uint32_t pid)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_copy part;
	struct spemu_perf_file *file;
	ssize_t size = -1;

	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		if (spemu_perf_get_copy(&part, &event) != SPEMU_OK || part.kind != kind ||
		    part.pid != pid)
			continue;
		size = size < 0 ? 0 : size;
		assert_true((ssize_t)part.offset == size);
		if (part.size && size + part.size <= (ssize_t)sizeof(content))
			memcpy(bytes + size, part.data, part.size);
		size += part.size;
	}
	spemu_perf_close(file);
	return size;
}

static void assert_copied(uint32_t kind, uint32_t pid)
{
	static uint8_t bytes[sizeof(content)];

	assert_int_equal(read_copy(bytes, kind, pid), sizeof(content));
	assert_memory_equal(bytes, content, sizeof(content));
}

static uint64_t finish(void)
{
	struct recording_totals totals;

	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	return totals.left_out;
}

static void generate_and_end(struct recording *own)
{
	map(own, PID, true, "//anon");
	end(own, PID, PID + 1); /* a thread */
	end(own, PID, PID);
}

static void file_is_copied_when_process_ends(void **state)
{
	(void)state;
	write_file("perf-%u.map", PID, sizeof(content));
	in_child(generate_and_end);
	write_file("perf-%u.map", PID, 10); /* another process with the same number */
	assert_int_equal(finish(), 0);
	assert_copied(SPEMU_PERF_COPY_MAP, PID);
	assert_int_equal(opened, 1);
}

static void generate(struct recording *own)
{
	char name[160];

	map(own, PID, true, "/memfd:jit (deleted)");
	snprintf(name, sizeof(name), "%s/jit-%u.dump", folder, (unsigned)PID);
	map(own, PID, true, name);
}

static void files_of_running_process_are_copied_at_end(void **state)
{
	(void)state;
	in_child(generate);
	write_file("perf-%u.map", PID, sizeof(content));
	write_file("jit-%u.dump", PID, sizeof(content));
	assert_int_equal(finish(), 0);
	assert_copied(SPEMU_PERF_COPY_MAP, PID);
	assert_copied(SPEMU_PERF_COPY_DUMP, PID);
}

static void do_not_generate(struct recording *own)
{
	map(own, PID, true, "/usr/bin/program");
	map(own, PID, false, "//anon");
	map(own, PID, true, "/tmp/jit-1.dump"); /* of another process */
	end(own, PID, PID);
}

static void process_without_generated_code_has_no_copy(void **state)
{
	(void)state;
	write_file("perf-%u.map", PID, sizeof(content));
	in_child(do_not_generate);
	assert_int_equal(finish(), 0);
	assert_int_equal(read_copy(NULL, SPEMU_PERF_COPY_MAP, PID), -1);
	assert_int_equal(opened, 0);
}

static void missing_file_is_recorded_as_missing(void **state)
{
	(void)state;
	in_child(generate_and_end);
	assert_int_equal(finish(), 0);
	assert_int_equal(read_copy(NULL, SPEMU_PERF_COPY_MAP, PID), 0);
}

/* A process may have 64 MiB in all its files. */
static void large_file_is_left_out(void **state)
{
	(void)state;
	write_file("perf-%u.map", PID, (INT64_C(64) << 20) - (off_t)sizeof(content) + 1);
	write_file("jit-%u.dump", PID, sizeof(content));
	in_child(generate);
	assert_int_equal(finish(), 1);
	assert_int_equal(read_copy(NULL, SPEMU_PERF_COPY_DUMP, PID), -1);
}

static void generate_three(struct recording *own)
{
	for (uint32_t i = 0; i < 3; i++) {
		map(own, PID + i, true, "//anon");
		end(own, PID + i, PID + i);
	}
}

static void size_of_all_copies_is_bounded(void **state)
{
	(void)state;
	assert_true(rec.recorder->copies.left == RECORDING_COPIES_MAX);
	rec.recorder->copies.left = 2 * sizeof(content) + 1;
	for (uint32_t i = 0; i < 3; i++)
		write_file("perf-%u.map", PID + i, sizeof(content));
	in_child(generate_three);
	assert_int_equal(finish(), 1);
	assert_copied(SPEMU_PERF_COPY_MAP, PID);
	assert_copied(SPEMU_PERF_COPY_MAP, PID + 1);
	assert_int_equal(read_copy(NULL, SPEMU_PERF_COPY_MAP, PID + 2), -1);
}

static void generate_too_many(struct recording *own)
{
	for (uint32_t i = 0; i <= RECORDER_COPIED_PROCESSES; i++)
		map(own, PID + i, true, "//anon");
}

static void number_of_processes_is_bounded(void **state)
{
	(void)state;
	in_child(generate_too_many);
	assert_int_equal(finish(), 1);
	assert_int_equal(opened, RECORDER_COPIED_PROCESSES);
}

#define COPY_TEST(f) cmocka_unit_test_setup_teardown(f, set_up_copies, tear_down_copies)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        COPY_TEST(file_is_copied_when_process_ends),
	        COPY_TEST(files_of_running_process_are_copied_at_end),
	        COPY_TEST(process_without_generated_code_has_no_copy),
	        COPY_TEST(missing_file_is_recorded_as_missing),
	        COPY_TEST(large_file_is_left_out),
	        COPY_TEST(size_of_all_copies_is_bounded),
	        COPY_TEST(number_of_processes_is_bounded),
	};
	return cmocka_run_group_tests_name("recording_copies", tests, NULL, NULL);
}
