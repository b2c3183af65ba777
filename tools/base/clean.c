/* SPDX-License-Identifier: MIT */
/* See clean.h. */
#include "clean.h"

#include <string.h>

unsigned utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned n = s[0] < 0x80                   ? 1
	             : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
	             : (s[0] & 0xf0) == 0xe0       ? 3
	             : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                           : 0;

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
		return 0;
	if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return n;
}

unsigned utf8_character(const char *text, unsigned length)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *s = (const unsigned char *)text;
	unsigned c = s[0] & first[length];

	for (unsigned i = 1; i < length; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

bool is_fit(unsigned c)
{
	if (c < ' ' || (c >= 0x7f && c <= 0x9f))
		return false;
	return c != 0x061c && c != 0x200e && c != 0x200f && !(c >= 0x202a && c <= 0x202e) &&
	       !(c >= 0x2066 && c <= 0x2069);
}

char *clean_text(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		unsigned n = utf8_length(from);

		if (n && is_fit(utf8_character(from, n))) {
			memmove(to, from, n);
			to += n;
		} else {
			*to++ = '?';
		}
		from += n ? n : 1;
	}
	*to = 0;
	return text;
}
