/* SPDX-License-Identifier: MIT */
/* Lines of source files. The names of the files come from debugging information. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Set the folder where files are searched by the last parts of their names. */
void source_set_folder(const char *folder);
/* Return a line of a file, counted from 1, in printable form and without tabs. Return NULL if it
 * was not found. The next call overwrites the text. */
const char *source_line(const char *file, int line);
/* Return true if the file was found. */
bool source_found(const char *file);
/* Find the time of the last change of a file. Return false if it was not found. */
bool source_modified(const char *file, struct timespec *time);

/* Return the bytes of a line without blanks at its ends, and set their number, or return NULL. They
 * do not end with NUL. */
const char *source_bare_line(const char *file, int line, size_t *size);
/* Return how many of the lines from `first` to `line` - 1 have the same such bytes as `line`. Only
 * the nearest SOURCE_REPEATS_MAX lines are compared. */
enum { SOURCE_REPEATS_MAX = 2000 };
unsigned source_repeats(const char *file, int first, int line);

#endif
