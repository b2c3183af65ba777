/* SPDX-License-Identifier: MIT */
/* A growing buffer of bytes. */
#ifndef TOOLS_EXPORT_BYTES_H
#define TOOLS_EXPORT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../base/common.h"

/* A zeroed struct is empty. */
struct bytes {
	uint8_t *data;
	size_t size, capacity;
};

/* Make room for `more` bytes. Return the place of the first one. */
static inline uint8_t *bytes_room(struct bytes *b, size_t more)
{
	if (b->capacity - b->size < more) {
		b->capacity = 2 * b->capacity + more;
		b->data = xreallocarray(b->data, b->capacity, 1);
	}
	return b->data + b->size;
}

static inline void bytes_add(struct bytes *b, const void *data, size_t size)
{
	if (!size)
		return;
	memcpy(bytes_room(b, size), data, size);
	b->size += size;
}

static inline void bytes_byte(struct bytes *b, unsigned byte)
{
	*bytes_room(b, 1) = (uint8_t)byte;
	b->size++;
}

/* Append a number in LEB128, as in protocol buffers, Thrift and Parquet: seven bits per byte,
 * lowest first. */
static inline void bytes_varint(struct bytes *b, uint64_t n)
{
	for (; n > 127; n >>= 7)
		bytes_byte(b, (n & 127) | 128);
	bytes_byte(b, (unsigned)n);
}

/* Append a signed number in LEB128, with the sign in the lowest bit: 0, -1, 1, -2, ... */
static inline void bytes_zigzag(struct bytes *b, int64_t n)
{
	bytes_varint(b, (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0));
}

/* Append a number in `size` bytes, lowest first. */
static inline void bytes_little_endian(struct bytes *b, uint64_t n, unsigned size)
{
	for (; size; size--, n >>= 8)
		bytes_byte(b, n & 255);
}

#endif
