/* SPDX-License-Identifier: MIT */
/* Test call stacks on their way into the file. Published stacks are kept, even if the process dies.
 * Invalid stacks are refused, whatever the process writes. */
#define _GNU_SOURCE
#include "recording_fixture.h"

#define LANE 1

static int set_up_stacks(void **state)
{
	const struct recording_params params = {.period = 512, .flags = RECORDING_STACKS_SHADOW};

	(void)state;
	strcpy(folder, "/tmp/spemu-rec-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/perf.data", folder);
	return recording_create(&rec, path, &params, NULL);
}

/* Write a stack of n addresses at the beginning of `room`. Return its size. */
static size_t put_stack(uint8_t *room, uint32_t cpu, uint64_t time, uint32_t n)
{
	const struct spemu_perf_who who = {.pid = 5, .tid = 6, .time = time, .cpu = cpu};
	const struct spemu_perf_frame frame = {.caller = n - 1, .cfa = 0x1000};
	uint64_t stack[SPEMU_PERF_CALLCHAIN_MAX];

	for (uint32_t i = 0; i < n; i++)
		stack[i] = 0x400000 + 4 * i;
	return (size_t)spemu_perf_put_sample(room, 4096, &who, stack, n, &frame);
}

/* In a child process, publish three stacks and then call `then`. */
static void publish(int (*then)(struct recording *own, uint8_t *room))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct recording own = rec; /* the child is not the recorder */
		uint8_t *room = recording_stacks(&own, LANE);
		size_t size = 0;

		for (uint32_t n = 1; n <= 3; n++)
			size += put_stack(room + size, LANE, n, n);
		recording_publish_stacks(&own, LANE, size, 3);
		_exit(then(&own, room));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Check that the n-th stack in the file has n addresses, and that all stacks come from the given
 * CPU. Return the number of stacks. */
static unsigned stacks_in_file(uint32_t cpu)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_sample sample;
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	unsigned n = 0;

	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		if (event.type != SPEMU_PERF_SAMPLE)
			continue;
		assert_int_equal(spemu_perf_sample(file, &sample, &event), SPEMU_OK);
		n++;
		assert_int_equal(sample.n_chain, n + 1);
		assert_int_equal(sample.time, n);
		assert_int_equal(sample.cpu, cpu);
		assert_int_equal(sample.ip, 0x400000);
	}
	spemu_perf_close(file);
	return n;
}

static int deliver(struct recording *own, uint8_t *room)
{
	(void)room;
	return recording_append_stacks(own, LANE) != SPEMU_OK;
}

static void published_stacks_are_in_the_file(void **state)
{
	struct recording_totals totals;

	(void)state;
	publish(deliver);
	recording_totals(&totals, &rec);
	assert_int_equal(totals.counter[RECORDING_STACKS], 3);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(stacks_in_file(LANE), 3);
	assert_int_equal(totals.counter[RECORDING_STACKS], 3);
	assert_int_equal(totals.counter[RECORDING_STACKS_LOST], 0);
}

static int die(struct recording *own, uint8_t *room)
{
	(void)own;
	(void)room;
	return 0;
}

static void stacks_of_dead_process_are_kept(void **state)
{
	struct recording_totals totals;

	(void)state;
	publish(die);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(stacks_in_file(LANE), 3);
	assert_int_equal(totals.counter[RECORDING_STACKS], 3);
}

/* Offset of the byte to change in the third event, whose stack has three addresses. The new value,
 * and whether the recorder must refuse it. */
static size_t change_at;
static uint8_t change_to;
static bool refused;

static int change(struct recording *own, uint8_t *room)
{
	room += SPEMU_PERF_CALLCHAIN_SIZE(1) + SPEMU_PERF_CALLCHAIN_SIZE(2);
	room[change_at] = change_to;
	return (recording_append_stacks(own, LANE) == SPEMU_ERR_INVALID) != refused;
}

static void invalid_stacks_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t to;
		bool refused;
	} each[] = {
	        {0, SPEMU_PERF_COMM, true},     /* another event */
	        {0, SPEMU_PERF_AUXTRACE, true}, /* a trace */
	        {4, 1, true},                   /* an event of the kernel */
	        {6, 96, true},                  /* too short for its stack */
	        {6, 112, true},                 /* longer than the published data */
	        {8, 1, true},                   /* id of the trace's attr */
	        {16, 4, true},                  /* not the top of the stack */
	        {48, 3, true},                  /* fewer addresses than present */
	        {48, 0, true},
	        {55, 0x80, true}, /* too many addresses */
	        {56, 0x80, true}, /* a different context marker */
	        {40, 9, false},   /* a different CPU, which is corrected */
	        {44, 9, false},
	        {88, 13, true},    /* raw data of another size */
	        {92, 3, true},     /* the frame of no caller */
	        {92, 0, false},    /* no frame */
	        {96, 0x80, false}, /* another frame address */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct recording_totals totals;

		change_at = each[i].at;
		change_to = each[i].to;
		refused = each[i].refused;
		publish(change);
		assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
		assert_int_equal(stacks_in_file(LANE), refused ? 0 : 3);
		assert_int_equal(totals.counter[RECORDING_STACKS_LOST], refused ? 3 : 0);
		recording_detach(&rec);
		unlink(path);
		rmdir(folder);
		assert_int_equal(set_up_stacks(NULL), 0);
	}
}

/* Write an address that perf would take for a context marker. */
static int mark(struct recording *own, uint8_t *room)
{
	room += SPEMU_PERF_CALLCHAIN_SIZE(1) + SPEMU_PERF_CALLCHAIN_SIZE(2);
	memset(room + 72, 0xff, 8);
	return recording_append_stacks(own, LANE) != SPEMU_ERR_INVALID;
}

static int more_than_there_is(struct recording *own, uint8_t *room)
{
	(void)room;
	recording_publish_stacks(own, LANE, UINT64_MAX - 7, 3);
	if (recording_append_stacks(own, LANE) != SPEMU_ERR_INVALID)
		return 1;
	/* The recorder finds this size when it ends. */
	recording_publish_stacks(own, LANE, RECORDING_STACKS_MAX + 8, 3);
	return 0;
}

static void context_marker_is_refused(void **state)
{
	struct recording_totals totals;

	(void)state;
	publish(mark);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(stacks_in_file(LANE), 0);
}

static void oversized_stacks_are_refused(void **state)
{
	struct recording_totals totals;

	(void)state;
	publish(more_than_there_is);
	assert_int_equal(recording_finish(&rec, &totals), SPEMU_OK);
	assert_int_equal(stacks_in_file(LANE), 0);
	assert_int_equal(totals.counter[RECORDING_STACKS_LOST], 6);
}

/* There is room for stacks only if they were requested. */
static void stacks_have_no_room_unless_requested(void **state)
{
	(void)state;
	assert_null(recording_stacks(&rec, 0));
	assert_int_equal(recording_append_stacks(&rec, 0), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(published_stacks_are_in_the_file, set_up_stacks,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(stacks_of_dead_process_are_kept, set_up_stacks,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(invalid_stacks_are_refused, set_up_stacks,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(context_marker_is_refused, set_up_stacks,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(oversized_stacks_are_refused, set_up_stacks,
	                                        tear_down),
	        cmocka_unit_test_setup_teardown(stacks_have_no_room_unless_requested, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
