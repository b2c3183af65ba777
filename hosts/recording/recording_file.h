/* SPDX-License-Identifier: MIT */
/*
 * The perf.data file of a recording, or the stream in place of one, for the one process that writes
 * it.
 *
 * The file is complete after each append: head, events, and the head's table. An append replaces
 * the table, so it takes three writes: the flags become zero (a file without features is valid),
 * the new events with the table after them, then data size and flags at once. Killed at any point,
 * the file is one that perf reads: the header's data size covers whole events only.
 */
#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include <sys/types.h>

#include "recording.h"
#include "recording_stream.h"

struct iovec;

struct recording_file {
	int fd;
	bool streams; /* into stream, and none of fd, path, dev, ino, head is used */
	struct recording_stream stream;
	char *path;
	dev_t dev;
	ino_t ino;
	struct spemu_perf_head head;
	uint64_t data_size;
	uint32_t cpus; /* that the head covers */
	int error;     /* errno of the first failed write, after which there are no others; or 0 */
	bool cut;      /* somebody else made the file shorter */
};

/* Create the file with a head and no events. 0, or errno; then there is nothing to close. */
int recording_file_create(struct recording_file *file, const char *path,
                          const struct spemu_perf_head_config *config);
/* The same with a stream to fd, which stays the caller's. */
int recording_file_stream(struct recording_file *file, int fd,
                          const struct spemu_perf_head_config *config);
void recording_file_close(struct recording_file *file);

/* Append size bytes in n parts, n at most RECORDING_APPEND_MAX. 0, or errno with the file as it
 * was. */
int recording_file_append(struct recording_file *file, const struct iovec *parts, int n,
                          size_t size);
/*
 * Put size bytes of events in the place of the first was (more than size) bytes of the data
 * section. 0, or errno. Not of a stream.
 */
int recording_file_shorten(struct recording_file *file, const uint8_t *bytes, size_t size,
                           size_t was);
/*
 * The AUX event at this place of the file gets other flags, where it is: a full disk does not
 * hinder that. Nothing in a stream, or where somebody else has made the file shorter.
 */
void recording_file_flag_aux(struct recording_file *file, uint64_t at, uint64_t flags);
/* The head covers lanes 0..n-1 from the next append on. */
void recording_file_cover(struct recording_file *file, uint32_t n);
/* The tail in place of the table. 0, or errno with the file as it was. A stream that failed stays
 * as it is. */
int recording_file_finish(struct recording_file *file);
/* Bytes of the file as it is now; 0 if that cannot be told. */
uint64_t recording_file_size(const struct recording_file *file);

/* What became of the file's name and contents by somebody else's hand. */
enum recording_fate recording_file_fate(const struct recording_file *file);

#endif
