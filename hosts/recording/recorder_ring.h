/* SPDX-License-Identifier: MIT */
/*
 * Snapshot rings: in snapshot mode, the newest trace of each lane, in the recorder's own memory.
 *
 * A ring consists of pieces. A piece is one delivery: whole records from its first byte on. Older
 * trace than the newest bytes of a lane is dropped piece by piece; the front of the oldest piece is
 * cut when it is taken, at the first record that fits in the ring as a whole. A piece costs some 60
 * bytes besides its own, so a lane takes at most nine times the size of its ring, however small the
 * deliveries of a program are.
 */
#ifndef RECORDER_RING_H
#define RECORDER_RING_H

#include <spemu/perfdata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder_piece {
	struct recorder_piece *next;
	struct spemu_perf_who who;
	uint64_t flags; /* SPEMU_PERF_AUX_x */
	size_t start;   /* bytes at the beginning that are not to be written */
	size_t size;
	uint8_t bytes[]; /* size, and zeros to a multiple of 8 from any start */
};

struct recorder_ring {
	struct recorder_piece *first, *last;
	uint64_t bytes;   /* of all pieces */
	uint64_t skipped; /* bytes dropped since a piece was taken */
	uint64_t missed;  /* records dropped since the ring was made */
};

/* Add what a thread brought. `limit` is the size of the ring in bytes, not 0. Return false, with
 * nothing added, if there is no memory. */
bool recorder_ring_add(struct recorder_ring *ring, uint64_t limit, const struct spemu_perf_who *who,
                       const uint8_t *bytes, size_t size, uint64_t flags);
/*
 * Take the oldest piece, cut to the size of the ring, for free(). Return NULL if there is none.
 * *skipped: bytes of the stream between the piece taken before and the start of this one.
 */
struct recorder_piece *recorder_ring_take(struct recorder_ring *ring, uint64_t limit,
                                          uint64_t *skipped);
/* Return the number of records from the piece's start on. */
uint64_t recorder_piece_records(const struct recorder_piece *piece);
/* Drop all pieces. */
void recorder_ring_clear(struct recorder_ring *ring);

#endif
