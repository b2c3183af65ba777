/* SPDX-License-Identifier: MIT */
/*
 * A recording in perf's pipe mode, which is written once from beginning to end, for instance to a
 * pipe.
 *
 * The tail of a file has the build-ids of mapped files. A stream has them as events at its end. The
 * names of the files are kept until then, up to RECORDING_NAMES_MAX bytes.
 */
#ifndef RECORDING_STREAM_H
#define RECORDING_STREAM_H

#include <spemu/perfdata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORDING_NAMES_MAX (16u << 20) /* includes the memory around each name */

struct iovec;

struct recording_stream {
	int fd; /* belongs to the caller */
	bool regular;
	uint64_t written;
	void *names; /* a tree of the names of files mapped as code */
	size_t names_size;
};

/* Write all bytes of n parts at the offset `at` of fd, or at its position if `at` is negative.
 * Changes `parts`. Return 0, or errno. */
int recording_write(int fd, struct iovec *parts, int n, off_t at);

/* Write the head to fd. Return 0, or errno. */
int recording_stream_begin(struct recording_stream *stream, int fd,
                           const struct spemu_perf_head_config *config);
/*
 * Write size bytes in n parts. If there is a single part, it consists of events, and the names of
 * their mapped files are kept. Return 0, or errno. After an error a regular file still ends with
 * whole events, but the reader of a pipe may have received a part of one.
 */
int recording_stream_append(struct recording_stream *stream, const struct iovec *parts, int n,
                            size_t size);
/* Write the events that describe the CPUs, now 0..n-1. Return 0, or errno. */
int recording_stream_cover(struct recording_stream *stream, uint32_t n);
/* Write the build-ids. Return 0, or errno. */
int recording_stream_finish(struct recording_stream *stream);
void recording_stream_free(struct recording_stream *stream);

#endif
