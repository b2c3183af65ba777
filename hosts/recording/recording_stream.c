/* SPDX-License-Identifier: MIT */
/* The writer of streams; see recording_stream.h. */
#define _GNU_SOURCE
#include "recording_stream.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording.h"

#define NAME_COST 96 /* memory of a name's tree node and of two allocations */

#define MMAP2_NAME_AT (8 + 64) /* after the header and the numbers of the event */

int recording_write(int fd, struct iovec *parts, int n, off_t at)
{
	while (n) {
		ssize_t done = at < 0 ? writev(fd, parts, n) : pwritev(fd, parts, n, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return errno;
		if (done == 0 && parts->iov_len)
			return EIO;
		if (at >= 0)
			at += done;
		for (; n && (size_t)done >= parts->iov_len; n--, parts++)
			done -= (ssize_t)parts->iov_len;
		if (n) {
			parts->iov_base = (uint8_t *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Remove the part of an event that a failed write left, unless other processes write there, too. */
static void take_back(int fd, off_t begin)
{
	struct stat st;

	if (begin >= 0 && fstat(fd, &st) == 0 && st.st_size == lseek(fd, 0, SEEK_CUR) &&
	    ftruncate(fd, begin) == 0)
		lseek(fd, begin, SEEK_SET);
}

static int write_parts(struct recording_stream *stream, const struct iovec *parts, int n,
                       size_t size)
{
	off_t begin = stream->regular ? lseek(stream->fd, 0, SEEK_CUR) : -1;
	struct iovec left[RECORDING_APPEND_MAX];
	int error;

	memcpy(left, parts, (size_t)n * sizeof(*parts));
	error = recording_write(stream->fd, left, n, -1);
	if (error)
		take_back(stream->fd, begin);
	else
		stream->written += size;
	return error;
}

static int write_bytes(struct recording_stream *stream, const void *bytes, size_t size)
{
	const struct iovec part = {(void *)(uintptr_t)bytes, size};

	return write_parts(stream, &part, 1, size);
}

int recording_stream_begin(struct recording_stream *stream, int fd,
                           const struct spemu_perf_head_config *config)
{
	uint8_t *buf = malloc(SPEMU_PERF_HEAD_MAX);
	struct stat st;
	int n, error;

	*stream = (struct recording_stream){.fd = fd};
	stream->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (!buf)
		return ENOMEM;
	n = spemu_perf_put_stream_head(buf, SPEMU_PERF_HEAD_MAX, config);
	error = n < 0 ? E2BIG : write_bytes(stream, buf, (size_t)n);
	free(buf);
	return error;
}

int recording_stream_cover(struct recording_stream *stream, uint32_t n)
{
	uint8_t cpus[SPEMU_PERF_STREAM_CPUS_SIZE];
	int size = spemu_perf_put_stream_cpus(cpus, sizeof(cpus), n);

	return write_bytes(stream, cpus, (size_t)size);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Keep the name of a mapped file. If that fails, the file gets no build-id. */
static void keep_name(struct recording_stream *stream, const char *name)
{
	size_t cost = strlen(name) + NAME_COST;
	char *copy;

	if (cost > RECORDING_NAMES_MAX - stream->names_size ||
	    tfind(name, &stream->names, compare_names))
		return;
	copy = strdup(name);
	if (copy && tsearch(copy, &stream->names, compare_names))
		stream->names_size += cost;
	else
		free(copy);
}

/* Read a little-endian number of 16 bits. */
static unsigned number(const uint8_t *p)
{
	return (unsigned)p[0] | (unsigned)p[1] << 8;
}

/* Keep the names in events. The recorder made or checked the events (recorder_check.h), so they are
 * whole and their names are NUL-terminated. */
static void keep_names(struct recording_stream *stream, const uint8_t *events, size_t size)
{
	for (size_t at = 0; at < size; at += number(events + at + 6)) {
		const char *name = (const char *)events + at + MMAP2_NAME_AT;
		unsigned type = number(events + at), misc = number(events + at + 4);

		if (type == SPEMU_PERF_MMAP2 && !(misc & SPEMU_PERF_MISC_MMAP_DATA) &&
		    name[0] == '/' && name[1] != '/')
			keep_name(stream, name);
	}
}

int recording_stream_append(struct recording_stream *stream, const struct iovec *parts, int n,
                            size_t size)
{
	int error = write_parts(stream, parts, n, size);

	if (!error && n == 1)
		keep_names(stream, parts->iov_base, parts->iov_len);
	return error;
}

struct ending {
	struct recording_stream *stream;
	int error;
};

static void put_build_id(const void *node, VISIT visit, void *argument)
{
	uint8_t event[SPEMU_PERF_BUILD_ID_EVENT_MAX];
	struct ending *ending = argument;
	int size;

	if ((visit != postorder && visit != leaf) || ending->error)
		return;
	size = spemu_perf_put_build_id(event, sizeof(event), *(const char *const *)node);
	if (size > 0)
		ending->error = write_bytes(ending->stream, event, (size_t)size);
}

int recording_stream_finish(struct recording_stream *stream)
{
	struct ending ending = {stream, 0};

	twalk_r(stream->names, put_build_id, &ending);
	return ending.error;
}

void recording_stream_free(struct recording_stream *stream)
{
	tdestroy(stream->names, free);
	*stream = (struct recording_stream){.fd = -1};
}
