/* SPDX-License-Identifier: MIT */
/*
 * Untrusted text, made safe for a terminal. Names in a recording, a symbol table or a scenario may
 * contain escape sequences and marks that change the direction of writing. They are never printed
 * unchanged.
 *
 * Unsafe characters are the control characters C0 (Unicode 0x00-0x1f), DEL and C1 (0x80-0x9f, as
 * single bytes or in UTF-8), the marks, embeddings, overrides and isolates of the bidirectional
 * algorithm (U+061C, U+200E, U+200F, U+202A-202E, U+2066-2069), and bytes that are not UTF-8.
 */
#ifndef TOOLS_CLEAN_H
#define TOOLS_CLEAN_H

#include <stdbool.h>

/* Return the bytes of the UTF-8 character at `s`, or 0 if it is not valid. `s` is not the end of a
 * text. */
unsigned utf8_length(const char *s);
/* Return the code point of the character of `length` bytes at `s`. */
unsigned utf8_character(const char *s, unsigned length);

/* Return true if the character is safe for a terminal. */
bool is_fit(unsigned character);

/* Replace each unsafe character of the text by '?', in place. Return `text`. */
char *clean_text(char *text);

#endif
