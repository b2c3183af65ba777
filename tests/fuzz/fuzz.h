/* SPDX-License-Identifier: MIT */
/* The entry function that every fuzz target defines for libFuzzer and regress.c, and helpers that
 * targets share. */
#ifndef SPEMU_TESTS_FUZZ_H
#define SPEMU_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stop with an error unless the condition holds. A target states its invariants with it. */
#define REQUIRE(condition)        \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

/* An input that a target reads from the beginning. After its end, it continues with zeros. */
struct fuzz_input {
	const uint8_t *p, *end;
};

static inline bool fuzz_ended(const struct fuzz_input *in)
{
	return in->p == in->end;
}

static inline uint8_t fuzz_u8(struct fuzz_input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* Read a little-endian number. */
static inline uint64_t fuzz_uint(struct fuzz_input *in, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)fuzz_u8(in) << 8 * i;
	return value;
}

static inline unsigned fuzz_below(struct fuzz_input *in, unsigned n)
{
	return fuzz_u8(in) % n;
}

/* Read a number of 64 bits. The input has a byte with the form, and 0 to 8 bytes of the value. */
static inline uint64_t fuzz_value(struct fuzz_input *in)
{
	unsigned form = fuzz_u8(in), place = form & 63;

	switch (form >> 6) {
	case 0:
		return place; /* a small number */
	case 1:
		return UINT64_C(1) << place;
	case 2:
		return fuzz_uint(in, 2) << place;
	default:
		return fuzz_uint(in, 1 + (form & 7));
	}
}

#endif
