/* SPDX-License-Identifier: MIT */
/* Bit fields and little-endian memory. */
#ifndef SPEMU_BASE_BITS_H
#define SPEMU_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Marks functions that are fast because the compiler knows their arguments at the call site. */
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Marks a public function that link-time optimization should inline. clang then refuses calls of
 * static functions in it. */
#ifdef __clang__
#define INLINE_ACROSS_FILES
#else
#define INLINE_ACROSS_FILES inline
#endif
/* Marks functions of rare paths, so that the common path through the caller saves no registers
 * for them. */
#define OUT_OF_LINE __attribute__((noinline, cold))

/* Return a mask with bits hi..lo set; 0 <= lo <= hi <= 63. */
#define BITMASK(hi, lo) ((~UINT64_C(0) >> (63 - (hi))) & (~UINT64_C(0) << (lo)))
#define BIT64(n) (UINT64_C(1) << (n))

static inline uint64_t bits_get(uint64_t value, unsigned hi, unsigned lo)
{
	return (value & BITMASK(hi, lo)) >> lo;
}

static inline uint64_t bits_set(uint64_t value, unsigned hi, unsigned lo, uint64_t field)
{
	return (value & ~BITMASK(hi, lo)) | ((field << lo) & BITMASK(hi, lo));
}

static inline bool bit_is_set(uint64_t value, unsigned n)
{
	return (value >> n) & 1;
}

/* Load or store a little-endian number of size bytes (0..8). The shifts compile to one access. */
static inline uint64_t le_load(const uint8_t *p, size_t size)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static inline void le_store(uint8_t *p, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

/* Load and store two, four and eight bytes, little-endian, at any address. Each takes one load
 * or store, and a byte swap on big-endian machines. */
static inline uint16_t le_load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	return v;
}

static inline void le_store16(uint8_t *p, uint16_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	memcpy(p, &v, sizeof(v));
}

static inline uint32_t le_load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	return v;
}

static inline void le_store32(uint8_t *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	memcpy(p, &v, sizeof(v));
}

static inline uint64_t le_load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline void le_store64(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, sizeof(v));
}

#endif
