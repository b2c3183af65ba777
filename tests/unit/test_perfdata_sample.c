/* SPDX-License-Identifier: MIT */
/* Test that call stacks in a perf.data file are read as they were written. The members of
 * PERF_RECORD_SAMPLE are spelled out here byte by byte, from perf's format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/perfdata.h>
#include "perfdata/perf_file.h"

static uint8_t file[SPEMU_PERF_HEAD_MAX + 65536];
static size_t used;
static struct spemu_perf_head head;

static void begin(bool callchains)
{
	const struct spemu_perf_head_config config = {
	        .size = sizeof(config), .period = 1024, .callchains = callchains};
	int n;

	memset(file, 0, sizeof(file));
	n = spemu_perf_put_head(file, sizeof(file), &head, &config);
	assert_true(n > 0);
	used = (size_t)n;
}

static void finish(struct spemu_perf_file **f)
{
	memcpy(file + used, head.table, head.table_size);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, used - head.data_at, head.flags);
	assert_int_equal(spemu_perf_open_memory(f, NULL, file, used + head.table_size), SPEMU_OK);
}

static void put_word(uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		file[used++] = (uint8_t)(v >> 8 * i);
}

/* Return the number of attrs that HEADER_EVENT_DESC names, which is its first word. */
static unsigned named(const struct spemu_perf_file *f)
{
	const uint8_t *data;
	uint64_t size;

	assert_int_equal(spemu__perf_feature(f, &data, &size, SPEMU_PERF_FEAT_EVENT_DESC),
	                 SPEMU_OK);
	assert_true(size > 4);
	return data[0] | (unsigned)(data[1] | data[2] | data[3]) << 8;
}

static void second_attr_describes_call_stacks(void **state)
{
	struct spemu_perf_attr attr;
	struct spemu_perf_file *f;

	(void)state;
	begin(true);
	finish(&f);
	assert_int_equal(spemu_perf_attr(f, &attr, 0), SPEMU_OK);
	assert_int_equal(attr.type, SPEMU_PERF_PMU_TYPE);
	assert_string_equal(attr.name, "arm_spe_0//");
	assert_int_equal(attr.n_ids, 1);
	assert_int_equal(attr.ids[0], SPEMU_PERF_EVENT_ID);
	assert_int_equal(spemu_perf_attr(f, &attr, 1), SPEMU_OK);
	assert_int_equal(attr.type, 0);   /* PERF_TYPE_HARDWARE */
	assert_int_equal(attr.config, 1); /* PERF_COUNT_HW_INSTRUCTIONS */
	assert_int_equal(attr.sample_period, 1024);
	/* IP, TID, TIME, CALLCHAIN, CPU, RAW, IDENTIFIER */
	assert_int_equal(attr.sample_type, 1 | 2 | 4 | 0x20 | 0x80 | 0x400 | 0x10000);
	assert_string_equal(attr.name, "callchain");
	assert_int_equal(attr.n_ids, 1);
	assert_int_equal(attr.ids[0], SPEMU_PERF_CALLCHAIN_ID);
	assert_int_equal(spemu_perf_attr(f, &attr, 2), SPEMU_ERR_END);
	assert_int_equal(named(f), 2);
	spemu_perf_close(f);
	begin(false);
	finish(&f);
	assert_int_equal(named(f), 1);
	assert_int_equal(spemu_perf_attr(f, &attr, 1), SPEMU_ERR_END);
	spemu_perf_close(f);
}

static void call_stack_is_read_as_written(void **state)
{
	const struct spemu_perf_who who = {.pid = 7, .tid = 8, .time = 99, .cpu = 3};
	struct spemu_perf_frame frame = {.cfa = 0x7ffffffff0}, got;
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_sample sample;
	struct spemu_perf_event event;
	struct spemu_perf_file *f;
	uint64_t stack[SPEMU_PERF_CALLCHAIN_MAX + 1];

	(void)state;
	for (uint32_t i = 0; i < SPEMU_PERF_CALLCHAIN_MAX + 1; i++)
		stack[i] = 0x1000 + 4 * i;
	begin(true);
	for (uint32_t n = 1; n <= SPEMU_PERF_CALLCHAIN_MAX; n += 63) {
		size_t size = SPEMU_PERF_CALLCHAIN_SIZE(n);

		frame.caller = n - 1;
		assert_int_equal(
		        spemu_perf_put_sample(file + used, size - 1, &who, stack, n, &frame),
		        SPEMU_ERR_NOSPACE);
		assert_int_equal(spemu_perf_put_sample(file + used, size, &who, stack, n, &frame),
		                 (int)size);
		used += size;
		frame.caller = n;
		assert_int_equal(spemu_perf_put_sample(file + used, 65536, &who, stack, n, &frame),
		                 SPEMU_ERR_INVALID);
	}
	frame.caller = 0;
	assert_int_equal(spemu_perf_put_sample(file + used, 65536, &who, stack, 1, NULL),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_sample(file + used, 65536, &who, stack, 0, &frame),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_put_sample(file + used, 65536, &who, stack,
	                                       SPEMU_PERF_CALLCHAIN_MAX + 1, &frame),
	                 SPEMU_ERR_INVALID);
	finish(&f);
	for (uint32_t n = 1; n <= SPEMU_PERF_CALLCHAIN_MAX; n += 63) {
		assert_int_equal(spemu_perf_next(f, &event, &cursor), SPEMU_OK);
		assert_int_equal(event.type, SPEMU_PERF_SAMPLE);
		assert_int_equal(event.misc, SPEMU_PERF_MISC_USER);
		assert_int_equal(spemu_perf_sample(f, &sample, &event), SPEMU_OK);
		assert_int_equal(sample.valid, SPEMU_PERF_CALLCHAIN_SAMPLE_TYPE);
		assert_int_equal(sample.id, SPEMU_PERF_CALLCHAIN_ID);
		assert_int_equal(sample.ip, stack[0]);
		assert_int_equal(sample.pid, 7);
		assert_int_equal(sample.tid, 8);
		assert_int_equal(sample.time, 99);
		assert_int_equal(sample.cpu, 3);
		assert_int_equal(sample.n_chain, n + 1);
		assert_int_equal(spemu_perf_sample_chain(&sample, 0), SPEMU_PERF_CONTEXT_USER);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(spemu_perf_sample_chain(&sample, i + 1), stack[i]);
		assert_int_equal(spemu_perf_sample_chain(&sample, n + 1), 0);
		assert_int_equal(spemu_perf_sample_frame(&got, &sample),
		                 n > 1 ? SPEMU_OK : SPEMU_ERR_INVALID);
		assert_int_equal(got.caller, n - 1);
		assert_int_equal(got.cfa, n > 1 ? 0x7ffffffff0 : 0);
	}
	assert_int_equal(spemu_perf_next(f, &event, &cursor), SPEMU_ERR_END);
	spemu_perf_close(f);
}

/* Write a sample by hand: IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN and RAW, in the order of the
 * kernel's header. The raw data states `raw` bytes, and has 12. */
static void put_by_hand(uint64_t id, uint64_t n, size_t words, uint32_t raw)
{
	size_t size = 8 + 8 * 8 + 8 * words;

	put_word(SPEMU_PERF_SAMPLE, 4);
	put_word(SPEMU_PERF_MISC_USER, 2);
	put_word(size, 2);
	put_word(id, 8);
	put_word(0x4444, 8);
	put_word(11, 4);
	put_word(12, 4);
	put_word(500, 8);
	put_word(2, 4);
	put_word(0, 4);
	put_word(n, 8);
	for (size_t i = 0; i < words; i++)
		put_word(0x100 + i, 8);
	put_word(raw, 4);
	put_word(1, 4);
	put_word(0x8000, 8);
}

static void call_stack_stays_inside_its_event(void **state)
{
	/* The number of addresses that the sample states, the number that it has, the bytes of raw
	 * data that it states, and the expected statuses of the sample and of its frame. */
	static const struct {
		uint64_t n;
		size_t words;
		uint32_t raw;
		int status, frame;
	} each[] = {
	        {2, 2, 12, SPEMU_OK, SPEMU_OK},
	        {0, 0, 12, SPEMU_OK, SPEMU_OK},
	        {2, 2, 4, SPEMU_OK, SPEMU_ERR_INVALID},
	        {2, 2, 0, SPEMU_OK, SPEMU_ERR_INVALID},
	        {2, 2, 13, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	        {2, 2, UINT32_MAX, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	        {1, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID}, /* raw data of 0x101 bytes */
	        {4, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID}, /* no raw data */
	        {5, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	        {UINT64_MAX, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	        {UINT64_C(1) << 61, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	        {(UINT64_C(1) << 32) + 1, 2, 12, SPEMU_ERR_CORRUPT, SPEMU_ERR_INVALID},
	};
	struct spemu_perf_frame frame;
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_sample sample;
	struct spemu_perf_event event;
	struct spemu_perf_file *f;

	(void)state;
	begin(true);
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		put_by_hand(SPEMU_PERF_CALLCHAIN_ID, each[i].n, each[i].words, each[i].raw);
	finish(&f);
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		assert_int_equal(spemu_perf_next(f, &event, &cursor), SPEMU_OK);
		assert_int_equal(spemu_perf_sample(f, &sample, &event), each[i].status);
		assert_int_equal(spemu_perf_sample_frame(&frame, &sample), each[i].frame);
		assert_int_equal(frame.cfa, each[i].frame ? 0 : 0x8000);
		if (each[i].status)
			continue;
		assert_int_equal(sample.ip, 0x4444);
		assert_int_equal(sample.tid, 12);
		assert_int_equal(sample.n_chain, each[i].n);
		if (each[i].n)
			assert_int_equal(spemu_perf_sample_chain(&sample, 0), 0x100);
	}
	spemu_perf_close(f);
}

/* The id selects the attr that describes the members of a sample. A sample of the trace's attr has
 * no call stack. */
static void sample_id_selects_members(void **state)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_sample sample;
	struct spemu_perf_event event;
	struct spemu_perf_file *f;

	(void)state;
	begin(true);
	put_by_hand(SPEMU_PERF_EVENT_ID, 2, 2, 12);
	/* Events with a trailer are read in the same way as without the second attr. */
	used += (size_t)spemu_perf_put_comm(file + used, 64,
	                                    &(struct spemu_perf_who){.pid = 3, .tid = 4, .time = 5},
	                                    "a", false);
	finish(&f);
	assert_int_equal(spemu_perf_next(f, &event, &cursor), SPEMU_OK);
	assert_int_equal(spemu_perf_sample(f, &sample, &event), SPEMU_OK);
	assert_int_equal(sample.ip, 0x4444);
	assert_int_equal(sample.n_chain, 0);
	assert_null(sample.chain);
	assert_int_equal(spemu_perf_next(f, &event, &cursor), SPEMU_OK);
	assert_int_equal(event.who.tid, 4);
	assert_int_equal(event.who.time, 5);
	assert_int_equal(spemu_perf_sample(f, &sample, &event), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_perf_sample(NULL, &sample, &event), SPEMU_ERR_INVALID);
	spemu_perf_close(f);
}

/* The recorder died, and its file is repaired from the head. The repaired head must have both
 * attrs, too. */
static void repaired_file_has_two_attrs(void **state)
{
	struct spemu_perf_head again;
	uint64_t data_size;

	(void)state;
	begin(true);
	put_by_hand(SPEMU_PERF_CALLCHAIN_ID, 2, 2, 12);
	spemu_perf_put_sizes(file + SPEMU_PERF_SIZES_AT, used - head.data_at, 0);
	assert_int_equal(spemu_perf_get_head(&again, &data_size, file, used), SPEMU_OK);
	assert_int_equal(again.data_at, head.data_at);
	assert_int_equal(again.flags, head.flags);
	assert_int_equal(again.table_size, head.table_size);
	assert_memory_equal(again.table, head.table, head.table_size);
	assert_int_equal(data_size, used - head.data_at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(second_attr_describes_call_stacks),
	        cmocka_unit_test(call_stack_is_read_as_written),
	        cmocka_unit_test(call_stack_stays_inside_its_event),
	        cmocka_unit_test(sample_id_selects_members),
	        cmocka_unit_test(repaired_file_has_two_attrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
