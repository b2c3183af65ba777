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

/* Write values in the hybrid encoding: runs of equal values (RLE), and groups of eight packed
 * values between them. Values have width bits, 0..32. */
void parquet_hybrid(struct bytes *to, const uint32_t *values, size_t count, unsigned width);

/* Write INT64 values as DELTA_BINARY_PACKED: the first value, then differences in blocks. All
 * differences of a miniblock have the same width. */
void parquet_delta(struct bytes *to, const uint64_t *values, size_t count);

#endif
