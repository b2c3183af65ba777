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
 * Return the columns of standard output: COLUMNS of the environment if it is a number, else the
 * terminal's. 0 means no limit: standard output is not a terminal. Never below 60.
 */
unsigned screen_width(void);

unsigned text_width(const char *text);

/* Each copies text to buf and cuts it to width if it is longer. They return buf. */
char *cut_end(char *buf, size_t size, const char *text, unsigned width);
/* Shorten a path: folders in the middle go first, and the end stays. */
char *cut_middle(char *buf, size_t size, const char *text, unsigned width);
/*
 * Shorten a symbol, with or without "[.] " before it and "+0x12" after it. It loses its parameters,
 * then the return type and template arguments, then outer namespaces, then the end of the
 * function's name. The class of a C++ symbol goes last. A name without a class loses its middle.
 */
char *cut_symbol(char *buf, size_t size, const char *text, unsigned width);

/*
 * From now on, lines to standard output that are wider than the screen are broken at blanks; what
 * follows is indented a bit more than the line. For text, not for tables.
 */
void wrap_lines(void);

/* "# text", cleaned, over as many lines as the screen needs. */
void out_comment(struct out *o, const char *text);
/* Print a formatted text like out_comment(). */
void out_comment_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
