/* SPDX-License-Identifier: MIT */
/*
 * Test packets: compare every header bit by bit with the encodings in the manual's tables. Packets
 * are decoded and encoded, and every truncation is tried.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, Tables D18-1 and D18-2, D18.2
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>

#include "zeros.h"

/* A row of Tables D18-1 and D18-2, with the bits as printed, most significant first. The letter i
 * is an INDEX bit. */
struct header_row {
	const char *bits;
	enum spemu_packet_type type;
};

static const struct header_row table_d18_1[] = {
        {"00000000", SPEMU_PKT_PADDING},     {"00000001", SPEMU_PKT_END},
        {"01110001", SPEMU_PKT_TIMESTAMP},   {"01xx0010", SPEMU_PKT_EVENTS},
        {"01xx0011", SPEMU_PKT_DATA_SOURCE}, {"011001ii", SPEMU_PKT_CONTEXT},
        {"010010ii", SPEMU_PKT_OP_TYPE},     {"10110iii", SPEMU_PKT_ADDRESS},
        {"10011iii", SPEMU_PKT_COUNTER},
};
static const struct header_row table_d18_2[] = {
        {"001000ii10110iii", SPEMU_PKT_ADDRESS},
        {"001000ii10011iii", SPEMU_PKT_COUNTER},
};

/* Return true if the header, read from its top bit, matches the row. Store the i bits in *index in
 * order. */
static int row_matches(const struct header_row *row, unsigned header, unsigned *index)
{
	size_t n = strlen(row->bits);

	*index = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned bit = header >> (n - 1 - i) & 1;

		if (row->bits[i] == 'i')
			*index = *index << 1 | bit;
		else if (row->bits[i] != 'x' && (unsigned)(row->bits[i] - '0') != bit)
			return 0;
	}
	return 1;
}

static enum spemu_packet_type expect_type(const struct header_row *rows, size_t n, unsigned header,
                                          unsigned *index)
{
	for (size_t i = 0; i < n; i++) {
		if (row_matches(&rows[i], header, index))
			return rows[i].type;
	}
	*index = 0;
	return SPEMU_PKT_UNKNOWN;
}

/* Return the payload size of a header, from the list of ranges in D18.1.1. */
static unsigned expect_payload(unsigned header)
{
	static const struct {
		unsigned first, last, size;
	} ranges[] = {
	        {0x00, 0x1f, 0}, {0x20, 0x3f, 0}, {0x40, 0x4f, 1}, {0x80, 0x8f, 1}, {0xc0, 0xcf, 1},
	        {0x50, 0x5f, 2}, {0x90, 0x9f, 2}, {0xd0, 0xdf, 2}, {0x60, 0x6f, 4}, {0xa0, 0xaf, 4},
	        {0xe0, 0xef, 4}, {0x70, 0x7f, 8}, {0xb0, 0xbf, 8}, {0xf0, 0xff, 8},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (header >= ranges[i].first && header <= ranges[i].last)
			return ranges[i].size;
	}
	fail();
	return 0;
}

/* Put a pattern of bytes after one header. Check the decoded packet, the error for every shorter
 * buffer, and the encoded bytes. */
static void check_header(const uint8_t *header, unsigned header_size, enum spemu_packet_type type,
                         unsigned index, unsigned payload_size)
{
	static const uint64_t by_size[] = {
	        0, 0x81, 0x8281, 0, 0x84838281, 0, 0, 0, UINT64_C(0x8887868584838281),
	};
	const unsigned total = header_size + payload_size;
	struct spemu_packet pkt;
	uint8_t buf[32], again[32];

	memset(buf, 0xee, sizeof(buf));
	memcpy(buf, header, header_size);
	for (unsigned i = 0; i < 8; i++)
		buf[header_size + i] = (uint8_t)(0x81 + i);
	for (unsigned size = 0; size < total; size++) {
		SPOIL(pkt);
		assert_int_equal(spemu_packet_decode(&pkt, buf, size), SPEMU_ERR_TRUNCATED);
		ASSERT_ZERO(pkt);
	}
	/* The decoder loads the payload differently if the buffer ends with it. */
	for (unsigned size = total; size <= total + 8; size++) {
		assert_int_equal(spemu_packet_decode(&pkt, buf, size), total);
		assert_int_equal(pkt.type, type);
		assert_int_equal(pkt.index, index);
		assert_int_equal(pkt.header_size, header_size);
		assert_int_equal(pkt.payload_size, payload_size);
		assert_memory_equal(pkt.header, header, header_size);
		assert_true(pkt.payload == by_size[payload_size]);
	}
	memset(again, 0xcc, sizeof(again));
	for (unsigned size = 0; size < total; size++)
		assert_int_equal(spemu_packet_encode(again, size, &pkt), SPEMU_ERR_NOSPACE);
	assert_int_equal(again[0], 0xcc);
	assert_int_equal(spemu_packet_encode(again, total, &pkt), total);
	assert_memory_equal(again, buf, total);
	assert_int_equal(again[total], 0xcc);
}

static void one_byte_headers_decode_as_specified(void **state)
{
	unsigned seen[SPEMU_PKT_UNKNOWN + 1] = {0};

	(void)state;
	for (unsigned h = 0; h < 256; h++) {
		uint8_t header = (uint8_t)h;
		unsigned index;
		enum spemu_packet_type type;

		if (h >= 0x20 && h <= 0x3f)
			continue;
		type = expect_type(table_d18_1, 9, h, &index);
		check_header(&header, 1, type, index, expect_payload(h));
		seen[type]++;
	}
	/* The don't-care bits of the tables give these numbers of headers. */
	assert_int_equal(seen[SPEMU_PKT_EVENTS], 4);
	assert_int_equal(seen[SPEMU_PKT_ADDRESS], 8);
	assert_int_equal(seen[SPEMU_PKT_UNKNOWN], 256 - 32 - 3 - 4 - 4 - 4 - 4 - 8 - 8);
}

static void two_byte_headers_decode_as_specified(void **state)
{
	unsigned defined = 0, extended = 0;

	(void)state;
	for (unsigned h = 0; h < 0x10000; h++) {
		uint8_t header[2] = {(uint8_t)(h >> 8), (uint8_t)h};
		unsigned index;
		enum spemu_packet_type type;

		if (header[0] < 0x20 || header[0] > 0x3f)
			continue;
		type = expect_type(table_d18_2, 2, h, &index);
		check_header(header, 2, type, index, expect_payload(header[1]));
		defined += type != SPEMU_PKT_UNKNOWN;
		extended++;
	}
	assert_int_equal(extended, 32 * 256);
	assert_int_equal(defined, 2 * 32);
}

/* After a header that is not extended, the next byte is the payload or another packet. */
static void second_byte_without_extended_header_is_payload(void **state)
{
	(void)state;
	for (unsigned h = 0; h < 0x10000; h++) {
		uint8_t buf[10] = {(uint8_t)(h >> 8), (uint8_t)h};
		struct spemu_packet pkt;
		unsigned index;

		if (buf[0] >= 0x20 && buf[0] <= 0x3f)
			continue;
		assert_int_equal(spemu_packet_decode(&pkt, buf, sizeof(buf)),
		                 1 + expect_payload(buf[0]));
		assert_int_equal(pkt.type, expect_type(table_d18_1, 9, buf[0], &index));
		assert_int_equal(pkt.index, index);
		assert_true(pkt.payload == (pkt.payload_size ? buf[1] : 0));
	}
}

static void high_indexes_get_the_extended_format(void **state)
{
	(void)state;
	for (unsigned index = 0; index < 32; index++) {
		for (unsigned extended = 0; extended < 2; extended++) {
			struct spemu_packet pkt = {.type = SPEMU_PKT_COUNTER,
			                           .index = (uint8_t)index,
			                           .header_size = (uint8_t)(1 + extended),
			                           .payload = 0xabc};
			uint8_t buf[10];
			int size = index > 7 || extended ? 4 : 3;

			assert_int_equal(spemu_packet_encode(buf, sizeof(buf), &pkt), size);
			assert_int_equal(buf[size - 3], 0x98 | (index & 7));
			if (size == 4)
				assert_int_equal(buf[0], 0x20 | index >> 3);
			assert_int_equal(buf[size - 2], 0xbc);
			assert_int_equal(buf[size - 1], 0x0a);
		}
	}
}

static void invalid_packets_are_not_encoded(void **state)
{
	static const struct spemu_packet bad[] = {
	        {.type = SPEMU_PKT_PADDING, .index = 1},
	        {.type = SPEMU_PKT_PADDING, .payload = 1},
	        {.type = SPEMU_PKT_END, .payload = 1},
	        {.type = SPEMU_PKT_TIMESTAMP, .index = 1},
	        {.type = SPEMU_PKT_EVENTS, .payload_size = 0},
	        {.type = SPEMU_PKT_EVENTS, .payload_size = 3},
	        {.type = SPEMU_PKT_EVENTS, .payload_size = 16},
	        {.type = SPEMU_PKT_EVENTS, .payload_size = 1, .payload = 0x100},
	        {.type = SPEMU_PKT_DATA_SOURCE, .payload_size = 2, .payload = 0x10000},
	        {.type = SPEMU_PKT_CONTEXT, .index = 4},
	        {.type = SPEMU_PKT_CONTEXT, .payload = UINT64_C(1) << 32},
	        {.type = SPEMU_PKT_OP_TYPE, .index = 4},
	        {.type = SPEMU_PKT_OP_TYPE, .payload = 0x100},
	        {.type = SPEMU_PKT_ADDRESS, .index = 32},
	        {.type = SPEMU_PKT_COUNTER, .index = 32},
	        {.type = SPEMU_PKT_COUNTER, .payload = 0x10000},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 0},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 3, .header = {0x20, 0x00}},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 1, .header = {0x01}},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 1, .header = {0x20}},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 2, .header = {0x02, 0x00}},
	        {.type = SPEMU_PKT_UNKNOWN, .header_size = 1, .header = {0x80}, .payload_size = 2},
	        {.type = SPEMU_PKT_UNKNOWN,
	         .header_size = 2,
	         .header = {0x20, 0xb0},
	         .payload_size = 8},
	        {.type = SPEMU_PKT_UNKNOWN + 1},
	};
	uint8_t buf[16];
	struct spemu_packet pkt = {.type = SPEMU_PKT_END};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(buf, 0xcc, sizeof(buf));
		assert_int_equal(spemu_packet_encode(buf, sizeof(buf), &bad[i]), SPEMU_ERR_INVALID);
		assert_int_equal(buf[0], 0xcc);
	}
	assert_int_equal(spemu_packet_encode(NULL, 16, &pkt), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_packet_encode(buf, 16, NULL), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_packet_decode(NULL, buf, 16), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_packet_decode(&pkt, NULL, 16), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_byte_headers_decode_as_specified),
	        cmocka_unit_test(two_byte_headers_decode_as_specified),
	        cmocka_unit_test(second_byte_without_extended_header_is_payload),
	        cmocka_unit_test(high_indexes_get_the_extended_format),
	        cmocka_unit_test(invalid_packets_are_not_encoded),
	};
	return cmocka_run_group_tests_name("codec_packet", tests, NULL, NULL);
}
