/* SPDX-License-Identifier: MIT */
/*
 * The perf.data file of a recording, or a stream instead, for the process that writes it.
 *
 * The file is complete after each append: head, events, and the head's table. An append replaces
 * the table, so it takes three writes. The first sets the flags to zero, because a file without
 * features is valid. The second writes the new events with the table after them. The third writes
 * data size and flags at once. perf can read the file even if the recorder is killed at any point,
 * because the header's data size covers only whole events.
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
	uint32_t cpus; /* CPUs in the head */
	int error;     /* errno of the first failed write, or 0; no write follows it */
	bool cut;      /* another process made the file shorter */
};

/* Create the file with a head and no events. Return 0, or errno with nothing left to close. */
int recording_file_create(struct recording_file *file, const char *path,
                          const struct spemu_perf_head_config *config);
/* Begin a stream to fd, which the caller keeps. Return 0, or errno with nothing left to close. */
int recording_file_stream(struct recording_file *file, int fd,
                          const struct spemu_perf_head_config *config);
void recording_file_close(struct recording_file *file);

/* Append size bytes in n parts, at most RECORDING_APPEND_MAX. Return 0, or errno with the file
 * unchanged. */
int recording_file_append(struct recording_file *file, const struct iovec *parts, int n,
                          size_t size);
/* Replace the first `was` bytes of the data section by fewer bytes of events. Return 0, or errno.
 * Not for a stream. */
int recording_file_shorten(struct recording_file *file, const uint8_t *bytes, size_t size,
                           size_t was);
/* Change the flags of the AUX event at this offset of the file in place, which works even on a full
 * disk. Do nothing for a stream, or if another process has shortened the file. */
void recording_file_flag_aux(struct recording_file *file, uint64_t at, uint64_t flags);
/* Make the head cover lanes 0..n-1 from the next append on. */
void recording_file_cover(struct recording_file *file, uint32_t n);
/* Write the tail instead of the table. Return 0, or errno with the file unchanged. A failed stream
 * stays unchanged, too. */
int recording_file_finish(struct recording_file *file);
/* Return the current size of the file, or 0 if it is unknown. */
uint64_t recording_file_size(const struct recording_file *file);

/* Return how other processes have changed the file's name and contents. */
enum recording_fate recording_file_fate(const struct recording_file *file);

#endif
