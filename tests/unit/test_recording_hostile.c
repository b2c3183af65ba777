/* SPDX-License-Identifier: MIT */
/* Test a program that writes arbitrary data into the control area. The recorder must still end in
 * time, and the reader must accept all events of its file (docs/explanation/security.md). */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>

#include "recording_fixture.h"

#define IN_TIME 30 /* seconds; the tests need less than one */

/* Call `with` in a child process, which has its own mapping of the control area. */
static void attack(void (*with)(struct recording *))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		struct recording own = rec; /* the child is not the recorder */

		with(&own);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
}

/* Finish the recording in time. Check that the file is whole and has only permitted kinds of
 * events. */
static void finish_in_time(struct recording_totals *totals)
{
	struct summary s;

	alarm(IN_TIME); /* SIGALRM ends the test */
	assert_int_equal(recording_finish(&rec, totals), SPEMU_OK);
	alarm(0);
	summarize(&s);
	assert_int_equal(totals->fate, RECORDING_IN_PLACE);
}

static void cut_the_area(struct recording *own)
{
	int fd = open(own->control_path, O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);

	signal(SIGXFSZ, SIG_IGN); /* otherwise a limit on file sizes would act before the seal */
	if (fd < 0 || size <= 0 || ftruncate(fd, 0) == 0 || ftruncate(fd, 2 * size) == 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0)
		_exit(2);
	/* Pages that are removed become zeros again and do not cause SIGBUS. */
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size) != 0)
		_exit(3);
}

static void control_area_cannot_be_truncated(void **state)
{
	struct recording_totals totals;

	(void)state;
	attack(cut_the_area);
	finish_in_time(&totals);
}

static void fill(struct recording *own, int byte)
{
	memset(own->area, byte, sizeof(*own->area));
	for (uint32_t lane = 0; lane < 3; lane++)
		memset(recording_room(own, lane), byte,
		       (size_t)recording_buffer_size(&own->params) + RECORDING_PAGE);
	recording_wake(&own->area->bell);
}

static void fill_with_ones(struct recording *own)
{
	fill(own, 0xff);
}

static void fill_with_zeros(struct recording *own)
{
	fill(own, 0);
}

static void overwritten_control_area_does_not_block(void **state)
{
	struct recording_totals totals;

	(void)state;
	attack(fill_with_zeros);
	assert_int_equal(append_one(&rec, 1, 1, 1), SPEMU_OK);
	attack(fill_with_ones);
	assert_int_equal(append_one(&rec, 1, 1, 2), SPEMU_OK);
	finish_in_time(&totals);
	for (const char *p = totals.note; *p; p++)
		assert_in_range(*p, ' ', '~');
}

/* Write random words everywhere until killed, while other processes record. */
static void scribble(struct recording *own)
{
	uint64_t x = (uint64_t)getpid();
	volatile uint64_t *word = (volatile uint64_t *)(void *)own->area;
	size_t n = sizeof(*own->area) / 8;

	for (;;) {
		size_t at;

		x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
		/* Half of the words go to places where requests are. */
		at = x >> 63 ? (size_t)((x >> 20) % n)
		             : offsetof(struct recording_area, slot) / 8 + (size_t)(x % 64);
		word[at] = x >> 40 & 1 ? x >> 56 : x;
		if (x % 4096 == 0) {
			memset(recording_events_room(own, RECORDING_COMMON), (int)(x >> 32), 64);
			atomic_store(&own->area->slot[x >> 40 & 3].state, RECORDING_ASKED);
			atomic_fetch_or(&own->area->pending[0], 15);
			recording_wake(&own->area->bell);
		}
	}
}

static void concurrent_overwriting_does_not_block(void **state)
{
	struct recording_totals totals;
	pid_t children[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0) {
			struct recording own = rec;

			prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the test fails */
			scribble(&own);
		}
	}
	for (uint64_t t = 1; t <= 2000; t++)
		assert_int_equal(append_one(&rec, 1, 1, t), SPEMU_OK);
	/* The attackers are still running. */
	finish_in_time(&totals);
	for (int i = 0; i < 2; i++) {
		kill(children[i], SIGKILL);
		wait_for(children[i], SIGKILL);
	}
}

/* Make a request as any program can. Return the reply of the recorder. */
static int reply_to(struct recording *own, uint32_t number, const struct recording_request *request)
{
	struct recording_slot *slot = &own->area->slot[number];
	const uint32_t asked = RECORDING_SLOT_STATE(RECORDING_ASKED, gettid());

	slot->request = *request;
	slot->status = 12345;
	atomic_store(&slot->state, asked);
	atomic_fetch_or(&own->area->pending[number / 64], UINT64_C(1) << number % 64);
	atomic_fetch_add(&own->area->bell, 1);
	recording_wake(&own->area->bell);
	for (int i = 0; i < 100 && atomic_load(&slot->state) == asked; i++)
		recording_wait(&slot->state, asked, 100);
	return slot->status;
}

static void ask_for_what_cannot_be(struct recording *own)
{
	const uint64_t room = recording_buffer_size(&own->params) + RECORDING_PAGE;
	const uint32_t none = own->rooms; /* the first lane that has no room */
	const struct {
		uint32_t slot;
		struct recording_request request;
	} bad[] = {
	        {0, {.kind = 3}},
	        {0, {.kind = UINT32_MAX}},
	        {0, {.kind = RECORDING_ASK_EVENTS, .size = 0}},
	        {0, {.kind = RECORDING_ASK_EVENTS, .size = RECORDING_EVENTS_MAX + 8}},
	        {0, {.kind = RECORDING_ASK_EVENTS, .size = UINT64_MAX & ~UINT64_C(7)}},
	        {0, {.kind = RECORDING_ASK_AUX, .size = room + 8}},
	        {0, {.kind = RECORDING_ASK_AUX, .size = UINT64_C(1) << 63}},
	        {0, {.kind = RECORDING_ASK_AUX, .size = 12}},
	        {0, {.kind = RECORDING_ASK_AUX, .size = 8, .flags = 0x10}},
	        {RECORDING_COMMON, {.kind = RECORDING_ASK_AUX, .size = 8, .lane = RECORDING_LANES}},
	        {RECORDING_COMMON, {.kind = RECORDING_ASK_AUX, .size = 8, .lane = UINT32_MAX}},
	        {0, {.kind = RECORDING_ASK_SALVAGE, .lane = RECORDING_LANES}},
	        {none < RECORDING_COMMON ? none : 0, {.kind = RECORDING_ASK_AUX, .size = room + 8}},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (reply_to(own, bad[i].slot, &bad[i].request) != SPEMU_ERR_INVALID)
			_exit((int)i + 10);
	}
}

static void oversized_requests_are_refused(void **state)
{
	struct recording_totals before, totals;

	(void)state;
	recording_totals(&before, &rec);
	attack(ask_for_what_cannot_be);
	finish_in_time(&totals);
	assert_int_equal(totals.data_bytes, before.data_bytes);
}

/* Try to pass off data as events that would stop the reader, or that are trace. */
static void bring_what_is_no_event(struct recording *own)
{
	static const struct {
		uint32_t type;
		uint16_t size, claimed; /* size of the request, and size that the event claims */
	} bad[] = {
	        {SPEMU_PERF_EXIT, 64, 0},        {SPEMU_PERF_EXIT, 64, 56},
	        {SPEMU_PERF_EXIT, 64, 72},       {SPEMU_PERF_EXIT, 64, 65528},
	        {SPEMU_PERF_AUX, 64, 64},        {SPEMU_PERF_AUXTRACE, 48, 48},
	        {SPEMU_PERF_COMM, 56, 60},       {SPEMU_PERF_COMM, 48, 48},
	        {SPEMU_PERF_MMAP2, 104, 104},    {SPEMU_PERF_MMAP2, 112, 112},
	        {SPEMU_PERF_TIME_CONV, 56, 56},  {0, 64, 64},
	        {SPEMU_PERF_COMPRESSED, 64, 64}, {UINT32_MAX, 64, 64},
	};
	uint8_t *room = recording_events_room(own, 1);

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct recording_request request = {.kind = RECORDING_ASK_EVENTS,
		                                    .size = bad[i].size};

		memset(room, 0x55, 256); /* names without an end */
		for (int k = 0; k < 4; k++)
			room[k] = (uint8_t)(bad[i].type >> 8 * k);
		room[6] = (uint8_t)bad[i].claimed;
		room[7] = (uint8_t)(bad[i].claimed >> 8);
		if (reply_to(own, 1, &request) != SPEMU_ERR_INVALID)
			_exit((int)i + 10);
	}
}

static void only_events_reach_the_file(void **state)
{
	struct recording_totals before, totals;

	(void)state;
	recording_totals(&before, &rec);
	attack(bring_what_is_no_event);
	finish_in_time(&totals);
	assert_int_equal(totals.data_bytes, before.data_bytes);
}

static void lie_about_what_is_left(struct recording *own)
{
	static const uint64_t used[] = {UINT64_MAX, UINT64_C(1) << 40, 65537, 65544, 65536};

	for (unsigned i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		own->area->lane[i].state = (struct recording_state){1, 1, used[i], 7, 7};
		atomic_store(&own->area->lane[i].used, used[i]);
	}
	own->area->lane[RECORDING_COMMON].state.used = 8;
	atomic_store(&own->area->lane[RECORDING_COMMON].used, 8);
}

static void remaining_trace_is_bounded_by_its_buffer(void **state)
{
	struct recording_totals totals;
	struct summary s;

	(void)state;
	attack(lie_about_what_is_left);
	finish_in_time(&totals);
	/* The last claim is as long as the buffer. This is possible, so the recorder accepts it. */
	assert_int_equal(totals.counter[RECORDING_SALVAGED_BYTES], 65536);
	summarize(&s);
	assert_int_equal(s.trace, 65536);
}

/* Die after writing the request and before ringing the bell. */
static void die_before_the_bell(struct recording *own)
{
	struct recording_slot *slot = &own->area->slot[RECORDING_COMMON];

	slot->request.kind = UINT32_MAX;
	atomic_store(&slot->state, RECORDING_SLOT_STATE(RECORDING_ASKED, gettid()));
	kill(getpid(), SIGKILL);
}

static void die_with_the_slot(struct recording *own)
{
	atomic_store(&own->area->slot[RECORDING_COMMON].state,
	             RECORDING_SLOT_STATE(RECORDING_TAKEN, gettid()));
	kill(getpid(), SIGKILL);
}

static void append_first(struct recording *own)
{
	if (append_one(own, 1, 1, 1) != SPEMU_OK)
		_exit(2);
}

static void append_second(struct recording *own)
{
	if (append_one(own, 1, 1, 2) != SPEMU_OK)
		_exit(2);
}

static void slot_of_dead_thread_is_taken(void **state)
{
	struct recording_totals totals;
	struct summary s;

	(void)state;
	attack(die_with_the_slot);
	attack(append_first);
	attack(die_before_the_bell);
	attack(append_second);
	finish_in_time(&totals);
	summarize(&s);
	assert_int_equal(s.last_time[1], 2);
}

static void special_mapped_file_is_not_opened(void **state)
{
	const struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1};
	struct spemu_perf_mmap map = {.pid = 1, .tid = 1, .len = 4096, .prot = PROT_EXEC};
	struct recording_totals totals;
	uint8_t event[512];
	char fifo[128];
	int reader;
	struct iovec part = {event, 0};

	(void)state;
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	map.filename = fifo;
	part.iov_len = (size_t)spemu_perf_put_mmap2(event, sizeof(event), &who, &map);
	assert_int_equal(recording_append(&rec, &part, 1), SPEMU_OK);
	finish_in_time(&totals);
	/* If nobody has opened the FIFO for reading, opening it for writing fails. */
	reader = open(fifo, O_WRONLY | O_NONBLOCK);
	assert_int_equal(reader, -1);
	assert_int_equal(errno, ENXIO);
	unlink(fifo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        REC_TEST(control_area_cannot_be_truncated),
	        REC_TEST(overwritten_control_area_does_not_block),
	        REC_TEST(concurrent_overwriting_does_not_block),
	        REC_TEST(oversized_requests_are_refused),
	        REC_TEST(only_events_reach_the_file),
	        REC_TEST(remaining_trace_is_bounded_by_its_buffer),
	        REC_TEST(slot_of_dead_thread_is_taken),
	        REC_TEST(special_mapped_file_is_not_opened),
	};
	return cmocka_run_group_tests_name("recording under attack", tests, NULL, NULL);
}
