/* SPDX-License-Identifier: MIT */
/* The whole content of a file. */
#ifndef TOOLS_CONTENT_H
#define TOOLS_CONTENT_H

#include <stddef.h>

/* What can be read from fd, at most that many bytes, with a zero after it; NULL with errno. */
char *read_content(int fd, size_t *size, size_t most);
/* The same of the file of this name. */
char *read_named(const char *path, size_t *size, size_t most);

#endif
