/* SPDX-License-Identifier: MIT */
/* The encodings of Parquet's pages that spemu export writes (github.com/apache/parquet-format,
 * Encodings.md). */
#ifndef TOOLS_EXPORT_PARQUET_ENCODE_H
#define TOOLS_EXPORT_PARQUET_ENCODE_H

#include "export_bytes.h"

/* Return the number of bits that numbers up to n need. */
static inline unsigned bits_of(uint64_t n)
{
	return n ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* RLE: runs of equal values, and groups of eight packed ones where they differ. Values have width
 * bits, 0..32. */
void parquet_hybrid(struct bytes *to, const uint32_t *values, size_t count, unsigned width);

/* DELTA_BINARY_PACKED of INT64: the first value, and differences in blocks that have one width
 * each. */
void parquet_delta(struct bytes *to, const uint64_t *values, size_t count);

#endif
