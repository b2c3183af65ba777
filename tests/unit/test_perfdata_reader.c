/* SPDX-License-Identifier: MIT */
/*
 * The perf.data reader: a file as `perf record -e arm_spe// ` lays it out (two attrs, SPE metadata
 * of either version), put together here by hand; then the same file cut at every length and with
 * every byte changed, read in memory that ends at an unmapped page.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "not_here.h"

#include <spemu/perfdata.h>

static uint8_t image[8192];
static size_t used;

static void put(uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		image[used++] = i < 8 ? (uint8_t)(v >> (8 * i)) : 0;
}

static void put_at(size_t at, uint64_t v, size_t n)
{
	size_t end = used;

	used = at;
	put(v, n);
	used = end;
}

static void text(const char *s, size_t room)
{
	memset(image + used, 0, room);
	memcpy(image + used, s, strlen(s));
	used += room;
}

static void event_header(uint32_t type, uint16_t misc, uint16_t size)
{
	put(type, 4);
	put(misc, 2);
	put(size, 2);
}

enum {
	SPE_ID = 0x101,   /* trailer: TID, TIME, CPU, IDENTIFIER */
	DUMMY_ID = 0x201, /* trailer: TID, TIME, IDENTIFIER */
};

static void put_attr(uint32_t type, uint64_t sample_type, uint64_t ids_at, unsigned n_ids)
{
	size_t begin = used;

	memset(image + begin, 0, 144);
	put(type, 4);
	put(128, 4);
	put(0x10001, 8); /* config */
	put(1024, 8);    /* period */
	put(sample_type, 8);
	put(0, 8);
	put(UINT64_C(1) << 18, 8); /* sample_id_all */
	used = begin + 128;
	put(ids_at, 8);
	put(8 * n_ids, 8);
}

/* Returns the offset of the AUXTRACE_INFO. */
static size_t put_info(int version)
{
	size_t at = used;

	if (version == 1) {
		event_header(70, 0, 32);
		put(4, 8);
		put(11, 8);
		put(1, 8);
		return at;
	}
	event_header(70, 0, 16 + 8 * (4 + 6 + 7));
	put(4, 8);
	put(2, 8);
	put(4, 8);
	put(11, 8);
	put(2, 8);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		put(UINT64_C(0x1010101010101010), 8);
		put(cpu, 8);
		put(3 + cpu, 8); /* the second as newer perf writes it */
		put(0x413fd0c1, 8);
		put(11, 8);
		put(256, 8);
		if (cpu)
			put(0xfe, 8);
	}
	return at;
}

static void put_data(int version)
{
	event_header(79, 0, 56); /* TIME_CONV */
	put(2, 8);
	put(40, 8);
	put(1000, 8);
	put(0, 24);
	put_info(version);
	event_header(3, 0x2000, 8 + 16 + 24); /* COMM, exec, dummy's trailer */
	put(7, 4);
	put(7, 4);
	text("prog", 8);
	put(7, 4);
	put(7, 4);
	put(5000, 8);
	put(DUMMY_ID, 8);
	event_header(1, 2, 8 + 40 + 24); /* MMAP */
	put(7, 4);
	put(7, 4);
	put(0x400000, 8);
	put(0x2000, 8);
	put(0x1000, 8);
	text("/x/prog", 8);
	put(7, 4);
	put(7, 4);
	put(5001, 8);
	put(DUMMY_ID, 8);
	event_header(11, 0, 8 + 24 + 32); /* AUX, the SPE event's trailer */
	put(0, 8);
	put(16, 8);
	put(8, 8);
	put(7, 4);
	put(8, 4);
	put(6000, 8);
	put(2, 8);
	put(SPE_ID, 8);
	event_header(71, 0, 48); /* AUXTRACE */
	put(16, 8);
	put(0x30, 8);
	put(0x77, 8);
	put(2, 4);
	put(UINT32_MAX, 4);
	put(2, 8);
	for (uint8_t i = 0; i < 16; i++)
		put(i, 1);
	event_header(4, 0, 8 + 24 + 24); /* EXIT */
	put(7, 4);
	put(1, 4);
	put(7, 4);
	put(1, 4);
	put(7000, 8);
	put(7, 4);
	put(7, 4);
	put(7000, 8);
	put(DUMMY_ID, 8);
}

static size_t features_at;

static void section(unsigned i, size_t begin)
{
	put_at(features_at + 16 * i, begin, 8);
	put_at(features_at + 16 * i + 8, used - begin, 8);
}

static void put_features(void)
{
	size_t begin;

	features_at = used;
	put(0, 8);
	put(0, 64 - 8);
	begin = used; /* BUILD_ID */
	event_header(0, 0x8002, 36 + 12);
	put(UINT32_MAX, 4);
	text("\x11\x22\x33", 20);
	put(3, 4);
	text("/x/prog", 12);
	section(0, begin);
	begin = used; /* CPUID */
	put(24, 4);
	text("0x00000000413fd0c1", 24);
	section(1, begin);
	begin = used; /* CMDLINE */
	put(2, 4);
	put(8, 4);
	text("perf", 8);
	put(8, 4);
	text("record", 8);
	section(2, begin);
	begin = used; /* EVENT_DESC */
	put(1, 4);
	put(128, 4);
	text("", 128);
	put(1, 4);
	put(16, 4);
	text("arm_spe_0//", 16);
	put(SPE_ID, 8);
	section(3, begin);
}

static void build(int version)
{
	size_t data_at;

	memset(image, 0, sizeof(image));
	used = 0;
	text("PERFILE2", 8);
	put(104, 8);
	put(144, 8);
	put(120, 8); /* attrs after the ids */
	put(288, 8);
	put(0, 32);
	put(1u << 2 | 1u << 9 | 1u << 11 | 1u << 12, 32);
	used = 104;
	put(SPE_ID, 8);
	put(DUMMY_ID, 8);
	put_attr(11, 0x10086 | 0x8000, 104, 1);
	put_attr(1, 0x10006, 112, 1);
	data_at = used;
	put_data(version);
	put_at(40, data_at, 8);
	put_at(48, used - data_at, 8);
	put_features();
}

static uint8_t *guarded; /* ends at a page that cannot be read */
#define GUARDED_SIZE 8192

static int set_up(void **state)
{
	uint8_t *p = mmap(NULL, GUARDED_SIZE + 4096, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + GUARDED_SIZE, 4096, PROT_NONE) != 0)
		return -1;
	guarded = p + GUARDED_SIZE;
	return 0;
}

static int open_image(struct spemu_perf_file **file, size_t size, uint64_t *where)
{
	memcpy(guarded - size, image, size);
	return spemu_perf_open_memory(file, where, guarded - size, size);
}

/* Sum of bytes, so that they are read. */
static volatile unsigned sink;
static void touch(const void *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += ((const uint8_t *)p)[i];
}

static void touch_event(const struct spemu_perf_event *event)
{
	struct spemu_perf_spe_cpu cpu;

	touch(event->body, event->size - 8u);
	if (event->type == SPEMU_PERF_AUXTRACE)
		touch(event->u.auxtrace.data, event->u.auxtrace.size);
	else if (event->type == SPEMU_PERF_COMM)
		touch(event->u.comm.comm, strlen(event->u.comm.comm));
	else if (event->type == SPEMU_PERF_MMAP || event->type == SPEMU_PERF_MMAP2)
		touch(event->u.mmap.filename, strlen(event->u.mmap.filename));
	else if (event->type == SPEMU_PERF_AUXTRACE_INFO)
		for (uint32_t i = 0; spemu_perf_spe_cpu(&cpu, &event->u.auxtrace_info, i) == 0; i++)
			assert_true(i < 8192);
}

/* Use everything that the reader offers. */
static void read_all(struct spemu_perf_file *file)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct spemu_perf_attr attr;
	struct spemu_perf_build_id id;
	const uint8_t *data;
	const char *s;
	uint64_t size, pos = 0;
	unsigned events = 0;

	for (uint32_t i = 0; spemu_perf_attr(file, &attr, i) == SPEMU_OK; i++)
		touch(attr.ids, 8 * (uint64_t)attr.n_ids);
	for (unsigned n = 0; n < SPEMU_PERF_FEAT_MAX; n++) {
		if (spemu_perf_feature(file, &data, &size, n) == SPEMU_OK)
			touch(data, size);
		if (spemu_perf_feature_string(file, &s, n) == SPEMU_OK)
			touch(s, strlen(s));
	}
	for (uint32_t i = 0; i < 100 && spemu_perf_cmdline(file, &s, i) == SPEMU_OK; i++)
		touch(s, strlen(s));
	while (spemu_perf_next_build_id(file, &id, &pos) == SPEMU_OK)
		touch(id.filename, strlen(id.filename));
	while (spemu_perf_next(file, &event, &cursor) == SPEMU_OK) {
		touch_event(&event);
		assert_true(++events <= sizeof(image) / 8);
	}
	spemu_perf_find_spe(file, &info, &conv);
}

static void next(struct spemu_perf_file *file, struct spemu_perf_cursor *cursor,
                 struct spemu_perf_event *event, uint32_t type)
{
	assert_int_equal(spemu_perf_next(file, event, cursor), SPEMU_OK);
	assert_int_equal(event->type, type);
}

static void events_are_read_with_their_own_trailers(void **state)
{
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	next(file, &c, &e, SPEMU_PERF_TIME_CONV);
	assert_int_equal(e.u.time_conv.time_shift, 2);
	assert_int_equal(e.u.time_conv.time_mult, 40);
	assert_int_equal(e.u.time_conv.time_zero, 1000);
	next(file, &c, &e, SPEMU_PERF_AUXTRACE_INFO);
	assert_int_equal(e.who.valid, 0);
	next(file, &c, &e, SPEMU_PERF_COMM);
	assert_string_equal(e.u.comm.comm, "prog");
	assert_true(e.u.comm.exec);
	assert_int_equal(e.who.valid, 0x10006);
	assert_int_equal(e.who.time, 5000);
	assert_int_equal(e.who.id, DUMMY_ID);
	next(file, &c, &e, SPEMU_PERF_MMAP);
	assert_string_equal(e.u.mmap.filename, "/x/prog");
	assert_int_equal(e.u.mmap.start, 0x400000);
	assert_int_equal(e.u.mmap.len, 0x2000);
	assert_int_equal(e.u.mmap.pgoff, 0x1000);
	assert_int_equal(e.u.mmap.cpumode, SPEMU_PERF_MISC_USER);
	next(file, &c, &e, SPEMU_PERF_AUX);
	assert_int_equal(e.u.aux.size, 16);
	assert_int_equal(e.u.aux.flags, SPEMU_PERF_AUX_COLLISION);
	assert_int_equal(e.who.valid, 0x10086);
	assert_int_equal(e.who.pid, 7);
	assert_int_equal(e.who.tid, 8);
	assert_int_equal(e.who.time, 6000);
	assert_int_equal(e.who.cpu, 2);
	assert_int_equal(e.who.id, SPE_ID);
	next(file, &c, &e, SPEMU_PERF_AUXTRACE);
	assert_int_equal(e.u.auxtrace.size, 16);
	assert_int_equal(e.u.auxtrace.offset, 0x30);
	assert_int_equal(e.u.auxtrace.reference, 0x77);
	assert_int_equal(e.u.auxtrace.idx, 2);
	assert_int_equal(e.u.auxtrace.tid, UINT32_MAX);
	assert_int_equal(e.u.auxtrace.data[15], 15);
	next(file, &c, &e, SPEMU_PERF_EXIT);
	assert_int_equal(e.u.task.pid, 7);
	assert_int_equal(e.u.task.ppid, 1);
	assert_int_equal(e.u.task.time, 7000);
	assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void attrs_and_features_are_found(void **state)
{
	struct spemu_perf_attr attr;
	struct spemu_perf_build_id id;
	struct spemu_perf_file *file;
	const char *s;
	uint64_t pos = 0;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_attr(file, &attr, 0), SPEMU_OK);
	assert_int_equal(attr.type, 11);
	assert_int_equal(attr.config, 0x10001);
	assert_int_equal(attr.sample_period, 1024);
	assert_int_equal(attr.n_ids, 1);
	assert_int_equal(attr.ids[0] | attr.ids[1] << 8, SPE_ID);
	assert_string_equal(attr.name, "arm_spe_0//");
	assert_int_equal(spemu_perf_attr(file, &attr, 1), SPEMU_OK);
	assert_null(attr.name);
	assert_int_equal(spemu_perf_attr(file, &attr, 2), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_feature_string(file, &s, SPEMU_PERF_FEAT_CPUID), SPEMU_OK);
	assert_string_equal(s, "0x00000000413fd0c1");
	assert_int_equal(spemu_perf_feature_string(file, &s, SPEMU_PERF_FEAT_ARCH), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_cmdline(file, &s, 0), SPEMU_OK);
	assert_string_equal(s, "perf");
	assert_int_equal(spemu_perf_cmdline(file, &s, 1), SPEMU_OK);
	assert_string_equal(s, "record");
	assert_int_equal(spemu_perf_cmdline(file, &s, 2), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_OK);
	assert_int_equal(id.size, 3);
	assert_memory_equal(id.id, "\x11\x22\x33", 3);
	assert_string_equal(id.filename, "/x/prog");
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void both_versions_of_spe_metadata_are_known(void **state)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_spe_cpu cpu;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, &conv), SPEMU_OK);
	assert_int_equal(info.version, 1);
	assert_int_equal(info.pmu_type, 11);
	assert_int_equal(info.n_cpus, 0);
	assert_int_equal(conv.time_mult, 40);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 0), SPEMU_ERR_END);
	spemu_perf_close(file);
	build(2);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_OK);
	assert_int_equal(info.version, 2);
	assert_int_equal(info.pmu_type, 11);
	assert_int_equal(info.n_cpus, 2);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 0), SPEMU_OK);
	assert_int_equal(cpu.midr, 0x413fd0c1);
	assert_int_equal(cpu.min_interval, 256);
	assert_int_equal(cpu.event_filter, 0);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 1), SPEMU_OK);
	assert_int_equal(cpu.cpu, 1);
	assert_int_equal(cpu.event_filter, 0xfe);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 2), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void a_file_without_spe_says_so(void **state)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	for (size_t i = 0; i + 16 < used; i++) {
		if (image[i] == 70 && image[i + 6] == 32 && image[i + 8] == 4)
			image[i + 8] = 1; /* Intel PT */
	}
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_ERR_END);
	spemu_perf_close(file);
}

/* Where the last event of the image ends that is whole within size bytes, by the sizes that were
 * put there. */
static size_t end_of_events(size_t at, size_t size)
{
	while (at + 8 <= size && at < features_at) {
		size_t n = (size_t)(image[at + 6] | image[at + 7] << 8);

		if (image[at] == 71) /* AUXTRACE */
			n += (size_t)(image[at + 8] | image[at + 9] << 8);
		if (at + n > size)
			break;
		at += n;
	}
	return at;
}

/* Without its first part nothing can be read of a file; from there on the events that are there
 * can, and then it is told. */
static void every_truncation_is_noticed(void **state)
{
	struct spemu_perf_file *file;
	uint64_t where;

	(void)state;
	for (int version = 1; version <= 2; version++) {
		size_t data_at;

		build(version);
		data_at = (size_t)(image[40] | image[41] << 8);
		/* The last 8 bytes are an id that nothing but EVENT_DESC's section covers. */
		for (size_t size = 0; size < used; size++) {
			struct spemu_perf_cursor c = {0};
			struct spemu_perf_event e;
			int status = open_image(&file, size, &where);

			if (size < data_at) {
				assert_int_equal(status, size < 8 ? SPEMU_ERR_INVALID
				                                  : SPEMU_ERR_TRUNCATED);
				assert_null(file);
				assert_true(where < used);
				continue;
			}
			assert_int_equal(status, SPEMU_OK);
			while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK)
				;
			assert_int_equal(status, SPEMU_ERR_TRUNCATED);
			assert_int_equal(c.offset, end_of_events(data_at, size));
			assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_TRUNCATED);
			spemu_perf_close(file);
		}
	}
}

/* perf writes the sizes when it ends. One that was killed has left its events, and bits of features
 * that it did not come to. */
static void a_perf_that_was_killed_left_its_events(void **state)
{
	struct spemu_perf_file *file;
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	const char *text;
	int status;

	(void)state;
	build(1);
	put_at(48, 0, 8);
	assert_int_equal(open_image(&file, features_at, NULL), SPEMU_OK);
	while ((status = spemu_perf_next(file, &e, &c)) == SPEMU_OK)
		;
	assert_int_equal(status, SPEMU_ERR_TRUNCATED);
	assert_int_equal(c.offset, features_at);
	assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUID),
	                 SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void a_data_section_may_end_anywhere(void **state)
{
	struct spemu_perf_cursor c;
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	size_t data_size;

	(void)state;
	build(1);
	memset(image + 72, 0, 32); /* no features */
	data_size = features_at - (size_t)(image[40] | image[41] << 8);
	for (size_t size = 0; size <= data_size; size++) {
		int status;

		put_at(48, size, 8);
		assert_int_equal(open_image(&file, features_at, NULL), SPEMU_OK);
		c = (struct spemu_perf_cursor){0};
		do
			status = spemu_perf_next(file, &e, &c);
		while (status == SPEMU_OK);
		/* Whole events end at 0, 56, 88, 136, 208, 272, 336 and 392. */
		if (size == 0 || size == 56 || size == 88 || size == 136 || size == 208 ||
		    size == 272 || size == 336 || size == 392)
			assert_int_equal(status, SPEMU_ERR_END);
		else
			assert_int_equal(status, SPEMU_ERR_TRUNCATED);
		spemu_perf_close(file);
	}
}

static void no_changed_byte_leads_outside(void **state)
{
	static const uint8_t values[] = {0x00, 0x01, 0x07, 0x7f, 0x80, 0xff};
	struct spemu_perf_file *file;
	unsigned opened = 0;

	(void)state;
	for (int version = 1; version <= 2; version++) {
		for (size_t at = 0; at < used; at++) {
			for (size_t k = 0; k < sizeof(values); k++) {
				build(version);
				image[at] = values[k];
				if (open_image(&file, used, NULL) != SPEMU_OK)
					continue;
				opened++;
				read_all(file);
				spemu_perf_close(file);
			}
		}
	}
	assert_true(opened > 1000);
}

static void sections_that_wrap_around_are_refused(void **state)
{
	static const size_t sections[] = {24, 40, 120 + 128};
	struct spemu_perf_file *file;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		build(1);
		put_at(sections[i], UINT64_MAX - 7, 8);
		put_at(sections[i] + 8, 16, 8);
		assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_TRUNCATED);
		put_at(sections[i], 0, 8);
		put_at(sections[i] + 8, UINT64_MAX, 8);
		assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_TRUNCATED);
	}
	/* An AUXTRACE of 2^64 - 1 bytes. */
	build(1);
	for (size_t at = 0; at + 16 < used; at++) {
		if (image[at] == 71 && image[at + 6] == 48 && image[at + 8] == 16)
			put_at(at + 8, UINT64_MAX, 8);
	}
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	read_all(file);
	spemu_perf_close(file);
}

/* What cannot be opened is no file, and has no place where it is wrong. */
static int open_in_vain(const char *path)
{
	struct spemu_perf_file *file = (void *)image;
	uint64_t where = 77;
	int status = spemu_perf_open(&file, &where, path);

	assert_null(file);
	assert_int_equal(where, 0);
	return status;
}

static void other_kinds_of_file_are_named(void **state)
{
	struct spemu_perf_file *file;
	char path[] = "/tmp/spemu-fifo-XXXXXX";

	(void)state;
	build(1);
	memcpy(image, "2ELIFREP", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	image[7]++;
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFFILE", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	image[7]++;
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFFILE", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	memcpy(image,
	       "\x7f"
	       "ELF1234",
	       8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFILE2", 8);
	put_at(8, 16, 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(open_in_vain("/nonexistent/perf.data"), SPEMU_ERR_IO);
	assert_int_equal(open_in_vain("/"), SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(close(mkstemp(path)), 0);
	assert_int_equal(open_in_vain(path), SPEMU_ERR_INVALID); /* empty */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(open_in_vain(path), SPEMU_ERR_NOT_SUPPORTED);
	unlink(path);
}

/* In 32 bits a size of 4 GB and a little must not pass for the little. */
static void a_file_larger_than_the_address_space(void **state)
{
	char path[] = "/tmp/spemu-large-XXXXXX";
	struct spemu_perf_file *file;
	struct rlimit limit;
	int fd, status;

	(void)state;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur <= UINT64_C(0x100000000) + sizeof(image))
		NOT_HERE("whoever runs this allows no such file");
	build(1);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image, used), used);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	spemu_perf_close(file);
	assert_int_equal(ftruncate(fd, (off_t)(UINT64_C(0x100000000) + used)), 0);
	status = spemu_perf_open(&file, NULL, path);
	close(fd);
	unlink(path);
	if (SIZE_MAX > UINT32_MAX) {
		assert_int_equal(status, SPEMU_OK);
		spemu_perf_close(file);
	} else {
		assert_int_equal(status, SPEMU_ERR_IO);
		assert_int_equal(errno, EFBIG);
	}
}

static void what_the_builders_write_is_read_back(void **state)
{
	const struct spemu_perf_who who = {.pid = 7, .tid = 8, .time = 99, .cpu = 4};
	struct spemu_perf_mmap map = {
	        .pid = 7, .len = 4096, .prot = 3, .data = true, .filename = "/l"};
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	size_t data_at;

	(void)state;
	build(1);
	data_at = (size_t)(image[40] | image[41] << 8);
	put_at(120 + 24, SPEMU_PERF_SAMPLE_TYPE, 8);
	put_at(264 + 24, SPEMU_PERF_SAMPLE_TYPE, 8);
	used = data_at;
	used += (size_t)spemu_perf_put_mmap2(image + used, 4096, &who, &map);
	map.build_id_size = 20;
	memset(map.build_id, 0xab, 20);
	used += (size_t)spemu_perf_put_mmap2(image + used, 4096, &who, &map);
	put_at(48, used - data_at, 8);
	memset(image + 72, 0, 32);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	next(file, &c, &e, SPEMU_PERF_MMAP2);
	assert_string_equal(e.u.mmap.filename, "/l");
	assert_true(e.u.mmap.data);
	assert_int_equal(e.u.mmap.prot, 3);
	assert_int_equal(e.u.mmap.build_id_size, 0);
	assert_int_equal(e.who.time, 99);
	assert_int_equal(e.who.cpu, 4);
	assert_int_equal(e.who.id, SPEMU_PERF_EVENT_ID);
	next(file, &c, &e, SPEMU_PERF_MMAP2);
	assert_int_equal(e.u.mmap.build_id_size, 20);
	assert_memory_equal(e.u.mmap.build_id, map.build_id, 20);
	spemu_perf_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(events_are_read_with_their_own_trailers),
	        cmocka_unit_test(attrs_and_features_are_found),
	        cmocka_unit_test(both_versions_of_spe_metadata_are_known),
	        cmocka_unit_test(a_file_without_spe_says_so),
	        cmocka_unit_test(every_truncation_is_noticed),
	        cmocka_unit_test(a_perf_that_was_killed_left_its_events),
	        cmocka_unit_test(a_data_section_may_end_anywhere),
	        cmocka_unit_test(no_changed_byte_leads_outside),
	        cmocka_unit_test(sections_that_wrap_around_are_refused),
	        cmocka_unit_test(other_kinds_of_file_are_named),
	        cmocka_unit_test(a_file_larger_than_the_address_space),
	        cmocka_unit_test(what_the_builders_write_is_read_back),
	};
	return cmocka_run_group_tests_name("perfdata reader", tests, set_up, NULL);
}
