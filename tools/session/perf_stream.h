/* SPDX-License-Identifier: MIT */
/* perf's streams ("perf record -o -") and compressed files ("perf record -z"), rewritten as plain
 * files. */
#ifndef TOOLS_PERF_STREAM_H
#define TOOLS_PERF_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Return true if the file is of this kind. The position stays at the beginning. A pipe allows
 * only the first function. */
bool stream_is_pipe_mode(FILE *in);
bool stream_is_compressed(FILE *in);

/*
 * Write the recording of in, a stream or a compressed file, to out. Memory does not grow with the
 * recording. Damage ends the data, as in a plain file, so that the reader reports it.
 */
void stream_rewrite(FILE *out, FILE *in);

/* Write like fwrite(). Die if it fails. */
void stream_write(FILE *out, const void *data, size_t size);

#endif
