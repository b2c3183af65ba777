/* SPDX-License-Identifier: MIT */
/*
 * Test recording into a stream. Published data of running threads come before they are delivered,
 * and no record comes twice. Closed readers and full disks are errors and not signals. A file ends
 * with a whole event.
 */
#define _GNU_SOURCE
#include "recording_fixture.h"

#include <search.h>
#include <spemu/codec.h>
#include <spemu/perfdata.h>

#include "recording_stream.h"

#define LANE 1

static int stream_end = -1, reader_end = -1;

static void create_stream(int fd)
{
	const struct recording_params params = {.period = 512};

	stream_end = fd;
	assert_int_equal(recording_create_stream(&rec, fd, &params, NULL), SPEMU_OK);
	recorder_is_idle();
}

/* Record into a pipe. The pipe holds everything that these tests write. */
static int set_up_pipe(void **state)
{
	int ends[2];

	(void)state;
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) < 0)
		return -1;
	reader_end = ends[0];
	create_stream(ends[1]);
	return 0;
}

/* Record into an unnamed file. */
static int set_up_memory(void **state)
{
	(void)state;
	create_stream(memfd_create("stream", MFD_CLOEXEC));
	return 0;
}

static int tear_down_stream(void **state)
{
	(void)state;
	recording_detach(&rec);
	if (stream_end >= 0)
		close(stream_end);
	if (reader_end >= 0)
		close(reader_end);
	stream_end = reader_end = -1;
	return 0;
}

/* Write n records whose PCs count from `first` on. Return their size. */
static size_t put_records(uint8_t *room, uint64_t first, unsigned n)
{
	struct spemu_layout layout = spemu_layout_dense;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		struct spemu_record record = {.present = SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) |
		                                         SPEMU_RECORD_TIMESTAMP,
		                              .timestamp = first + i};

		record.addr[SPEMU_ADDR_PC] = first + i;
		at += (size_t)spemu_record_encode(room + at, SPEMU_RECORD_MAX, &record, &layout);
	}
	return at;
}

static uint64_t number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

/* The data that have come so far, parsed by the format alone. */
static struct {
	uint8_t bytes[1 << 18];
	size_t size;
	uint64_t pc[256];
	unsigned n, build_ids, exits;
	uint64_t end; /* offset in the trace after the last AUXTRACE event */
} came;

static void take_records(const uint8_t *event, uint64_t size)
{
	struct spemu_decoder decoder;
	struct spemu_record record;

	assert_int_equal(number(event + 16, 8), came.end);
	came.end += size;
	spemu_decoder_init(&decoder, event + 48, (size_t)size, 0);
	while (spemu_decoder_next(&decoder, &record) == SPEMU_OK)
		came.pc[came.n++] = record.addr[SPEMU_ADDR_PC];
	assert_int_equal(decoder.skipped, 0);
}

/* Parse the events. Return false if the last event is not whole. */
static bool walk(void)
{
	size_t at = 16;

	came.n = came.build_ids = came.exits = 0;
	came.end = 0;
	while (came.size - at >= 8) {
		const uint8_t *event = came.bytes + at;
		uint64_t size = number(event + 6, 2), trace = 0;

		assert_true(size >= 8);
		if (number(event, 4) == SPEMU_PERF_AUXTRACE && came.size - at >= 16)
			trace = number(event + 8, 8);
		if (size + trace > came.size - at)
			return false;
		if (trace)
			take_records(event, trace);
		came.build_ids += number(event, 4) == SPEMU_PERF_HEADER_BUILD_ID;
		came.exits += number(event, 4) == SPEMU_PERF_EXIT;
		at += (size_t)(size + trace);
	}
	return at == came.size;
}

/* Read until n records have come, or fail after about ten seconds. */
static void wait_for_records(unsigned n)
{
	fcntl(reader_end, F_SETFL, O_NONBLOCK);
	came.size = 0;
	for (int i = 0; i < 10000; i++) {
		ssize_t got =
		        read(reader_end, came.bytes + came.size, sizeof(came.bytes) - came.size);

		came.size += got > 0 ? (size_t)got : 0;
		if (walk() && came.n >= n)
			return;
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	fail_msg("%u of %u records came", came.n, n);
}

static void read_rest(void)
{
	ssize_t got;

	while ((got = read(reader_end, came.bytes + came.size, sizeof(came.bytes) - came.size)) > 0)
		came.size += (size_t)got;
	assert_true(walk());
}

static void check_pcs(unsigned n)
{
	assert_int_equal(came.n, n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(came.pc[i], i + 1);
}

/* In a child process, publish 10 records, wait for a byte, add 5 records and deliver all of
 * them. */
static void publish_and_deliver(int go)
{
	const struct spemu_perf_who who = {.pid = 5, .tid = 6, .time = 99, .cpu = LANE};
	struct recording own = rec;
	size_t room_size, size;
	uint8_t *room = recording_buffer(&own, LANE, &room_size);
	char byte;

	size = put_records(room, 1, 10);
	recording_publish(&own, LANE, &(struct recording_state){.pid = 5, .tid = 6, .used = size});
	if (read(go, &byte, 1) != 1)
		_exit(2);
	size += put_records(room + size, 11, 5);
	memset(room + size, 0, 8);
	size = (size + 7) & ~(size_t)7;
	_exit(recording_append_aux(&own, &who, room, size, 0) != SPEMU_OK);
}

static void published_trace_is_streamed_before_delivery(void **state)
{
	int go[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(go), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		publish_and_deliver(go[0]);
	wait_for_records(10); /* the child is waiting */
	check_pcs(10);
	assert_int_equal(write(go[1], "", 1), 1);
	wait_for(child, 0);
	assert_int_equal(recording_finish(&rec, NULL), SPEMU_OK);
	read_rest();
	check_pcs(15);
	close(go[0]);
	close(go[1]);
}

static void closed_reader_is_an_error(void **state)
{
	struct recording_totals totals;

	(void)state;
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	close(reader_end);
	reader_end = -1;
	assert_int_equal(append_one(&rec, 1, 1, 2), SPEMU_ERR_IO); /* SIGPIPE would end this test */
	assert_int_equal(append_one(&rec, 1, 1, 3), SPEMU_ERR_IO);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.write_errno, EPIPE);
	assert_int_equal(totals.counter[RECORDING_WRITE_ERRORS], 1);
	assert_int_equal(totals.fate, RECORDING_IN_PLACE);
}

static void read_memory(void)
{
	came.size = (size_t)lseek(stream_end, 0, SEEK_END);
	assert_int_equal(pread(stream_end, came.bytes, sizeof(came.bytes), 0), came.size);
	assert_true(walk());
}

static void full_disk_leaves_whole_events(void **state)
{
	struct recording_totals totals;
	struct rlimit limit, old;
	unsigned written = 0;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	/* Ends inside an event, because sizes of events are multiples of 8. */
	limit.rlim_cur = 10001;
	setrlimit(RLIMIT_FSIZE, &limit);
	while (append_one(&rec, 1, 1, written + 1) == SPEMU_OK)
		written++;
	setrlimit(RLIMIT_FSIZE, &old);
	/* Nothing is written after an error. */
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_ERR_IO);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.write_errno, EFBIG);
	read_memory();
	assert_true(written > 100);
	assert_int_equal(came.exits, written);
	assert_int_equal(totals.file_bytes, came.size);
}

/* Append an MMAP2 event for a file. */
static void map_file(const char *name, bool data)
{
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1};
	const struct spemu_perf_mmap map = {
	        .pid = 1, .tid = 1, .len = 4096, .data = data, .filename = name};
	uint8_t event[4400];
	int size = spemu_perf_put_mmap2(event, sizeof(event), &who, &map);
	const struct iovec part = {event, (size_t)size};

	assert_true(size > 0);
	assert_int_equal(recording_append(&rec, &part, 1), SPEMU_OK);
}

static void each_mapped_file_has_one_build_id(void **state)
{
	char self[200] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	map_file(self, false);
	map_file(self, false);
	map_file("/no/such", false);
	map_file("//anon", false);
	map_file("/dev/zero", false);
	map_file("/proc/self/exe", true); /* a map of data */
	assert_int_equal(recording_finish(&rec, NULL), SPEMU_OK);
	read_memory();
	assert_int_equal(came.build_ids, 1);
}

static void add_length(const void *node, VISIT visit, void *sum)
{
	if (visit == postorder || visit == leaf)
		*(size_t *)sum += strlen(*(char *const *)node) + 1;
}

/* docs/explanation/security.md: a stream keeps at most 16 MiB of names, whatever the number of
 * mapped files. */
static void mapped_file_names_are_limited_to_16_mib(void **state)
{
	enum { LENGTH = 3900, OFFERED = 9000 }; /* twice as many bytes as are kept */
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1};
	struct recording_stream stream = {.fd = open("/dev/null", O_WRONLY | O_CLOEXEC)};
	char name[LENGTH + 1];
	uint8_t event[4400];
	size_t kept = 0;

	(void)state;
	assert_true(stream.fd >= 0);
	memset(name, 'x', LENGTH);
	name[0] = '/';
	name[LENGTH] = 0;
	for (unsigned i = 0; i < OFFERED; i++) {
		const struct spemu_perf_mmap map = {
		        .pid = 1, .tid = 1, .len = 4096, .filename = name};
		struct iovec part = {event, 0};
		int size;

		snprintf(name + 5, 9, "%08u", i);
		name[13] = 'x';
		size = spemu_perf_put_mmap2(event, sizeof(event), &who, &map);
		assert_true(size > 0);
		part.iov_len = (size_t)size;
		assert_int_equal(recording_stream_append(&stream, &part, 1, part.iov_len), 0);
	}
	twalk_r(stream.names, add_length, &kept);
	assert_in_range(kept, 15u << 20, 16u << 20);
	recording_stream_free(&stream);
	close(stream.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(published_trace_is_streamed_before_delivery,
	                                        set_up_pipe, tear_down_stream),
	        cmocka_unit_test_setup_teardown(closed_reader_is_an_error, set_up_pipe,
	                                        tear_down_stream),
	        cmocka_unit_test_setup_teardown(full_disk_leaves_whole_events, set_up_memory,
	                                        tear_down_stream),
	        cmocka_unit_test_setup_teardown(each_mapped_file_has_one_build_id, set_up_memory,
	                                        tear_down_stream),
	        cmocka_unit_test(mapped_file_names_are_limited_to_16_mib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
