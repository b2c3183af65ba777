/* SPDX-License-Identifier: MIT */
/* Scanning of records by the decoder, before it decides whether they are valid. */
#ifndef SPEMU_CODEC_SCAN_H
#define SPEMU_CODEC_SCAN_H

#include "codec/form.h"

struct shapes_own;

/* The packets of a record, without their values. */
struct record_scan {
	const uint8_t *end; /* just past the record, or past the part that was read */
	uint32_t present;   /* bits of spemu_record.present */
	uint32_t repeated;  /* bits of the packets that occurred more than once */
};

/* Return the end of the padding at p. */
const uint8_t *spemu__codec_padding_skip(const uint8_t *p, const uint8_t *end);

/*
 * Read the packets from start, which is not padding and is before end, through the End or Timestamp
 * packet, into all members of rec except offset, size and present. Return SPEMU_OK;
 * SPEMU_ERR_TRUNCATED if end comes first; SPEMU_ERR_CORRUPT if the record is longer than
 * SPEMU_RECORD_MAX bytes.
 */
int spemu__codec_record_read(struct spemu_record *rec, struct record_scan *scan,
                             const uint8_t *start, const uint8_t *end);

/*
 * Decide about a record that was read at dec->pos with status, and that does not resemble the
 * records around it. Return SPEMU_OK if it is a record; SPEMU_ERR_CORRUPT if it is not, with
 * dec->pos moved past the skip, which is noted; SPEMU_ERR_TRUNCATED if more bytes are needed.
 * shapes may be NULL, and only make it faster.
 */
int spemu__codec_resynchronize(struct spemu_decoder *dec, const struct record_scan *scan,
                               int status, struct shapes_own *shapes);

/* Read the next record as spemu_decoder_next() does. shapes makes this faster: it has the shapes of
 * earlier records, and the record's shape is added to it. It may be NULL. */
int spemu__codec_next(struct spemu_decoder *dec, struct spemu_record *rec,
                      struct shapes_own *shapes);

/* Store n records into columns, from row i on. */
void spemu__codec_columns_put(const struct spemu_columns *columns, size_t i,
                              const struct spemu_record *rec, size_t n);

/* The private state of a decoder, spemu_decoder.own: properties of the records so far. */
struct __attribute__((may_alias)) decoder_own {
	const uint8_t *last, *run, *proven, *proven_end;
	uint32_t usual, seen;
	uint8_t first, synced;
};
_Static_assert(sizeof(struct decoder_own) <= sizeof(((struct spemu_decoder *)0)->own),
               "spemu_decoder.own has room");

/* Return the decoder's private state. It is writable if the decoder is. */
static inline struct decoder_own *own(const struct spemu_decoder *dec)
{
	return (struct decoder_own *)(uintptr_t)dec->own;
}

#endif
