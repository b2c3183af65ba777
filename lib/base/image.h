/* SPDX-License-Identifier: MIT */
/* The members of a struct in a saved image, described by a table. The image is little-endian on
 * every host. */
#ifndef SPEMU_BASE_IMAGE_H
#define SPEMU_BASE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image_field {
	uint8_t size; /* bytes; 0 for a bool, which is a bit of its byte */
	uint8_t bit;
	uint16_t at, member; /* offsets in the image and in the struct */
};
#define IMAGE_FIELD(type, name, at)                                    \
	{                                                              \
		sizeof(((type *)0)->name), 0, at, offsetof(type, name) \
	}
#define IMAGE_FLAG(type, name, at, bit)          \
	{                                        \
		0, bit, at, offsetof(type, name) \
	}
#define IMAGE_FIELDS(table) (table), sizeof(table) / sizeof(*(table))

/* Return the position of byte i in the host's memory of a number of size bytes. */
static inline unsigned image_place(unsigned i, unsigned size)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - i : i;
}

/* Store n members of object into the image at p, whose bytes are 0. */
static inline void image_put(uint8_t *p, const void *object, const struct image_field *f, size_t n)
{
	for (; n--; f++) {
		const uint8_t *member = (const uint8_t *)object + f->member;

		for (unsigned i = 0; i < f->size; i++)
			p[f->at + i] = member[image_place(i, f->size)];
		if (!f->size)
			p[f->at] |= (uint8_t)(*member << f->bit);
	}
}

/* Load n members of object from the image at p. */
static inline void image_get(void *object, const uint8_t *p, const struct image_field *f, size_t n)
{
	for (; n--; f++) {
		uint8_t *member = (uint8_t *)object + f->member;

		for (unsigned i = 0; i < f->size; i++)
			member[image_place(i, f->size)] = p[f->at + i];
		if (!f->size)
			*member = p[f->at] >> f->bit & 1;
	}
}

#endif
