/* SPDX-License-Identifier: MIT */
/*
 * Test the description of a perf.data file, member by member: attrs, header features and the SPE
 * trace. All bytes are different, and the memory ends with the file.
 *
 * The offsets come from tools/perf/Documentation/perf.data-file-format.txt,
 * include/uapi/linux/perf_event.h (struct perf_event_attr), tools/perf/util/header.c and
 * tools/perf/util/arm-spe.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"

#include "draw.h"

enum { HEADER = 104, ROOM = 65536, PAGES = 1 << 16 };

static uint8_t image[ROOM];
static size_t used;
static uint8_t *room_end; /* end of the readable memory */

static int set_up(void **state)
{
	uint8_t *p = mmap(NULL, ROOM + PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
	                  -1, 0);

	(void)state;
	if (p == MAP_FAILED || mprotect(p + ROOM, PAGES, PROT_NONE) != 0)
		return -1;
	room_end = p + ROOM;
	return 0;
}

static void put_at(size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		image[at + i] = (uint8_t)(i < 8 ? v >> (8 * i) : 0);
}

static void put(uint64_t v, unsigned n)
{
	put_at(used, v, n);
	used += n;
}

static void put_text(const char *text, size_t room)
{
	memset(image + used, 0, room);
	memcpy(image + used, text, strlen(text));
	used += room;
}

static uint64_t get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = n; i--;)
		v = v << 8 | p[i];
	return v;
}

/* Write bytes that are all different and not 0. */
static void put_different(size_t n, unsigned from)
{
	for (size_t i = 0; i < n; i++)
		image[used++] = (uint8_t)(1 + (from + 7 * i) % 251);
}

/* Offset and size of the attrs, and offset of the data section, which begin() opens. */
static size_t attrs_at, entry_size;
static size_t data_at;

static void begin(unsigned attrs, size_t attr_size)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "PERFILE2", 8);
	entry_size = attr_size + 16;
	attrs_at = HEADER;
	put_at(8, HEADER, 8);
	put_at(16, entry_size, 8);
	put_at(24, attrs_at, 8);
	put_at(32, attrs * entry_size, 8);
	used = HEADER;
	for (unsigned i = 0; i < attrs; i++) {
		put_different(attr_size, 50 * i);
		put(0, 16);
	}
	data_at = used;
	put_at(40, data_at, 8);
}

/* End the data section. Add the table of n features in the order of their bits. */
static void features(const unsigned bits[], unsigned n)
{
	put_at(48, used - data_at, 8);
	for (unsigned i = 0; i < n; i++)
		put_at(72 + bits[i] / 8, image[72 + bits[i] / 8] | 1u << bits[i] % 8, 1);
	used += 16 * n;
}

static void section(unsigned i, size_t at, size_t size)
{
	size_t table = (size_t)(get(image + 40, 8) + get(image + 48, 8));

	put_at(table + 16 * i, at, 8);
	put_at(table + 16 * i + 8, size, 8);
}

static struct spemu_perf_file *open_image(void)
{
	struct spemu_perf_file *file;

	memcpy(room_end - used, image, used);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, room_end - used, used), SPEMU_OK);
	return file;
}

/* struct perf_event_attr: type 0, config 8, period 16, sample_type 24, flags 40, config1 56,
 * config2 64. */
static void attr_members_are_read(void **state)
{
	static const size_t sizes[] = {64, 71, 72, 128};

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct spemu_perf_file *file;
		struct spemu_perf_attr attr;

		begin(3, sizes[k]);
		for (unsigned i = 0; i < 3; i++) { /* attr i has i ids, in the data section */
			put_at(attrs_at + i * entry_size + sizes[k], used, 8);
			put_at(attrs_at + i * entry_size + sizes[k] + 8, 8 * i, 8);
			put_different(8 * i, 100);
		}
		put_at(48, 0, 8);
		file = open_image();
		for (unsigned i = 0; i < 3; i++) {
			const uint8_t *p = room_end - used + attrs_at + i * entry_size;

			assert_int_equal(spemu_perf_attr(file, &attr, i), SPEMU_OK);
			assert_int_equal(attr.type, get(p, 4));
			assert_true(attr.config == get(p + 8, 8));
			assert_true(attr.sample_period == get(p + 16, 8));
			assert_true(attr.sample_type == get(p + 24, 8));
			assert_true(attr.flags == get(p + 40, 8));
			assert_true(attr.config1 == get(p + 56, 8));
			assert_true(attr.config2 == (sizes[k] >= 72 ? get(p + 64, 8) : 0));
			assert_int_equal(attr.n_ids, i);
			if (i)
				assert_ptr_equal(attr.ids, room_end - used + get(p + sizes[k], 8));
			else
				assert_null(attr.ids);
			assert_null(attr.name);
		}
		assert_int_equal(spemu_perf_attr(file, &attr, 3), SPEMU_ERR_END);
		spemu_perf_close(file);
	}
}

/* EVENT_DESC has the number of attrs and their size. For each attr, it then has the attr, the
 * number of its ids, its name and the ids. */
static void event_names_are_read(void **state)
{
	static const unsigned bit[] = {SPEMU_PERF_FEAT_EVENT_DESC};
	static const char *const names[] = {"one", "two//", "three"};
	size_t at, whole;

	(void)state;
	begin(4, 128);
	features(bit, 1);
	at = used;
	put(3, 4);
	put(40, 4);
	for (unsigned i = 0; i < 3; i++) {
		put_different(40, 3 * i);
		put(5 * i, 4);
		put(8, 4);
		put_text(names[i], 8);
		put_different(8 * 5 * i, 9);
	}
	whole = used;
	/* If the section is truncated, the attrs after the cut have no name. */
	for (used = at; used <= whole; used++) {
		static const size_t ends[] = {8 + 40 + 4 + 12, 8 + 2 * (40 + 4 + 12) + 40,
		                              8 + 3 * (40 + 4 + 12) + 120};
		struct spemu_perf_file *file;
		struct spemu_perf_attr attr;

		section(0, at, used - at);
		file = open_image();
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(spemu_perf_attr(file, &attr, i), SPEMU_OK);
			if (i < 3 && used - at >= ends[i])
				assert_string_equal(attr.name, names[i]);
			else
				assert_null(attr.name);
		}
		spemu_perf_close(file);
	}
	/* If the section states one attr fewer than it has, the rest belongs to no attr. */
	used = whole;
	section(0, at, whole - at);
	put_at(at, 2, 4);
	struct spemu_perf_file *file = open_image();
	struct spemu_perf_attr attr;

	assert_int_equal(spemu_perf_attr(file, &attr, 1), SPEMU_OK);
	assert_string_equal(attr.name, names[1]);
	assert_int_equal(spemu_perf_attr(file, &attr, 2), SPEMU_OK);
	assert_null(attr.name);
	spemu_perf_close(file);
}

/* A feature string has a length of four bytes, and text that contains a NUL. */
static void feature_strings_are_read(void **state)
{
	static const unsigned bit[] = {SPEMU_PERF_FEAT_CPUID};
	static const struct {
		uint32_t length;
		unsigned there;
		const char *text;
		int status;
	} rows[] = {
	        {4, 4, "abc", SPEMU_OK},
	        {4, 4, "abcd", SPEMU_ERR_CORRUPT},
	        {5, 4, "abc", SPEMU_ERR_CORRUPT},
	        {0x00000104, 4, "abc", SPEMU_ERR_CORRUPT},
	        {0x00010004, 4, "abc", SPEMU_ERR_CORRUPT},
	        {0x01000004, 4, "abc", SPEMU_ERR_CORRUPT},
	        {1, 1, "", SPEMU_OK},
	        {0, 0, "", SPEMU_ERR_CORRUPT},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_perf_file *file;
		const char *text = NULL;
		size_t at;

		begin(1, 64);
		features(bit, 1);
		at = used;
		put(rows[i].length, 4);
		memcpy(image + used, rows[i].text, rows[i].there);
		used += rows[i].there;
		section(0, at, used - at);
		file = open_image();
		assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUID),
		                 rows[i].status);
		if (rows[i].status == SPEMU_OK)
			assert_string_equal(text, rows[i].text);
		assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_ARCH),
		                 SPEMU_ERR_END);
		spemu_perf_close(file);
	}
	/* The section is too small for the length. */
	for (unsigned there = 0; there < 4; there++) {
		struct spemu_perf_file *file;
		const char *text;

		begin(1, 64);
		features(bit, 1);
		section(0, used, there);
		used += there;
		file = open_image();
		assert_int_equal(spemu_perf_feature_string(file, &text, SPEMU_PERF_FEAT_CPUID),
		                 SPEMU_ERR_CORRUPT);
		spemu_perf_close(file);
	}
}

/* Features may have any bits of the four words. An empty feature may be at the end of the file. */
static void every_feature_is_found_in_its_section(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct spemu_perf_file *file;
		unsigned bits[256], n = 0;
		const uint8_t *data;
		uint64_t size;
		size_t at;

		for (unsigned bit = 0; bit < 256; bit++)
			if (below(&seed, round + 1) == 0)
				bits[n++] = bit;
		begin(1, 64);
		put_different(24, 0); /* contents of the data section */
		features(bits, n);
		at = used;
		used += 2 * n;
		for (unsigned i = 0; i < n; i++)
			section(i, i ? at + i : used, i);
		file = open_image();
		for (unsigned bit = 0, i = 0; bit < 300; bit++) {
			int status = spemu__perf_feature(file, &data, &size, bit);

			if (i == n || bit != bits[i]) {
				assert_int_equal(status, SPEMU_ERR_END);
				continue;
			}
			assert_int_equal(status, SPEMU_OK);
			assert_int_equal(size, i);
			assert_ptr_equal(data, i ? room_end - used + at + i : room_end);
			i++;
		}
		spemu_perf_close(file);
	}
}

/* Offsets in an entry of BUILD_ID: type 0, misc 4, size 6, pid 8, id 12, size of the id 32 (if misc
 * bit 15 is 1), name 36. */
static void build_id_entries_are_read(void **state)
{
	static const unsigned bit[] = {SPEMU_PERF_FEAT_BUILD_ID};
	static const struct {
		unsigned misc, id_size, size;
	} rows[] = {{0x8002, 0, 0},    {0x8001, 19, 19}, {0x8000, 20, 20}, {0x8002, 21, 20},
	            {0x8002, 255, 20}, {0x0002, 7, 20},  {0x7ffb, 1, 20},  {0xffff, 1, 1}};
	enum { N = sizeof(rows) / sizeof(*rows), SIZE = 36 + 12 };
	struct spemu_perf_build_id id;
	struct spemu_perf_file *file;
	uint64_t pos = 0;
	size_t at;

	(void)state;
	begin(1, 64);
	features(bit, 1);
	at = used;
	for (unsigned i = 0; i < N; i++) {
		put_different(SIZE, i);
		put_at(used - SIZE + 4, rows[i].misc, 2);
		put_at(used - SIZE + 6, SIZE, 2);
		put_at(used - SIZE + 32, rows[i].id_size, 1);
		used -= 12;
		put_text("/some/name", 12);
	}
	section(0, at, used - at);
	file = open_image();
	for (unsigned i = 0; i < N; i++) {
		const uint8_t *p = room_end - used + at + i * SIZE;

		assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_OK);
		assert_int_equal(pos, (i + 1) * SIZE);
		assert_int_equal(id.pid, get(p + 8, 4));
		assert_int_equal(id.cpumode, rows[i].misc & 7);
		assert_int_equal(id.size, rows[i].size);
		assert_memory_equal(id.id, p + 12, id.size);
		for (unsigned k = id.size; k < SPEMU_PERF_BUILD_ID_MAX; k++)
			assert_int_equal(id.id[k], 0);
		assert_ptr_equal(id.filename, p + 36);
	}
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_ERR_END);
	pos = N * SIZE + 1;
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_ERR_END);
	spemu_perf_close(file);
}

/*
 * Vary the rest of the section, the size in the entry and the end of its name. Damage must be
 * reported.
 */
static void damaged_build_id_entries_are_reported(void **state)
{
	static const unsigned bit[] = {SPEMU_PERF_FEAT_BUILD_ID};
	static const struct {
		unsigned there, size, nul;
		int status;
	} rows[] = {{48, 48, 47, SPEMU_OK},          {48, 48, 36, SPEMU_OK},
	            {48, 37, 36, SPEMU_OK},          {37, 37, 36, SPEMU_OK},
	            {48, 36, 36, SPEMU_ERR_CORRUPT}, {48, 40, 40, SPEMU_ERR_CORRUPT},
	            {48, 49, 36, SPEMU_ERR_CORRUPT}, {48, 0x130, 36, SPEMU_ERR_CORRUPT},
	            {36, 36, 48, SPEMU_ERR_CORRUPT}, {35, 35, 48, SPEMU_ERR_CORRUPT},
	            {35, 48, 48, SPEMU_ERR_CORRUPT}, {1, 48, 48, SPEMU_ERR_CORRUPT},
	            {48, 0, 36, SPEMU_ERR_CORRUPT},  {48, 35, 36, SPEMU_ERR_CORRUPT}};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		unsigned row = i / 2, before = i % 2 * 64;
		struct spemu_perf_build_id id;
		struct spemu_perf_file *file;
		uint64_t pos = before;
		size_t at;

		begin(1, 64);
		features(bit, 1);
		at = used;
		put_different(before + 64, 0);
		put_at(at + before + 6, rows[row].size, 2);
		put_at(at + before + rows[row].nul, 0, 1);
		used = at + before + rows[row].there;
		section(0, at, used - at);
		file = open_image();
		if (spemu_perf_next_build_id(file, &id, &pos) != rows[row].status)
			fail_msg("row %u", row);
		assert_int_equal(pos, before + (rows[row].status == SPEMU_OK ? rows[row].size : 0));
		spemu_perf_close(file);
	}
}

/* Write an event of the given type whose body has n words of 8 bytes. */
static void event(uint32_t type, const uint64_t words[], unsigned n)
{
	put(type, 4);
	put(0, 2);
	put(8 + 8 * n, 2);
	for (unsigned i = 0; i < n; i++)
		put(words[i], 8);
}

/* Write events, one for each letter. I and J are SPE metadata, X is metadata of another trace, C
 * and D are time conversions, T is a trace, and other letters are other events. */
static void put_events(const char *order)
{
	static const uint64_t trace[5] = {0};

	begin(1, 64);
	put_at(attrs_at + 40, 0, 8); /* events have no trailers */
	for (; *order; order++) {
		const uint64_t spe[] = {4, (uint64_t)*order, 1}, intel[] = {1, 2, 3};
		const uint64_t conv[] = {(uint64_t)*order, 7, 9};

		switch (*order) {
		case 'I':
		case 'J':
			event(SPEMU_PERF_AUXTRACE_INFO, spe, 3);
			break;
		case 'X':
			event(SPEMU_PERF_AUXTRACE_INFO, intel, 3);
			break;
		case 'C':
		case 'D':
			event(SPEMU_PERF_TIME_CONV, conv, 3);
			break;
		case 'T':
			event(SPEMU_PERF_AUXTRACE, trace, 5);
			break;
		default:
			event(SPEMU_PERF_FINISHED_ROUND, NULL, 0);
		}
	}
	put_at(48, used - data_at, 8);
}

/* The function returns the first SPE metadata and the first time conversion before the trace. It
 * reports a file that ends before them. */
static void metadata_is_found_before_the_trace(void **state)
{
	static const struct {
		const char *order;
		char info, conv;
	} rows[] = {
	        {"IC", 'I', 'C'},   {"CI", 'I', 'C'}, {"eCeIe", 'I', 'C'}, {"IJCD", 'I', 'C'},
	        {"XICT", 'I', 'C'}, {"ITC", 'I', 0},  {"IeTC", 'I', 0},    {"I", 'I', 0},
	        {"XC", 0, 0},       {"TI", 'I', 0},   {"TIC", 'I', 'C'},   {"TCI", 'I', 'C'},
	        {"", 0, 0},         {"eJI", 'J', 0},  {"TITC", 'I', 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_perf_time_conv conv = {99, 99, 99};
		struct spemu_perf_auxtrace_info info;
		struct spemu_perf_file *file;
		int expected = rows[i].info ? SPEMU_OK : SPEMU_ERR_END;

		put_events(rows[i].order);
		file = open_image();
		assert_int_equal(spemu_perf_find_spe(file, &info, &conv), expected);
		assert_int_equal(conv.time_shift, rows[i].conv);
		assert_int_equal(conv.time_mult, rows[i].conv ? 7 : 0);
		if (rows[i].info)
			assert_int_equal(info.pmu_type, rows[i].info);
		assert_int_equal(spemu_perf_find_spe(file, &info, NULL), expected);
		if (rows[i].info)
			assert_int_equal(info.pmu_type, rows[i].info);
		spemu_perf_close(file);
		/* Once both are known, the function does not read damage after the trace. */
		if (!rows[i].info || !rows[i].conv)
			continue;
		put_events(rows[i].order);
		put(SPEMU_PERF_TIME_CONV, 8);
		put_at(48, used - data_at, 8);
		file = open_image();
		assert_int_equal(spemu_perf_find_spe(file, &info, &conv), SPEMU_OK);
		spemu_perf_close(file);
	}
	/* The file ends inside an event. */
	put_events("Te");
	put(0, 4);
	put_at(48, used - data_at, 8);
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_file *file = open_image();

	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_ERR_TRUNCATED);
	spemu_perf_close(file);
}

/* After the header words comes each CPU: magic, CPU, and the number of words that follow. The words
 * must fit into the rest of the metadata. */
static void spe_metadata_cpus_need_room(void **state)
{
	static const uint64_t magic = UINT64_C(0x1010101010101010);
	static const struct {
		uint64_t header, words; /* header words and words of the CPU, as written */
		unsigned size;          /* bytes of the metadata */
		int status;
	} rows[] = {
	        {4, 4, 32 + 56, SPEMU_OK},
	        {4, 3, 32 + 56, SPEMU_OK},
	        {4, 5, 32 + 56, SPEMU_ERR_CORRUPT},
	        {4, 4, 32 + 55, SPEMU_ERR_CORRUPT},
	        {4, 0, 32 + 24, SPEMU_OK},
	        {4, 0, 32 + 23, SPEMU_ERR_CORRUPT},
	        {4, 1, 32 + 24, SPEMU_ERR_CORRUPT},
	        {5, 0, 32 + 24, SPEMU_ERR_CORRUPT},
	        {7, 0, 32 + 24, SPEMU_ERR_CORRUPT},
	        {8, 0, 32 + 24, SPEMU_ERR_CORRUPT},
	        {UINT64_C(4) | UINT64_C(1) << 61, 0, 32 + 24, SPEMU_ERR_CORRUPT},
	        {UINT64_C(4) | UINT64_C(1) << 56, 0, 32 + 24, SPEMU_ERR_CORRUPT},
	        {4, UINT64_C(4) | UINT64_C(1) << 61, 32 + 56, SPEMU_ERR_CORRUPT},
	        {4, UINT64_C(4) | UINT64_C(1) << 56, 32 + 56, SPEMU_ERR_CORRUPT},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t *priv = room_end - rows[i].size;
		struct spemu_perf_auxtrace_info info = {
		        .version = 2, .n_cpus = 1, .priv = priv, .priv_size = rows[i].size};
		struct spemu_perf_spe_cpu cpu;

		used = 0;
		put(2, 8);
		put(rows[i].header, 8);
		put(3, 8);
		put(1, 8);
		put(magic, 8);
		put_different(8, 20);
		put(rows[i].words, 8);
		put_different(32, 70);
		memcpy(priv, image, rows[i].size);
		if (spemu_perf_spe_cpu(&cpu, &info, 0) != rows[i].status)
			fail_msg("row %u", i);
		if (rows[i].status != SPEMU_OK)
			continue;
		assert_true(cpu.cpu == get(image + 40, 8));
		assert_true(cpu.midr == (rows[i].words > 0 ? get(image + 56, 8) : 0));
		assert_true(cpu.pmu_type == (rows[i].words > 1 ? get(image + 64, 8) : 0));
		assert_true(cpu.min_interval == (rows[i].words > 2 ? get(image + 72, 8) : 0));
		assert_true(cpu.event_filter == (rows[i].words > 3 ? get(image + 80, 8) : 0));
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 1), SPEMU_ERR_END);
		info.version = 1;
		assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 0), SPEMU_ERR_END);
	}
}

/* Closing a file returns its memory to the system. */
static void closed_file_is_unmapped(void **state)
{
	char path[] = "/tmp/spemu-mapped-XXXXXX";
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct spemu_perf_file *file;
	struct spemu_perf_attr attr;
	int fd = mkstemp(path), after;
	unsigned char resident;
	void *mapped;

	(void)state;
	begin(1, 64);
	put_at(attrs_at + 64, HEADER, 8);
	put_at(attrs_at + 64 + 8, 8, 8);
	put_at(48, 0, 8);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image, used), used);
	close(fd);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	after = open(path, O_RDONLY);
	assert_int_equal(after, fd); /* the lowest descriptor is free, so no file is open */
	close(after);
	unlink(path);
	assert_int_equal(spemu_perf_attr(file, &attr, 0), SPEMU_OK);
	mapped = (void *)((uintptr_t)attr.ids / page * page);
	assert_int_equal(mincore(mapped, page, &resident), 0);
	spemu_perf_close(file);
	assert_int_equal(mincore(mapped, page, &resident), -1);
	assert_int_equal(errno, ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(attr_members_are_read),
	        cmocka_unit_test(event_names_are_read),
	        cmocka_unit_test(feature_strings_are_read),
	        cmocka_unit_test(every_feature_is_found_in_its_section),
	        cmocka_unit_test(build_id_entries_are_read),
	        cmocka_unit_test(damaged_build_id_entries_are_reported),
	        cmocka_unit_test(metadata_is_found_before_the_trace),
	        cmocka_unit_test(spe_metadata_cpus_need_room),
	        cmocka_unit_test(closed_file_is_unmapped),
	};
	return cmocka_run_group_tests_name("perfdata_feature", tests, set_up, NULL);
}
