/* SPDX-License-Identifier: MIT */
/*
 * Snapshot rings: the newest trace of each lane in snapshot mode, in the recorder's memory.
 *
 * A ring consists of pieces. A piece is one delivery: whole records from its first byte on. Trace
 * that exceeds the size of the ring is dropped piece by piece, oldest first. When the oldest piece
 * is taken, its front is cut at the first record that fits in the ring as a whole. A piece costs
 * some 60 bytes besides its own. So a lane takes at most nine times the size of its ring, however
 * small the deliveries of a program are.
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
	size_t start;   /* bytes at the beginning to leave out */
	size_t size;
	uint8_t bytes[]; /* `size` bytes, and zeros that pad any rest to a multiple of 8 */
};

struct recorder_ring {
	struct recorder_piece *first, *last;
	uint64_t bytes;   /* bytes of all pieces */
	uint64_t skipped; /* bytes dropped since a piece was taken */
	uint64_t missed;  /* records dropped since the ring was made */
};

/* Add a thread's delivery. `limit` is the size of the ring in bytes, and not 0. Return false, with
 * nothing added, if memory is exhausted. */
bool recorder_ring_add(struct recorder_ring *ring, uint64_t limit, const struct spemu_perf_who *who,
                       const uint8_t *bytes, size_t size, uint64_t flags);
/*
 * Take the oldest piece, cut to the size of the ring. Return memory for the caller to free, or NULL
 * if the ring is empty. *skipped is the number of bytes of the lane's trace between the piece taken
 * before and the start of this one.
 */
struct recorder_piece *recorder_ring_take(struct recorder_ring *ring, uint64_t limit,
                                          uint64_t *skipped);
/* Return the number of records from the piece's start on. */
uint64_t recorder_piece_records(const struct recorder_piece *piece);
/* Drop all pieces. */
void recorder_ring_clear(struct recorder_ring *ring);

#endif
