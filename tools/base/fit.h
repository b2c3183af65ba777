/* SPDX-License-Identifier: MIT */
/*
 * Text that fits the terminal: how wide it is, and names that are cut to a width.
 *
 * Widths are in characters, of UTF-8. What is left out is shown as "...".
 */
#ifndef TOOLS_FIT_H
#define TOOLS_FIT_H

#include <stddef.h>

#include "common.h"

/*
 * Columns of standard output: those of COLUMNS in the environment if it is a number, else those of
 * the terminal. 0: no limit, for standard output is no terminal. Never below 60.
 */
unsigned screen_width(void);

unsigned text_width(const char *text);

/* Each copies text to buf and cuts it to width if it is longer. They return buf. */
char *cut_end(char *buf, size_t size, const char *text, unsigned width);
/* Of a path: the end says more than the beginning, and stays; directories go first. */
char *cut_middle(char *buf, size_t size, const char *text, unsigned width);
/*
 * Of a symbol, with "[.] " before it and "+0x12" after it or without: loses the parameters, then
 * the return type and the arguments of templates, then outer namespaces, at last the end of its
 * name, so that the class of a C++ symbol goes last; a name without a class loses its middle.
 */
char *cut_symbol(char *buf, size_t size, const char *text, unsigned width);

/*
 * From now on, lines to standard output that are wider than the screen are broken at blanks; what
 * follows is indented a bit more than the line. For text, not for tables.
 */
void wrap_lines(void);

/* "# text", cleaned, over as many lines as the screen needs. */
void out_comment(struct out *o, const char *text);
/* The same for a text with a format. */
void out_comment_fmt(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
