/* SPDX-License-Identifier: MIT */
/* Lines of source files. The names of the files come from debugging information. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stdbool.h>

/* Set the folder in which files are searched by the last parts of their names. */
void source_set_folder(const char *folder);
/* Return a line of a file, counted from 1, in printable form and without tabs. Return NULL if it
 * was not found. The next call overwrites the text. */
const char *source_line(const char *file, int line);
/* Return true if the file was found. */
bool source_found(const char *file);

#endif
