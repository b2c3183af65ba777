/* SPDX-License-Identifier: MIT */
/*
 * The width of the terminal, and names that are shortened to a width.
 *
 * Widths are in characters of UTF-8. "..." marks the omitted part.
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

/* Copy `text` to `buf`, and cut its end if it is wider than `width`. Return `buf`, like the next
 * two functions. */
char *cut_end(char *buf, size_t size, const char *text, unsigned width);
/* Shorten a path: remove folders in the middle first, and keep the end. */
char *cut_middle(char *buf, size_t size, const char *text, unsigned width);
/*
 * Shorten a symbol, which may have "[.] " before it and "+0x12" after it. Remove the parameters,
 * then the return type and template arguments, then outer namespaces, then the end of the
 * function's name. The class of a C++ symbol is removed last. A name without a class loses its
 * middle.
 */
char *cut_symbol(char *buf, size_t size, const char *text, unsigned width);

/* From now on, break lines on standard output at blanks if they are wider than the screen. The rest
 * of a line is indented more than its beginning. This is for text, not for tables. */
void wrap_lines(void);

/* Print "# TEXT", cleaned, in as many lines as the screen needs. */
void out_comment(struct out *o, const char *text);
/* Format a text, and print it like out_comment(). */
void out_comment_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
