/* SPDX-License-Identifier: MIT */
/* Source files by the names that debugging information has for them. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stdbool.h>

/* Set the folder in which files are searched by the ends of their names. */
void source_set_folder(const char *folder);
/* Return line 1, 2, ... of a file, without tabs and characters that a terminal must not have, or
 * NULL if it was not found. The next call overwrites the text. */
const char *source_line(const char *file, int line);
/* Return true if the file was found. */
bool source_found(const char *file);

#endif
