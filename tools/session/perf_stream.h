/* SPDX-License-Identifier: MIT */
/* perf's streams ("perf record -o -") and compressed files ("perf record -z"), rewritten as plain
 * files. */
#ifndef TOOLS_PERF_STREAM_H
#define TOOLS_PERF_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Each looks at the beginning and leaves the position there. Of a pipe only the first is
 * possible. */
bool stream_is_pipe_mode(FILE *in);
bool stream_is_compressed(FILE *in);

/*
 * Writes the recording of in, one of these two, to out. Memory does not grow with it. What is
 * damaged ends the data, as it would in a plain file, so that the reader tells.
 */
void stream_rewrite(FILE *out, FILE *in);

/* fwrite() that ends the program where it fails. */
void stream_write(FILE *out, const void *data, size_t size);

#endif
