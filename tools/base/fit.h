/* SPDX-License-Identifier: MIT */
/*
 * The width of the terminal, and names that are shortened to a width.
 *
 * Widths are in characters of UTF-8. dots() mark the omitted part.
 */
#ifndef TOOLS_FIT_H
#define TOOLS_FIT_H

#include <stddef.h>

#include "common.h"

/*
 * Return the width of standard output in columns: the number in COLUMNS, or else the width of the
 * terminal, but at least 60. 0 means no limit, because standard output is not a terminal.
 */
unsigned screen_width(void);

unsigned text_width(const char *text);
/* Return the mark of an omitted part: an ellipsis if the locale has UTF-8, else "...". */
const char *dots(void);

/* Copy `text` to `buf`, and cut its end if it is wider than `width`. Return `buf`, like the next
 * two functions. */
char *cut_end(char *buf, size_t size, const char *text, unsigned width);
/* Shorten a path: remove folders in the middle first, and keep the end. */
char *cut_middle(char *buf, size_t size, const char *text, unsigned width);
/*
 * Shorten a symbol, which may have "[.] " before it and "@plt", "+0x12" or " (inlined)" after it
 * (cut_symbol.c). Remove the return type. Then replace arguments by dots, the innermost first:
 * parameters, then arguments of templates. Of "<a::Type as b::Trait>" keep the last parts. Then
 * remove " const" and the like, the parameters, the components between the first and the last one,
 * and the first one. Last, cut the middle of the function's name. Of names separated by ", "
 * shorten each.
 */
char *cut_symbol(char *buf, size_t size, const char *text, unsigned width);
/* Largest width of a symbol where the screen has no limit. */
enum { SYMBOL_WIDTH = 100 };

/* From now on, break lines on standard output at blanks if they are wider than the screen. The rest
 * of a line is indented more than its beginning. This is for text, not for tables. */
void wrap_lines(void);

/* Write a text as indented lines of at most `width` columns. The first one begins with the prefix.
 * The text is cleaned and cut to words in place. */
void out_wrapped(struct out *o, char *text, const char *prefix, unsigned indent, unsigned width);
/* Print "# TEXT", cleaned, in as many lines as the screen needs. */
void out_comment(struct out *o, const char *text);
/* Format a text, and print it like out_comment(). */
void out_comment_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
