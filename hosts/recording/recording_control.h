/* SPDX-License-Identifier: MIT */
/*
 * The control area of a recording: one shared mapping, laid out by this struct. Its users are
 * processes of one machine and one version of this code (layout, size).
 */
#ifndef RECORDING_CONTROL_H
#define RECORDING_CONTROL_H

#include <pthread.h>
#include <stdatomic.h>

#include "recording.h"

#define RECORDING_MAGIC UINT64_C(0x4c54435f554d4553)
/* Above the low descriptors that programs close or name, below any soft limit that is met. */
#define RECORDING_FD_HEADROOM 48
#define RECORDING_FD_MAX 65536

struct recording_lane {
	_Atomic int32_t owner; /* process, 0: free */
	uint32_t spare;
	uint64_t offset;              /* of the stream; under the lock */
	struct recording_state state; /* but for used, which is stored last */
	_Atomic uint64_t used;        /* bytes in the lane's buffer that are not delivered */
};

struct recording_control {
	uint64_t magic;
	uint32_t layout;
	uint32_t size;
	struct recording_params params;
	_Atomic uint64_t counter[RECORDING_COUNTERS];
	_Atomic uint32_t lanes_held; /* one more than the highest lane ever held */
	_Atomic int32_t write_errno; /* first failed write */

	/* The first note: 0 none, 1 being written, 2 there. */
	_Atomic uint32_t note_state;
	char note[RECORDING_NOTE_MAX];

	/* The file, as its path for other processes and as an inode to know it by. */
	char file_path[RECORDING_PATH_MAX];
	uint64_t file_dev, file_ino;

	pthread_mutex_t lock; /* over the file and all below */
	bool finished;
	bool broken; /* a write failed: leave the file alone */
	uint32_t cpus_written;
	uint64_t data_size;
	struct spemu_perf_head head;

	struct recording_lane lane[RECORDING_LANES];
};

/*
 * Take the lock; a dead owner's append is rolled back. SPEMU_OK, or SPEMU_ERR_STATE if this thread
 * has it already.
 */
int recording_lock(struct recording *rec);
void recording_unlock(struct recording *rec);

/* A descriptor of the output file, checked or opened anew; under the lock. -1 with errno. */
int recording_file(struct recording *rec);
/* Move fd to a high number, close-on-exec. The new number; fd itself if none is free. */
int recording_high_fd(int fd);

/*
 * The buffers behind the control area in its file: where, and how many bytes; map, unmap. Without
 * them (no address space) rec->buffers is NULL and threads use memory of their own.
 */
uint64_t recording_buffers_at(void);
uint64_t recording_buffers_size(const struct recording_control *control);
void recording_buffers_map(struct recording *rec, int fd);
void recording_buffers_unmap(struct recording *rec);
/* Deliver what the lane's buffer still holds: its thread is gone. Not under the lock. */
void recording_salvage(struct recording *rec, uint32_t lane);

/* recording_append_aux() under the lock, arguments checked, bytes not counted. */
int recording_append_aux_locked(struct recording *rec, const struct spemu_perf_who *who,
                                const uint8_t *data, size_t size, uint64_t flags);

/* All of buf at offset, however many calls it takes. 0, or errno. */
int recording_pwrite(int fd, const void *buf, size_t size, uint64_t offset);
/* Data size and flags into the file's header. 0, or errno. */
int recording_write_sizes(int fd, uint64_t data_size, uint64_t flags);
/* The head's table after a data section of data_size bytes, and the header to match. 0, or errno. */
int recording_write_table(int fd, const struct spemu_perf_head *head, uint64_t data_size);

#endif
