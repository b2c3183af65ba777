/* SPDX-License-Identifier: MIT */
/*
 * Test the perf.data reader, member by member. A file contains one event whose bytes are all
 * different. Its members are at the offsets of include/uapi/linux/perf_event.h and
 * tools/lib/perf/include/perf/event.h (Linux 6.1). Also test the minimum size of an event and the
 * limits of the file header.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

enum {
	HEADER = 104,
	ATTR = 128,
	ENTRY = ATTR + 16,
	DATA = HEADER + ENTRY,
	BODY_MAX = 512,
	SIZE_MAX_ = DATA + 8 + BODY_MAX,
};

static uint8_t image[SIZE_MAX_];
static uint8_t *const body = image + DATA + 8;

static void put(size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		image[at + i] = (uint8_t)(v >> (8 * i));
}

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = n; i--;)
		v = v << 8 | p[i];
	return v;
}

/* Build a header, an attr with the given sample_type and an event with a body of body_size
 * bytes. */
static size_t build(uint64_t sample_type, uint32_t type, uint16_t misc, unsigned body_size)
{
	memset(image, 0, DATA);
	memcpy(image, "PERFILE2", 8);
	put(8, HEADER, 8);
	put(16, ENTRY, 8);
	put(24, HEADER, 8);
	put(32, ENTRY, 8);
	put(40, DATA, 8);
	put(48, 8 + body_size, 8);
	put(HEADER + 4, ATTR, 4);
	put(HEADER + 24, sample_type, 8);
	put(HEADER + 40, UINT64_C(1) << 18, 8); /* sample_id_all */
	put(DATA, type, 4);
	put(DATA + 4, misc, 2);
	put(DATA + 6, 8 + body_size, 2);
	for (unsigned i = 0; i < BODY_MAX; i++)
		body[i] = (uint8_t)(0x41 + 7 * i);
	return DATA + 8 + body_size;
}

/* Open the file and read its event. The pointers of the event point into `image`. */
static int read_event(struct spemu_perf_event *event, size_t size)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_file *file;
	int status;

	assert_int_equal(spemu_perf_open_memory(&file, NULL, image, size), SPEMU_OK);
	status = spemu_perf_next(file, event, &cursor);
	if (status == SPEMU_OK) {
		assert_int_equal(cursor.offset, size);
		assert_int_equal(spemu_perf_next(file, event + 1, &cursor), SPEMU_ERR_END);
	}
	spemu_perf_close(file);
	return status;
}

/* A member of struct spemu_perf_event, and its offset in the body. */
struct member {
	uint32_t type;
	size_t offset;
	unsigned size, at, width;
};

#define MEMBER(type, member, at, width)                                                 \
	{                                                                               \
		SPEMU_PERF_##type, offsetof(struct spemu_perf_event, u.member),         \
		        sizeof(((struct spemu_perf_event *)0)->u.member), (at), (width) \
	}

static const struct member members[] = {
        MEMBER(MMAP, mmap.pid, 0, 4),
        MEMBER(MMAP, mmap.tid, 4, 4),
        MEMBER(MMAP, mmap.start, 8, 8),
        MEMBER(MMAP, mmap.len, 16, 8),
        MEMBER(MMAP, mmap.pgoff, 24, 8),
        MEMBER(MMAP2, mmap.pid, 0, 4),
        MEMBER(MMAP2, mmap.tid, 4, 4),
        MEMBER(MMAP2, mmap.start, 8, 8),
        MEMBER(MMAP2, mmap.len, 16, 8),
        MEMBER(MMAP2, mmap.pgoff, 24, 8),
        MEMBER(MMAP2, mmap.maj, 32, 4),
        MEMBER(MMAP2, mmap.min, 36, 4),
        MEMBER(MMAP2, mmap.ino, 40, 8),
        MEMBER(MMAP2, mmap.ino_generation, 48, 8),
        MEMBER(MMAP2, mmap.prot, 56, 4),
        MEMBER(MMAP2, mmap.flags, 60, 4),
        MEMBER(COMM, comm.pid, 0, 4),
        MEMBER(COMM, comm.tid, 4, 4),
        MEMBER(FORK, task.pid, 0, 4),
        MEMBER(FORK, task.ppid, 4, 4),
        MEMBER(FORK, task.tid, 8, 4),
        MEMBER(FORK, task.ptid, 12, 4),
        MEMBER(FORK, task.time, 16, 8),
        MEMBER(EXIT, task.pid, 0, 4),
        MEMBER(EXIT, task.time, 16, 8),
        MEMBER(LOST, lost.id, 0, 8),
        MEMBER(LOST, lost.count, 8, 8),
        MEMBER(ITRACE_START, itrace_start.pid, 0, 4),
        MEMBER(ITRACE_START, itrace_start.tid, 4, 4),
        MEMBER(AUX, aux.offset, 0, 8),
        MEMBER(AUX, aux.size, 8, 8),
        MEMBER(AUX, aux.flags, 16, 8),
        MEMBER(TIME_CONV, time_conv.time_shift, 0, 8),
        MEMBER(TIME_CONV, time_conv.time_mult, 8, 8),
        MEMBER(TIME_CONV, time_conv.time_zero, 16, 8),
        MEMBER(AUXTRACE_INFO, auxtrace_info.type, 0, 4),
};

static void event_members_follow_kernel_layout(void **state)
{
	const unsigned body_size = 104;

	(void)state;
	for (unsigned i = 0; i < sizeof(members) / sizeof(*members); i++) {
		const struct member *m = &members[i];
		struct spemu_perf_event event[2];
		size_t size = build(0, m->type, 0, body_size);
		uint64_t value = 0;
		uint32_t half;

		body[body_size - 1] = 0; /* ends names */
		assert_int_equal(read_event(event, size), SPEMU_OK);
		assert_int_equal(m->size, m->width);
		memcpy(&half, (char *)event + m->offset, sizeof(half));
		memcpy(&value, (char *)event + m->offset, m->size == 8 ? 8 : sizeof(half));
		if (m->size == sizeof(half))
			value = half;
		if (value != get(body + m->at, m->width))
			fail_msg("member %u of event %u", i, m->type);
	}
}

/* Try the smallest body of each event. If one byte is missing, the event is damaged. A name has at
 * least its NUL. */
static void events_below_minimum_size_are_damaged(void **state)
{
	const struct {
		uint32_t type;
		unsigned least;
	} rows[] = {
	        {SPEMU_PERF_MMAP, 33},         {SPEMU_PERF_MMAP2, 65},
	        {SPEMU_PERF_COMM, 9},          {SPEMU_PERF_FORK, 24},
	        {SPEMU_PERF_EXIT, 24},         {SPEMU_PERF_LOST, 16},
	        {SPEMU_PERF_ITRACE_START, 8},  {SPEMU_PERF_AUX, 24},
	        {SPEMU_PERF_TIME_CONV, 24},    {SPEMU_PERF_AUXTRACE_INFO, 8},
	        {SPEMU_PERF_AUXTRACE, 48 - 8}, {SPEMU_PERF_FINISHED_ROUND, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_perf_event event[2];

		for (unsigned n = 0; n < rows[i].least + 4; n++) {
			size_t size = build(0, rows[i].type, 0, n);

			if (n)
				body[n - 1] = 0;
			if (rows[i].type == SPEMU_PERF_AUXTRACE)
				memset(body, 0, 8); /* no trace follows */
			assert_int_equal(read_event(event, size),
			                 n < rows[i].least ? SPEMU_ERR_CORRUPT : SPEMU_OK);
		}
	}
}

static void names_and_misc_flags_are_read(void **state)
{
	struct spemu_perf_event event[2];
	size_t size = build(0, SPEMU_PERF_COMM, SPEMU_PERF_MISC_COMM_EXEC, 16);

	(void)state;
	memcpy(body + 8, "program", 8);
	assert_int_equal(read_event(event, size), SPEMU_OK);
	assert_string_equal(event->u.comm.comm, "program");
	assert_true(event->u.comm.exec);
	size = build(0, SPEMU_PERF_MMAP, SPEMU_PERF_MISC_MMAP_DATA | 1, 40);
	memcpy(body + 32, "/a/file", 8);
	assert_int_equal(read_event(event, size), SPEMU_OK);
	assert_string_equal(event->u.mmap.filename, "/a/file");
	assert_true(event->u.mmap.data);
	assert_int_equal(event->u.mmap.cpumode, SPEMU_PERF_MISC_KERNEL);
	assert_int_equal(event->u.mmap.prot | event->u.mmap.flags, 0);
	/* Read a build-id: its size, three unused bytes, and its bytes. */
	for (unsigned n = 0; n < 30; n++) {
		size = build(0, SPEMU_PERF_MMAP2, SPEMU_PERF_MISC_MMAP_BUILD_ID | 2, 72);
		body[32] = (uint8_t)n;
		memcpy(body + 64, "/b/file", 8);
		assert_int_equal(read_event(event, size), SPEMU_OK);
		assert_string_equal(event->u.mmap.filename, "/b/file");
		assert_int_equal(event->u.mmap.build_id_size, n < 20 ? n : 20);
		assert_memory_equal(event->u.mmap.build_id, body + 36, n < 20 ? n : 20);
		assert_false(event->u.mmap.data);
		assert_int_equal(event->u.mmap.maj | event->u.mmap.min, 0);
		assert_true(event->u.mmap.ino == 0 && event->u.mmap.ino_generation == 0);
	}
	size = build(0, SPEMU_PERF_COMM, 0, 16); /* the name has no NUL */
	assert_int_equal(read_event(event, size), SPEMU_ERR_CORRUPT);
}

/* The trailer (sample_id) has the members that PERF_SAMPLE_x selects, in the order of
 * perf_event.h. */
static void trailers_follow_sample_type(void **state)
{
	const uint64_t bits[] = {SPEMU_PERF_SAMPLE_TID, SPEMU_PERF_SAMPLE_TIME,
	                         SPEMU_PERF_SAMPLE_ID,  SPEMU_PERF_SAMPLE_STREAM_ID,
	                         SPEMU_PERF_SAMPLE_CPU, SPEMU_PERF_SAMPLE_IDENTIFIER};

	(void)state;
	for (unsigned set = 0; set < 64; set++) {
		uint64_t type = SPEMU_PERF_SAMPLE_IP | SPEMU_PERF_SAMPLE_ADDR, valid = 0;
		struct spemu_perf_event event[2];
		unsigned at = 24, count = 0;

		for (unsigned b = 0; b < 6; b++)
			if (set >> b & 1) {
				valid |= bits[b];
				count++;
			}
		assert_int_equal(
		        read_event(event, build(type | valid, SPEMU_PERF_AUX, 0, 24 + 8 * count)),
		        SPEMU_OK);
		assert_true(event->who.valid == valid);
		if (valid & SPEMU_PERF_SAMPLE_TID) {
			assert_true(event->who.pid == get(body + at, 4));
			assert_true(event->who.tid == get(body + at + 4, 4));
			at += 8;
		}
		if (valid & SPEMU_PERF_SAMPLE_TIME) {
			assert_true(event->who.time == get(body + at, 8));
			at += 8;
		}
		if (valid & SPEMU_PERF_SAMPLE_ID) {
			if (!(valid & SPEMU_PERF_SAMPLE_IDENTIFIER))
				assert_true(event->who.id == get(body + at, 8));
			at += 8;
		}
		at += valid & SPEMU_PERF_SAMPLE_STREAM_ID ? 8 : 0;
		if (valid & SPEMU_PERF_SAMPLE_CPU) {
			assert_true(event->who.cpu == get(body + at, 4));
			at += 8;
		}
		if (valid & SPEMU_PERF_SAMPLE_IDENTIFIER)
			assert_true(event->who.id == get(body + at, 8));
		/* The trailer is not part of the event's own members. If the trailer lacks one
		 * byte, the members do. */
		assert_int_equal(
		        read_event(event, build(type | valid, SPEMU_PERF_AUX, 0, 23 + 8 * count)),
		        SPEMU_ERR_CORRUPT);
	}
}

/* An AUXTRACE event has size, offset, reference, idx, tid and cpu. The trace follows, with as many
 * bytes as the size states. */
static void auxtrace_members_are_read(void **state)
{
	struct spemu_perf_event event[2];
	size_t size = build(0, SPEMU_PERF_AUXTRACE, 0, 40 + 48);

	(void)state;
	put(DATA + 6, 48, 2); /* size of the event without the trace */
	put(DATA + 8, 48, 8);
	assert_int_equal(read_event(event, size), SPEMU_OK);
	assert_true(event->u.auxtrace.size == 48);
	assert_true(event->u.auxtrace.offset == get(body + 8, 8));
	assert_true(event->u.auxtrace.reference == get(body + 16, 8));
	assert_true(event->u.auxtrace.idx == get(body + 24, 4));
	assert_true(event->u.auxtrace.tid == get(body + 28, 4));
	assert_true(event->u.auxtrace.cpu == get(body + 32, 4));
	assert_ptr_equal(event->u.auxtrace.data, body + 40);
}

/* perf's own events, which have types from 64 on, and samples have no trailer. */
static void perf_events_and_samples_have_no_trailer(void **state)
{
	struct spemu_perf_event event[2];

	(void)state;
	assert_int_equal(
	        read_event(event, build(SPEMU_PERF_SAMPLE_TIME, SPEMU_PERF_TIME_CONV, 0, 24)),
	        SPEMU_OK);
	assert_int_equal(event->who.valid, 0);
	assert_int_equal(read_event(event, build(SPEMU_PERF_SAMPLE_TIME, SPEMU_PERF_SAMPLE, 0, 24)),
	                 SPEMU_OK);
	assert_int_equal(event->who.valid, 0);
	assert_int_equal(read_event(event, build(SPEMU_PERF_SAMPLE_TIME, 63, 0, 24)), SPEMU_OK);
	assert_int_equal(event->who.valid, SPEMU_PERF_SAMPLE_TIME);
	assert_int_equal(read_event(event, build(SPEMU_PERF_SAMPLE_TIME, 64, 0, 24)), SPEMU_OK);
	assert_int_equal(event->who.valid, 0);
	/* If a body is too short for a trailer, it has none. */
	assert_int_equal(read_event(event, build(SPEMU_PERF_SAMPLE_TIME, 63, 0, 8)), SPEMU_OK);
	assert_int_equal(event->who.valid, SPEMU_PERF_SAMPLE_TIME);
	assert_int_equal(read_event(event, build(SPEMU_PERF_SAMPLE_TIME, 63, 0, 7)), SPEMU_OK);
	assert_int_equal(event->who.valid, 0);
}

/* SPE metadata of version 1 has two words (tools/perf/util/arm-spe.h). Later versions have a header
 * and CPUs. */
static void spe_metadata_versions_are_read(void **state)
{
	struct spemu_perf_event event[2];
	const struct spemu_perf_auxtrace_info *info = &event->u.auxtrace_info;
	size_t size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, 24);

	(void)state;
	put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE, 8);
	assert_int_equal(read_event(event, size), SPEMU_OK);
	assert_int_equal(info->version, 1);
	assert_true(info->pmu_type == get(body + 8, 4));
	assert_int_equal(info->n_cpus, 0);
	assert_ptr_equal(info->priv, body + 8);
	assert_int_equal(info->priv_size, 16);
	for (unsigned n = 8; n < 40; n++) {
		size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, n);
		put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE, 8);
		if (n >= 36) /* the number of CPUs is 0 in a truncated header */
			put(DATA + 8 + 32, 0, 4);
		assert_int_equal(read_event(event, size), n == 24 ? SPEMU_OK : SPEMU_ERR_CORRUPT);
	}
	for (unsigned cpus = 0; cpus < 7; cpus++) {
		size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, 48);
		put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE, 8);
		put(DATA + 8 + 32, cpus, 8);
		assert_int_equal(read_event(event, size),
		                 cpus <= 40 / 8 ? SPEMU_OK : SPEMU_ERR_CORRUPT);
		if (cpus <= 5) {
			assert_true(info->version == get(body + 8, 4));
			assert_true(info->pmu_type == get(body + 24, 4));
			assert_int_equal(info->n_cpus, cpus);
		}
	}
	/* A header, alone or with more words. There cannot be more CPUs than words. */
	for (unsigned words = 4; words < 12; words++) {
		for (unsigned cpus = 0; cpus < 14; cpus++) {
			size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, 8 + 8 * words);
			put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE, 8);
			put(DATA + 8 + 32, cpus, 8);
			assert_int_equal(read_event(event, size),
			                 cpus <= words ? SPEMU_OK : SPEMU_ERR_CORRUPT);
		}
	}
	/* The metadata of another kind of trace is not SPE metadata. */
	size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, 11);
	put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE + 1, 8);
	assert_int_equal(read_event(event, size), SPEMU_OK);
	assert_int_equal(info->version, 0);
}

/* Each CPU has magic, CPU and the number of words that follow. The words are MIDR, PMU type,
 * interval and filter, as far as present. */
static void metadata_cpus_are_read(void **state)
{
	enum { WORDS = 4, HEAD = 8 + 32 };
	struct spemu_perf_event event[2];
	struct spemu_perf_spe_cpu cpu;

	(void)state;
	for (unsigned words = 0; words <= WORDS; words++) {
		size_t size = build(0, SPEMU_PERF_AUXTRACE_INFO, 0, HEAD + 2 * (24 + 8 * words));

		put(DATA + 8, SPEMU_PERF_AUXTRACE_SPE, 8);
		put(DATA + 16, 2, 8);
		put(DATA + 24, 4, 8); /* number of header words */
		put(DATA + 40, 2, 8);
		for (unsigned i = 0; i < 2; i++) {
			size_t at = DATA + 8 + HEAD + i * (24 + 8 * words);

			put(at, UINT64_C(0x1010101010101010), 8);
			put(at + 8, 30 + i, 8);
			put(at + 16, words, 8);
		}
		assert_int_equal(read_event(event, size), SPEMU_OK);
		for (unsigned i = 0; i < 2; i++) {
			const uint8_t *p = body + HEAD + i * (24 + 8 * words) + 24;

			assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, i),
			                 SPEMU_OK);
			assert_int_equal(cpu.cpu, 30 + i);
			assert_true(cpu.midr == (words > 0 ? get(p, 8) : 0));
			assert_true(cpu.pmu_type == (words > 1 ? get(p + 8, 8) : 0));
			assert_true(cpu.min_interval == (words > 2 ? get(p + 16, 8) : 0));
			assert_true(cpu.event_filter == (words > 3 ? get(p + 24, 8) : 0));
		}
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, 2),
		                 SPEMU_ERR_END);
		/* The metadata states more words than exist, or its magic is damaged. */
		put(DATA + 8 + HEAD + 24 + 8 * words + 16, words + 1, 8);
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, 1),
		                 SPEMU_ERR_CORRUPT);
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, 0), SPEMU_OK);
		image[DATA + 8 + HEAD] ^= 1;
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, 0),
		                 SPEMU_ERR_CORRUPT);
		image[DATA + 8 + HEAD] ^= 1;
		/* The header is longer than the whole event. */
		put(DATA + 24, (HEAD + 2 * (24 + 8 * words)) / 8, 8);
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, 0),
		                 SPEMU_ERR_CORRUPT);
	}
}

/* Open the image. Return the status, and store the offset of the reported fault in *where. */
static int opened(uint64_t *where, size_t size)
{
	struct spemu_perf_file *file;
	int status;

	*where = 12345;
	status = spemu_perf_open_memory(&file, where, image, size);
	assert_int_equal(file != NULL, status == SPEMU_OK);
	spemu_perf_close(file);
	return status;
}

/*
 * Change the members of the file header, given by offset (perf.data-file-format.txt). Check the
 * report if a value is wrong.
 */
static void header_faults_are_reported_with_offset(void **state)
{
	const struct {
		size_t at;
		uint64_t value;
		int status;
		uint64_t where;
	} rows[] = {
	        {8, HEADER, SPEMU_OK, 0},
	        {8, HEADER + 8, SPEMU_OK, 0}, /* header of a later perf */
	        {8, HEADER - 1, SPEMU_ERR_CORRUPT, 8},
	        {8, 16, SPEMU_ERR_NOT_SUPPORTED, 8}, /* header of a pipe */
	        {16, 64 + 15, SPEMU_ERR_CORRUPT, 16},
	        {16, ENTRY / 2, SPEMU_ERR_CORRUPT, 16},
	        {16, 65537, SPEMU_ERR_CORRUPT, 16},
	        {24, HEADER + 1000, SPEMU_ERR_TRUNCATED, 24},
	        {32, ENTRY + 1, SPEMU_ERR_CORRUPT, 24},
	        {32, UINT64_MAX, SPEMU_ERR_TRUNCATED, 24},
	        {40, DATA + 33, SPEMU_ERR_TRUNCATED, 40},
	        {48, 33, SPEMU_OK, 0}, /* reported after the events */
	        {48, INT64_MAX, SPEMU_OK, 0},
	        {48, UINT64_C(1) << 63, SPEMU_ERR_TRUNCATED, 40}, /* no file is that long */
	        {HEADER + ATTR, DATA + 33, SPEMU_ERR_TRUNCATED, HEADER + ATTR},
	        {HEADER + ATTR + 8, 4, SPEMU_ERR_CORRUPT, HEADER + ATTR},
	        {HEADER + ATTR + 8, 8, SPEMU_OK, 0},
	        /* Reported after the events, too. */
	        {72, 1u << SPEMU_PERF_FEAT_HOSTNAME, SPEMU_OK, 0},
	};
	uint64_t where;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t size = build(0, SPEMU_PERF_AUX, 0, 24);

		put(rows[i].at, rows[i].value, 8);
		if (opened(&where, size) != rows[i].status || where != rows[i].where)
			fail_msg("row %u: at %u", i, (unsigned)where);
	}
	build(0, SPEMU_PERF_AUX, 0, 24);
	for (size_t size = 0; size < DATA; size++) {
		int status = opened(&where, size);

		assert_int_equal(status, size < 8 ? SPEMU_ERR_INVALID : SPEMU_ERR_TRUNCATED);
		assert_int_equal(where, size < 8                ? 0
		                        : size < HEADER         ? 8
		                        : size < HEADER + ENTRY ? 24
		                                                : 40);
	}
}

/*
 * A command line has a number of strings, each preceded by its length. At most 65536 strings are
 * read.
 */
static void command_line_arguments_are_read(void **state)
{
	const size_t at = DATA + 8 + 24, text = at + 16;
	static const uint8_t words[] = {2, 0, 0, 0, 'a', 0, 3, 0, 0, 0, 'b', 'c', 0};
	const struct {
		uint32_t count, index;
		int status;
		const char *word;
	} rows[] = {
	        {2, 0, SPEMU_OK, "a"},
	        {2, 1, SPEMU_OK, "bc"},
	        {2, 2, SPEMU_ERR_END, NULL},
	        {3, 2, SPEMU_ERR_CORRUPT, NULL}, /* the third string does not exist */
	        {65536, 1, SPEMU_OK, "bc"},
	        {65536, 65536, SPEMU_ERR_END, NULL},
	        {65537, 0, SPEMU_ERR_NOT_SUPPORTED, NULL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_perf_file *file;
		const char *word = NULL;

		build(0, SPEMU_PERF_AUX, 0, 24);
		put(72, 1u << SPEMU_PERF_FEAT_CMDLINE, 8);
		put(at, text, 8);
		put(at + 8, 4 + sizeof(words), 8);
		put(text, rows[i].count, 4);
		memcpy(image + text + 4, words, sizeof(words));
		assert_int_equal(
		        spemu_perf_open_memory(&file, NULL, image, text + 4 + sizeof(words)),
		        SPEMU_OK);
		assert_int_equal(spemu_perf_cmdline(file, &word, rows[i].index), rows[i].status);
		if (rows[i].word)
			assert_string_equal(word, rows[i].word);
		spemu_perf_close(file);
	}
}

/* After a file is closed, or cannot be opened, the heap has its previous size. */
static void closing_frees_all_memory(void **state)
{
	size_t size = build(0, SPEMU_PERF_AUX, 0, 24), before, first = 0;

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		struct spemu_perf_file *file;

		before = mallinfo2().uordblks;
		first = n == 1 ? before : first;
		assert_int_equal(spemu_perf_open_memory(&file, NULL, image, size), SPEMU_OK);
		spemu_perf_close(file);
		assert_int_equal(spemu_perf_open_memory(&file, NULL, image, DATA - 1),
		                 SPEMU_ERR_TRUNCATED);
		spemu_perf_close(NULL);
		assert_int_equal(mallinfo2().uordblks, before);
	}
	assert_int_equal(before, first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(event_members_follow_kernel_layout),
	        cmocka_unit_test(events_below_minimum_size_are_damaged),
	        cmocka_unit_test(names_and_misc_flags_are_read),
	        cmocka_unit_test(trailers_follow_sample_type),
	        cmocka_unit_test(auxtrace_members_are_read),
	        cmocka_unit_test(perf_events_and_samples_have_no_trailer),
	        cmocka_unit_test(spe_metadata_versions_are_read),
	        cmocka_unit_test(metadata_cpus_are_read),
	        cmocka_unit_test(header_faults_are_reported_with_offset),
	        cmocka_unit_test(command_line_arguments_are_read),
	        cmocka_unit_test(closing_frees_all_memory),
	};
	return cmocka_run_group_tests_name("perfdata_member", tests, NULL, NULL);
}
