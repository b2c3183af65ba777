/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as packets and as records.
 *
 * What holds for every input: packets encode to the bytes that they were decoded from; the decoder
 * always gets on, tells what it skips, and stops; a record without packets foreign to it survives every
 * layout; a reader in pieces finds what the decoder finds.
 */
#include <stdlib.h>
#include <string.h>

#include <spemu/codec.h>
#include "fuzz.h"

#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

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
		REQUIRE(again.present == rec->present);
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

/*
 * Records start one after the other, lie inside the data, and what is skipped is told; there is an
 * end to it.
 */
static void check_records(const uint8_t *data, size_t size)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	uint64_t next = 0, calls = 0;
	int status;

	spemu_decoder_init(&dec, data, size, 0);
	for (;;) {
		const uint8_t *before = dec.pos;

		REQUIRE(++calls <= 4 * (uint64_t)size + 4);
		status = spemu_decoder_next(&dec, &rec);
		if (status == SPEMU_OK) {
			REQUIRE(rec.size >= 1 && rec.size <= SPEMU_RECORD_MAX);
			REQUIRE(rec.offset + rec.size == (uint64_t)(dec.pos - data));
			REQUIRE(rec.offset >= next && dec.pos > before);
			next = rec.offset + 1;
			if (!(rec.present & SPEMU_RECORD_OTHER))
				check_layouts(&rec);
		} else if (status == SPEMU_ERR_CORRUPT) {
			REQUIRE(dec.skip_size > 0);
			REQUIRE(dec.skip_offset + dec.skip_size == (uint64_t)(dec.pos - data));
			REQUIRE((uint64_t)(dec.pos - data) >= next && dec.skipped <= size);
		} else {
			break;
		}
	}
	REQUIRE(status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED);
	REQUIRE((dec.pos == dec.end) == (status == SPEMU_ERR_END));
}

struct source {
	const uint8_t *data;
	size_t size, piece;
};

static ptrdiff_t give(void *ctx, void *buf, size_t size)
{
	struct source *s = ctx;
	size_t n = s->piece < size ? s->piece : size;

	if (n > s->size)
		n = s->size;
	memcpy(buf, s->data, n);
	s->data += n;
	s->size -= n;
	return (ptrdiff_t)n;
}

/* Through a window, in pieces; what is no longer than the window reads as from memory. */
static void check_reader(const uint8_t *data, size_t size)
{
	static uint8_t window[SPEMU_READER_WINDOW_MIN];
	struct source s = {data, size, 1 + size / 7};
	struct spemu_reader reader;
	struct spemu_decoder dec;
	struct spemu_record a, b;
	uint64_t calls = 0;
	int status;

	REQUIRE(spemu_reader_init(&reader, window, sizeof(window), give, &s, 0) == SPEMU_OK);
	spemu_decoder_init(&dec, data, size, 0);
	do {
		REQUIRE(++calls <= 4 * (uint64_t)size + 4);
		status = spemu_reader_next(&reader, &a);
		if (size > sizeof(window))
			continue;
		REQUIRE(spemu_decoder_next(&dec, &b) == status);
		REQUIRE(status != SPEMU_OK || (a.offset == b.offset && a.size == b.size));
		REQUIRE(reader.decoder.skipped == dec.skipped);
	} while (status == SPEMU_OK || status == SPEMU_ERR_CORRUPT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In memory of its very size, so that a sanitizer sees a read past the end. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	check_packets(copy, size);
	check_records(copy, size);
	check_reader(copy, size);
	free(copy);
	return 0;
}
