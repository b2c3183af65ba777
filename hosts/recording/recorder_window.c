/* SPDX-License-Identifier: MIT */
/* See recorder_window.h. */
#include "recorder_window.h"

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include <stdlib.h>
#include <string.h>

enum { PADDING = 8 };

/* Where the first record at or after `from` begins, or the end; *passed counts the records before
 * it. */
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

static struct recorder_piece *detach(struct recorder_window *w)
{
	struct recorder_piece *piece = w->first;

	w->first = piece->next;
	if (!w->first)
		w->last = NULL;
	w->bytes -= piece->size;
	return piece;
}

static void drop(struct recorder_window *w)
{
	struct recorder_piece *piece = detach(w);

	first_record(piece, piece->size, &w->missed);
	w->skipped += piece->size;
	free(piece);
}

bool recorder_window_add(struct recorder_window *w, uint64_t limit,
                         const struct spemu_perf_who *who, const uint8_t *bytes, size_t size,
                         uint64_t flags)
{
	struct recorder_piece *piece;

	if (!size && (w->last || !flags)) {
		if (w->last)
			w->last->flags |= flags;
		return true;
	}
	piece = malloc(sizeof(*piece) + size + PADDING);
	if (!piece)
		return false;
	*piece = (struct recorder_piece){.who = *who, .flags = flags, .size = size};
	/* Out of memory that a program may write meanwhile: what is looked at later is this
	 * copy. */
	if (size)
		memcpy(piece->bytes, bytes, size);
	memset(piece->bytes + size, 0, PADDING);
	if (w->last)
		w->last->next = piece;
	else
		w->first = piece;
	w->last = piece;
	w->bytes += size;
	while (w->first != w->last && w->bytes - w->first->size >= limit)
		drop(w);
	return true;
}

struct recorder_piece *recorder_window_take(struct recorder_window *w, uint64_t limit,
                                            uint64_t *skipped)
{
	uint64_t excess = w->bytes > limit ? w->bytes - limit : 0;
	struct recorder_piece *piece;

	if (!w->first)
		return NULL;
	piece = detach(w);
	piece->start = first_record(piece, excess < piece->size ? (size_t)excess : piece->size,
	                            &w->missed);
	*skipped = w->skipped + piece->start;
	w->skipped = 0;
	return piece;
}

uint64_t recorder_piece_records(const struct recorder_piece *piece)
{
	uint64_t before = 0, all = 0;

	first_record(piece, piece->start, &before);
	first_record(piece, piece->size, &all);
	return all - before;
}

void recorder_window_clear(struct recorder_window *w)
{
	while (w->first)
		drop(w);
}
