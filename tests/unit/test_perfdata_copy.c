/* SPDX-License-Identifier: MIT */
/* Test events with copies of files: their form for perf, and the limits of their members. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

/* Size of perf's struct perf_record_header_event_type, which newer versions of perf require. */
#define LEAST (8 + 8 + 64)

static uint8_t buf[SPEMU_PERF_EVENT_MAX + 8], data[SPEMU_PERF_COPY_MAX + 1];

/* Describe the event in buf as a reader does. */
static struct spemu_perf_event event_of(int size)
{
	return (struct spemu_perf_event){.type = (uint32_t)buf[0] | (uint32_t)buf[1] << 8,
	                                 .size = (uint16_t)size,
	                                 .body = buf + 8};
}

static void contents_return(void **state)
{
	static const uint32_t sizes[] = {0, 1, 39, 40, 41, 8192, SPEMU_PERF_COPY_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const struct spemu_perf_copy copy = {.kind = SPEMU_PERF_COPY_DUMP,
		                                     .pid = 0x89abcdef,
		                                     .offset = UINT64_C(1) << 40 | 5,
		                                     .size = sizes[i],
		                                     .data = sizes[i] ? data : NULL};
		struct spemu_perf_copy found;
		struct spemu_perf_event event;
		int size;

		memset(buf, 0xee, sizeof(buf));
		size = spemu_perf_put_copy(buf, sizeof(buf), &copy);
		assert_true(size >= LEAST && size % 8 == 0 && size <= SPEMU_PERF_EVENT_MAX);
		assert_true(size < LEAST + 8 || (unsigned)size < sizes[i] + LEAST);
		assert_int_equal(buf[size], 0xee);
		/* The header: type 65, misc 0, size. */
		assert_memory_equal(buf, "\x41\0\0\0\0\0", 6);
		assert_int_equal(buf[6] | buf[7] << 8, size);
		event = event_of(size);
		assert_int_equal(spemu_perf_get_copy(&found, &event), SPEMU_OK);
		assert_int_equal(found.kind, copy.kind);
		assert_int_equal(found.pid, copy.pid);
		assert_true(found.offset == copy.offset);
		assert_int_equal(found.size, copy.size);
		assert_memory_equal(found.data, data, copy.size);
		memset(buf, 0xee, sizeof(buf));
		assert_int_equal(spemu_perf_put_copy(buf, (size_t)size - 1, &copy),
		                 SPEMU_ERR_NOSPACE);
		assert_int_equal(buf[0], 0xee);
	}
}

static void bad_arguments_are_refused(void **state)
{
	struct spemu_perf_copy copy = {.size = SPEMU_PERF_COPY_MAX + 1, .data = data};

	(void)state;
	assert_int_equal(spemu_perf_put_copy(buf, sizeof(buf), &copy), SPEMU_ERR_INVALID);
	copy = (struct spemu_perf_copy){.size = 1};
	assert_int_equal(spemu_perf_put_copy(buf, sizeof(buf), &copy), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_copy(buf, sizeof(buf), NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_copy(NULL, 0, &copy), SPEMU_ERR_INVALID);
}

static void other_events_are_not_copies(void **state)
{
	const struct spemu_perf_copy copy = {.size = 100, .data = data};
	struct spemu_perf_copy found;
	struct spemu_perf_event event;
	int size = spemu_perf_put_copy(buf, sizeof(buf), &copy);

	(void)state;
	event = event_of(size);
	event.type = SPEMU_PERF_HEADER_BUILD_ID;
	assert_int_equal(spemu_perf_get_copy(&found, &event), SPEMU_ERR_INVALID);
	for (int cut = 8; cut <= size; cut++) {
		event = event_of(cut);
		/* 32 bytes of numbers precede the data. */
		assert_int_equal(spemu_perf_get_copy(&found, &event),
		                 cut < 8 + 32         ? SPEMU_ERR_INVALID
		                 : cut < 8 + 32 + 100 ? SPEMU_ERR_CORRUPT
		                                      : SPEMU_OK);
	}
	event = event_of(size);
	for (unsigned i = 0; i < 8; i++) { /* an event type of an old perf has another event_id */
		buf[8 + i] ^= 1;
		assert_int_equal(spemu_perf_get_copy(&found, &event), SPEMU_ERR_INVALID);
		buf[8 + i] ^= 1;
	}
	assert_int_equal(spemu_perf_get_copy(&found, &event), SPEMU_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(contents_return),
	        cmocka_unit_test(bad_arguments_are_refused),
	        cmocka_unit_test(other_events_are_not_copies),
	};
	return cmocka_run_group_tests_name("perfdata_copy", tests, NULL, NULL);
}
