/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as packets and as records.
 *
 * What holds for every input: packets encode to the bytes that they were decoded from; the decoder
 * always gets on, loses no byte, and stops; a record without packets foreign to it survives every
 * layout.
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
	const struct spemu_layout *const layouts[] = {&spemu_layout_dense, &spemu_layout_neoverse};

	for (unsigned i = 0; i < 2; i++) {
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

static void check_records(const uint8_t *data, size_t size)
{
	struct spemu_decoder dec;
	struct spemu_record rec;
	uint64_t in_records = 0, padding = 0;
	const uint8_t *before = data;
	int status;

	spemu_decoder_init(&dec, data, size, 0);
	for (;;) {
		uint64_t skipped = dec.skipped;

		status = spemu_decoder_next(&dec, &rec);
		if (status == SPEMU_OK) {
			REQUIRE(rec.size >= 1 && rec.size <= SPEMU_RECORD_MAX);
			REQUIRE(rec.offset + rec.size == (uint64_t)(dec.pos - data));
			padding += rec.offset - (uint64_t)(before - data);
			in_records += rec.size;
			if (!(rec.present & SPEMU_REC_OTHER))
				check_layouts(&rec);
		} else if (status == SPEMU_ERR_CORRUPT) {
			REQUIRE(dec.skipped > skipped + SPEMU_RECORD_MAX);
			padding += (uint64_t)(dec.pos - before) - (dec.skipped - skipped);
		} else {
			break;
		}
		REQUIRE(dec.pos > before);
		before = dec.pos;
	}
	REQUIRE(status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED);
	REQUIRE((dec.pos == dec.end) == (status == SPEMU_ERR_END));
	padding += (uint64_t)(dec.pos - before);
	REQUIRE(in_records + padding + dec.skipped == (uint64_t)(dec.pos - data));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In memory of its very size, so that a sanitizer sees a read behind the end. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	if (size)
		memcpy(copy, data, size);
	check_packets(copy, size);
	check_records(copy, size);
	free(copy);
	return 0;
}
