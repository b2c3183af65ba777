/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the recorder with programs that write arbitrary data into the shared memory.
 *
 * An input describes the behavior of such a program: requests in any slot, events and trace in its
 * rooms, and changes of lanes, the card and the bell. The recorder serves in between. Invariants
 * for every input:
 * - The reader reads the file to its end.
 * - The file has its original head, and only events that a process may write.
 * - The trace has the length that the recorder has counted.
 * - The recorder's own data have not changed.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include "../../hosts/recording/recorder.c" /* without its thread: the target calls its functions */

#include <stdio.h>
#include <sys/mman.h>

enum {
	ROOM = 4096,        /* the smallest Profiling Buffer */
	FILE_MAX = 1 << 20, /* far more than an input can append */
	LANES_USED = 8,
};

static const uint16_t lanes[LANES_USED] = {
        0, 1, 2, 63, 64, 1000, RECORDING_COMMON - 1, RECORDING_COMMON};

static struct recording rec;
static struct recorder made; /* the recorder after its creation */
static struct recording_card card;
static uint8_t head[65536], *file; /* the created file, and the present file */
static size_t head_size;

static void start(void)
{
	static const char *const argv[] = {"spemu", "record", "--", "program", NULL};
	static const struct recording_about about = {.argv = argv, .version = "1"};
	static char path[64];
	int fd = memfd_create("fuzz-recording", MFD_CLOEXEC);

	REQUIRE(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rec = (struct recording){.area_fd = -1, .params = {.buffer_size = ROOM, .period = 1024}};
	rec.recorder = calloc(1, sizeof(*rec.recorder));
	REQUIRE(rec.recorder);
	rec.recorder->file.fd = -1;
	pthread_mutex_init(&rec.recorder->lock, NULL);
	REQUIRE(recording_area_create(&rec) == 0 && create_file(&rec, path, -1, &about) == 0);
	made = *rec.recorder;
	card = rec.area->card;
	head_size = (size_t)recording_file_size(&made.file);
	REQUIRE(head_size <= sizeof(head));
	REQUIRE(pread(made.file.fd, head, head_size, 0) == (ssize_t)head_size);
	file = mmap(NULL, FILE_MAX, PROT_READ, MAP_SHARED, made.file.fd, 0);
	REQUIRE(file != MAP_FAILED);
}

/* Reset everything to its created state, except for the contents of rooms. */
static void reset(void)
{
	struct recording_area *area;

	if (!file)
		start();
	area = rec.area;
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		recorder_ring_clear(&rec.recorder->ring[i]);
	*rec.recorder = made;
	REQUIRE(ftruncate(made.file.fd, (off_t)head_size) == 0);
	REQUIRE(pwrite(made.file.fd, head, head_size, 0) == (ssize_t)head_size);
	area->card = card;
	memset((char *)area + sizeof(area->card), 0,
	       offsetof(struct recording_area, slot) - sizeof(area->card));
	for (unsigned i = 0; i < LANES_USED; i++) {
		memset(&area->slot[lanes[i]], 0, sizeof(area->slot[0]));
		memset(&area->lane[lanes[i]], 0, sizeof(area->lane[0]));
	}
}

/* ---- the program ---- */

static unsigned take_lane(struct fuzz_input *in)
{
	return lanes[fuzz_below(in, LANES_USED)];
}

static uint8_t *put(uint8_t *p, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*p++ = (uint8_t)(value >> 8 * i);
	return p;
}

/* Write an event like a process does, but with one or two errors. Return its size. */
static size_t put_event(uint8_t *room, struct fuzz_input *in)
{
	static const uint8_t types[] = {SPEMU_PERF_COMM,         SPEMU_PERF_MMAP2,
	                                SPEMU_PERF_FORK,         SPEMU_PERF_EXIT,
	                                SPEMU_PERF_ITRACE_START, SPEMU_PERF_AUXTRACE};
	unsigned form = fuzz_u8(in), type = types[form % 6], text = form >> 3 & 3;
	unsigned body = type == SPEMU_PERF_COMM           ? 8 + 8 * text
	                : type == SPEMU_PERF_MMAP2        ? 64 + 8 * text
	                : type == SPEMU_PERF_ITRACE_START ? 8
	                                                  : 24;
	size_t size = 8 + body + SPEMU_PERF_TRAILER_SIZE;
	uint8_t *p = room;

	if (form >> 5 == 7)
		size = (size_t)fuzz_uint(in, 2);
	p = put(p, form >> 5 == 6 ? fuzz_value(in) : type, 4);
	p = put(p, fuzz_uint(in, 2), 2);
	p = put(p, size, 2);
	for (unsigned i = 0; i < body + SPEMU_PERF_TRAILER_SIZE; i++)
		*p++ = i % 8 ? 0 : fuzz_u8(in);
	if (text && type == SPEMU_PERF_MMAP2)
		memcpy(room + 72, "/dev/zero", form & 64 ? 9 : 5);
	return 8 + body + SPEMU_PERF_TRAILER_SIZE;
}

/* Make a request with data that may be valid: several events, or trace. */
static void ask(struct fuzz_input *in)
{
	uint32_t lane = take_lane(in);
	struct recording_slot *slot = &rec.area->slot[lane];
	struct recording_request *r = &slot->request;
	uint8_t *room = recording_room(&rec, lane), *events = recording_events_room(&rec, lane);
	unsigned form = fuzz_u8(in);

	if (!room) /* with 32-bit addresses the last lanes have no room */
		return;
	memset(r, 0, sizeof(*r));
	r->kind = form % 4;
	r->lane = lanes[form >> 2 & 7];
	if (r->kind == RECORDING_ASK_EVENTS)
		for (unsigned n = form >> 5; n > 0; n--)
			r->size += put_event(events + r->size, in);
	else if (r->kind == RECORDING_ASK_AUX)
		r->size = 8 * (uint64_t)fuzz_u8(in);
	for (unsigned i = 0; r->kind == RECORDING_ASK_AUX && i < 16; i++)
		room[i] = fuzz_u8(in);
	r->pid = r->tid = 7;
	atomic_store(&slot->state, RECORDING_SLOT_STATE(RECORDING_ASKED, 7));
	atomic_fetch_or(&rec.area->pending[lane / 64], UINT64_C(1) << lane % 64);
}

/* Overwrite any word of a request, a lane or other shared state. */
static void overwrite(struct fuzz_input *in)
{
	uint32_t lane = take_lane(in);
	struct recording_slot *slot = &rec.area->slot[lane];
	unsigned what = fuzz_u8(in);
	uint64_t value = fuzz_value(in);

	switch (what % 12) {
	case 0:
		slot->request.kind = (uint32_t)value;
		break;
	case 1:
		slot->request.lane = (uint32_t)value;
		break;
	case 2:
		slot->request.size = value;
		break;
	case 3:
		slot->request.flags = value;
		break;
	case 4:
		slot->request.time = value;
		break;
	case 5:
		atomic_store(&slot->state, (uint32_t)value);
		break;
	case 6:
		atomic_store(&rec.area->lane[lane].used, value);
		rec.area->lane[lane].state.samples = value;
		break;
	case 7:
		rec.area->lane[lane].state.pid = (uint32_t)value;
		atomic_store(&rec.area->lane[lane].owner, (int32_t)value);
		break;
	case 8:
		rec.area->card.rooms = (uint32_t)value;
		rec.area->card.params.buffer_size = (uint32_t)value;
		break;
	case 9:
		atomic_store(&rec.area->pending[what / 12], value);
		atomic_store(&rec.area->bell, (uint32_t)value);
		break;
	case 10:
		atomic_store(&rec.area->counter[what / 12], value);
		break;
	default:
		atomic_store(&rec.area->note_state, (uint32_t)value);
		memset(rec.area->note, (int)value, sizeof(rec.area->note));
		break;
	}
}

/* ---- checks ---- */

static void check_own(void)
{
	const struct recorder *r = rec.recorder;

	REQUIRE(memcmp(&rec.params, &card.params, sizeof(rec.params)) == 0);
	REQUIRE(rec.rooms == card.rooms && r->file.fd == made.file.fd);
	REQUIRE(r->file.error == 0 && !r->file.cut && r->lanes <= RECORDING_LANES);
	REQUIRE(r->file.head.data_at == made.file.head.data_at);
}

/* Return the size of the complete events between the head and the table. */
static uint64_t whole_size_of(const struct recording_file *f)
{
	return f->head.data_at + f->data_size + f->head.table_size;
}

static void check_file(bool finished)
{
	const struct recorder *r = rec.recorder;
	size_t size = (size_t)recording_file_size(&r->file);
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_file *reader;
	uint64_t trace = 0;
	const char *text;
	int status;

	REQUIRE(size <= FILE_MAX && size >= head_size &&
	        (finished || size == whole_size_of(&r->file)));
	REQUIRE(spemu_perf_open_memory(&reader, NULL, file, size) == SPEMU_OK);
	REQUIRE(spemu_perf_cmdline(reader, &text, 3) == SPEMU_OK && strcmp(text, "program") == 0);
	while ((status = spemu_perf_next(reader, &event, &cursor)) == SPEMU_OK) {
		switch (event.type) {
		case SPEMU_PERF_AUXTRACE:
			REQUIRE(event.u.auxtrace.idx < RECORDING_LANES);
			trace += event.u.auxtrace.size;
			break;
		case SPEMU_PERF_AUX:
		case SPEMU_PERF_COMM:
		case SPEMU_PERF_MMAP2:
		case SPEMU_PERF_FORK:
		case SPEMU_PERF_EXIT:
		case SPEMU_PERF_ITRACE_START:
			break;
		default: /* only the recorder's own first events */
			REQUIRE(cursor.offset <= made.file.head.data_at + made.file.data_size);
			break;
		}
	}
	REQUIRE(status == SPEMU_ERR_END && trace == r->counter[RECORDING_AUX_BYTES]);
	for (uint32_t i = 0; i < RECORDING_LANES; i++)
		REQUIRE(r->taken[i] <= ROOM && (!finished || !r->ring[i].first));
	spemu_perf_close(reader);
}

static void check_totals(void)
{
	struct recording_totals totals;

	recording_totals(&totals, &rec);
	REQUIRE(totals.fate != RECORDING_CUT && totals.write_errno == 0);
	REQUIRE(totals.lanes <= RECORDING_LANES && memchr(totals.note, 0, sizeof(totals.note)));
	for (const char *p = totals.note; *p; p++)
		REQUIRE(*p >= ' ' && *p <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, data + size};
	unsigned form = fuzz_u8(&in), appends = 0;

	reset();
	if (form & 8)
		REQUIRE(recording_keep(&rec, 1 + 64 * (form >> 4 & 7), form >> 7) == SPEMU_OK);
	while (!fuzz_ended(&in) && appends < 24) {
		unsigned how;

		switch (fuzz_below(&in, 4)) {
		case 0:
			overwrite(&in);
			break;
		case 1:
			how = fuzz_u8(&in);
			serve_slots(&rec, how % 8 == 0);
			if (how % 8 == 1)
				recording_snapshot(&rec);
			appends++;
			break;
		default:
			ask(&in);
			break;
		}
	}
	serve_slots(&rec, true);
	check_own();
	check_file(false);
	if (form % 8 == 0) {
		serve_last(&rec);
		REQUIRE(recording_file_finish(&rec.recorder->file) == 0);
		check_own();
		check_file(true);
		check_totals();
	}
	return 0;
}
