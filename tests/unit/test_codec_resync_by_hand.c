/* SPDX-License-Identifier: MIT */
/*
 * Test the decoder with damaged streams that were made by hand, byte by byte. If a record may begin
 * at several places, the decoder takes the place that fits best. It reports skipped bytes from
 * their start. codec.h describes damage, and the head of lib/codec/resync.c describes which place
 * fits.
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

/* A stream. Payloads are filled with bytes below 8, because no header that begins a record is below
 * 8. */
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

/* Write the usual records, with which the decoder compares others. Every second record has a
 * latency between PC and type. */
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

/* Write usual records like put_usual(), each at a multiple of 16. */
static void put_aligned(struct bytes *b, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (i % 2)
			PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0, TOTAL, 5, 0, TYPE, 0, END, 0);
		else
			PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0, TYPE, 0, END, 0, 0, 0, 0);
}

/* Write a damaged record. Its type has become the header of a longer packet, which hides the header
 * of the last packet. */
static void put_endless(struct bytes *b, bool timestamp, unsigned padding)
{
	PUT(b, PC, 2, 2, 2, 2, 2, 2, 2, 0);
	PUT(b, timestamp ? TARGET : ISSUE, 0);
	put_end(b, timestamp, padding);
}

/* Expect a record with these packets. The SUSPECT bit may have any value;
 * record_with_one_fault_is_marked_suspect() tests it. */
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

/* The payload of a record's PC packet contains a second candidate for the start of a record, with
 * the same end. The decoder takes the record, because it follows another record. That record is
 * damaged, but its last packet is in place, with or without padding after it. */
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
 * Three records are too few for comparison. The damaged record, which has swallowed the next one,
 * is therefore accepted.
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
 * The only oddity of a record is the order of its packets. The record yields to a candidate inside
 * it that fits better, but not to one that fits equally well. The candidate begins at the fourth
 * byte and has a PC, a type and a timestamp. It follows an End packet in one of the two runs.
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
 * Two candidates have the same end. The first has a usual start and an unusual packet, and the
 * second has an unusual start and usual packets. Both weigh the same. If the second follows an End
 * packet, both follow an end, and the decoder takes the last of equals. Otherwise the decoder takes
 * the first.
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

/* The start of a cut-off record forms a valid record with the next record. The decoder returns it
 * and examines the bytes of both again. */
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
	/* Four bytes complete the earlier PC. Then come a type and an End packet. */
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

/* The start of a cut-off record again forms a valid record with the next one. Here all PCs are in
 * the extended format, and another address, which has no name, follows each. Their payloads begin
 * with a different header each time. All records begin at multiples of 32. */
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
	/* Three bytes complete the earlier target. Then come a type and an End packet. */
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
 * Records are 2048 bytes apart, the widest distance that counts as alignment. The decoder takes the
 * aligned candidate although no End packet precedes it. It does not take the candidate inside,
 * which follows an End packet. At a distance of 4096 bytes both candidates weigh the same, and the
 * decoder takes the last.
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

/* From some record on, all records are different, but aligned like the records before them. The
 * decoder accepts all of them. */
static void permanent_change_of_records_is_accepted(void **state)
{
	struct bytes b = {.size = 0};
	struct spemu_decoder dec;

	(void)state;
	put_usual(&b, 20, false, 0);
	for (unsigned i = 0; i < 7;
	     i++) /* two records at the start, one that is not counted, and four to compare */
		PUT(&b, TOTAL, 5, 0, TYPE, 0, END);
	spemu_decoder_init(&dec, b.at, b.size, 0);
	expect_usual(&dec, 20 + 7);
	expect_end(&dec);
}

/*
 * A record that repeats a packet and lacks another is skipped, although no record begins inside it.
 * The rest after it, a record without a PC, is skipped, too. A record that only repeats a packet is
 * not skipped.
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
 * A record with two faults ends inside the PC of a whole record. The bytes after this end would
 * form another record, which ends where the whole record ends. The decoder takes the whole record
 * because it is aligned like the others: at a multiple of 16, and at the usual distance from the
 * next.
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

/* The first record of a stream is skipped if it has no PC and four other records have one. It is
 * also skipped if it has no type and sixteen other records have one. */
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
		put_usual(&b, many ? 17 : 16, false, 0); /* the first of these is not counted */
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

/* Unknown packets count as usual if half the records have one. If fewer records have one, the
 * decoder treats a record with an unknown packet like damage. It then takes the next record without
 * an unknown packet. */
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
 * If all records have an unknown packet, a record with one is like the others. A candidate that
 * begins and ends inside the preceding record is rejected, although its start is more usual than
 * the start of that record, whose packets are in an odd order.
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
 * A damaged tail is skipped, except for its last bytes, which may be the start of a cut-off record.
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

/* A record with one fault may be damaged, so the decoder returns it and marks it as suspect.
 * Records around it are not marked. Nothing is marked if there are too few records for
 * comparison. */
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
