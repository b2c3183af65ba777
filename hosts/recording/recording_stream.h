/* SPDX-License-Identifier: MIT */
/*
 * A recording that is written once from beginning to end, as a pipe has it: perf's pipe mode.
 *
 * What a file says in its tail, the build-ids of what was mapped, is events at the end of a stream;
 * so the names are kept until then, as many as go into RECORDING_NAMES_MAX bytes, however many a
 * program makes.
 */
#ifndef RECORDING_STREAM_H
#define RECORDING_STREAM_H

#include <spemu/perfdata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_NAMES_MAX (16u << 20) /* with what it takes to keep them */

struct iovec;

struct recording_stream {
	int fd; /* the caller's */
	bool regular;
	uint64_t written;
	void *names; /* a tree of the files that were mapped as code */
	size_t names_size;
};

/* Write the head to fd. 0, or errno. */
int recording_stream_begin(struct recording_stream *stream, int fd,
                           const struct spemu_perf_head_config *config);
/*
 * Write size bytes in n parts. 0, or errno: a regular file then ends with whole events; a reader
 * has what was written. A single part is events, whose mapped files are remembered.
 */
int recording_stream_append(struct recording_stream *stream, const struct iovec *parts, int n,
                            size_t size);
/* What the stream says of its CPUs, 0..n-1, anew. 0, or errno. */
int recording_stream_cover(struct recording_stream *stream, uint32_t n);
/* The build-ids. 0, or errno. */
int recording_stream_finish(struct recording_stream *stream);
void recording_stream_free(struct recording_stream *stream);

#endif
