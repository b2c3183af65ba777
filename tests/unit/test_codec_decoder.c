/* SPDX-License-Identifier: MIT */
/*
 * Test the decoder with streams of records: offsets, padding, every truncation, overlong records
 * and unknown packets.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2, D18.1.3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include "codec_random.h"

enum { RECORDS = 40 };

static uint8_t stream[RECORDS * 512];
static struct spemu_record written[RECORDS];
static size_t stream_size;

/* D17.6, D18.2: the members that every record has if the first Context packet is enabled, and the
 * members that all records have if enabled. */
static const uint32_t for_all_operations = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_CONTEXT(0) |
                                           SPEMU_RECORD_COUNTER(0) | SPEMU_RECORD_EVENTS |
                                           SPEMU_RECORD_OP_TYPE;
static const uint32_t if_enabled = SPEMU_RECORD_CONTEXT(1) | SPEMU_RECORD_TIMESTAMP;

/* Write records in every layout one after another. Some have additional padding between them. */
static void write_stream(uint64_t seed)
{
	const uint32_t enabled =
	        (seed & 1 ? SPEMU_RECORD_CONTEXT(1) : 0) | (seed & 2 ? SPEMU_RECORD_TIMESTAMP : 0);

	stream_size = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		const struct spemu_layout *layout =
		        i % 2 ? &spemu_layout_neoverse : &spemu_layout_dense;
		int size;

		random_record(&written[i], &seed,
		              ((uint32_t)random_next(&seed) & RANDOM_RECORD_MEMBERS & ~if_enabled) |
		                      for_all_operations | enabled);
		size = spemu_record_encode(stream + stream_size, sizeof(stream) - stream_size,
		                           &written[i], layout);
		assert_true(size > 0);
		written[i].offset = stream_size;
		written[i].size = (uint32_t)size;
		stream_size += (size_t)size;
		for (unsigned pad = (unsigned)(random_next(&seed) % 20); pad > 0; pad--)
			stream[stream_size++] = 0;
	}
}

static void decoded_records_have_offset_and_size(void **state)
{
	const uint64_t base = UINT64_C(0x123456789a);

	(void)state;
	for (uint64_t seed = 10; seed < 200; seed++) {
		struct spemu_decoder dec;
		struct spemu_record rec;

		write_stream(seed);
		spemu_decoder_init(&dec, stream, stream_size, base);
		for (unsigned i = 0; i < RECORDS; i++) {
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
			assert_true(rec.offset == base + written[i].offset);
			assert_int_equal(rec.size, written[i].size);
			assert_int_equal(dec.pos - dec.begin, written[i].offset + written[i].size);
			assert_same_record(&rec, &written[i]);
		}
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
		assert_ptr_equal(dec.pos, dec.end);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
		assert_int_equal(dec.skipped, 0);
	}
}

/* A truncated stream gives the records before the cut, and then the expected error. The buffer has
 * the exact size, so a memory checker finds any read beyond it. */
static void truncated_stream_gives_records_before_the_cut(void **state)
{
	(void)state;
	write_stream(7);
	for (size_t cut = 0; cut <= stream_size; cut++) {
		uint8_t *buf = malloc(cut ? cut : 1);
		struct spemu_decoder dec;
		struct spemu_record rec;
		unsigned whole = 0;
		int status, expect = SPEMU_ERR_END;

		assert_non_null(buf);
		memcpy(buf, stream, cut);
		while (whole < RECORDS && written[whole].offset + written[whole].size <= cut)
			whole++;
		if (whole < RECORDS && written[whole].offset < cut)
			expect = SPEMU_ERR_TRUNCATED;
		spemu_decoder_init(&dec, buf, cut, 0);
		for (unsigned i = 0; i < whole; i++) {
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
			assert_int_equal(rec.offset, written[i].offset);
			assert_int_equal(rec.size, written[i].size);
			assert_same_record(&rec, &written[i]);
		}
		for (unsigned again = 0; again < 2; again++) {
			status = spemu_decoder_next(&dec, &rec);
			assert_int_equal(status, expect);
			assert_int_equal(dec.pos - dec.begin,
			                 expect == SPEMU_ERR_END ? cut : written[whole].offset);
		}
		assert_int_equal(dec.skipped, 0);
		free(buf);
	}
}

static void packets_and_records_agree(void **state)
{
	struct spemu_decoder dec;
	struct spemu_packet pkt;
	unsigned ends = 0;
	size_t total = 0;
	int size;

	(void)state;
	write_stream(8);
	spemu_decoder_init(&dec, stream, stream_size, 0);
	while ((size = spemu_decoder_next_packet(&dec, &pkt)) > 0) {
		uint8_t again[10];

		assert_int_equal(spemu_packet_encode(again, sizeof(again), &pkt), size);
		assert_memory_equal(again, stream + total, (size_t)size);
		total += (size_t)size;
		assert_int_equal(dec.pos - dec.begin, total);
		if (pkt.type == SPEMU_PKT_END || pkt.type == SPEMU_PKT_TIMESTAMP) {
			assert_int_equal(total, written[ends].offset + written[ends].size);
			ends++;
		}
	}
	assert_int_equal(size, SPEMU_ERR_END);
	assert_int_equal(total, stream_size);
	assert_int_equal(ends, RECORDS);
	/* The decoder starts at the second packet of a record. It rejects the rest of that record,
	 * because all other records have a Context packet. */
	spemu_decoder_init(&dec, stream, stream_size, 0);
	assert_int_equal(spemu_decoder_next_packet(&dec, &pkt), 5);
	{
		struct spemu_record rec;

		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_CORRUPT);
		assert_int_equal(dec.skip_offset, 5);
		assert_int_equal(dec.skip_size, written[0].size - 5);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
		assert_int_equal(rec.offset, written[1].offset);
		assert_same_record(&rec, &written[1]);
	}
	spemu_decoder_init(&dec, (const uint8_t *)"\xb0\x01", 2, 0);
	assert_int_equal(spemu_decoder_next_packet(&dec, &pkt), SPEMU_ERR_TRUNCATED);
	assert_ptr_equal(dec.pos, dec.begin);
}

/* D18.1.3: unknown packets, and packets without a member, are skipped by their size and noted. */
static void packets_without_a_member_are_skipped_and_noted(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} packets[] = {
	        {"\x02", 1},
	        {"\x20\x00", 2},
	        {"\x3f\x7f\1\1\1\1\1\1\1\1", 10},
	        {"\x80\x01", 2},
	        {"\xd5\x01\x71", 3},
	        {"\xee\x01\x71\x01\x01", 5},
	        {"\xf0\1\1\1\1\1\1\1\1", 9},
	        {"\x21\xb0\1\1\1\1\1\1\1\1", 10},
	        {"\x21\x98\x01\x01", 4},
	        {"\x66\x01\x01\x01\x01", 5},
	        {"\x67\x01\x01\x01\x01", 5},
	        {"\x63\x01\x01\x01\x01", 5},
	        {"\x73\1\1\1\1\1\1\1\1", 9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		uint8_t buf[64] = {0x99, 0x34, 0x12};
		struct spemu_decoder dec;
		struct spemu_record rec,
		        expect = {.present = SPEMU_RECORD_COUNTER(1) | SPEMU_RECORD_OTHER,
		                  .counter = {0, 0x1234}};

		memcpy(buf + 3, packets[i].bytes, packets[i].size);
		buf[3 + packets[i].size] = 0x01;
		spemu_decoder_init(&dec, buf, sizeof(buf), 0);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
		assert_int_equal(rec.offset, 0);
		assert_int_equal(rec.size, 3 + packets[i].size + 1);
		assert_same_record(&rec, &expect);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
	}
}

/* Padding of any length may precede any header. */
static void padding_of_any_length_ends_at_a_header(void **state)
{
	(void)state;
	for (unsigned header = 1; header < 256; header++) {
		for (unsigned padding = 0; padding < 20; padding++) {
			uint8_t buf[64] = {0};
			struct spemu_decoder dec;
			struct spemu_record rec;

			buf[padding] = (uint8_t)header;
			memset(buf + padding + 1, 0x01, 10);
			spemu_decoder_init(&dec, buf, sizeof(buf), 0);
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
			assert_int_equal(rec.offset, padding);
		}
	}
}

static void extended_headers_decode_and_last_repeat_wins(void **state)
{
	/* Address 2 in the extended format, then counter 0 twice. The later packet wins. */
	static const uint8_t buf[] = {0x20, 0xb2, 8, 7, 6, 5,    4, 3, 2,    1,
	                              0x98, 1,    0, 0, 0, 0x98, 2, 0, 0x01, 0};
	struct spemu_decoder dec;
	struct spemu_record rec;

	(void)state;
	spemu_decoder_init(&dec, buf, sizeof(buf), 0);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
	assert_int_equal(rec.present, SPEMU_RECORD_ADDR(2) | SPEMU_RECORD_COUNTER(0));
	assert_true(rec.addr[2] == UINT64_C(0x0102030405060708));
	assert_int_equal(rec.counter[0], 2);
	assert_int_equal(rec.size, 19);
	/* The extended format works for each counter, too. */
	for (uint8_t index = 0; index < 8; index++) {
		const uint8_t counter[] = {0x20, (uint8_t)(0x98 | index), 0x34, 0x12, 0x01};

		spemu_decoder_init(&dec, counter, sizeof(counter), 0);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
		assert_int_equal(rec.present, SPEMU_RECORD_COUNTER(index));
		assert_int_equal(rec.counter[index], 0x1234);
		assert_int_equal(rec.size, 5);
	}
}

/* Sequences of up to SPEMU_RECORD_MAX bytes are records. A longer sequence is skipped to the next
 * End packet. */
static void record_longer_than_maximum_is_skipped(void **state)
{
	static uint8_t buf[3 * SPEMU_RECORD_MAX];

	(void)state;
	for (unsigned size = SPEMU_RECORD_MAX - 12; size <= SPEMU_RECORD_MAX + 12; size++) {
		/* Fill the record with padding, which belongs to the record after its first packet,
		 * and with packets. */
		for (unsigned filler = 0; filler < 2; filler++) {
			struct spemu_decoder dec;
			struct spemu_record rec;

			memset(buf, 0, sizeof(buf));
			buf[0] = 0x02;
			memset(buf + 1, filler ? 0x03 : 0x00, size - 2);
			buf[size - 1] = 0x01;
			memcpy(buf + size, "\x98\x05\x00\x01", 4);
			spemu_decoder_init(&dec, buf, size + 10, 0);
			if (size <= SPEMU_RECORD_MAX) {
				assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
				assert_int_equal(rec.size, size);
				assert_int_equal(dec.skipped, 0);
			} else {
				assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_CORRUPT);
				assert_int_equal(dec.skipped, size);
			}
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
			assert_int_equal(rec.offset, size);
			assert_int_equal(rec.counter[0], 5);
			assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
		}
	}
}

static void stream_without_end_is_truncated_or_corrupt(void **state)
{
	static uint8_t buf[SPEMU_RECORD_MAX + 100];
	struct spemu_decoder dec;
	struct spemu_record rec;

	(void)state;
	memset(buf, 0x02, sizeof(buf));
	spemu_decoder_init(&dec, buf, SPEMU_RECORD_MAX, 0);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_TRUNCATED);
	assert_ptr_equal(dec.pos, buf);
	spemu_decoder_init(&dec, buf, SPEMU_RECORD_MAX + 1, 0);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_CORRUPT);
	assert_int_equal(dec.skipped, SPEMU_RECORD_MAX + 1);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
	/* Cut the stream inside the packet after the longest possible record. */
	buf[sizeof(buf) - 1] = 0x71;
	spemu_decoder_init(&dec, buf, sizeof(buf), 0);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_CORRUPT);
	assert_int_equal(dec.skipped, sizeof(buf));
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
}

static void empty_and_zero_streams_have_no_record(void **state)
{
	static const uint8_t zeros[100];
	struct spemu_decoder dec;
	struct spemu_record rec;
	struct spemu_packet pkt;

	(void)state;
	spemu_decoder_init(&dec, NULL, 0, 5);
	assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
	assert_int_equal(spemu_decoder_next_packet(&dec, &pkt), SPEMU_ERR_END);
	for (size_t size = 0; size <= sizeof(zeros); size++) {
		spemu_decoder_init(&dec, zeros, size, 0);
		assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_ERR_END);
		assert_int_equal(dec.pos - zeros, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(decoded_records_have_offset_and_size),
	        cmocka_unit_test(truncated_stream_gives_records_before_the_cut),
	        cmocka_unit_test(packets_and_records_agree),
	        cmocka_unit_test(packets_without_a_member_are_skipped_and_noted),
	        cmocka_unit_test(padding_of_any_length_ends_at_a_header),
	        cmocka_unit_test(extended_headers_decode_and_last_repeat_wins),
	        cmocka_unit_test(record_longer_than_maximum_is_skipped),
	        cmocka_unit_test(stream_without_end_is_truncated_or_corrupt),
	        cmocka_unit_test(empty_and_zero_streams_have_no_record),
	};
	return cmocka_run_group_tests_name("codec_decoder", tests, NULL, NULL);
}
