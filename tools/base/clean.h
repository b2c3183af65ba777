/* SPDX-License-Identifier: MIT */
/*
 * Text of which nobody knows the origin, made fit for a terminal. What a recording, a program's
 * symbols or a scenario call something may hold escape sequences and marks that turn the direction
 * of writing; none of it is ever printed as it is.
 *
 * Not fit are: the control characters C0 (Unicode 0x00-0x1f), DEL and C1 (0x80-0x9f, as bytes of
 * their own or in UTF-8), the marks, embeddings, overrides and isolates of the bidirectional
 * algorithm (U+061C, U+200E, U+200F, U+202A-202E, U+2066-2069), and what is not UTF-8.
 */
#ifndef TOOLS_CLEAN_H
#define TOOLS_CLEAN_H

#include <stdbool.h>

/* The bytes of the UTF-8 character at s, which is not the end of a text; 0 if it is none. */
unsigned utf8_length(const char *s);
/* The number of the character of that many bytes at s. */
unsigned utf8_character(const char *s, unsigned length);

/* Whether a terminal may have this character. */
bool is_fit(unsigned character);

/* Each character of text that is not fit becomes one '?'. In place; returns text. */
char *clean_text(char *text);

#endif
