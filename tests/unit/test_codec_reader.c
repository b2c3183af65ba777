/* SPDX-License-Identifier: MIT */
/*
 * Streams through a callback that gives them in pieces of any size, and records as columns: the same
 * as from memory.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include "codec_random.h"

enum { RECORDS = 4000, STREAM_MAX = RECORDS * 160 };

static uint8_t stream[STREAM_MAX];
static size_t stream_size;
static uint8_t window[SPEMU_READER_WINDOW_MIN];

struct source {
	size_t at, size;
	uint64_t seed;
	size_t most; /* bytes a call */
	int fails;   /* instead of ending */
};

static ptrdiff_t give(void *ctx, void *buf, size_t size)
{
	struct source *s = ctx;
	size_t n = 1 + (size_t)(random_next(&s->seed) % s->most);

	assert_true(size > 0);
	if (s->at == s->size)
		return s->fails ? -1 : 0;
	if (n > size)
		n = size;
	if (n > s->size - s->at)
		n = s->size - s->at;
	memcpy(buf, stream + s->at, n);
	s->at += n;
	return (ptrdiff_t)n;
}

static void write_stream(uint64_t seed, unsigned padding)
{
	const uint32_t always = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_CONTEXT(0) |
	                        SPEMU_RECORD_COUNTER(0) | SPEMU_RECORD_EVENTS |
	                        SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_TIMESTAMP;

	stream_size = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		struct spemu_record rec;
		size_t pad = padding && random_next(&seed) % 64 == 0 ? padding : 0;
		int size;

		random_record(&rec, &seed,
		              ((uint32_t)random_next(&seed) & SPEMU_RECORD_ADDR(2)) | always);
		if (STREAM_MAX - stream_size < 160 + pad)
			break;
		size = spemu_record_encode(stream + stream_size, STREAM_MAX - stream_size, &rec,
		                           &spemu_layout_neoverse);
		assert_true(size > 0);
		stream_size += (size_t)size;
		memset(stream + stream_size, 0, pad);
		stream_size += pad;
	}
}

static void as_from_memory(void **state)
{
	static const size_t most[] = {1, 7, 1000, 100000};
	static const unsigned padding[] = {0, 40000};

	(void)state;
	for (unsigned round = 0; round < 8; round++) {
		struct source s = {.seed = round, .most = most[round % 4]};
		struct spemu_reader reader;
		struct spemu_decoder dec;
		struct spemu_record a, b;
		int status;

		write_stream(round, padding[round / 4]);
		s.size = stream_size;
		assert_int_equal(spemu_reader_init(&reader, window, sizeof(window), give, &s, 77),
		                 SPEMU_OK);
		spemu_decoder_init(&dec, stream, stream_size, 77);
		do {
			memset(&a, 0, sizeof(a));
			memset(&b, 0, sizeof(b));
			status = spemu_decoder_next(&dec, &a);
			assert_int_equal(spemu_reader_next(&reader, &b), status);
			assert_true(a.offset == b.offset);
			assert_int_equal(a.size, b.size);
			assert_same_record(&a, &b);
		} while (status == SPEMU_OK);
		assert_int_equal(status, SPEMU_ERR_END);
		assert_int_equal(reader.decoder.skipped, 0);
	}
}

/* Member for member: what lies between them is nobody's. */
static void assert_same_packet(const struct spemu_packet *a, const struct spemu_packet *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->header_size, b->header_size);
	assert_int_equal(a->payload_size, b->payload_size);
	assert_memory_equal(a->header, b->header, a->header_size);
	assert_true(a->payload == b->payload);
}

static void packets_as_from_memory(void **state)
{
	struct source s = {.seed = 1, .most = 333};
	struct spemu_reader reader;
	struct spemu_decoder dec;
	struct spemu_packet a, b;
	int size;

	(void)state;
	write_stream(9, 0);
	s.size = stream_size - 3;
	assert_int_equal(spemu_reader_init(&reader, window, sizeof(window), give, &s, 0), SPEMU_OK);
	spemu_decoder_init(&dec, stream, stream_size - 3, 0);
	do {
		size = spemu_decoder_next_packet(&dec, &a);
		assert_int_equal(spemu_reader_next_packet(&reader, &b), size);
		if (size > 0)
			assert_same_packet(&a, &b);
	} while (size > 0);
	assert_int_equal(size, SPEMU_ERR_TRUNCATED);
}

/* What was read before a failure comes out, then the failure. */
static void failure(void **state)
{
	struct source s = {.seed = 1, .most = 100, .fails = 1};
	struct spemu_reader reader;
	struct spemu_record rec;
	unsigned n = 0;
	int status;

	(void)state;
	write_stream(10, 0);
	s.size = 10 * 64;
	assert_int_equal(spemu_reader_init(&reader, window, sizeof(window), give, &s, 0), SPEMU_OK);
	while ((status = spemu_reader_next(&reader, &rec)) == SPEMU_OK)
		n++;
	assert_true(n >= 4 && n <= 10);
	assert_int_equal(status, SPEMU_ERR_IO);
	assert_int_equal(spemu_reader_next(&reader, &rec), SPEMU_ERR_IO);
	assert_int_equal(spemu_reader_init(&reader, window, sizeof(window) - 1, give, &s, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(&reader, window, sizeof(window), NULL, &s, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(NULL, window, sizeof(window), give, &s, 0),
	                 SPEMU_ERR_INVALID);
}

static void columns(void **state)
{
	enum { ROWS = 300 };
	static uint64_t offset[ROWS], addr[8][ROWS], events[ROWS], timestamp[ROWS];
	static uint32_t present[ROWS], context[2][ROWS];
	static uint16_t counter[8][ROWS], source[ROWS];
	static uint8_t op_class[ROWS], op_subclass[ROWS];
	struct spemu_columns all = {.capacity = ROWS,
	                            .offset = offset,
	                            .present = present,
	                            .events = events,
	                            .timestamp = timestamp,
	                            .data_source = source,
	                            .op_class = op_class,
	                            .op_subclass = op_subclass};
	struct spemu_columns one = {.capacity = 7, .timestamp = timestamp};
	struct source s = {.seed = 2, .most = 5000};
	struct spemu_decoder dec, by_one, again;
	struct spemu_reader reader;
	struct spemu_record rec;
	size_t count, total = 0;
	int status;

	(void)state;
	for (unsigned k = 0; k < 8; k++) {
		all.addr[k] = addr[k];
		all.counter[k] = counter[k];
	}
	all.context[0] = context[0];
	all.context[1] = context[1];
	write_stream(11, 0);
	spemu_decoder_init(&dec, stream, stream_size, 5);
	spemu_decoder_init(&by_one, stream, stream_size, 5);
	do {
		status = spemu_decoder_batch(&dec, &count, &all);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(spemu_decoder_next(&by_one, &rec), SPEMU_OK);
			assert_true(offset[i] == rec.offset && present[i] == rec.present);
			for (unsigned k = 0; k < 8; k++) {
				assert_true(addr[k][i] == rec.addr[k]);
				assert_int_equal(counter[k][i], rec.counter[k]);
			}
			assert_true(context[0][i] == rec.context[0]);
			assert_true(context[1][i] == rec.context[1]);
			assert_true(events[i] == rec.events && timestamp[i] == rec.timestamp);
			assert_int_equal(source[i], rec.data_source);
			assert_int_equal(op_class[i], rec.op_class);
			assert_int_equal(op_subclass[i], rec.op_subclass);
		}
		total += count;
	} while (status == SPEMU_OK);
	assert_int_equal(status, SPEMU_ERR_END);
	assert_int_equal(total, RECORDS);
	assert_int_equal(spemu_decoder_next(&by_one, &rec), SPEMU_ERR_END);

	s.size = stream_size;
	spemu_decoder_init(&again, stream, stream_size, 0);
	memset(timestamp, 0, sizeof(timestamp));
	assert_int_equal(spemu_reader_init(&reader, window, sizeof(window), give, &s, 0), SPEMU_OK);
	for (total = 0; (status = spemu_reader_batch(&reader, &count, &one)) == SPEMU_OK;
	     total += count) {
		assert_int_equal(count, 7);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(spemu_decoder_next(&again, &rec), SPEMU_OK);
			assert_true(timestamp[i] == rec.timestamp);
		}
	}
	assert_int_equal(status, SPEMU_ERR_END);
	assert_int_equal(total + count, RECORDS);
	one.capacity = 0;
	assert_int_equal(spemu_decoder_batch(&dec, &count, &one), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_batch(&dec, NULL, &all), SPEMU_ERR_INVALID);
}

/* Whatever the capacity, with damage too: the records and the statuses of spemu_decoder_next(), and nothing
 * past the last element. */
static void batches_of_any_size(void **state)
{
	enum { MOST = 100 };
	static const size_t capacities[] = {1, 31, 32, 33, 63, 64, 65, MOST};
	static uint64_t offset[MOST + 1];
	static uint8_t damaged[sizeof(stream)];

	(void)state;
	write_stream(12, 0);
	memcpy(damaged, stream, stream_size);
	memset(damaged + stream_size / 3, 0xff, 200);
	for (size_t k = 0; k < sizeof(capacities) / sizeof(*capacities); k++) {
		struct spemu_columns one = {.capacity = capacities[k], .offset = offset};
		struct spemu_decoder dec, by_one;
		unsigned damages = 0;
		int status;

		spemu_decoder_init(&dec, damaged, stream_size - 1, 0);
		spemu_decoder_init(&by_one, damaged, stream_size - 1, 0);
		do {
			struct spemu_record rec;
			size_t count;

			offset[one.capacity] = 0x5a5a;
			status = spemu_decoder_batch(&dec, &count, &one);
			assert_true(offset[one.capacity] == 0x5a5a);
			assert_true(count <= one.capacity);
			assert_int_equal(count == one.capacity, status == SPEMU_OK);
			for (size_t i = 0; i < count; i++) {
				assert_int_equal(spemu_decoder_next(&by_one, &rec), SPEMU_OK);
				assert_true(offset[i] == rec.offset);
			}
			if (status != SPEMU_OK)
				assert_int_equal(spemu_decoder_next(&by_one, &rec), status);
			assert_true(dec.skipped == by_one.skipped);
			damages += status == SPEMU_ERR_CORRUPT;
		} while (status == SPEMU_OK || status == SPEMU_ERR_CORRUPT);
		assert_true(damages > 0);
		assert_int_equal(status, SPEMU_ERR_TRUNCATED);
	}
}

/* Each member of a record has its column. */
static void every_column(void **state)
{
	static uint64_t addr[8];
	static uint16_t counter[8];
	static uint32_t context[2];
	struct spemu_record rec = {.present = (SPEMU_RECORD_ADDR(8) - 1) |
	                                      (SPEMU_RECORD_COUNTER(8) - SPEMU_RECORD_COUNTER0) |
	                                      SPEMU_RECORD_CONTEXT(0) | SPEMU_RECORD_CONTEXT(1)};
	struct spemu_columns all = {.capacity = 1, .context = {&context[0], &context[1]}};
	struct spemu_decoder dec;
	uint8_t bytes[256];
	size_t count;
	int size;

	(void)state;
	for (unsigned k = 0; k < 8; k++) {
		rec.addr[k] = 0x1000 + k;
		rec.counter[k] = (uint16_t)(100 + k);
		all.addr[k] = &addr[k];
		all.counter[k] = &counter[k];
	}
	rec.context[0] = 7;
	rec.context[1] = 8;
	size = spemu_record_encode(bytes, sizeof(bytes), &rec, &spemu_layout_dense);
	assert_true(size > 0);
	spemu_decoder_init(&dec, bytes, (size_t)size, 0);
	assert_int_equal(spemu_decoder_batch(&dec, &count, &all), SPEMU_OK);
	assert_int_equal(count, 1);
	for (unsigned k = 0; k < 8; k++) {
		assert_true(addr[k] == 0x1000 + k);
		assert_int_equal(counter[k], 100 + k);
	}
	assert_true(context[0] == 7 && context[1] == 8);
}

static ptrdiff_t give_too_much(void *ctx, void *buf, size_t size)
{
	(void)ctx;
	memset(buf, 0, size);
	return (ptrdiff_t)size + 1;
}

static void what_is_missing_or_too_much(void **state)
{
	struct spemu_reader reader;
	struct spemu_decoder dec;
	struct spemu_record rec;
	struct source s = {0, 0, 1, 1, 0};
	uint64_t pc[1];
	struct spemu_columns one = {.capacity = 1, .addr = {pc}}, none = {.capacity = 0};
	size_t count, size = sizeof(window);

	(void)state;
	assert_int_equal(spemu_reader_init(NULL, window, size, give, &s, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(&reader, NULL, size, give, &s, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(&reader, window, size, NULL, &s, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(&reader, window, size - 1, give, &s, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_init(&reader, window, size, give, &s, 0), SPEMU_OK);
	assert_int_equal(spemu_reader_batch(NULL, &count, &one), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_batch(&reader, NULL, &one), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_batch(&reader, &count, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_batch(&reader, &count, &none), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reader_batch(&reader, &count, &one), SPEMU_ERR_END);
	spemu_decoder_init(&dec, stream, 0, 0);
	assert_int_equal(spemu_decoder_batch(NULL, &count, &one), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_batch(&dec, NULL, &one), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_batch(&dec, &count, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_batch(&dec, &count, &none), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_decoder_batch(&dec, &count, &one), SPEMU_ERR_END);
	/* A callback that says to have written past the window has failed. */
	assert_int_equal(spemu_reader_init(&reader, window, size, give_too_much, NULL, 0),
	                 SPEMU_OK);
	assert_int_equal(spemu_reader_next(&reader, &rec), SPEMU_ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(as_from_memory),
	        cmocka_unit_test(packets_as_from_memory),
	        cmocka_unit_test(failure),
	        cmocka_unit_test(columns),
	        cmocka_unit_test(batches_of_any_size),
	        cmocka_unit_test(every_column),
	        cmocka_unit_test(what_is_missing_or_too_much),
	};
	return cmocka_run_group_tests_name("codec_reader", tests, NULL, NULL);
}
