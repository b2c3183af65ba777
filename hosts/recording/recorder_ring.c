/* SPDX-License-Identifier: MIT */
/* Snapshot rings; see recorder_ring.h. */
#include "recorder_ring.h"

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include <stdlib.h>
#include <string.h>

enum { PADDING = 8 };

/* Return the offset of the first record at or after `from`, or the end. Add the number of records
 * before it to *passed. */
static size_t first_record(const struct recorder_piece *piece, size_t from, uint64_t *passed)
{
	struct spemu_decoder decoder;
	struct spemu_record record;
	size_t at = 0;
	int status;

	spemu_decoder_init(&decoder, piece->bytes, piece->size, 0);
	while (at < from) {
		status = spemu_decoder_next(&decoder, &record);
		if (status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED)
			return piece->size;
		*passed += status == SPEMU_OK;
		at = (size_t)(decoder.pos - decoder.begin);
	}
	return at;
}

static struct recorder_piece *detach(struct recorder_ring *ring)
{
	struct recorder_piece *piece = ring->first;

	ring->first = piece->next;
	if (!ring->first)
		ring->last = NULL;
	ring->bytes -= piece->size;
	return piece;
}

static void drop(struct recorder_ring *ring)
{
	struct recorder_piece *piece = detach(ring);

	first_record(piece, piece->size, &ring->missed);
	ring->skipped += piece->size;
	free(piece);
}

bool recorder_ring_add(struct recorder_ring *ring, uint64_t limit, const struct spemu_perf_who *who,
                       const uint8_t *bytes, size_t size, uint64_t flags)
{
	struct recorder_piece *piece;

	if (!size && (ring->last || !flags)) {
		if (ring->last)
			ring->last->flags |= flags;
		return true;
	}
	piece = malloc(sizeof(*piece) + size + PADDING);
	if (!piece)
		return false;
	*piece = (struct recorder_piece){.who = *who, .flags = flags, .size = size};
	/* A program may write the memory meanwhile, so only this copy is used later. */
	if (size)
		memcpy(piece->bytes, bytes, size);
	memset(piece->bytes + size, 0, PADDING);
	if (ring->last)
		ring->last->next = piece;
	else
		ring->first = piece;
	ring->last = piece;
	ring->bytes += size;
	while (ring->first != ring->last && ring->bytes - ring->first->size >= limit)
		drop(ring);
	return true;
}

struct recorder_piece *recorder_ring_take(struct recorder_ring *ring, uint64_t limit,
                                          uint64_t *skipped)
{
	uint64_t excess = ring->bytes > limit ? ring->bytes - limit : 0;
	struct recorder_piece *piece;

	if (!ring->first)
		return NULL;
	piece = detach(ring);
	piece->start = first_record(piece, excess < piece->size ? (size_t)excess : piece->size,
	                            &ring->missed);
	*skipped = ring->skipped + piece->start;
	ring->skipped = 0;
	return piece;
}

uint64_t recorder_piece_records(const struct recorder_piece *piece)
{
	uint64_t before = 0, all = 0;

	first_record(piece, piece->start, &before);
	first_record(piece, piece->size, &all);
	return all - before;
}

void recorder_ring_clear(struct recorder_ring *ring)
{
	while (ring->first)
		drop(ring);
}
