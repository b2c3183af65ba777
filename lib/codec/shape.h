/* SPDX-License-Identifier: MIT */
/*
 * The shapes of earlier records, so that later ones are recognized as a whole.
 *
 * Where a record's headers and padding are decides how it is read, and an implementation writes few
 * different ones. A shape is one of them: the bytes that make it, and where the payloads are. A
 * record with these bytes is read without a look at each packet, and gives exactly what the packets
 * would.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2
 */
#ifndef SPEMU_CODEC_SHAPE_H
#define SPEMU_CODEC_SHAPE_H

#include "codec/scan.h"

enum {
	SHAPES = 10,
	SHAPE_BYTES = 80,             /* longer records have no shape */
	SHAPE_ROOM = SHAPE_BYTES + 8, /* bytes that may be read where one is looked for */
	SHAPE_PLACES = 4,             /* bytes by which shapes differ */
	SHAPE_CHOICES = 64,           /* by a hash of those */
	SHAPE_MEMBERS = MEMBER_TIMESTAMP + 1,
};

/* Two words at once, where the machine can. */
typedef uint64_t shape_words __attribute__((vector_size(16), aligned(8)));

struct shape {
	shape_words fixed[SHAPE_BYTES / 16]; /* ones for the bits of headers and padding */
	shape_words bytes[SHAPE_BYTES / 16]; /* the values of these bits; else zero */
	uint64_t kept[SHAPE_MEMBERS];        /* of the eight bytes at a payload; 0 without one */
	uint8_t at[SHAPE_MEMBERS];           /* where it is */
	uint32_t present, first;             /* members, and the one that it begins with */
	uint8_t number;                      /* its index */
	uint8_t size;                        /* bytes */
	uint8_t op_class, events_size, data_source_size;
};

/* struct spemu_shapes. All zero: none. */
struct __attribute__((may_alias)) shapes_own {
	struct shape shape[SHAPES];
	uint8_t choice[SHAPE_CHOICES]; /* index + 1 of the shape that was last found there */
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

/* Adds ones where the record at p is not of the shape, among 16 bytes. No vector is returned:
 * without SSE that has no ABI. */
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

	/* No loop: compilers would leave it one. */
	shape_compare(&differs, s, p, 0);
	shape_compare(&differs, s, p, 1);
	shape_compare(&differs, s, p, 2);
	shape_compare(&differs, s, p, 3);
	if (s->size > 64)
		shape_compare(&differs, s, p, 4);
	_Static_assert(SHAPE_BYTES == 5 * 16, "all of a shape is compared");
	return !(differs[0] | differs[1]);
}

/* The shape of the record at p, not padding, where SHAPE_ROOM bytes are; NULL if none is known. */
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

/* Adds the shape of the record at start, which was read and which none of the shapes fits. */
void spemu__codec_shape_add(struct shapes_own *own, const uint8_t *start,
                            const struct record_scan *scan, const struct spemu_record *rec);

/* All of rec but offset, from a record at p that s fits. */
void spemu__codec_shape_read(struct spemu_record *rec, const struct shape *s, const uint8_t *p);

#endif
