/* SPDX-License-Identifier: MIT */
/*
 * Test decoding into arrays, where the decoder recognizes records by their shape. The result must
 * equal that of decoding one record at a time, whatever the stream contains.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2, D18.1.3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include "codec_random.h"
#include "share.h"

enum { RECORDS = 300, STREAM_MAX = RECORDS * 256, CAPACITY_MAX = 64 };

static uint8_t stream[STREAM_MAX];
static struct spemu_record written[RECORDS];
static size_t stream_size;
/* Shapes learned from all streams of all tests. A shape that was learned from one stream must never
 * affect another stream. */
static struct spemu_shapes shapes;

static const uint32_t always = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_CONTEXT(0) |
                               SPEMU_RECORD_COUNTER(0) | SPEMU_RECORD_EVENTS |
                               SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_TIMESTAMP;

static const char *const layouts[] = {
        "neoverse",          "dense", "words", "neoverse,align=128", "dense,align=16,pad=after",
        "words,order=pc:pa", "dense", "words", "neoverse,align=32",
};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

/* Write records of `kinds` different sorts. If `foreign` is not 0, on average one in `foreign`
 * records has a packet without a member. */
static void write_stream(uint64_t *seed, const char *text, unsigned kinds, unsigned foreign)
{
	struct spemu_layout layout;
	uint32_t sorts[16];

	assert_int_equal(spemu_layout_parse(&layout, NULL, text), SPEMU_OK);
	for (unsigned i = 0; i < kinds; i++)
		sorts[i] = always | ((uint32_t)random_next(seed) & RANDOM_RECORD_MEMBERS);
	stream_size = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		int size;

		random_record(&written[i], seed, sorts[random_next(seed) % kinds]);
		if (foreign && random_next(seed) % foreign == 0) {
			/* Address with INDEX 9, in the extended format. */
			stream[stream_size++] = 0x21;
			stream[stream_size++] = 0xb1;
			memset(stream + stream_size, 0x5a, 8);
			stream_size += 8;
		}
		size = spemu_record_encode(stream + stream_size, STREAM_MAX - stream_size,
		                           &written[i], &layout);
		assert_true(size > 0);
		stream_size += (size_t)size;
	}
}

/* Assert that spemu_decoder_next() and spemu_decoder_records() with `capacity` give the same
 * records. */
static void assert_same_stream(size_t capacity)
{
	static struct spemu_record records[CAPACITY_MAX];
	struct spemu_decoder by_one, dec;
	struct spemu_record rec;
	size_t count;
	int status, same;

	spemu_decoder_init(&by_one, stream, stream_size, 1000);
	spemu_decoder_init(&dec, stream, stream_size, 1000);
	do {
		memset(records, 0x5a, sizeof(records));
		status = spemu_decoder_records(&dec, &count, records, capacity, &shapes);
		assert_true(count <= capacity);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(spemu_decoder_next(&by_one, &rec), SPEMU_OK);
			assert_true(rec.offset == records[i].offset);
			assert_int_equal(rec.size, records[i].size);
			assert_same_record(&rec, &records[i]);
		}
		same = count < capacity ? spemu_decoder_next(&by_one, &rec) : SPEMU_OK;
		assert_int_equal(same, status);
		assert_ptr_equal(dec.pos, by_one.pos);
		assert_true(dec.skipped == by_one.skipped);
		assert_true(dec.skip_offset == by_one.skip_offset);
		assert_true(dec.skip_size == by_one.skip_size);
	} while (status == SPEMU_OK || status == SPEMU_ERR_CORRUPT);
}

static void shapes_decode_undamaged_records_as_written(void **state)
{
	static struct spemu_record records[RECORDS + 1];
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 20 * LAYOUTS; round++) {
		struct spemu_decoder dec;
		size_t count;

		write_stream(&seed, layouts[round % LAYOUTS], 1 + round % 16, 0);
		spemu_decoder_init(&dec, stream, stream_size, 0);
		assert_int_equal(spemu_decoder_records(&dec, &count, records, RECORDS + 1, &shapes),
		                 SPEMU_ERR_END);
		assert_int_equal(count, RECORDS);
		for (unsigned i = 0; i < RECORDS; i++) {
			records[i].present &= ~(uint32_t)SPEMU_RECORD_SUSPECT;
			assert_same_record(&records[i], &written[i]);
		}
		assert_int_equal(dec.skipped, 0);
	}
}

static void batch_decode_equals_single_decode(void **state)
{
	static const size_t capacity[] = {1, 5, CAPACITY_MAX};
	uint64_t seed = 2;

	(void)state;
	for (unsigned round = 0; round < 100 * LAYOUTS / test_share(); round++) {
		write_stream(&seed, layouts[round % LAYOUTS], 1 + round % 16, round % 3 * 20);
		assert_same_stream(capacity[round % 3]);
	}
}

/* Bytes of headers, padding and payloads change, appear or disappear. */
static void batch_decode_equals_single_decode_of_damaged_stream(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 400 * LAYOUTS / test_share(); round++) {
		size_t n = 1 + (size_t)(random_next(&seed) % 40), at;

		write_stream(&seed, layouts[round % LAYOUTS], 1 + round % 9, 0);
		for (unsigned i = 0; i < round % 30; i++) {
			at = (size_t)(random_next(&seed) % (stream_size - n));
			if (round % 4 == 1) {
				stream_size -= n;
				memmove(stream + at, stream + at + n, stream_size - at);
				continue;
			}
			stream[at] = round % 4 == 2 ? 0 : (uint8_t)random_next(&seed);
		}
		stream_size -= n;
		assert_same_stream(1 + round % CAPACITY_MAX);
	}
}

static void missing_arguments_are_refused(void **state)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	size_t count;

	(void)state;
	spemu_decoder_init(&dec, stream, 0, 0);
	assert_int_equal(spemu_decoder_records(NULL, &count, &rec, 1, &shapes), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_records(&dec, NULL, &rec, 1, &shapes), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_records(&dec, &count, NULL, 1, &shapes), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_records(&dec, &count, &rec, 0, &shapes), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_records(&dec, &count, &rec, 1, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_records(&dec, &count, &rec, 1, &shapes), SPEMU_ERR_END);
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(shapes_decode_undamaged_records_as_written),
	        cmocka_unit_test(batch_decode_equals_single_decode),
	        cmocka_unit_test(batch_decode_equals_single_decode_of_damaged_stream),
	        cmocka_unit_test(missing_arguments_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
