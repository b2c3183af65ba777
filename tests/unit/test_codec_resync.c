/* SPDX-License-Identifier: MIT */
/*
 * Test the decoder with damaged streams. Bytes are overwritten or cut out anywhere, or the buffer
 * begins or ends inside a record. Every undamaged record must be decoded unchanged at its place,
 * and skipped bytes must be reported.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2, D18.1.3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/codec.h>
#include "codec_random.h"
#include "share.h"

enum { RECORDS = 60, STREAM_MAX = RECORDS * 128 };

struct stream {
	uint8_t bytes[STREAM_MAX];
	size_t size;
	struct spemu_record record[RECORDS];
	size_t begin[RECORDS], end[RECORDS]; /* without the padding around them */
};

/*
 * Make a record like those that a profiler of one process gets. Either all records or none have a
 * timestamp.
 */
static void program_record(struct spemu_record *rec, uint64_t *seed, bool timestamps, unsigned i)
{
	uint64_t r = random_next(seed);

	memset(rec, 0, sizeof(*rec));
	rec->present = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_CONTEXT(1) | SPEMU_RECORD_OP_TYPE |
	               SPEMU_RECORD_EVENTS | SPEMU_RECORD_COUNTER(0) | SPEMU_RECORD_COUNTER(1);
	rec->addr[0] = UINT64_C(0x80) << 56 | (random_next(seed) & 0xfffffffffffc);
	rec->context[1] = 1000 + (uint32_t)(r >> 60);
	rec->events = 0x02 | (r >> 8 & 0x3c);
	rec->events_size = 2;
	rec->counter[0] = 10 + (r >> 16 & 0x3ff);
	rec->counter[1] = r >> 16 & 7;
	if (timestamps) {
		rec->present |= SPEMU_RECORD_TIMESTAMP;
		rec->timestamp = 44731163950 + 977 * i;
	}
	switch (r % 4) {
	case 0:
	case 1:
		rec->op_class = 1;
		rec->op_subclass = r % 4;
		rec->present |=
		        SPEMU_RECORD_ADDR(2) | SPEMU_RECORD_ADDR(3) | SPEMU_RECORD_COUNTER(2);
		rec->addr[2] = random_next(seed) >> 8;
		rec->addr[3] = UINT64_C(0x80) << 56 | random_next(seed) >> 20;
		rec->counter[2] = r >> 26 & 0x3f;
		if (r % 4 == 0) {
			rec->present |= SPEMU_RECORD_DATA_SOURCE;
			rec->data_source_size = 1;
			rec->data_source = r >> 33 & 0xf;
		}
		break;
	case 2:
		rec->op_class = 2;
		rec->op_subclass = r >> 40 & 3;
		rec->present |= SPEMU_RECORD_ADDR(1);
		rec->addr[1] = UINT64_C(0x80) << 56 | (random_next(seed) & 0xfffffffffffc);
		break;
	default:
		break;
	}
}

static void write_stream(struct stream *s, uint64_t *seed, const struct spemu_layout *layout,
                         bool timestamps)
{
	s->size = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		size_t at = s->size, end;
		int size;

		program_record(&s->record[i], seed, timestamps, i);
		size = spemu_record_encode(s->bytes + at, STREAM_MAX - at, &s->record[i], layout);
		assert_true(size > 0);
		s->size += (size_t)size;
		while (s->bytes[at] == 0)
			at++;
		end = s->size;
		if (!layout->pad_before_end && !timestamps)
			while (s->bytes[end - 1] == 0)
				end--;
		s->begin[i] = at;
		s->end[i] = end;
	}
}

/* Result of decoding a damaged stream: the undamaged records, the ones among them that were lost,
 * and the skipped bytes. */
struct outcome {
	unsigned wanted, lost;
	uint64_t skipped;
};

static void check_stream(struct outcome *o, const uint8_t *bytes, size_t size,
                         const struct stream *s, const bool *intact, const ptrdiff_t *moved)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	bool seen[RECORDS] = {false};
	int status;

	spemu_decoder_init(&dec, bytes, size, 0);
	while ((status = spemu_decoder_next(&dec, &rec)) == SPEMU_OK ||
	       status == SPEMU_ERR_CORRUPT) {
		if (status == SPEMU_ERR_CORRUPT) {
			assert_true(dec.skip_size > 0);
			assert_true(dec.skip_offset + dec.skip_size == (uint64_t)(dec.pos - bytes));
			continue;
		}
		for (unsigned i = 0; i < RECORDS; i++) {
			if (intact[i] &&
			    rec.offset == (uint64_t)((ptrdiff_t)s->begin[i] + moved[i])) {
				struct spemu_record want = s->record[i];

				seen[i] = (rec.present & ~(uint32_t)SPEMU_RECORD_SUSPECT) ==
				                  want.present &&
				          !memcmp(rec.addr, want.addr, sizeof(rec.addr)) &&
				          rec.timestamp == want.timestamp &&
				          rec.events == want.events &&
				          !memcmp(rec.counter, want.counter, sizeof(rec.counter));
			}
		}
	}
	assert_true(status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED);
	for (unsigned i = 0; i < RECORDS; i++) {
		o->wanted += intact[i];
		if (intact[i] && !seen[i]) {
			o->lost++;
			if (getenv("VERBOSE"))
				printf("lost %u at %zu..%zu\n", i, s->begin[i], s->end[i]);
		}
	}
	o->skipped += dec.skipped;
}

static const struct spemu_layout layouts[] = {
        {.order = SPEMU_ORDER_PSEUDOCODE},
        {.order = SPEMU_ORDER_PC_FIRST, .align_log2 = 6, .pad_before_end = 1, .fixed_places = 1},
        {.order = SPEMU_ORDER_PC_FIRST, .align_log2 = 2, .pad_before_end = 1},
        {.order = SPEMU_ORDER_PSEUDOCODE, .align_log2 = 4},
};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

static void undamaged_stream_loses_and_skips_nothing(void **state)
{
	static struct stream s;
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 2000 / test_share(); round++) {
		bool intact[RECORDS];
		ptrdiff_t moved[RECORDS] = {0};
		struct outcome o = {0};

		write_stream(&s, &seed, &layouts[round % LAYOUTS], round / LAYOUTS % 2);
		memset(intact, true, sizeof(intact));
		check_stream(&o, s.bytes, s.size, &s, intact, moved);
		assert_int_equal(o.lost, 0);
		assert_int_equal(o.skipped, 0);
	}
}

/* One range of 1 to 48 bytes anywhere in the stream is overwritten. */
static void resync_after_overwritten_bytes(void **state)
{
	static struct stream s;
	uint64_t seed = 2;
	struct outcome o = {0};

	(void)state;
	for (unsigned round = 0; round < 20000 / test_share(); round++) {
		bool intact[RECORDS];
		ptrdiff_t moved[RECORDS] = {0};
		size_t at, size;
		unsigned lost = o.lost;

		write_stream(&s, &seed, &layouts[round % LAYOUTS], round / LAYOUTS % 2);
		at = (size_t)(random_next(&seed) % s.size);
		size = 1 + (size_t)(random_next(&seed) % 48);
		if (round % 3 == 0)
			size = 1;
		if (size > s.size - at)
			size = s.size - at;
		for (size_t i = 0; i < size; i++)
			s.bytes[at + i] = (uint8_t)random_next(&seed);
		for (unsigned i = 0; i < RECORDS; i++)
			intact[i] = s.end[i] <= at || s.begin[i] >= at + size;
		check_stream(&o, s.bytes, s.size, &s, intact, moved);
		if (o.lost != lost && getenv("VERBOSE"))
			printf("round %u layout %u ts %u: damage %zu+%zu\n", round, round % LAYOUTS,
			       round / LAYOUTS % 2, at, size);
	}
	print_message("# %u of %u lost\n", o.lost, o.wanted);
	assert_int_equal(o.lost, 0);
}

/* Copy a stream, and add an undefined packet (D18.1.3) after the first packet of each record. */
static void add_unknown(struct stream *s, const struct stream *plain, uint64_t *seed)
{
	s->size = 0;
	for (unsigned i = 0; i < RECORDS; i++) {
		const uint8_t *from = plain->bytes + plain->begin[i];
		const uint8_t unknown[2] = {0x4c, (uint8_t)random_next(seed)};
		size_t size = plain->end[i] - plain->begin[i], first;
		struct spemu_packet pkt;

		assert_int_equal(spemu_packet_decode(&pkt, unknown, sizeof(unknown)), 2);
		assert_int_equal(pkt.type, SPEMU_PKT_UNKNOWN);
		first = (size_t)spemu_packet_decode(&pkt, from, size);
		s->record[i] = plain->record[i];
		s->record[i].present |= SPEMU_RECORD_OTHER;
		s->begin[i] = s->size;
		memcpy(s->bytes + s->size, from, first);
		memcpy(s->bytes + s->size + first, unknown, sizeof(unknown));
		memcpy(s->bytes + s->size + first + sizeof(unknown), from + first, size - first);
		s->size += size + sizeof(unknown);
		s->end[i] = s->size;
	}
}

/* Overwrite bytes as above in a stream of a later implementation, whose records all have a packet
 * that this decoder does not know. */
static void resync_after_overwritten_bytes_with_unknown_packets(void **state)
{
	static struct stream plain, s;
	uint64_t seed = 5;
	struct outcome o = {0};

	(void)state;
	for (unsigned round = 0; round < 4000; round++) {
		bool intact[RECORDS];
		ptrdiff_t moved[RECORDS] = {0};
		size_t at, size;

		write_stream(&plain, &seed, &layouts[0], round % 2);
		add_unknown(&s, &plain, &seed);
		at = (size_t)(random_next(&seed) % s.size);
		size = 1 + (size_t)(random_next(&seed) % 48);
		if (size > s.size - at)
			size = s.size - at;
		for (size_t i = 0; i < size; i++)
			s.bytes[at + i] = (uint8_t)random_next(&seed);
		for (unsigned i = 0; i < RECORDS; i++)
			intact[i] = s.end[i] <= at || s.begin[i] >= at + size;
		check_stream(&o, s.bytes, s.size, &s, intact, moved);
	}
	print_message("# %u of %u lost\n", o.lost, o.wanted);
	assert_int_equal(o.lost, 0);
}

/* A range of 1 to 200 bytes anywhere in the stream is missing. */
static void resync_after_missing_bytes(void **state)
{
	const unsigned rounds = 20000 / test_share();
	static struct stream s;
	uint64_t seed = 3;
	struct outcome o = {0};

	(void)state;
	for (unsigned round = 0; round < rounds; round++) {
		bool intact[RECORDS];
		ptrdiff_t moved[RECORDS] = {0};
		size_t at, size;
		unsigned lost = o.lost;

		write_stream(&s, &seed, &layouts[round % LAYOUTS], round / LAYOUTS % 2);
		at = (size_t)(random_next(&seed) % s.size);
		size = 1 + (size_t)(random_next(&seed) % 200);
		if (size > s.size - at)
			size = s.size - at;
		memmove(s.bytes + at, s.bytes + at + size, s.size - at - size);
		for (unsigned i = 0; i < RECORDS; i++) {
			intact[i] = s.end[i] <= at || s.begin[i] >= at + size;
			moved[i] = s.begin[i] >= at + size ? -(ptrdiff_t)size : 0;
		}
		check_stream(&o, s.bytes, s.size - size, &s, intact, moved);
		if (o.lost != lost && getenv("VERBOSE"))
			printf("round %u layout %u ts %u: cut %zu+%zu\n", round, round % LAYOUTS,
			       round / LAYOUTS % 2, at, size);
	}
	/*
	 * The rest of a record before the cut can form a valid record with the bytes after the cut.
	 * An example is a Context packet's header before a record that begins with a Context
	 * packet. No decoder can detect such a record, but it is rare.
	 */
	print_message("# %u of %u lost\n", o.lost, o.wanted);
	assert_true(o.lost <= 12); /* docs/explanation/design.md has this number */
}

/* A buffer may begin and end anywhere, as it does in a snapshot of a wrapped buffer. */
static void resync_at_arbitrary_start_and_end(void **state)
{
	static struct stream s;
	uint64_t seed = 4;
	struct outcome o = {0};

	(void)state;
	for (unsigned round = 0; round < 2 * LAYOUTS; round++) {
		write_stream(&s, &seed, &layouts[round % LAYOUTS], round / LAYOUTS);
		for (size_t begin = 0; begin < s.end[3]; begin++) {
			size_t end = s.size - begin;
			bool intact[RECORDS];
			ptrdiff_t moved[RECORDS];

			for (unsigned i = 0; i < RECORDS; i++) {
				intact[i] = s.begin[i] >= begin && s.end[i] <= end;
				moved[i] = -(ptrdiff_t)begin;
			}
			check_stream(&o, s.bytes + begin, end - begin, &s, intact, moved);
		}
	}
	print_message("# %u of %u lost\n", o.lost, o.wanted);
	assert_int_equal(o.lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(undamaged_stream_loses_and_skips_nothing),
	        cmocka_unit_test(resync_after_overwritten_bytes),
	        cmocka_unit_test(resync_after_overwritten_bytes_with_unknown_packets),
	        cmocka_unit_test(resync_after_missing_bytes),
	        cmocka_unit_test(resync_at_arbitrary_start_and_end),
	};
	return cmocka_run_group_tests_name("codec_resync", tests, NULL, NULL);
}
