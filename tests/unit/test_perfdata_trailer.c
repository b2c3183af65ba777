/* SPDX-License-Identifier: MIT */
/*
 * Test files whose attrs have different trailers. The last word of an event's trailer is an id, and
 * the attr with that id describes the other words (evlist__event2evsel() of
 * tools/perf/util/evlist.c). Also test the limits of ids in a file.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

#include "draw.h"
#include "not_here.h"

enum {
	HEADER = 104,
	ATTR = 64,
	ENTRY = ATTR + 16,
	ATTRS = 4,
	EVENTS = 60,
	TID = 1 << 1,
	TIME = 1 << 2,
	CPU = 1 << 7,
	IDENTIFIER = 1 << 16,
	SAMPLE_ID_ALL = 1 << 18
};

static uint8_t image[16384];
static size_t used;

static void put_at(size_t at, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		image[at + i] = (uint8_t)(v >> (8 * i));
}

static void put(uint64_t v)
{
	put_at(used, v, 8);
	used += 8;
}

static void begin(unsigned attrs)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "PERFILE2", 8);
	put_at(8, HEADER, 8);
	put_at(16, ENTRY, 8);
	put_at(24, HEADER, 8);
	put_at(32, attrs * ENTRY, 8);
	used = HEADER + attrs * ENTRY;
}

static void attr(unsigned i, uint64_t sample_type, size_t ids_at, size_t ids_size)
{
	size_t at = HEADER + i * ENTRY;

	put_at(at + 24, sample_type, 8);
	put_at(at + 40, SAMPLE_ID_ALL, 8);
	put_at(at + ATTR, ids_at, 8);
	put_at(at + ATTR + 8, ids_size, 8);
}

struct event {
	uint64_t id, time, type;
	uint32_t pid, cpu;
};

/* Write an AUX event with the trailer that e->type describes. */
static void put_event(const struct event *e)
{
	size_t at = used;

	put(SPEMU_PERF_AUX);
	used += 24;
	if (e->type & TID)
		put(e->pid);
	if (e->type & TIME)
		put(e->time);
	if (e->type & CPU)
		put(e->cpu);
	if (e->type & IDENTIFIER)
		put(e->id);
	put_at(at + 6, used - at, 2);
}

static struct spemu_perf_file *open_image(size_t data_at)
{
	struct spemu_perf_file *file;

	put_at(40, data_at, 8);
	put_at(48, used - data_at, 8);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, image, used), SPEMU_OK);
	return file;
}

/* Each attr has some ids in no particular order. Each event has the id of one of the attrs. */
static void id_selects_trailer_layout(void **state)
{
	static const uint64_t types[] = {TID | TIME | CPU, TIME, 0, TID | TIME, TIME | CPU, CPU};
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		unsigned attrs = 2 + below(&seed, ATTRS - 1), n = 0;
		uint64_t ids[ATTRS * 20], type[ATTRS * 20];
		struct spemu_perf_cursor cursor = {0};
		struct event expected[EVENTS];
		struct spemu_perf_file *file;
		uint64_t first = 0;
		size_t data_at, at, heap;

		begin(attrs);
		for (unsigned i = 0; i < attrs; i++) {
			uint64_t of_attr = types[below(&seed, 6)] | IDENTIFIER;
			size_t ids_at = used;

			first = i ? first : of_attr;
			for (unsigned k = below(&seed, 20); k--; n++) {
				ids[n] = prng_next(&seed) >> below(&seed, 64);
				/* Make all ids different. */
				for (unsigned other = 0; other < n; other++)
					ids[n] = ids[n] == ids[other] ? prng_next(&seed) : ids[n];
				type[n] = of_attr;
				put(ids[n]);
			}
			attr(i, of_attr, ids_at, used - ids_at);
		}
		data_at = used;
		for (unsigned i = 0; i < EVENTS; i++) {
			/* If which is n, use an unknown id, which counts as an id of the first
			 * attr. */
			unsigned which = below(&seed, n + 1);

			expected[i] =
			        (struct event){which < n ? ids[which] : prng_next(&seed),
			                       prng_next(&seed), which < n ? type[which] : first,
			                       below(&seed, 99), below(&seed, 99)};
			put_event(&expected[i]);
		}
		file = open_image(data_at);
		at = data_at;
		for (unsigned i = 0; i < EVENTS; i++) {
			const struct event *e = &expected[i];
			struct spemu_perf_event event;

			assert_int_equal(spemu_perf_next(file, &event, &cursor), SPEMU_OK);
			assert_true(event.file_offset == at);
			at += event.size;
			assert_true(event.who.valid == e->type);
			assert_true(event.who.id == e->id);
			assert_true(event.who.time == (e->type & TIME ? e->time : 0));
			assert_int_equal(event.who.pid, e->type & TID ? e->pid : 0);
			assert_int_equal(event.who.cpu, e->type & CPU ? e->cpu : 0);
		}
		spemu_perf_close(file);
		heap = 0;
		for (unsigned again = 0; again < 12;
		     again++) { /* malloc() itself keeps some memory at first */
			heap = again < 11 ? mallinfo2().uordblks : heap;
			spemu_perf_close(open_image(data_at));
		}
		assert_int_equal(mallinfo2().uordblks, heap); /* closing the file frees the ids */
	}
}

/* If an attr has no IDENTIFIER, or all attrs have the same trailer, ids cannot distinguish the
 * attrs. All events then belong to the first attr. */
static void trailer_without_id_is_that_of_first_attr(void **state)
{
	static const struct {
		uint64_t first, second;
	} rows[] = {{TIME | IDENTIFIER, TIME | CPU},
	            {TIME, TIME | CPU | IDENTIFIER},
	            {TIME, TIME | CPU},
	            {TIME | IDENTIFIER, TIME | IDENTIFIER},
	            {TIME, TIME}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e = {.id = 77, .time = 5, .type = rows[i].first};
		struct spemu_perf_cursor cursor = {0};
		struct spemu_perf_event event;
		struct spemu_perf_file *file;
		size_t data_at;

		begin(2);
		attr(0, rows[i].first, used, 0);
		attr(1, rows[i].second, used, 8);
		put(77);
		data_at = used;
		put_event(&e);
		file = open_image(data_at);
		assert_int_equal(spemu_perf_next(file, &event, &cursor), SPEMU_OK);
		assert_true(event.who.valid == rows[i].first);
		assert_true(event.who.time == 5);
		spemu_perf_close(file);
	}
}

/* The id is the last word of an event. If an event is too short for an id, the trailer of the first
 * attr does not fit either. */
static void event_may_consist_of_its_id(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= 9; n++) {
		struct spemu_perf_cursor cursor = {0};
		struct spemu_perf_event event;
		struct spemu_perf_file *file;
		size_t data_at;

		begin(2);
		attr(0, TIME | IDENTIFIER, used, 0);
		attr(1, IDENTIFIER, used, 8);
		put(77);
		data_at = used;
		put(63 | (uint64_t)(8 + n) << 48); /* type 63, which is unknown */
		put_at(used + n - (n < 8 ? n : 8), 77, n < 8 ? n : 8);
		used += n;
		file = open_image(data_at);
		assert_int_equal(spemu_perf_next(file, &event, &cursor), SPEMU_OK);
		assert_true(event.who.valid == (n < 8 ? 0 : IDENTIFIER));
		assert_true(event.who.id == (n < 8 ? 0 : 77));
		spemu_perf_close(file);
	}
}

/* A name must end inside its event, whatever follows the event. An empty name is accepted. */
static void names_end_inside_their_event(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 3; n++) {
		struct spemu_perf_cursor cursor = {0};
		struct spemu_perf_event event;
		struct spemu_perf_file *file;
		size_t data_at;
		int status;

		begin(1);
		data_at = used;
		put(SPEMU_PERF_COMM | (uint64_t)(8 + 8 + n) << 48);
		put(0);
		memset(image + used, n == 2 ? 0 : 'c', n);
		used += n;
		put(SPEMU_PERF_FINISHED_ROUND | UINT64_C(8) << 48);
		used += 64;
		file = open_image(data_at);
		status = spemu_perf_next(file, &event, &cursor);
		assert_int_equal(status, n == 2 ? SPEMU_OK : SPEMU_ERR_CORRUPT);
		if (status == SPEMU_OK)
			assert_string_equal(event.u.comm.comm, "");
		spemu_perf_close(file);
	}
}

/* An event that is shorter than its fixed members is damaged. */
static void events_without_all_members_are_damaged(void **state)
{
	static const struct {
		unsigned type, size;
	} rows[] = {{SPEMU_PERF_AUX, 24},          {SPEMU_PERF_TIME_CONV, 24},
	            {SPEMU_PERF_LOST, 16},         {SPEMU_PERF_ITRACE_START, 8},
	            {SPEMU_PERF_FORK, 24},         {SPEMU_PERF_EXIT, 24},
	            {SPEMU_PERF_FINISHED_ROUND, 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned size = 0; size <= 40; size++) {
			struct spemu_perf_cursor cursor = {0};
			struct spemu_perf_event event;
			struct spemu_perf_file *file;
			size_t data_at;

			begin(1);
			data_at = used;
			put(rows[i].type | (uint64_t)(8 + size) << 48);
			used += size;
			file = open_image(data_at);
			assert_int_equal(spemu_perf_next(file, &event, &cursor),
			                 size < rows[i].size ? SPEMU_ERR_CORRUPT : SPEMU_OK);
			spemu_perf_close(file);
		}
}

/* A cursor must be at an event of the data section or at the end of the section. 0 means its
 * beginning. */
static void cursor_outside_data_is_refused(void **state)
{
	struct event e = {.id = 1, .time = 2, .type = TIME | IDENTIFIER};
	struct spemu_perf_event event;
	struct spemu_perf_file *file;
	size_t data_at;

	(void)state;
	begin(1);
	attr(0, e.type, used, 0);
	data_at = used;
	put_event(&e);
	file = open_image(data_at);
	for (uint64_t at = 0; at < used + 20; at++) {
		struct spemu_perf_cursor cursor = {.offset = at};
		int status = spemu_perf_next(file, &event, &cursor);

		if (at == 0 || at == data_at)
			assert_int_equal(status, SPEMU_OK);
		else if (at == used)
			assert_int_equal(status, SPEMU_ERR_END);
		else if (at < data_at || at > used)
			assert_int_equal(status, SPEMU_ERR_INVALID);
		else
			assert_int_not_equal(status, SPEMU_ERR_INVALID);
	}
	spemu_perf_close(file);
	assert_int_equal(spemu_perf_open_memory(NULL, NULL, image, used), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, NULL, used), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_open_memory(&file, NULL, NULL, 0), SPEMU_ERR_INVALID);
}

/* The sections of ids may overlap. Together they must not be larger than the file. */
static void id_sections_larger_than_file_are_refused(void **state)
{
	(void)state;
	for (unsigned attrs = 1; attrs <= 4; attrs++) {
		for (size_t words = 20; words < 120; words++) {
			struct spemu_perf_file *file;
			int status;

			begin(attrs);
			for (unsigned i = 0; i < attrs; i++)
				attr(i, IDENTIFIER | (i ? TIME : 0), 0, 8 * words);
			used = 1000 - 1000 % 8 + 7;
			put_at(40, used, 8);
			status = spemu_perf_open_memory(&file, NULL, image, used);
			if (words > 125 / attrs && words * 8 <= used)
				assert_int_equal(status, SPEMU_ERR_CORRUPT);
			else
				assert_int_equal(status, words * 8 <= used ? SPEMU_OK
				                                           : SPEMU_ERR_TRUNCATED);
			spemu_perf_close(file);
		}
	}
}

/* The number of ids of an attr has 32 bits. A file of 32 GiB, which is sparse except for its
 * beginning, would have more. */
static void attr_with_2_32_ids_is_refused(void **state)
{
	const uint64_t room = (UINT64_C(1) << 35) + sizeof(image);
	uint8_t *large;

	(void)state;
	if (room > SIZE_MAX)
		NOT_HERE("addresses are 32 bits");
	large = mmap(NULL, (size_t)room, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (large == MAP_FAILED)
		NOT_HERE("there is no room for it");
	for (unsigned n = 0; n < 2; n++) {
		struct spemu_perf_attr got;
		struct spemu_perf_file *file;
		uint64_t where;

		begin(1);
		attr(0, IDENTIFIER, 0, 0);
		put_at(HEADER + ATTR + 8, 8 * (UINT32_MAX + (uint64_t)n), 8);
		put_at(40, used, 8);
		memcpy(large, image, used);
		assert_int_equal(spemu_perf_open_memory(&file, &where, large, (size_t)room),
		                 n ? SPEMU_ERR_CORRUPT : SPEMU_OK);
		assert_int_equal(where, n ? HEADER + ATTR : 0);
		if (n)
			continue;
		assert_int_equal(spemu_perf_attr(file, &got, 0), SPEMU_OK);
		assert_int_equal(got.n_ids, UINT32_MAX);
		spemu_perf_close(file);
	}
	munmap(large, (size_t)room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(id_selects_trailer_layout),
	        cmocka_unit_test(trailer_without_id_is_that_of_first_attr),
	        cmocka_unit_test(event_may_consist_of_its_id),
	        cmocka_unit_test(names_end_inside_their_event),
	        cmocka_unit_test(events_without_all_members_are_damaged),
	        cmocka_unit_test(cursor_outside_data_is_refused),
	        cmocka_unit_test(id_sections_larger_than_file_are_refused),
	        cmocka_unit_test(attr_with_2_32_ids_is_refused),
	};
	return cmocka_run_group_tests_name("perfdata_trailer", tests, NULL, NULL);
}
