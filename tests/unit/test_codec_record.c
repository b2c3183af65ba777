/* SPDX-License-Identifier: MIT */
/*
 * Test that records are encoded and decoded unchanged: the order and the places of packets, the
 * padding and the ends in each layout.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2, D18.1.3; pseudocode SPEConstructRecord()
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include "codec_random.h"

enum { MAX_PACKETS = 256 };

struct seen {
	uint8_t header;
	unsigned at, size;
};

/* Return the payload size of an 8-bit header, from the list of D18.1.1. */
static unsigned payload_of(uint8_t header)
{
	return header < 0x40 ? 0 : 1u << (header / 16 % 4);
}

/* Visit the packets of a record and count its padding bytes. */
static unsigned walk(struct seen *seen, unsigned *padding, const uint8_t *buf, unsigned size)
{
	unsigned n = 0, at = 0;

	*padding = 0;
	while (at < size) {
		unsigned length = 1 + payload_of(buf[at]);

		if (buf[at] == 0) {
			++*padding;
		} else {
			assert_true(n < MAX_PACKETS);
			seen[n++] = (struct seen){buf[at], at, length};
		}
		at += length;
	}
	assert_int_equal(at, size);
	return n;
}

/* Return the position of a packet in SPEConstructRecord(). */
static int pseudocode_rank(uint8_t header)
{
	if ((header & 0xfc) == 0x64)
		return 0 + (header & 3);
	if ((header & 0xf8) == 0x98)
		return 10 + (header & 7);
	if ((header & 0xf8) == 0xb0)
		return 20 + (header & 7);
	if ((header & 0xcf) == 0x43)
		return 30;
	if ((header & 0xfc) == 0x48)
		return 31;
	if ((header & 0xcf) == 0x42)
		return 32;
	if (header == 0x71 || header == 0x01)
		return 33;
	fail();
	return -1;
}

static void dense_layout_is_that_of_the_pseudocode(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct seen seen[MAX_PACKETS];
		struct spemu_record rec, back;
		struct spemu_decoder dec;
		uint8_t buf[256];
		unsigned padding, n, members = 0;
		int size;

		random_record(&rec, &seed, (uint32_t)random_next(&seed) & RANDOM_RECORD_MEMBERS);
		for (uint32_t p = rec.present & ~(uint32_t)SPEMU_RECORD_TIMESTAMP; p; p &= p - 1)
			members++;
		size = spemu_record_encode(buf, sizeof(buf), &rec, &spemu_layout_dense);
		assert_true(size > 0);
		n = walk(seen, &padding, buf, (unsigned)size);
		assert_int_equal(padding, 0);
		assert_int_equal(n, members + 1);
		for (unsigned i = 1; i < n; i++)
			assert_true(pseudocode_rank(seen[i - 1].header) <
			            pseudocode_rank(seen[i].header));
		assert_int_equal(seen[n - 1].header,
		                 rec.present & SPEMU_RECORD_TIMESTAMP ? 0x71 : 0x01);
		spemu_decoder_init(&dec, buf, (size_t)size, 1000);
		assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_OK);
		assert_same_record(&rec, &back);
		assert_int_equal(back.offset, 1000);
		assert_int_equal(back.size, size);
		assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_ERR_END);
	}
}

static void records_of_any_layout_round_trip(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (unsigned round = 0; round < 40000; round++) {
		const struct spemu_layout layout = {
		        .order = (uint8_t)(round & 1),
		        .align_log2 = (uint8_t)(random_next(&seed) % 12),
		        .pad_before_end = (uint8_t)(round >> 1 & 1),
		        .fixed_places = (uint8_t)(round >> 2 & 1),
		};
		struct spemu_record rec, back;
		struct spemu_decoder dec;
		static uint8_t buf[SPEMU_RECORD_MAX + 1];
		uint8_t dense[256];
		unsigned end_size, slot = 1u << layout.align_log2;
		int size, least;

		random_record(&rec, &seed, (uint32_t)random_next(&seed) & RANDOM_RECORD_MEMBERS);
		end_size = rec.present & SPEMU_RECORD_TIMESTAMP ? 9 : 1;
		least = spemu_record_encode(dense, sizeof(dense), &rec, &spemu_layout_dense);
		memset(buf, 0xcc, sizeof(buf));
		size = spemu_record_encode(buf, SPEMU_RECORD_MAX, &rec, &layout);
		/* The record has the fewest slots that fit: neither padding nor places cost another
		 * slot. */
		assert_int_equal(size, (least + (int)slot - 1) / (int)slot * (int)slot);
		assert_int_equal(buf[size], 0xcc);
		buf[size] = 0; /* this byte after the record is not its padding */
		if (layout.pad_before_end)
			assert_int_equal(buf[(unsigned)size - end_size], end_size == 9 ? 0x71 : 1);
		spemu_decoder_init(&dec, buf, (size_t)size, 0);
		assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_OK);
		assert_same_record(&rec, &back);
		if (layout.pad_before_end)
			/* Padding before a record does not belong to it. */
			assert_int_equal(back.offset + back.size, size);
		else if (!layout.fixed_places)
			assert_int_equal(back.size, least);
		assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_ERR_END);
		assert_int_equal(dec.skipped, 0);
		/* A buffer that is one byte too small is refused, and nothing is written to it. */
		memset(buf, 0xcc, sizeof(buf));
		assert_int_equal(spemu_record_encode(buf, (size_t)size - 1, &rec, &layout),
		                 SPEMU_ERR_NOSPACE);
		for (unsigned i = 0; i < (unsigned)size; i++)
			assert_int_equal(buf[i], 0xcc);
	}
}

/* Records from a Neoverse N1 server match the published bytes. */
static void neoverse_n1_records_match_published_bytes(void **state)
{
	static const uint8_t load[64] = {
	        0xb0, 0xd0, 0xc2, 0xa1, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,    0,    0,
	        0,    0x65, 0x80, 0x5f, 0x00, 0x00, 0x49, 0x00, 0x52, 0x16, 0x00, 0x99, 0x04,
	        0x00, 0x98, 0x0c, 0x00, 0xb2, 0x28, 0x6b, 0x09, 0x03, 0x37, 0x0e, 0xff, 0x00,
	        0x9a, 0x01, 0x00, 0,    0,    0,    0,    0,    0,    0,    0,    0,    0x43,
	        0x00, 0,    0,    0x71, 0x2e, 0x65, 0x2f, 0x6a, 0x0a, 0x00, 0x00, 0x00};
	static const uint8_t branch[64] = {
	        0xb0, 0xe0, 0xb0, 0xef, 0xed, 0x66, 0xba, 0xff, 0xc0, 0,    0,    0,    0,
	        0,    0x65, 0x0e, 0x00, 0x00, 0x00, 0x4a, 0x01, 0x52, 0x42, 0x00, 0x99, 0x10,
	        0x00, 0x98, 0x11, 0x00, 0xb1, 0xe4, 0xb0, 0xef, 0xed, 0x66, 0xba, 0xff, 0xc0,
	        0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
	        0,    0,    0,    0x71, 0x8d, 0x65, 0x2f, 0x6a, 0x0a, 0x00, 0x00, 0x00};
	struct spemu_record rec = {
	        .present = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_ADDR(2) | SPEMU_RECORD_CONTEXT(1) |
	                   SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS | SPEMU_RECORD_COUNTER(0) |
	                   SPEMU_RECORD_COUNTER(1) | SPEMU_RECORD_COUNTER(2) |
	                   SPEMU_RECORD_DATA_SOURCE | SPEMU_RECORD_TIMESTAMP,
	        .addr = {UINT64_C(0xc0ffba66eda1c2d0), 0, UINT64_C(0x00ff0e3703096b28)},
	        .events = 0x16,
	        .timestamp = 44731163950,
	        .context = {0, 0x5f80},
	        .counter = {12, 4, 1},
	        .op_class = 1,
	        .events_size = 2,
	        .data_source_size = 1,
	};
	uint8_t buf[64];

	(void)state;
	assert_int_equal(spemu_record_encode(buf, 64, &rec, &spemu_layout_neoverse), 64);
	assert_memory_equal(buf, load, 64);
	rec = (struct spemu_record){
	        .present = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_ADDR(1) | SPEMU_RECORD_CONTEXT(1) |
	                   SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS | SPEMU_RECORD_COUNTER(0) |
	                   SPEMU_RECORD_COUNTER(1) | SPEMU_RECORD_TIMESTAMP,
	        .addr = {UINT64_C(0xc0ffba66edefb0e0), UINT64_C(0xc0ffba66edefb0e4)},
	        .events = 0x42,
	        .timestamp = 44731164045,
	        .context = {0, 14},
	        .counter = {17, 16},
	        .op_class = 2,
	        .op_subclass = 1,
	        .events_size = 2,
	};
	assert_int_equal(spemu_record_encode(buf, 64, &rec, &spemu_layout_neoverse), 64);
	assert_memory_equal(buf, branch, 64);
}

/* Any record that N1 can write fills exactly one slot. Each packet is at its fixed place. */
static void neoverse_packets_have_fixed_places(void **state)
{
	static const struct {
		uint8_t mask, header, at;
	} places[] = {
	        {0xff, 0xb0, 0},  {0xff, 0x64, 9},  {0xff, 0x65, 14}, {0xfc, 0x48, 19},
	        {0xff, 0x52, 21}, {0xff, 0x99, 24}, {0xff, 0x98, 27}, {0xff, 0xb1, 30},
	        {0xff, 0xb2, 30}, {0xff, 0x9a, 39}, {0xff, 0xb3, 42}, {0xff, 0x43, 51},
	        {0xff, 0x71, 55}, {0xff, 0x01, 63},
	};
	const uint32_t n1 = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_ADDR(1) | SPEMU_RECORD_ADDR(2) |
	                    SPEMU_RECORD_ADDR(3) | SPEMU_RECORD_COUNTER(0) |
	                    SPEMU_RECORD_COUNTER(1) | SPEMU_RECORD_COUNTER(2) |
	                    SPEMU_RECORD_CONTEXT(0) | SPEMU_RECORD_CONTEXT(1) |
	                    SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_DATA_SOURCE |
	                    SPEMU_RECORD_TIMESTAMP;
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct seen seen[MAX_PACKETS];
		struct spemu_record rec;
		uint8_t buf[64];
		unsigned n, padding;
		uint32_t present = (uint32_t)random_next(&seed) & n1;

		/* An operation has a branch target or a data address, not both. */
		present &= ~(uint32_t)(present & SPEMU_RECORD_ADDR(1) ? SPEMU_RECORD_ADDR(2) : 0);
		random_record(&rec, &seed, present);
		if (present & SPEMU_RECORD_EVENTS) {
			rec.events_size = 2;
			rec.events &= 0xffff;
		}
		if (present & SPEMU_RECORD_DATA_SOURCE) {
			rec.data_source_size = 1;
			rec.data_source &= 0xff;
		}
		assert_int_equal(spemu_record_encode(buf, 64, &rec, &spemu_layout_neoverse), 64);
		n = walk(seen, &padding, buf, 64);
		for (unsigned i = 0; i < n; i++) {
			unsigned p = 0;

			while ((seen[i].header & places[p].mask) != places[p].header) {
				p++;
				assert_true(p < sizeof(places) / sizeof(places[0]));
			}
			assert_int_equal(seen[i].at, places[p].at);
		}
		assert_int_equal(seen[n - 1].at + seen[n - 1].size, 64);
	}
}

/* Packets that N1 does not write have no fixed place. A record with such a packet is packed without
 * gaps, in the same order. */
static void neoverse_record_with_other_packets_is_packed(void **state)
{
	const uint32_t load = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_EVENTS |
	                      SPEMU_RECORD_COUNTER(0) | SPEMU_RECORD_COUNTER(1) |
	                      SPEMU_RECORD_ADDR(2) | SPEMU_RECORD_COUNTER(2) |
	                      SPEMU_RECORD_ADDR(3) | SPEMU_RECORD_DATA_SOURCE |
	                      SPEMU_RECORD_TIMESTAMP;
	static const struct {
		uint32_t more;
		uint8_t events_size, type_at, last_at;
		int size;
	} cases[] = {
	        {0, 1, 19, 55, 64},
	        {0, 2, 19, 55, 64},
	        {0, 4, 9, 55, 64},
	        {0, 8, 9, 55, 64},
	        {SPEMU_RECORD_CONTEXT(0) | SPEMU_RECORD_CONTEXT(1), 2, 19, 55, 64},
	        {SPEMU_RECORD_COUNTER(4), 2, 9, 55, 64},
	        {SPEMU_RECORD_ADDR(1), 2, 9, 55, 64},
	        {SPEMU_RECORD_ADDR(4), 2, 9, 55, 64}, /* 52 bytes and 9 more */
	        {SPEMU_RECORD_ADDR(4) | SPEMU_RECORD_COUNTER(4), 8, 9, 119, 128}, /* 70 bytes */
	};
	uint64_t seed = 4;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spemu_record rec;
		uint8_t buf[128];

		random_record(&rec, &seed, load | cases[i].more);
		rec.data_source_size = 1;
		rec.data_source = 3;
		rec.op_class = 1;
		rec.events_size = cases[i].events_size;
		rec.events = 0x16;
		assert_int_equal(
		        spemu_record_encode(buf, sizeof(buf), &rec, &spemu_layout_neoverse),
		        cases[i].size);
		assert_int_equal(buf[0], 0xb0);
		assert_int_equal(buf[cases[i].type_at], 0x49);
		assert_int_equal(buf[cases[i].last_at], 0x71);
	}
}

/* The members of D18.2 in any order, each once, and the text that describes the order. */
static void chosen_member_orders_round_trip(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct spemu_layout layout = {.order = SPEMU_ORDER_CHOSEN};
		struct spemu_record rec, back;
		struct spemu_decoder dec;
		struct seen seen[MAX_PACKETS];
		uint8_t buf[256];
		unsigned n = 0, padding, packets, at = 0;
		int size;

		for (unsigned bit = 0; bit < 23; bit++) {
			if (bit != 18 && bit != 19)
				layout.chosen[n++] = (uint8_t)bit;
		}
		assert_int_equal(n, SPEMU_LAYOUT_MEMBERS);
		while (n > 1) {
			unsigned k = (unsigned)(random_next(&seed) % n--);
			uint8_t swap = layout.chosen[k];

			layout.chosen[k] = layout.chosen[n];
			layout.chosen[n] = swap;
		}
		random_record(&rec, &seed, (uint32_t)random_next(&seed) & RANDOM_RECORD_MEMBERS);
		size = spemu_record_encode(buf, sizeof(buf), &rec, &layout);
		packets = walk(seen, &padding, buf, (unsigned)size);
		for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++) {
			unsigned bit = layout.chosen[i];
			unsigned header = bit < 8    ? 0xb0 | bit
			                  : bit < 16 ? 0x98 | (bit - 8)
			                  : bit < 18 ? 0x64 | (bit - 16)
			                             : 0;

			if (!(rec.present >> bit & 1))
				continue;
			if (header)
				assert_int_equal(seen[at].header, header);
			else if (bit == 21)
				assert_int_equal(seen[at].header & 0xfc, 0x48);
			else
				assert_int_equal(seen[at].header & 0xcf, bit == 20 ? 0x42 : 0x43);
			at++;
		}
		assert_int_equal(at + 1, packets);
		spemu_decoder_init(&dec, buf, (size_t)size, 0);
		assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_OK);
		assert_same_record(&rec, &back);
	}
}

/* Encode and decode each set of packets that the architecture defines, in each layout and with each
 * size of the Events packet. */
static void every_set_of_packets_round_trips(void **state)
{
	static const uint32_t member[] = {
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_PC),
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_BRANCH_TARGET),
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA),
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_PA),
	        SPEMU_RECORD_ADDR(SPEMU_ADDR_PREV_BRANCH_TARGET),
	        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL),
	        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE),
	        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION),
	        SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ALT_ISSUE),
	        SPEMU_RECORD_CONTEXT(0),
	        SPEMU_RECORD_CONTEXT(1),
	        SPEMU_RECORD_EVENTS,
	        SPEMU_RECORD_OP_TYPE,
	        SPEMU_RECORD_DATA_SOURCE,
	        SPEMU_RECORD_TIMESTAMP,
	};
	enum { MEMBERS_DEFINED = sizeof(member) / sizeof(member[0]) };
	uint64_t seed = 7;

	(void)state;
	for (unsigned set = 0; set < 1u << MEMBERS_DEFINED; set++) {
		uint32_t present = 0;
		struct spemu_record rec;

		for (unsigned i = 0; i < MEMBERS_DEFINED; i++)
			present |= set >> i & 1 ? member[i] : 0;
		random_record(&rec, &seed, present);
		for (unsigned l = 0; spemu_layout_names[l]; l++) {
			struct spemu_layout layout;
			struct spemu_decoder dec;
			struct spemu_record back;
			uint8_t buf[192];
			int size;

			assert_int_equal(spemu_layout_parse(&layout, NULL, spemu_layout_names[l]),
			                 SPEMU_OK);
			size = spemu_record_encode(buf, sizeof(buf), &rec, &layout);
			assert_true(size > 0);
			spemu_decoder_init(&dec, buf, (size_t)size, 0);
			assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_OK);
			assert_same_record(&rec, &back);
			assert_int_equal(spemu_decoder_next(&dec, &back), SPEMU_ERR_END);
		}
	}
}

static void layouts_parse_from_text(void **state)
{
	static const struct {
		const char *text;
		size_t offset;
	} wrong[] = {
	        {"", 0},
	        {"dens", 0},
	        {"dense,", 6},
	        {"dense,align=3", 6},
	        {"dense,align=4096", 6},
	        {"dense,align=", 6},
	        {"words,pad=out", 6},
	        {"dense,order=pc:pcs", 15},
	        {"dense,order=pc:va:pc", 18},
	        {"dense,color=red", 6},
	};
	struct spemu_layout l;

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size_t offset = 99;

		assert_int_equal(spemu_layout_parse(&l, &offset, wrong[i].text), SPEMU_ERR_INVALID);
		assert_int_equal(offset, wrong[i].offset);
	}
	for (unsigned i = 0; spemu_layout_names[i]; i++)
		assert_int_equal(spemu_layout_parse(&l, NULL, spemu_layout_names[i]), SPEMU_OK);
	assert_int_equal(spemu_layout_parse(&l, NULL, "words"), SPEMU_OK);
	assert_true(l.order == SPEMU_ORDER_PSEUDOCODE && l.align_log2 == 2 && l.pad_before_end);
	assert_int_equal(spemu_layout_parse(&l, NULL, "neoverse,align=128"), SPEMU_OK);
	assert_true(l.order == SPEMU_ORDER_PC_FIRST && l.align_log2 == 7 && l.fixed_places);
	assert_int_equal(spemu_layout_parse(&l, NULL, "dense,pad=inside,align=8,order=type:pc"),
	                 SPEMU_OK);
	assert_true(l.order == SPEMU_ORDER_CHOSEN && l.align_log2 == 3 && l.pad_before_end);
	assert_true(l.chosen[0] == 21 && l.chosen[1] == 0 && l.chosen[2] == 16);
	assert_int_equal(l.chosen[20], 20);
	assert_int_equal(spemu_layout_parse(&l, NULL, "neoverse,order=pseudocode"), SPEMU_OK);
	assert_true(l.order == SPEMU_ORDER_PSEUDOCODE && !l.fixed_places);
	assert_int_equal(spemu_layout_parse(&l, NULL, "dense,order=pc-first,align=2048"), SPEMU_OK);
	assert_true(l.order == SPEMU_ORDER_PC_FIRST && l.align_log2 == 11);
	/* Name every member, from the last to the first. */
	assert_int_equal(
	        spemu_layout_parse(&l, NULL,
	                           "dense,order=source:type:events:context2:context1:counter7:"
	                           "counter6:counter5:alt-issue:counter3:translation:issue:total:"
	                           "address7:address6:address5:previous-target:pa:va:target:pc"),
	        SPEMU_OK);
	for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++)
		assert_int_equal(l.chosen[i], i < 3 ? 22 - i : 20 - i);
}

/* The record ends with its timestamp. The timestamp is at a multiple of four bytes, whatever
 * members the record has. */
static void words_layout_aligns_timestamp_to_4_bytes(void **state)
{
	uint64_t seed = 6;

	(void)state;
	for (unsigned round = 0; round < 5000; round++) {
		struct spemu_record rec;
		uint8_t buf[256];
		int size;

		random_record(&rec, &seed, (uint32_t)random_next(&seed) & RANDOM_RECORD_MEMBERS);
		size = spemu_record_encode(buf, sizeof(buf), &rec, &spemu_layout_words);
		assert_true(size > 0 && size % 4 == 0);
		if (rec.present & SPEMU_RECORD_TIMESTAMP)
			assert_int_equal(buf[size - 9], 0x71);
		else
			assert_int_equal(buf[size - 1], 0x01);
	}
}

static void invalid_records_are_not_encoded(void **state)
{
	const struct spemu_record good = {.present = SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE |
	                                             SPEMU_RECORD_DATA_SOURCE,
	                                  .events_size = 2,
	                                  .events = 0xffff,
	                                  .data_source_size = 1,
	                                  .data_source = 0xff,
	                                  .op_class = 3};
	struct spemu_record rec[10];
	struct spemu_layout layout = spemu_layout_dense;
	uint8_t buf[64];

	(void)state;
	assert_int_equal(spemu_record_encode(buf, 64, &good, &layout), 3 + 2 + 2 + 1);
	for (unsigned i = 0; i < 10; i++)
		rec[i] = good;
	rec[0].present |= SPEMU_RECORD_OTHER;
	rec[1].present |= SPEMU_RECORD_CONTEXT(2);
	rec[2].present |= 1u << 31;
	rec[3].events_size = 0;
	rec[4].events_size = 3;
	rec[5].events = 0x10000;
	rec[6].data_source_size = 4;
	rec[7].data_source_size = 0;
	rec[8].data_source = 0x100;
	rec[9].op_class = 4;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(spemu_record_encode(buf, 64, &rec[i], &layout), SPEMU_ERR_INVALID);
	/* Members that are not present are not read. */
	rec[9].present = rec[5].present = SPEMU_RECORD_TIMESTAMP;
	assert_int_equal(spemu_record_encode(buf, 64, &rec[9], &layout), 9);
	assert_int_equal(spemu_record_encode(buf, 64, &rec[5], &layout), 9);
	layout.align_log2 = 11; /* the largest value of PMBIDR_EL1.Align */
	assert_int_equal(spemu_record_encode(buf, 64, &good, &layout), SPEMU_ERR_NOSPACE);
	layout.align_log2 = 12;
	assert_int_equal(spemu_record_encode(buf, 64, &good, &layout), SPEMU_ERR_INVALID);
	/* The order names PC 21 times. */
	layout = (struct spemu_layout){.order = SPEMU_ORDER_CHOSEN};
	assert_int_equal(spemu_record_encode(buf, 64, &good, &layout), SPEMU_ERR_INVALID);
	/* A chosen order must contain each member once and nothing else. */
	for (unsigned at = 0; at < SPEMU_LAYOUT_MEMBERS; at++)
		for (unsigned member = 0; member < 256; member++) {
			layout = (struct spemu_layout){.order = SPEMU_ORDER_CHOSEN};
			for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++)
				layout.chosen[i] = (uint8_t)(i < 18 ? i : i + 2);
			assert_int_equal(spemu_record_encode(buf, 64, &good, &layout),
			                 3 + 2 + 2 + 1);
			if (layout.chosen[at] == member)
				continue;
			layout.chosen[at] = (uint8_t)member;
			assert_int_equal(spemu_record_encode(buf, 64, &good, &layout),
			                 SPEMU_ERR_INVALID);
		}
	layout = (struct spemu_layout){.order = SPEMU_ORDER_CHOSEN + 1};
	assert_int_equal(spemu_record_encode(buf, 64, &good, &layout), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_record_encode(NULL, 64, &good, &spemu_layout_dense),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_record_encode(buf, 64, NULL, &spemu_layout_dense),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(spemu_record_encode(buf, 64, &good, NULL), SPEMU_ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dense_layout_is_that_of_the_pseudocode),
	        cmocka_unit_test(records_of_any_layout_round_trip),
	        cmocka_unit_test(neoverse_n1_records_match_published_bytes),
	        cmocka_unit_test(neoverse_packets_have_fixed_places),
	        cmocka_unit_test(neoverse_record_with_other_packets_is_packed),
	        cmocka_unit_test(chosen_member_orders_round_trip),
	        cmocka_unit_test(every_set_of_packets_round_trips),
	        cmocka_unit_test(layouts_parse_from_text),
	        cmocka_unit_test(words_layout_aligns_timestamp_to_4_bytes),
	        cmocka_unit_test(invalid_records_are_not_encoded),
	};
	return cmocka_run_group_tests_name("codec_record", tests, NULL, NULL);
}
