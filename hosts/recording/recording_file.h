/* SPDX-License-Identifier: MIT */
/*
 * The perf.data file of a recording, or the stream in its place, for the one process that writes
 * it.
 *
 * The file is complete after each append: head, events, and the head's table. An append replaces
 * the table, so it takes three writes: the flags become zero (a file without features is valid),
 * then the new events with the table after them, then data size and flags at once. If the recorder
 * is killed at any point, perf can read the file: the header's data size covers only whole events.
 */
#ifndef RECORDING_FILE_H
#define RECORDING_FILE_H

#include <sys/types.h>

#include "recording.h"
#include "recording_stream.h"

struct iovec;

struct recording_file {
	int fd;
	bool streams; /* writes into `stream`; fd, path, dev, ino and head are not used */
	struct recording_stream stream;
	char *path;
	dev_t dev;
	ino_t ino;
	struct spemu_perf_head head;
	uint64_t data_size;
	uint32_t cpus; /* that the head covers */
	int error;     /* errno of the first failed write, after which nothing is written; or 0 */
	bool cut;      /* another process made the file shorter */
};

/* Create the file with a head and no events. Return 0, or errno; then there is nothing to close. */
int recording_file_create(struct recording_file *file, const char *path,
                          const struct spemu_perf_head_config *config);
/* Do the same with a stream to fd, which stays the caller's. */
int recording_file_stream(struct recording_file *file, int fd,
                          const struct spemu_perf_head_config *config);
void recording_file_close(struct recording_file *file);

/* Append size bytes in n parts, n at most RECORDING_APPEND_MAX. Return 0, or errno with the file as
 * it was. */
int recording_file_append(struct recording_file *file, const struct iovec *parts, int n,
                          size_t size);
/* Replace the first `was` bytes of the data section by size bytes of events, which are fewer.
 * Return 0, or errno. Not for a stream. */
int recording_file_shorten(struct recording_file *file, const uint8_t *bytes, size_t size,
                           size_t was);
/* Change the flags of the AUX event at this offset of the file in place, which a full disk does not
 * hinder. Do nothing to a stream, or if another process has made the file shorter. */
void recording_file_flag_aux(struct recording_file *file, uint64_t at, uint64_t flags);
/* Let the head cover lanes 0..n-1 from the next append on. */
void recording_file_cover(struct recording_file *file, uint32_t n);
/* Write the tail in place of the table. Return 0, or errno with the file as it was. A stream that
 * failed stays as it is. */
int recording_file_finish(struct recording_file *file);
/* Return the bytes of the file as it is now; 0 if they are not known. */
uint64_t recording_file_size(const struct recording_file *file);

/* Return how others have changed the file's name and contents. */
enum recording_fate recording_file_fate(const struct recording_file *file);

#endif
