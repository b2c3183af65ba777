/* SPDX-License-Identifier: MIT */
/* Source files by the names that debugging information has for them. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stdbool.h>

/* A folder in which files are looked for by the ends of their names, or NULL; and what is put before paths. */
void source_set_folders(const char *source, const char *sysroot);
/* Return line 1, 2, ... of a file, without tabs and what a terminal must not have; NULL if it was not found. The next
 * call overwrites the text. */
const char *source_line(const char *file, int line);
/* Whether the file was found. */
bool source_found(const char *file);

#endif
