/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: arbitrary bytes as packets and as records.
 *
 * Invariants: packets encode to the bytes they were decoded from. The decoder always advances,
 * reports what it skips, and stops. A record without foreign packets survives every layout. Batch
 * decoding finds the same records as the decoder.
 */
#include <stdbool.h>
#include <string.h>

#include <spemu/codec.h>
#include "fuzz.h"

static void check_packets(const uint8_t *data, size_t size)
{
	struct spemu_decoder dec;
	struct spemu_packet pkt;
	int n;

	spemu_decoder_init(&dec, data, size, 0);
	while ((n = spemu_decoder_next_packet(&dec, &pkt)) > 0) {
		uint8_t again[10];
		char text[24];
		int length;

		REQUIRE(n <= 10);
		REQUIRE(spemu_packet_encode(again, sizeof(again), &pkt) == n);
		REQUIRE(memcmp(again, dec.pos - n, (size_t)n) == 0);
		memset(text, 'x', sizeof(text));
		length = spemu_packet_describe(text, sizeof(text), &pkt);
		REQUIRE(length >= 1);
		REQUIRE(memchr(text, '\0', sizeof(text)) != NULL);
	}
	REQUIRE(n == SPEMU_ERR_END || n == SPEMU_ERR_TRUNCATED);
	REQUIRE((dec.pos == dec.end) == (n == SPEMU_ERR_END));
}

static void check_layouts(const struct spemu_record *rec)
{
	const struct spemu_layout *const layouts[] = {&spemu_layout_dense, &spemu_layout_neoverse,
	                                              &spemu_layout_words};

	for (unsigned i = 0; i < 3; i++) {
		uint8_t buf[256];
		struct spemu_decoder dec;
		struct spemu_record again;
		int size = spemu_record_encode(buf, sizeof(buf), rec, layouts[i]);

		REQUIRE(size > 0);
		spemu_decoder_init(&dec, buf, (size_t)size, 0);
		REQUIRE(spemu_decoder_next(&dec, &again) == SPEMU_OK);
		REQUIRE(again.present == (rec->present & ~(uint32_t)SPEMU_RECORD_SUSPECT));
		REQUIRE(memcmp(again.addr, rec->addr, sizeof(rec->addr)) == 0);
		REQUIRE(memcmp(again.counter, rec->counter, sizeof(rec->counter)) == 0);
		REQUIRE(memcmp(again.context, rec->context, sizeof(rec->context)) == 0);
		REQUIRE(again.events == rec->events && again.events_size == rec->events_size);
		REQUIRE(again.timestamp == rec->timestamp);
		REQUIRE(again.op_class == rec->op_class && again.op_subclass == rec->op_subclass);
		REQUIRE(again.data_source == rec->data_source);
		REQUIRE(spemu_decoder_next(&dec, &again) == SPEMU_ERR_END);
	}
}

static bool same_record(const struct spemu_record *a, const struct spemu_record *b)
{
	return a->offset == b->offset && a->size == b->size && a->present == b->present &&
	       !memcmp(a->addr, b->addr, sizeof(a->addr)) && a->events == b->events &&
	       a->timestamp == b->timestamp &&
	       !memcmp(a->context, b->context, sizeof(a->context)) &&
	       !memcmp(a->counter, b->counter, sizeof(a->counter)) &&
	       a->data_source == b->data_source && a->op_class == b->op_class &&
	       a->op_subclass == b->op_subclass && a->events_size == b->events_size &&
	       a->data_source_size == b->data_source_size;
}

/* Check a decoded record against the input bytes before `at`. */
static void check_record(const struct spemu_record *rec, uint64_t at, uint64_t next)
{
	REQUIRE(rec->size >= 1 && rec->size <= SPEMU_RECORD_MAX);
	REQUIRE(rec->offset + rec->size == at && rec->offset >= next);
	if (!(rec->present & SPEMU_RECORD_OTHER))
		check_layouts(rec);
}

/*
 * Check the records of the data: each starts after the previous one and lies within the data, the
 * decoder reports what it skips, and it stops.
 */
static void check_records(const uint8_t *data, size_t size)
{
	struct spemu_shapes shapes = {{0}};
	struct spemu_decoder dec, by_shape;
	struct spemu_record rec, read;
	uint64_t next = 0, calls = 0, at;
	size_t count;
	int status;

	spemu_decoder_init(&dec, data, size, 0);
	by_shape = dec;
	do {
		const uint8_t *before = dec.pos;

		REQUIRE(++calls <= 4 * (uint64_t)size + 4);
		status = spemu_decoder_next(&dec, &rec);
		at = (uint64_t)(dec.pos - data);
		if (status == SPEMU_OK) {
			REQUIRE(dec.pos > before);
			check_record(&rec, at, next);
			next = rec.offset + 1;
		} else if (status == SPEMU_ERR_CORRUPT) {
			REQUIRE(dec.skip_size > 0 && dec.skip_offset + dec.skip_size == at);
			REQUIRE(at >= next && dec.skipped <= size);
		}
		REQUIRE(spemu_decoder_records(&by_shape, &count, &read, 1, &shapes) == status);
		REQUIRE(by_shape.pos == dec.pos && by_shape.skipped == dec.skipped);
		REQUIRE(status != SPEMU_OK || same_record(&read, &rec));
	} while (status == SPEMU_OK || status == SPEMU_ERR_CORRUPT);
	REQUIRE(status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED);
	REQUIRE((dec.pos == dec.end) == (status == SPEMU_ERR_END));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* libFuzzer allocates the exact size of the input, so a sanitizer detects a read past the
	 * end. */
	check_packets(data, size);
	check_records(data, size);
	return 0;
}
