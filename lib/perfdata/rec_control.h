/* SPDX-License-Identifier: MIT */
/*
 * The control area of a recording: one shared mapping, laid out by this struct. Its users are
 * processes of one machine and one version of this library (layout, size).
 */
#ifndef SPEMU_PERFDATA_REC_CONTROL_H
#define SPEMU_PERFDATA_REC_CONTROL_H

#include <pthread.h>
#include <stdatomic.h>

#include <spemu/recording.h>

#include "perfdata/perf_header.h"

#define REC_MAGIC UINT64_C(0x4c54435f554d4553)
/* Above the low descriptors that programs close or name, below any soft limit that is met. */
#define REC_FD_HEADROOM 48
#define REC_FD_MAX 65536

struct rec_lane {
	_Atomic int32_t owner; /* process, 0: free */
	uint32_t spare;
	uint64_t offset;              /* of the stream; under the lock */
	struct spemu_rec_state state; /* but for used, which is stored last */
	_Atomic uint64_t used;        /* bytes in the lane's buffer that are not delivered */
};

struct spemu_rec_control {
	uint64_t magic;
	uint32_t layout;
	uint32_t size;
	struct spemu_rec_params params;
	_Atomic uint64_t counter[SPEMU_REC_COUNTERS];
	_Atomic uint32_t lanes_held; /* one more than the highest lane ever held */
	_Atomic int32_t write_errno; /* first failed write */

	/* The first note: 0 none, 1 being written, 2 there. */
	_Atomic uint32_t note_state;
	char note[SPEMU_REC_NOTE_MAX];

	/* The file, as its path for other processes and as an inode to know it by. */
	char file_path[SPEMU_REC_PATH_MAX];
	uint64_t file_dev, file_ino;

	pthread_mutex_t lock; /* over the file and all below */
	bool finished;
	bool broken; /* a write failed: leave the file alone */
	uint32_t cpus_written;
	uint64_t data_size;
	struct perf_head head;

	struct rec_lane lane[SPEMU_REC_LANES];
};

/*
 * Take the lock; a dead owner's append is rolled back. SPEMU_OK, or SPEMU_ERR_STATE if this thread
 * has it already.
 */
int rec_lock(struct spemu_rec *rec);
void rec_unlock(struct spemu_rec *rec);

/* A descriptor of the output file, checked or opened anew; under the lock. -1 with errno. */
int rec_file(struct spemu_rec *rec);
/* Move fd to a high number, close-on-exec. The new number; fd itself if none is free. */
int rec_high_fd(int fd);

/*
 * The buffers behind the control area in its file: where, and how many bytes; map, unmap. Without
 * them (no address space) rec->buffers is NULL and threads use memory of their own.
 */
uint64_t rec_buffers_at(void);
uint64_t rec_buffers_size(const struct spemu_rec_control *control);
void rec_buffers_map(struct spemu_rec *rec, int fd);
void rec_buffers_unmap(struct spemu_rec *rec);
/* Deliver what the lane's buffer still holds: its thread is gone. Not under the lock. */
void rec_salvage(struct spemu_rec *rec, uint32_t lane);

/* spemu_rec_append_aux() under the lock, arguments checked, bytes not counted. */
int rec_append_aux_locked(struct spemu_rec *rec, const struct spemu_perf_who *who,
                          const uint8_t *data, size_t size, uint64_t flags);

/* All of buf at offset, however many calls it takes. 0, or errno. */
int rec_pwrite(int fd, const void *buf, size_t size, uint64_t offset);
/* Data size (and flags) into the file header. 0, or errno. */
int rec_write_size(int fd, uint64_t data_size, uint64_t flags);
int rec_write_flags(int fd, uint64_t flags);

/*
 * Put everything that depends on the data behind a data section and set the flags. The file must
 * have the head that head describes. 0, or errno with the file as it was.
 */
int rec_finish_file(int fd, const struct perf_head *head, uint64_t data_size);

#endif
