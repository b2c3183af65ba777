/* SPDX-License-Identifier: MIT */
/* Test snapshot mode (recording_keep()): which bytes of delivered and published traces get into the
 * file, with which flags, offsets and times. A program that writes invalid data into the control
 * area must not change this. */
#define _GNU_SOURCE
#include "recording_fixture.h"

#include <spemu/codec.h>
#include <spemu/perfdata.h>

#define LANE 1
#define WINDOW 640

static int set_up_window(void **state)
{
	return set_up(state) || recording_keep(&rec, WINDOW, false) != SPEMU_OK;
}

/* Write n records whose PCs count from `first` on. Return the size of one record. */
static size_t put_records(uint8_t *room, uint64_t first, unsigned n)
{
	struct spemu_layout layout = spemu_layout_dense;
	size_t size = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		struct spemu_record record = {.present = SPEMU_RECORD_ADDR(SPEMU_ADDR_PC) |
		                                         SPEMU_RECORD_TIMESTAMP,
		                              .timestamp = first + i};

		record.addr[SPEMU_ADDR_PC] = first + i;
		size = (size_t)spemu_record_encode(room + at, SPEMU_RECORD_MAX, &record, &layout);
		at += size;
	}
	return size;
}

/* In a child process, which is not the recorder, write n records into the lane. Publish the first
 * `publish` of them. Deliver all, unless all are published. */
static void by_child(uint64_t first, unsigned n, unsigned publish, uint64_t flags)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const struct spemu_perf_who who = {.pid = 5, .tid = 6, .time = first, .cpu = LANE};
		struct recording own = rec;
		size_t room_size, size;
		uint8_t *room = recording_buffer(&own, LANE, &room_size);
		size_t whole;

		size = put_records(room, first, n);
		recording_publish(
		        &own, LANE,
		        &(struct recording_state){.pid = 5, .tid = 6, .used = size * publish});
		whole = (size * n + 7) & ~(size_t)7;
		memset(room + size * n, 0, whole - size * n);
		if (publish < n || !n)
			_exit(recording_append_aux(&own, &who, room, whole, flags) != SPEMU_OK);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* The trace in the file, in the order of the file. */
struct found {
	uint64_t pc[256];
	unsigned n, aux;
	uint64_t flags, trace, end; /* flags and size of all trace; offset after the last one */
};

static void read_file(struct found *f)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;

	*f = (struct found){0};
	open_while_written(&file);
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		struct spemu_decoder decoder;
		struct spemu_record record;
		int status;

		if (event.type == SPEMU_PERF_AUX) {
			f->aux++;
			f->flags |= event.u.aux.flags;
			assert_true(event.u.aux.flags & SPEMU_PERF_AUX_OVERWRITE);
		}
		if (event.type != SPEMU_PERF_AUXTRACE)
			continue;
		assert_true(event.u.auxtrace.offset >= f->end);
		f->end = event.u.auxtrace.offset + event.u.auxtrace.size;
		f->trace += event.u.auxtrace.size;
		spemu_decoder_init(&decoder, event.u.auxtrace.data, (size_t)event.u.auxtrace.size,
		                   0);
		while ((status = spemu_decoder_next(&decoder, &record)) == SPEMU_OK)
			f->pc[f->n++] = record.addr[SPEMU_ADDR_PC];
		assert_int_equal(status, SPEMU_ERR_END); /* only padding follows the records */
		assert_int_equal(decoder.skipped, 0);
	}
	spemu_perf_close(file);
}

static size_t record_size(void)
{
	uint8_t room[SPEMU_RECORD_MAX];

	return put_records(room, 1, 1);
}

static uint64_t missed(void)
{
	struct recording_totals totals;

	recording_totals(&totals, &rec);
	return totals.counter[RECORDING_MISSED];
}

static void check_run(const struct found *f, unsigned from, unsigned n, uint64_t first)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(f->pc[from + i], first + i);
}

static void snapshot_has_newest_whole_records(void **state)
{
	const unsigned fit = WINDOW / (unsigned)record_size();
	struct found f;

	(void)state;
	assert_true(fit > 20 && WINDOW % record_size() != 0);
	by_child(100, 50, 0, 0);
	by_child(150, 7, 0, SPEMU_PERF_AUX_COLLISION);
	read_file(&f);
	assert_int_equal(f.aux, 0); /* nothing was written to the file before the snapshot */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	/* The ring also holds the padding to 8 bytes after each delivery, which costs at most one
	 * record. */
	assert_in_range(f.n, fit - 1, fit);
	check_run(&f, 0, f.n, 157 - f.n);
	assert_int_equal(f.flags, SPEMU_PERF_AUX_OVERWRITE | SPEMU_PERF_AUX_COLLISION);
	assert_in_range(f.trace, record_size() * f.n, WINDOW + 7);
	assert_int_equal(missed(), 57 - f.n);
	/* A second snapshot adds nothing. */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_in_range(f.n, fit - 1, fit);
}

static void published_trace_is_taken_once(void **state)
{
	struct found f;

	(void)state;
	by_child(100, 5, 5, 0); /* published and not delivered */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_int_equal(f.n, 5);
	by_child(100, 9, 7, 0); /* the same buffer has grown and is delivered */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_int_equal(f.n, 9);
	check_run(&f, 0, 9, 100);
	by_child(200, 3, 3, 0); /* the buffer begins again */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_int_equal(f.n, 12);
	check_run(&f, 9, 3, 200);
	by_child(200, 3, 0, 0); /* only padding is left of the delivery */
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_int_equal(f.n, 12);
	assert_int_equal(missed(), 0);
}

static void flags_without_trace_are_kept(void **state)
{
	struct found f;

	(void)state;
	by_child(1, 0, 0, SPEMU_PERF_AUX_TRUNCATED);
	by_child(1, 0, 0, SPEMU_PERF_AUX_COLLISION);
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	read_file(&f);
	assert_int_equal(f.aux, 1);
	assert_int_equal(f.flags, SPEMU_PERF_AUX_OVERWRITE | SPEMU_PERF_AUX_TRUNCATED |
	                                  SPEMU_PERF_AUX_COLLISION);
	assert_int_equal(f.trace, 0);
}

static void finish_without_snapshot_counts_missed_trace(void **state)
{
	struct recording_totals totals;
	struct found f;

	(void)state;
	by_child(100, 5, 0, 0);
	by_child(200, 4, 4, 0);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_MISSED], 9);
	assert_int_equal(totals.counter[RECORDING_SNAPSHOTS], 0);
	assert_int_equal(recording_snapshot(&rec), SPEMU_ERR_STATE);
	read_file(&f);
	assert_int_equal(f.n, 0);
}

static void finish_takes_a_final_snapshot(void **state)
{
	struct recording_totals totals;
	struct found f;

	(void)state;
	assert_int_equal(recording_keep(&rec, WINDOW, true), SPEMU_OK);
	by_child(100, 5, 0, 0);
	by_child(200, 4, 4, 0);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(totals.counter[RECORDING_MISSED], 0);
	assert_int_equal(totals.counter[RECORDING_SNAPSHOTS], 1);
	read_file(&f);
	assert_int_equal(f.n, 9);
	check_run(&f, 0, 5, 100);
	check_run(&f, 5, 4, 200);
}

/* A pointer of a lane is invalid if it is beyond the buffer, or before the part that was already
 * taken. It adds no trace. */
static void invalid_lane_pointer_gives_no_trace(void **state)
{
	static const uint64_t used[] = {UINT64_MAX, (1 << 20), 1, 0};
	struct found f;

	(void)state;
	by_child(100, 5, 5, 0);
	assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	for (unsigned i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		atomic_store(&rec.area->lane[LANE].used, used[i]);
		assert_int_equal(recording_snapshot(&rec), SPEMU_OK);
	}
	read_file(&f);
	assert_int_equal(f.n, 5);
}

static void snapshot_is_refused_in_other_modes(void **state)
{
	(void)state;
	/* The recording is not in snapshot mode. */
	assert_int_equal(recording_snapshot(&rec), SPEMU_ERR_STATE);
	assert_int_equal(recording_keep(&rec, 0, true), SPEMU_ERR_INVALID);
	rec.params.flags |= RECORDING_STACKS_FP;
	assert_int_equal(recording_keep(&rec, WINDOW, true), SPEMU_ERR_INVALID);
	rec.params.flags &= ~(uint32_t)RECORDING_STACKS_FP;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(snapshot_has_newest_whole_records, set_up_window,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(published_trace_is_taken_once, set_up_window,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(flags_without_trace_are_kept, set_up_window,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(finish_without_snapshot_counts_missed_trace,
	                                        set_up_window, tear_down),
	        cmocka_unit_test_setup_teardown(finish_takes_a_final_snapshot, set_up_window,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(invalid_lane_pointer_gives_no_trace, set_up_window,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(snapshot_is_refused_in_other_modes, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
