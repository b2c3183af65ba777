/* SPDX-License-Identifier: MIT */
/*
 * Compare the tails of perf.data files with the events before them: build-ids of mapped files by
 * name (tools/perf/util/build-id.c), the index of traces (tools/perf/util/auxtrace.c), and the time
 * of the first and the last event.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"

#include "draw.h"

enum { ROOM = 1 << 20, NAMES = 120, FEATURES = SPEMU_PERF_TABLE_MAX / 16 };

static uint8_t file[ROOM];
static struct spemu_perf_head head;
static size_t used;

static void begin(void)
{
	const struct spemu_perf_head_config config = {.size = sizeof(config), .period = 1};

	used = (size_t)spemu_perf_put_head(file, SPEMU_PERF_HEAD_MAX, &head, &config);
}

static void added(int size)
{
	assert_true(size > 0);
	used += (size_t)size;
}

/* Open the file with the given table or tail after its data. */
static struct spemu_perf_file *open_with(const void *tail, size_t size, uint64_t flags)
{
	struct spemu_perf_file *f;

	memcpy(file + used, tail, size);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, used - head.data_at, flags);
	assert_int_equal(spemu_perf_open_memory(&f, NULL, file, used + size), SPEMU_OK);
	return f;
}

static struct spemu_perf_file *make_tail(struct spemu_perf_tail *tail)
{
	spemu_perf_close(open_with(head.table, head.table_size, head.flags));
	assert_int_equal(spemu_perf_make_tail(tail, &head, used - head.data_at, file), SPEMU_OK);
	return open_with(tail->bytes, tail->size, tail->flags);
}

/* A file that maps may name. The first byte of its build-id depends on the name. */
struct name {
	char text[100];
	unsigned id_size, cpumode;
	bool counts;          /* a file with such a name can have a build-id */
	bool mapped, with_id; /* there was a map of the file; there was one with a build-id */
};

static void draw_name(struct name *name, unsigned n, uint64_t *seed)
{
	static const char *const begins[] = {"/usr/lib/", "/",      "/a/",
	                                     "//anon",    "[vdso]", "relative/"};
	unsigned kind = below(seed, 8);

	kind = kind < 6 ? kind : 0;
	memset(name, 0, sizeof(*name));
	snprintf(name->text, sizeof(name->text), "%s%.*s%u", begins[kind], (int)below(seed, 80),
	         "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
	         n);
	name->id_size = 1 + below(seed, 20);
	name->cpumode = below(seed, 4);
	name->counts = kind < 3;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void put_map(struct name *name, uint64_t *seed, uint64_t time)
{
	struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = time};
	struct spemu_perf_mmap map = {.pid = 1,
	                              .len = 4096,
	                              .filename = name->text,
	                              .cpumode = (uint8_t)name->cpumode,
	                              .data = below(seed, 4) == 0,
	                              .build_id_size = (uint8_t)(coin(seed) ? name->id_size : 0)};

	for (unsigned i = 0; i < map.build_id_size; i++)
		map.build_id[i] = (uint8_t)(strlen(name->text) * 7 + name->id_size + i);
	name->mapped |= !map.data;
	name->with_id |= !map.data && map.build_id_size;
	added(spemu_perf_put_mmap2(file + used, ROOM - used, &who, &map));
}

/* Check that each file is listed once, in the order of names, with the build-id of one of its maps.
 * Files that do not exist and have no build-id are left out. */
static void check_build_ids(const struct spemu_perf_file *f, struct name *names, unsigned n)
{
	struct spemu_perf_build_id id;
	uint64_t pos = 0;

	qsort(names, n, sizeof(*names), compare_names);
	for (unsigned i = 0; i < n; i++) {
		if (!names[i].counts || !names[i].with_id)
			continue;
		assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_OK);
		assert_string_equal(id.filename, names[i].text);
		assert_int_equal(id.size, names[i].id_size);
		assert_int_equal(id.pid, UINT32_MAX);
		assert_int_equal(id.cpumode,
		                 names[i].cpumode ? names[i].cpumode : SPEMU_PERF_MISC_USER);
		for (unsigned k = 0; k < id.size; k++)
			assert_int_equal(id.id[k], (uint8_t)(strlen(names[i].text) * 7 +
			                                     names[i].id_size + k));
	}
	assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_ERR_END);
}

static uint64_t number(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 8; i--;)
		v = v << 8 | p[i];
	return v;
}

/* Write many maps of files, with traces between them. */
static void tail_describes_any_events(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		static struct name names[NAMES];
		uint64_t first = UINT64_MAX, last = 0, traces[600], size;
		unsigned n = 1 + below(&seed, NAMES), n_traces = 0;
		struct spemu_perf_tail tail;
		struct spemu_perf_file *f;
		const uint8_t *data;

		begin();
		for (unsigned i = 0; i < n; i++)
			draw_name(&names[i], i, &seed);
		for (unsigned i = below(&seed, 600); i--;) {
			uint64_t time = prng_next(&seed) >> below(&seed, 60);

			if (coin(&seed)) {
				put_map(&names[below(&seed, n)], &seed, time);
				first = time < first ? time : first;
				last = time > last ? time : last;
			} else {
				traces[n_traces++] = used;
				added(spemu_perf_put_auxtrace(file + used, 48, 0, 0, 16));
				used += 16;
			}
		}
		f = make_tail(&tail);
		if (spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_BUILD_ID) == SPEMU_OK)
			check_build_ids(f, names, n);
		else
			for (unsigned i = 0; i < n; i++)
				assert_false(names[i].counts && names[i].with_id);
		assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_AUXTRACE),
		                 SPEMU_OK);
		assert_int_equal(size, 8 + 16 * n_traces);
		assert_true(number(data) == n_traces);
		for (unsigned i = 0; i < n_traces; i++) {
			assert_true(number(data + 8 + 16 * i) == traces[i]);
			assert_true(number(data + 8 + 16 * i + 8) == 48);
		}
		if (last >= first) {
			assert_int_equal(
			        spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_SAMPLE_TIME),
			        SPEMU_OK);
			assert_int_equal(size, 16);
			assert_true(number(data) == first && number(data + 8) == last);
		} else {
			assert_int_equal(
			        spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_SAMPLE_TIME),
			        SPEMU_ERR_END);
		}
		spemu_perf_close(f);
		free(tail.bytes);
	}
}

/* If no map of a file has a build-id, the build-id is read from the file, if it is a regular
 * file. */
static void missing_build_ids_are_read_from_files(void **state)
{
	/* An ELF64 file. One PT_NOTE of 20 bytes at offset 120 has a note GNU of type 3 with four
	 * bytes. */
	static const uint8_t elf[140] = {0x7f,       'E',         'L',       'F',       2,
	                                 1,          [32] = 64,   [54] = 56, [56] = 1,  [64] = 4,
	                                 [72] = 120, [96] = 20,   [112] = 4, [120] = 4, [124] = 4,
	                                 [128] = 3,  [132] = 'G', 'N',       'U',       0,
	                                 0xca,       0xfe,        0xba,      0xbe};
	char folder[] = "/tmp/spemu-tail-XXXXXX", path[64], fifo[64];
	const struct spemu_perf_who who = {.pid = 1};
	struct spemu_perf_mmap map = {.len = 4096};
	struct spemu_perf_build_id id;
	struct spemu_perf_tail tail;
	struct spemu_perf_file *f;
	bool open_before[3];
	uint64_t pos = 0;
	int free_fd[2];
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/elf", folder);
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	out = fopen(path, "wb");
	assert_true(out && fwrite(elf, sizeof(elf), 1, out) == 1 && fclose(out) == 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	for (int fd = 0; fd < 3; fd++)
		open_before[fd] = fcntl(fd, F_GETFD) >= 0;
	for (int i = 0; i < 2; i++) {
		free_fd[i] = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(free_fd[i] >= 0);
	}
	close(free_fd[0]);
	close(free_fd[1]);
	begin();
	map.filename = fifo; /* opening the FIFO would block */
	added(spemu_perf_put_mmap2(file + used, 4096, &who, &map));
	map.filename = folder;
	added(spemu_perf_put_mmap2(file + used, 4096, &who, &map));
	map.filename = path;
	added(spemu_perf_put_mmap2(file + used, 4096, &who, &map));
	map.filename = "/nonexistent/file";
	added(spemu_perf_put_mmap2(file + used, 4096, &who, &map));
	f = make_tail(&tail);
	for (int fd = 0; fd < 3; fd++) /* no other descriptors were closed */
		assert_int_equal(fcntl(fd, F_GETFD) < 0, !open_before[fd]);
	for (int i = 0; i < 2; i++) /* all opened files were closed */
		assert_int_equal(open(path, O_RDONLY | O_CLOEXEC), free_fd[i]);
	close(free_fd[0]);
	close(free_fd[1]);
	assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_OK);
	assert_string_equal(id.filename, path);
	assert_int_equal(id.size, 4);
	assert_memory_equal(id.id, "\xca\xfe\xba\xbe", 4);
	assert_int_equal(spemu_perf_next_build_id(f, &id, &pos), SPEMU_ERR_END);
	spemu_perf_close(f);
	free(tail.bytes);
	unlink(path);
	unlink(fifo);
	rmdir(folder);
}

/* A table has room for 16 features, and a tail adds up to three. Features that are present do not
 * change. */
static void feature_table_has_room_for_the_tail(void **state)
{
	const struct spemu_perf_who who = {.pid = 1, .time = 5};
	unsigned there;

	(void)state;
	begin();
	there = head.table_size / 16;
	for (unsigned n = there; n <= FEATURES; n++) {
		struct spemu_perf_tail tail;
		struct spemu_perf_file *f;
		const uint8_t *data;
		uint64_t size;

		begin();
		/* Features with bits from 40 on, whose sections are bytes of the header. */
		for (unsigned i = there; i < n; i++) {
			memset(head.table + head.table_size, 0, 16);
			head.table[head.table_size] = (uint8_t)i;
			head.table[head.table_size + 8] = (uint8_t)(2 * i);
			head.table_size += 16;
			head.flags |= UINT64_C(1) << (40 + i);
		}
		added(spemu_perf_put_task(file + used, 4096, &who, SPEMU_PERF_EXIT, 1, 0, 1, 1));
		spemu_perf_close(open_with(head.table, head.table_size, head.flags));
		if (n + 3 > FEATURES) {
			assert_int_equal(
			        spemu_perf_make_tail(&tail, &head, used - head.data_at, file),
			        SPEMU_ERR_CORRUPT);
			assert_null(tail.bytes);
			continue;
		}
		f = make_tail(&tail);
		for (unsigned i = there; i < n; i++) {
			assert_int_equal(spemu__perf_feature(f, &data, &size, 40 + i), SPEMU_OK);
			assert_ptr_equal(data, file + i);
			assert_int_equal(size, 2 * i);
		}
		assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_SAMPLE_TIME),
		                 SPEMU_OK);
		spemu_perf_close(f);
		free(tail.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(tail_describes_any_events),
	        cmocka_unit_test(missing_build_ids_are_read_from_files),
	        cmocka_unit_test(feature_table_has_room_for_the_tail),
	};
	return cmocka_run_group_tests_name("perfdata_tail", tests, NULL, NULL);
}
