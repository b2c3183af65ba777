/* SPDX-License-Identifier: MIT */
/* Encodings of Parquet pages that spemu export uses (github.com/apache/parquet-format,
 * Encodings.md). */
#ifndef TOOLS_EXPORT_PARQUET_ENCODE_H
#define TOOLS_EXPORT_PARQUET_ENCODE_H

#include "export_bytes.h"

/* Return the number of bits of `n`. */
static inline unsigned bits_of(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* Write RLE: runs of equal values, and packed groups of eight values otherwise. Values have `width`
 * bits, 0 to 32. */
void parquet_hybrid(struct bytes *to, const uint32_t *values, size_t count, unsigned width);

/* Write INT64 in DELTA_BINARY_PACKED: the first value, and differences in blocks. */
void parquet_delta(struct bytes *to, const uint64_t *values, size_t count);

#endif
