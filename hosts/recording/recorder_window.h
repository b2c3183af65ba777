/* SPDX-License-Identifier: MIT */
/*
 * Snapshot mode: the newest trace of each lane, in memory of the recorder's own.
 *
 * A piece is what one delivery brought: whole records from its first byte on. What is older than
 * the newest bytes of a lane goes piece by piece; the front of the oldest one that is left is cut
 * when it is taken, at the first record that lies in the window as a whole. A piece costs some 60
 * bytes besides its own, so a lane takes at most nine times its window, however small the
 * deliveries are that a program makes.
 */
#ifndef RECORDER_WINDOW_H
#define RECORDER_WINDOW_H

#include <spemu/perfdata.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder_piece {
	struct recorder_piece *next;
	struct spemu_perf_who who;
	uint64_t flags; /* SPEMU_PERF_AUX_x */
	size_t start;   /* what is before it is not to be written */
	size_t size;
	uint8_t bytes[]; /* size, and zeros to a multiple of 8 from any start */
};

struct recorder_window {
	struct recorder_piece *first, *last;
	uint64_t bytes;   /* of all pieces */
	uint64_t skipped; /* bytes that went since a piece was taken */
	uint64_t missed;  /* records in them, since the window was made */
};

/* Adds what a thread brought; limit: bytes of the window, not 0. False: no memory, and nothing is
 * added. */
bool recorder_window_add(struct recorder_window *w, uint64_t limit,
                         const struct spemu_perf_who *who, const uint8_t *bytes, size_t size,
                         uint64_t flags);
/*
 * The oldest piece, cut to the window; NULL: there is none. The caller frees it. *skipped: bytes of
 * the stream between the piece taken before and its start.
 */
struct recorder_piece *recorder_window_take(struct recorder_window *w, uint64_t limit,
                                            uint64_t *skipped);
/* Records from its start on. */
uint64_t recorder_piece_records(const struct recorder_piece *piece);
/* Gives up all that is there. */
void recorder_window_clear(struct recorder_window *w);

#endif
