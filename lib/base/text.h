/* SPDX-License-Identifier: MIT */
/* Building text without stdio, in a buffer that is large enough for all of it. */
#ifndef SPEMU_BASE_TEXT_H
#define SPEMU_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

struct text {
	char *buf;
	size_t len; /* position of the next character */
};

static inline void put_char(struct text *t, char c)
{
	t->buf[t->len++] = c;
}

/* Append a string. For a literal this is a store or two, because the compiler knows its length. */
static ALWAYS_INLINE void put(struct text *t, const char *s)
{
	size_t n = strlen(s);

	memcpy(t->buf + t->len, s, n);
	t->len += n;
}

static inline void put_dec(struct text *t, uint64_t value)
{
	char digits[20];
	unsigned n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(t->buf + t->len, digits + n, sizeof(digits) - n);
	t->len += sizeof(digits) - n;
}

static inline void put_hex(struct text *t, uint64_t value)
{
	unsigned digits = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
	char *end;

	put(t, "0x");
	t->len += digits;
	end = t->buf + t->len;
	do {
		*--end = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (--digits);
}

/* Copy as much of the text as fits into the size bytes of the caller, with a NUL. Return the length
 * of the whole text, like snprintf(). */
static inline int put_end(char *text, size_t size, const struct text *t)
{
	size_t length = t->len < size ? t->len : size - 1;

	if (size) {
		if (t->buf != text)
			memcpy(text, t->buf, length);
		text[length] = '\0';
	}
	return (int)t->len;
}

#endif
