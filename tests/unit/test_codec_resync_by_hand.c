/* SPDX-License-Identifier: MIT */
/*
 * Damaged streams made by hand, byte by byte: of several places where a record may begin, the
 * decoder takes the one that fits best, and reports skipped bytes from their start. codec.h
 * describes damage, and the head of lib/codec/resync.c describes what fits.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2, D18.1.3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include <spemu/packet.h>

/* A byte below 8 that fills a payload is not a header that could begin a record. */
struct bytes {
	uint8_t at[32768];
	size_t size;
};

static void put(struct bytes *b, const uint8_t *p, size_t size)
{
	assert_true(size <= sizeof(b->at) - b->size);
	memcpy(b->at + b->size, p, size);
	b->size += size;
}

#define PUT(b, ...) put((b), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

enum {
	PC = SPEMU_HEADER_ADDRESS,
	TARGET = SPEMU_HEADER_ADDRESS + 1,
	TOTAL = SPEMU_HEADER_COUNTER,
	ISSUE = SPEMU_HEADER_COUNTER + 1,
	TRANSLATION = SPEMU_HEADER_COUNTER + 2,
	EVENTS = SPEMU_HEADER_EVENTS,
	EXTENDED = SPEMU_HEADER_EXTENDED,
	TYPE = SPEMU_HEADER_OP_TYPE,
	STAMP = SPEMU_HEADER_TIMESTAMP,
	END = SPEMU_HEADER_END,
};
#define HAS_PC SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)
#define HAS_TOTAL SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TOTAL)

static void put_end(struct bytes *b, bool timestamp, unsigned padding)
{
	if (timestamp)
		PUT(b, STAMP, 3, 3, 3, 0, 0, 0, 0, 0);
	else
		PUT(b, END);
	while (padding--)
		PUT(b, 0);
}

/* Write the records for comparison. Every second record has a latency between PC and type. */
static void put_usual(struct bytes *b, unsigned count, bool timestamp, unsigned padding)
{
	for (unsigned i = 0; i < count; i++) {
		PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
		if (i % 2)
			PUT(b, TOTAL, 5, 0);
		PUT(b, TYPE, 0);
		put_end(b, timestamp, padding);
	}
}

/* The same at multiples of 16. */
static void put_aligned(struct bytes *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (i % 2)
			PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0, TOTAL, 5, 0, TYPE, 0, END, 0);
		else
			PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0, TYPE, 0, END, 0, 0, 0, 0);
}

/* Write a record whose type has become the header of a longer packet, which hides the header of the
 * last packet. */
static void put_endless(struct bytes *b, bool timestamp, unsigned padding)
{
	PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
	PUT(b, timestamp ? TARGET : ISSUE, 0);
	put_end(b, timestamp, padding);
}

/* Expect a record with these packets. record_with_one_fault_is_marked_suspect() tests SUSPECT. */
static void expect_record(struct spemu_decoder *dec, size_t at, uint32_t present)
{
	struct spemu_record rec;

	assert_int_equal(spemu_decoder_next(dec, &rec), SPEMU_OK);
	assert_int_equal(rec.offset, at);
	assert_int_equal(rec.present & ~(uint32_t)SPEMU_RECORD_SUSPECT, present);
}

static void expect_usual(struct spemu_decoder *dec, unsigned count)
{
	struct spemu_record rec;

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(spemu_decoder_next(dec, &rec), SPEMU_OK);
}

static void expect_skip(struct spemu_decoder *dec, size_t from, size_t to)
{
	struct spemu_record rec;

	assert_int_equal(spemu_decoder_next(dec, &rec), SPEMU_ERR_CORRUPT);
	assert_int_equal(dec->skip_offset, from);
	assert_int_equal(dec->skip_size, to - from);
}

static void expect_end(struct spemu_decoder *dec)
{
	struct spemu_record rec;

	assert_int_equal(spemu_decoder_next(dec, &rec), SPEMU_ERR_END);
}

/* The payload of the PC contains a candidate with the same end. The record follows another record,
 * which is damaged but has its last packet in place, with padding after it or without. */
static void record_after_another_beats_candidate_in_payload(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 16; run++) {
		const bool timestamp = run % 2, few = run / 2 % 2;
		const unsigned padding = run / 4, before = few ? 4 : 20, after = few ? 1 : 20;
		const uint32_t stamp = timestamp ? SPEMU_RECORD_TIMESTAMP : 0;
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t damaged, whole;

		put_usual(&b, before, timestamp, padding);
		damaged = b.size;
		put_endless(&b, timestamp, padding);
		whole = b.size;
		PUT(&b, PC, 2, 2, PC, 2, 2, 2, 2, 2);
		PUT(&b, TOTAL, 5, 0);
		PUT(&b, TYPE, 0);
		put_end(&b, timestamp, padding);
		put_usual(&b, after, timestamp, padding);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, before);
		expect_skip(&dec, damaged, whole);
		expect_record(&dec, whole, HAS_PC | HAS_TOTAL | SPEMU_RECORD_OP_TYPE | stamp);
		expect_usual(&dec, after);
		expect_end(&dec);
	}
}

/*
 * Three records are too few for comparison: the record that has swallowed the next one is accepted.
 */
static void three_records_are_too_few_to_judge(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t damaged;

	(void)state;
	put_usual(&b, 3, false, 0);
	damaged = b.size;
	put_endless(&b, false, 0);
	put_usual(&b, 1, false, 0);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 3);
	expect_record(&dec, damaged,
	              HAS_PC | SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE) | SPEMU_RECORD_OP_TYPE);
	expect_end(&dec);
}

/*
 * Only the order of the record's packets is odd: it yields to a candidate inside it that fits
 * better, but not to one that fits as well. From the fourth byte on there are a PC, a type and a
 * timestamp, after a possible End packet or not.
 */
static void record_in_odd_order_yields_to_better_fit_inside(void **state)
{
	(void)state;
	for (unsigned follows = 0; follows < 2; follows++) {
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t odd;

		for (unsigned i = 0; i < 10; i++) {
			put_usual(&b, 1, true, 1);
			PUT(&b, SPEMU_HEADER_CONTEXT, 2, 0, 0, 0);
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
			PUT(&b, TOTAL, 5, 0);
			PUT(&b, TYPE, 0);
			put_end(&b, true, 1);
		}
		odd = b.size;
		PUT(&b, PC, 2, follows ? END : 2, PC, 2, 2, 2, 2, 2);
		PUT(&b, TYPE, 0);
		PUT(&b, TOTAL, TYPE, 0);
		put_end(&b, true, 1);
		put_usual(&b, 20, true, 1);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 20);
		expect_record(&dec, odd,
		              HAS_PC | HAS_TOTAL | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_TIMESTAMP);
		expect_usual(&dec, 20);
		expect_end(&dec);
	}
}

/*
 * Two candidates have the same end. The first begins as others do and has a packet that no other
 * record has; for the second it is the other way round. The second is taken, as the last of equals,
 * if it follows an End packet as the first follows a record; otherwise the first.
 */
static void unusual_start_and_unusual_packet_weigh_the_same(void **state)
{
	(void)state;
	for (unsigned follows = 0; follows < 2; follows++) {
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t damaged, first;

		for (unsigned i = 0; i < 10; i++) {
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
			PUT(&b, TYPE, 0);
			put_end(&b, true, 1);
			PUT(&b, TOTAL, 5, 0);
			PUT(&b, ISSUE, 5, 0);
			PUT(&b, EVENTS, 2);
			PUT(&b, TYPE, 0);
			put_end(&b, true, 0);
		}
		PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
		PUT(&b, TYPE, 0);
		put_end(&b, true, 1);
		damaged = b.size;
		put_endless(&b, true, 1);
		first = b.size;
		PUT(&b, PC, 2, 2, 2, 2, 2, follows ? END : 2, ISSUE, 5);
		PUT(&b, TRANSLATION, EVENTS, 2);
		PUT(&b, TYPE, 0);
		put_end(&b, true, 1);
		put_usual(&b, 20, true, 1);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 21);
		expect_skip(&dec, damaged, follows ? first + 7 : first);
		if (follows)
			expect_record(&dec, first + 7,
			              SPEMU_RECORD_COUNTER(SPEMU_COUNTER_ISSUE) |
			                      SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE |
			                      SPEMU_RECORD_TIMESTAMP);
		else
			expect_record(&dec, first,
			              HAS_PC | SPEMU_RECORD_COUNTER(SPEMU_COUNTER_TRANSLATION) |
			                      SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_TIMESTAMP);
		expect_usual(&dec, 20);
		expect_end(&dec);
	}
}

/* A sequence longer than any record is skipped up to the start of the next record. */
static void overlong_record_is_skipped_to_next_start(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t damaged, whole;

	(void)state;
	put_usual(&b, 20, false, 0);
	damaged = b.size;
	for (unsigned i = 0; i < SPEMU_RECORD_MAX * 3 / 2; i++)
		PUT(&b, 2);
	whole = b.size;
	put_usual(&b, 20, false, 0);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20);
	expect_skip(&dec, damaged, whole);
	expect_record(&dec, whole, HAS_PC | SPEMU_RECORD_OP_TYPE);
	expect_usual(&dec, 19);
	expect_end(&dec);
}

/* The start of a cut-off record forms a valid record with the next one: both are examined again. */
static void record_joined_from_cut_record_is_split_again(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t damaged, whole;

	(void)state;
	put_usual(&b, 20, false, 0);
	damaged = b.size;
	PUT(&b, PC, 2, 2, 2, 2);
	whole = b.size;
	/* Four bytes for the PC before, a type, an End packet. */
	PUT(&b, PC, 2, 2, 2, TYPE, 0, END, 0, 0);
	PUT(&b, TYPE, 0);
	put_end(&b, false, 0);
	put_usual(&b, 20, false, 0);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20);
	expect_record(&dec, damaged, HAS_PC | SPEMU_RECORD_OP_TYPE);
	expect_skip(&dec, damaged, whole);
	expect_record(&dec, whole, HAS_PC | SPEMU_RECORD_OP_TYPE);
	expect_usual(&dec, 20);
	expect_end(&dec);
}

/* The same with the PC in the extended format, where another address without a name exists and the
 * payloads begin with another header each time. All begin at multiples of 32. */
static void extended_packets_count_in_comparison(void **state)
{
	enum { AGAIN = EXTENDED + 1, HAS = HAS_PC | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_OTHER };
	static const uint8_t other[] = {0xb1, 0xb2, 0xb3, 0x98, 0x99, 0x9a};
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t damaged, whole;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		PUT(&b, EXTENDED, PC, other[i % 6], 2, 2, 2, 2, 2, 2, 0);
		PUT(&b, AGAIN, PC, other[i % 6], 2, 2, 2, 2, 2, 2, 0, TYPE, 0);
		put_end(&b, false, 9);
	}
	damaged = b.size;
	PUT(&b, EXTENDED, PC, 2, 2, 2, 2, 2, 2, 2, 0, AGAIN, PC, 2, 2, 2, 2, 2, 2, 2, 0);
	PUT(&b, TOTAL, 5, 0, ISSUE, 5, 0, TARGET, 2, 2, 2, 2, 2);
	whole = b.size;
	/* Three bytes for the target before, a type, an End packet. */
	PUT(&b, EXTENDED, PC, 2, TYPE, 0, END, 2, 2, 2, 0);
	PUT(&b, AGAIN, PC, 2, 2, 2, 2, 2, 2, 2, 0, TYPE, 0);
	put_end(&b, false, 9);
	put_usual(&b, 20, false, 0);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20);
	expect_record(&dec, damaged,
	              HAS | HAS_TOTAL | SPEMU_RECORD_ADDR(1) | SPEMU_RECORD_COUNTER(1));
	expect_skip(&dec, damaged, whole);
	expect_record(&dec, whole, HAS);
}

/*
 * Records are 2048 bytes apart, the widest distance that counts as alignment: the aligned candidate
 * is taken though nothing ends before it, not the candidate after an End packet inside it. At 4096
 * bytes both are equal, and the last is taken.
 */
static void alignment_counts_up_to_2048_bytes(void **state)
{
	enum { DAMAGED = 100 };

	(void)state;
	for (size_t apart = 2048; apart <= 4096; apart *= 2) {
		static struct bytes b;
		struct spemu_decoder dec;
		size_t whole = 5 * apart, found = apart == 2048 ? whole : whole + 3;

		memset(&b, 0, sizeof(b));
		for (unsigned i = 0; i < 5; i++) {
			b.size = i * apart;
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
			if (i % 2)
				PUT(&b, TOTAL, 5, 0);
			PUT(&b, TYPE, 0, END);
		}
		memset(b.at + whole - DAMAGED, 2, DAMAGED);
		b.size = whole;
		PUT(&b, PC, 2, apart == 2048 ? END : 2, PC, 2, 2, 2, 2, 2);
		PUT(&b, TOTAL, 5, 0);
		PUT(&b, TYPE, 0, END);
		b.size = 6 * apart;
		put_usual(&b, 1, false, 0);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 5);
		expect_skip(&dec, whole - DAMAGED, found);
		expect_record(&dec, found,
		              HAS_PC | SPEMU_RECORD_OP_TYPE | (found == whole ? HAS_TOTAL : 0));
		expect_usual(&dec, 1);
		expect_end(&dec);
	}
}

/* Records change for good, aligned with the records before them: all of them are accepted. */
static void permanent_change_of_records_is_accepted(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;

	(void)state;
	put_usual(&b, 20, false, 0);
	for (unsigned i = 0; i < 7;
	     i++) /* two first records, one that does not count and four to compare */
		PUT(&b, TOTAL, 5, 0, TYPE, 0, END);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20 + 7);
	expect_end(&dec);
}

/*
 * A record that repeats a packet and lacks another is skipped, though no record begins inside it,
 * and so is a record that lacks the PC after it. A record that only repeats a packet is not
 * skipped.
 */
static void record_with_two_faults_is_skipped(void **state)
{
	(void)state;
	for (unsigned lacks = 0; lacks < 2; lacks++) {
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t damaged, second, whole;

		put_usual(&b, 20, false, 0);
		damaged = b.size;
		PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
		if (lacks)
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0, END);
		else
			PUT(&b, TYPE, 0, TYPE, 0, END);
		second = b.size;
		if (lacks)
			PUT(&b, TYPE, 0, END);
		whole = b.size;
		put_usual(&b, 20, false, 0);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 20);
		if (lacks) {
			expect_skip(&dec, damaged, second);
			expect_skip(&dec, second, whole);
		} else {
			expect_record(&dec, damaged, HAS_PC | SPEMU_RECORD_OP_TYPE);
		}
		expect_record(&dec, whole, HAS_PC | SPEMU_RECORD_OP_TYPE);
		expect_usual(&dec, 19);
		expect_end(&dec);
	}
}

/*
 * A record with two faults ends inside the PC of a whole record, and the following bytes would be
 * another record with the same end. The whole record is aligned like the others, at a multiple of
 * 16 and as far from the next, so it is taken.
 */
static void aligned_record_inside_faulty_record_is_taken(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t damaged, whole, inside;

	(void)state;
	put_aligned(&b, 20);
	damaged = b.size;
	PUT(&b, TOTAL, 5, 0, TYPE, 0, TYPE, 0, TYPE, 0, TYPE, 0, TYPE, 0, TYPE, 0, ISSUE);
	whole = b.size;
	PUT(&b, PC, 2, END);
	inside = b.size;
	PUT(&b, PC, 2, 2, 2, 2, 0, TOTAL, 5, 0, TYPE, 0, END, 0);
	put_aligned(&b, 20);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20);
	expect_skip(&dec, damaged, inside);
	expect_skip(&dec, damaged, whole);
	expect_record(&dec, whole, HAS_PC | HAS_TOTAL | SPEMU_RECORD_OP_TYPE);
	expect_usual(&dec, 20);
	expect_end(&dec);
}

/* At the start, a record without PC is skipped if four others have one, and a record without type
 * if sixteen others have one. */
static void first_record_missing_common_packets_is_skipped(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 4; run++) {
		const bool pc = run % 2, many = run / 2;
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t whole;

		if (pc)
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
		else
			PUT(&b, TYPE, 0);
		put_end(&b, false, 0);
		whole = b.size;
		put_usual(&b, many ? 17 : 16, false, 0); /* the first is not counted */
		spemu_decoder_init(&dec, b.at, b.size, 0);
		if (pc && !many)
			expect_record(&dec, 0, HAS_PC);
		else
			expect_skip(&dec, 0, whole);
		expect_record(&dec, whole, HAS_PC | SPEMU_RECORD_OP_TYPE);
		expect_usual(&dec, many ? 16 : 15);
		expect_end(&dec);
	}
}

/* An unknown packet is usual if half the records have one. If fewer have one, a record with it is
 * no better than damage, and the next record without it is taken. */
static void unknown_packets_are_usual_if_half_the_records_have_them(void **state)
{
	enum { UNKNOWN = 2 };

	(void)state;
	for (unsigned with = 9; with <= 10; with++) {
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		size_t damaged, first, second;

		for (unsigned i = 0; i < 20; i++) {
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
			if (i > 0 && i <= with)
				PUT(&b, UNKNOWN);
			PUT(&b, TYPE, 0, END);
		}
		damaged = b.size;
		put_endless(&b, false, 0);
		first = b.size;
		PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0, UNKNOWN, TYPE, 0, END);
		second = b.size;
		put_usual(&b, 1, false, 0);
		for (unsigned i = 0; i < 20; i++)
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0, UNKNOWN, TYPE, 0, END);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 20);
		expect_skip(&dec, damaged, with == 10 ? first : second);
		if (with == 10)
			expect_record(&dec, first,
			              HAS_PC | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_OTHER);
		expect_usual(&dec, 1 + 20);
		expect_end(&dec);
	}
}

/*
 * If all records have an unknown packet, a record with one is like the others: a candidate that
 * begins and ends inside the record before it is rejected, though it begins better than the record
 * in odd order.
 */
static void record_with_usual_unknown_packet_ends_its_predecessor(void **state)
{
	enum { HAS = HAS_PC | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_OTHER };
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;
	size_t odd, next;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0, 2, TYPE, 0, END);
	odd = b.size;
	PUT(&b, TYPE, 0, 2, PC, 2, END, PC, 2, 2, 2, 2, 0, END);
	next = b.size;
	for (unsigned i = 0; i < 20; i++)
		PUT(&b, PC, 2, 0, 0, 0, 0, 0, 0, 0, 2, TYPE, 0, END);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20);
	expect_record(&dec, odd, HAS);
	expect_record(&dec, next, HAS);
	expect_usual(&dec, 19);
	expect_end(&dec);
}

/*
 * A damaged tail is skipped except for its last bytes, which may be the start of a cut-off record.
 */
static void damaged_tail_is_skipped_but_for_possible_start(void **state)
{
	(void)state;
	for (unsigned more = 1; more < 6 * SPEMU_RECORD_MAX; more += SPEMU_RECORD_MAX / 3) {
		struct bytes b = {.size = 0};
		struct spemu_decoder dec;
		struct spemu_record rec;
		uint64_t skipped = 0;
		size_t damaged;
		int status;

		put_usual(&b, 20, false, 0);
		damaged = b.size;
		for (unsigned i = 0; i < more; i++)
			PUT(&b, 2);
		spemu_decoder_init(&dec, b.at, b.size, 0);
		expect_usual(&dec, 20);
		while ((status = spemu_decoder_next(&dec, &rec)) == SPEMU_ERR_CORRUPT) {
			assert_int_equal(dec.skip_offset, damaged + skipped);
			skipped += dec.skip_size;
		}
		assert_int_equal(status, SPEMU_ERR_TRUNCATED);
		assert_in_range(more - skipped, 1, SPEMU_RECORD_MAX);
	}
}

/* One fault may be damage: the record is returned and marked. Records around it, or too few for
 * comparison, are not marked. */
static void record_with_one_fault_is_marked_suspect(void **state)
{
	static const struct {
		uint8_t packets[16];
		size_t size;
		uint32_t present;
	} faults[] = {
	        {{TOTAL, 5, 0}, 3, HAS_PC | HAS_TOTAL},
	        {{TYPE, 0, TYPE, 1}, 4, HAS_PC | SPEMU_RECORD_OP_TYPE},
	        {{TYPE, 0, EXTENDED + 1, PC, 1, 1, 1, 1, 1, 1, 1, 1},
	         12,
	         HAS_PC | SPEMU_RECORD_OP_TYPE | SPEMU_RECORD_OTHER},
	};

	(void)state;
	for (unsigned before = 0; before <= 20; before += 20) {
		for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
			struct bytes b = {{0}, 0};
			struct spemu_decoder dec;
			struct spemu_record rec;

			put_usual(&b, before, false, 0);
			PUT(&b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
			put(&b, faults[i].packets, faults[i].size);
			put_end(&b, false, 0);
			put_usual(&b, before, false, 0);
			spemu_decoder_init(&dec, b.at, b.size, 0);
			for (unsigned n = 0; n <= 2 * before; n++) {
				assert_int_equal(spemu_decoder_next(&dec, &rec), SPEMU_OK);
				assert_int_equal(!!(rec.present & SPEMU_RECORD_SUSPECT),
				                 before && n == before);
				if (n == before)
					assert_int_equal(rec.present &
					                         ~(uint32_t)SPEMU_RECORD_SUSPECT,
					                 faults[i].present);
			}
			expect_end(&dec);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(record_after_another_beats_candidate_in_payload),
	        cmocka_unit_test(three_records_are_too_few_to_judge),
	        cmocka_unit_test(record_in_odd_order_yields_to_better_fit_inside),
	        cmocka_unit_test(unusual_start_and_unusual_packet_weigh_the_same),
	        cmocka_unit_test(overlong_record_is_skipped_to_next_start),
	        cmocka_unit_test(record_joined_from_cut_record_is_split_again),
	        cmocka_unit_test(extended_packets_count_in_comparison),
	        cmocka_unit_test(alignment_counts_up_to_2048_bytes),
	        cmocka_unit_test(record_with_two_faults_is_skipped),
	        cmocka_unit_test(aligned_record_inside_faulty_record_is_taken),
	        cmocka_unit_test(permanent_change_of_records_is_accepted),
	        cmocka_unit_test(first_record_missing_common_packets_is_skipped),
	        cmocka_unit_test(unknown_packets_are_usual_if_half_the_records_have_them),
	        cmocka_unit_test(record_with_usual_unknown_packet_ends_its_predecessor),
	        cmocka_unit_test(damaged_tail_is_skipped_but_for_possible_start),
	        cmocka_unit_test(record_with_one_fault_is_marked_suspect),
	};
	return cmocka_run_group_tests_name("codec_resync_by_hand", tests, NULL, NULL);
}
