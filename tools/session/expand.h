/* SPDX-License-Identifier: MIT */
/* Files that are compressed as a whole. */
#ifndef TOOLS_EXPAND_H
#define TOOLS_EXPAND_H

#include <stdint.h>

/*
 * Expand a file that was compressed as a whole with gzip, bzip2, xz or zstd. fd is its descriptor;
 * its position changes. Returns the descriptor of a file in memory that holds the result,
 * positioned at its end; the caller closes it. Returns -1 with errno EFBIG if the result is longer
 * than size_max bytes, and with another errno if the file is not compressed, is damaged or cannot
 * be read.
 */
int expand_file(int fd, uint64_t size_max);

#endif
