/* SPDX-License-Identifier: MIT */
/* Rewrite streams ("perf record -o -") and compressed files ("perf record -z") as plain files. */
#ifndef TOOLS_PERF_STREAM_H
#define TOOLS_PERF_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Return true if the file is a stream, or if it is compressed. The position stays at the beginning.
 * Only stream_is_pipe_mode() works on a pipe. */
bool stream_is_pipe_mode(FILE *in);
bool stream_is_compressed(FILE *in);

/*
 * Rewrite in, a stream or a compressed file, to out. Memory does not grow with the recording. At
 * damage, the data in out end in a way that the reader reports.
 */
void stream_rewrite(FILE *out, FILE *in);

/* Write like fwrite(). Die if it fails. */
void stream_write(FILE *out, const void *data, size_t size);
/* Die because a temporary file cannot be written, with the reason in errno. */
_Noreturn void stream_fail(void);

#endif
