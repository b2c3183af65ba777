/* SPDX-License-Identifier: MIT */
/*
 * A recording that is written once from beginning to end, for instance to a pipe: perf's pipe mode.
 *
 * The tail of a file has the build-ids of mapped files; in a stream they are events at the end. The
 * names of the files are kept until then, up to RECORDING_NAMES_MAX bytes.
 */
#ifndef RECORDING_STREAM_H
#define RECORDING_STREAM_H

#include <spemu/perfdata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORDING_NAMES_MAX (16u << 20) /* including the memory around each */

struct iovec;

struct recording_stream {
	int fd; /* the caller's */
	bool regular;
	uint64_t written;
	void *names; /* a tree of the files that were mapped as code */
	size_t names_size;
};

/* Write all bytes of n parts, which are used up: at the offset `at` of fd, or at its position if
 * `at` is negative. Return 0, or errno. */
int recording_write(int fd, struct iovec *parts, int n, off_t at);

/* Write the head to fd. Return 0, or errno. */
int recording_stream_begin(struct recording_stream *stream, int fd,
                           const struct spemu_perf_head_config *config);
/*
 * Write size bytes in n parts. A single part consists of events; the names of the files that they
 * map are kept. Return 0, or errno: a regular file then still ends with whole events, but the
 * reader of a pipe has got what was written.
 */
int recording_stream_append(struct recording_stream *stream, const struct iovec *parts, int n,
                            size_t size);
/* Write the events that describe the CPUs, now 0..n-1. Return 0, or errno. */
int recording_stream_cover(struct recording_stream *stream, uint32_t n);
/* Write the build-ids. Return 0, or errno. */
int recording_stream_finish(struct recording_stream *stream);
void recording_stream_free(struct recording_stream *stream);

#endif
