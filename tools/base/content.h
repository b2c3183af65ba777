/* SPDX-License-Identifier: MIT */
/* Read whole files. */
#ifndef TOOLS_CONTENT_H
#define TOOLS_CONTENT_H

#include <stddef.h>

/* Read at most `most` bytes of the descriptor, up to its end, and append a zero. Return NULL with
 * errno on failure. */
char *read_content(int fd, size_t *size, size_t most);
/* Read the file at `path` like read_content(). */
char *read_named(const char *path, size_t *size, size_t most);

#endif
