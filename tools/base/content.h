/* SPDX-License-Identifier: MIT */
/* The whole content of a file. */
#ifndef TOOLS_CONTENT_H
#define TOOLS_CONTENT_H

#include <stddef.h>

/* Read fd to its end, at most `most` bytes, and append a zero. Return NULL with errno on
 * failure. */
char *read_content(int fd, size_t *size, size_t most);
/* The same of the file of this name. */
char *read_named(const char *path, size_t *size, size_t most);

#endif
