/* SPDX-License-Identifier: MIT */
/* Test events with totals: their form for perf, and events of other sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>

/* Size of perf's struct perf_record_header_event_type, which newer versions of perf require. */
#define LEAST (8 + 8 + 64)
#define NUMBERS_AT (8 + 24)

static uint8_t buf[SPEMU_PERF_TOTALS_SIZE + 16];

static struct spemu_perf_event event_of(size_t size)
{
	return (struct spemu_perf_event){.type = (uint32_t)buf[0] | (uint32_t)buf[1] << 8,
	                                 .size = (uint16_t)size,
	                                 .body = buf + 8};
}

static int put(void)
{
	struct spemu_perf_totals totals = {.pid = 0x89abcdef, .tid = 0x12345678};

	for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++)
		totals.of[i] = UINT64_C(0xf1f2f3f4f5f6f700) + i;
	memset(buf, 0xee, sizeof(buf));
	return spemu_perf_put_totals(buf, SPEMU_PERF_TOTALS_SIZE, &totals);
}

static void numbers_return(void **state)
{
	struct spemu_perf_totals found;
	struct spemu_perf_event event;
	int size = put();

	(void)state;
	assert_int_equal(size, SPEMU_PERF_TOTALS_SIZE);
	assert_true(size >= LEAST && size % 8 == 0);
	assert_int_equal(buf[size], 0xee);
	/* The header: type 65, misc 0, size. */
	assert_memory_equal(buf, "\x41\0\0\0\0\0", 6);
	assert_int_equal(buf[6] | buf[7] << 8, size);
	event = event_of((size_t)size);
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_OK);
	assert_int_equal(found.pid, 0x89abcdef);
	assert_int_equal(found.tid, 0x12345678);
	for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++)
		assert_true(found.of[i] == UINT64_C(0xf1f2f3f4f5f6f700) + i);
}

/* A file of another version of spemu has other numbers of totals. */
static void other_counts_are_read(void **state)
{
	struct spemu_perf_totals found;
	struct spemu_perf_event event;

	(void)state;
	put();
	event = event_of(NUMBERS_AT + 2 * 8);
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_ERR_CORRUPT);
	assert_int_equal(found.pid, 0);
	buf[8 + 16] = 2;
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_OK);
	assert_true(found.of[1] == UINT64_C(0xf1f2f3f4f5f6f701) && found.of[2] == 0);
	buf[8 + 16] = SPEMU_PERF_TOTALS + 1;
	event = event_of(SPEMU_PERF_TOTALS_SIZE + 8);
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_OK);
	assert_int_equal(found.tid, 0x12345678);
	event = event_of(SPEMU_PERF_TOTALS_SIZE);
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_ERR_CORRUPT);
}

static void other_events_are_not_totals(void **state)
{
	const struct spemu_perf_copy copy = {.size = 0};
	struct spemu_perf_totals found;
	struct spemu_perf_copy part;
	struct spemu_perf_event event;
	int size = put();

	(void)state;
	event = event_of((size_t)size);
	assert_int_equal(spemu_perf_get_copy(&part, &event), SPEMU_ERR_INVALID);
	event.type = SPEMU_PERF_HEADER_BUILD_ID;
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_ERR_INVALID);
	event = event_of(NUMBERS_AT - 1);
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_ERR_INVALID);
	event = event_of((size_t)spemu_perf_put_copy(buf, sizeof(buf), &copy));
	assert_int_equal(spemu_perf_get_totals(&found, &event), SPEMU_ERR_INVALID);
}

static void bad_arguments_are_refused(void **state)
{
	struct spemu_perf_totals totals = {0};
	struct spemu_perf_event event;

	(void)state;
	put();
	event = event_of(SPEMU_PERF_TOTALS_SIZE);
	assert_int_equal(spemu_perf_put_totals(NULL, sizeof(buf), &totals), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_totals(buf, sizeof(buf), NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_totals(buf, SPEMU_PERF_TOTALS_SIZE - 1, &totals),
	                 SPEMU_ERR_NOSPACE);
	assert_int_equal(spemu_perf_get_totals(NULL, &event), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_get_totals(&totals, NULL), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_return),
	        cmocka_unit_test(other_counts_are_read),
	        cmocka_unit_test(other_events_are_not_totals),
	        cmocka_unit_test(bad_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
