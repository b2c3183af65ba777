/* SPDX-License-Identifier: MIT */
/*
 * The shapes of earlier records, which make it possible to recognize a later record as a whole.
 *
 * The places of a record's headers and padding determine how it is read, and an implementation
 * writes few different combinations. A shape is one combination: the bytes of headers and padding,
 * and the places of the payloads. A record with these bytes is read without decoding each packet,
 * with the same result.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2
 */
#ifndef SPEMU_CODEC_SHAPE_H
#define SPEMU_CODEC_SHAPE_H

#include "codec/scan.h"

enum {
	SHAPES = 10,
	SHAPE_BYTES = 80,             /* longer records have no shape */
	SHAPE_ROOM = SHAPE_BYTES + 8, /* bytes that must be readable where a shape is searched */
	SHAPE_PLACES = 4,             /* places of the bytes that distinguish shapes */
	SHAPE_CHOICES = 64,           /* number of slots in choice[]; a hash of bytes of the record
	                                 selects one */
	SHAPE_MEMBERS = MEMBER_TIMESTAMP + 1,
};

/* Two 64-bit words, in one register if the machine has vectors. */
typedef uint64_t shape_words __attribute__((vector_size(16), aligned(8)));

struct shape {
	shape_words fixed[SHAPE_BYTES / 16]; /* mask with ones for the bits of headers and
	                                        padding */
	shape_words bytes[SHAPE_BYTES / 16]; /* values of these bits; other bits are zero */
	uint64_t kept[SHAPE_MEMBERS];        /* mask of the payload in the eight bytes at its
	                                        place; 0 without one */
	uint8_t at[SHAPE_MEMBERS];           /* place of the payload */
	uint32_t present, first;             /* members of the record, and its first member */
	uint8_t number;                      /* index of the shape in shapes_own */
	uint8_t size;                        /* size of the record in bytes */
	uint8_t op_class, events_size, data_source_size;
};

/* The contents of struct spemu_shapes. If all are zero, there are no shapes. */
struct __attribute__((may_alias)) shapes_own {
	struct shape shape[SHAPES];
	uint8_t choice[SHAPE_CHOICES]; /* index + 1 of the last shape found in this slot */
	uint8_t place[SHAPE_PLACES];
	uint8_t places, count, next;
};
_Static_assert(sizeof(struct shapes_own) <= sizeof(struct spemu_shapes), "spemu_shapes has room");

static inline struct shapes_own *shapes_own(struct spemu_shapes *shapes)
{
	return (struct shapes_own *)shapes->own;
}

static inline uint8_t shape_first_byte(const struct shape *s)
{
	return *(const uint8_t *)s->bytes;
}

/* Set bits in *differs where 16 bytes of the record at p do not match the shape. The result is not
 * returned, because without SSE there is no ABI for vectors as results. */
static inline void shape_compare(shape_words *differs, const struct shape *s, const uint8_t *p,
                                 unsigned i)
{
	shape_words got;

	memcpy(&got, p + sizeof(got) * i, sizeof(got));
	*differs |= (got & s->fixed[i]) ^ s->bytes[i];
}

static inline bool shape_fits(const struct shape *s, const uint8_t *p)
{
	shape_words differs = {0};

	/* Unrolled by hand, because compilers do not unroll a loop here. */
	shape_compare(&differs, s, p, 0);
	shape_compare(&differs, s, p, 1);
	shape_compare(&differs, s, p, 2);
	shape_compare(&differs, s, p, 3);
	if (s->size > 64)
		shape_compare(&differs, s, p, 4);
	_Static_assert(SHAPE_BYTES == 5 * 16, "all of a shape is compared");
	return !(differs[0] | differs[1]);
}

/* Return the shape of the record at p, which is not padding, or NULL if it is unknown.
 * SHAPE_ROOM bytes are readable. */
const struct shape *spemu__codec_shape_search(struct shapes_own *own, const uint8_t *p,
                                              unsigned choice);

static inline const struct shape *shape_find(struct shapes_own *own, const uint8_t *p)
{
	uint32_t key = (uint32_t)p[own->place[0]] | (uint32_t)p[own->place[1]] << 8 |
	               (uint32_t)p[own->place[2]] << 16 | (uint32_t)p[own->place[3]] << 24;
	unsigned choice = key * UINT32_C(0x9e3779b1) >> 26;
	unsigned index = own->choice[choice];

	if (index && shape_fits(&own->shape[index - 1], p))
		return &own->shape[index - 1];
	return spemu__codec_shape_search(own, p, choice);
}
_Static_assert(SHAPE_CHOICES == 1 << (32 - 26), "the hash has as many bits");

/* Add the shape of the record at start, which was read and does not match a known shape. */
void spemu__codec_shape_add(struct shapes_own *own, const uint8_t *start,
                            const struct record_scan *scan, const struct spemu_record *rec);

/* Read all members of rec except offset from a record at p that matches s. */
void spemu__codec_shape_read(struct spemu_record *rec, const struct shape *s, const uint8_t *p);

#endif
