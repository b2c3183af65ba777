/* SPDX-License-Identifier: MIT */
/*
 * A stream through a window: the decoder always sees a few records before and after where it is, as
 * it needs to find its way after damage.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2
 */
#include "codec/scan.h"

enum {
	BEHIND = 2 * SPEMU_RECORD_MAX, /* bytes kept in front of pos */
	AHEAD = 4 * SPEMU_RECORD_MAX,  /* bytes wanted after it */
};

int spemu_reader_init(struct spemu_reader *reader, uint8_t *window, size_t window_size,
                      spemu_read_fn read, void *ctx, uint64_t base)
{
	if (!reader || !window || !read || window_size < SPEMU_READER_WINDOW_MIN)
		return SPEMU_ERR_INVALID;
	*reader = (struct spemu_reader){
	        .window = window,
	        .window_size = window_size,
	        .read = read,
	        .ctx = ctx,
	};
	spemu_decoder_init(&reader->decoder, window, 0, base);
	return SPEMU_OK;
}

/* Where p is when everything moves down by so many bytes; NULL if it is no longer there. */
static const uint8_t *moved(const uint8_t *p, const uint8_t *begin, size_t by)
{
	return p && (size_t)(p - begin) >= by ? p - by : NULL;
}

static void move_down(struct spemu_reader *reader, size_t by)
{
	struct spemu_decoder *dec = &reader->decoder;
	const uint8_t *begin = dec->begin;

	memmove(reader->window, reader->window + by, (size_t)(dec->end - begin) - by);
	dec->last = moved(dec->last, begin, by);
	dec->trusted = moved(dec->trusted, begin, by);
	dec->run = moved(dec->run, begin, by);
	if (!dec->run) /* the records from the last one on are of the same run */
		dec->run = dec->last;
	dec->proven = moved(dec->proven, begin, by);
	dec->proven_end = moved(dec->proven_end, begin, by);
	dec->pos -= by;
	dec->end -= by;
	dec->base += by;
}

/* Reads on when little is left. */
static void refill(struct spemu_reader *reader)
{
	struct spemu_decoder *dec = &reader->decoder;
	size_t used = (size_t)(dec->pos - dec->begin);

	if (reader->ended || dec->end - dec->pos >= AHEAD)
		return;
	if (used > BEHIND)
		move_down(reader, used - BEHIND);
	while (!reader->ended && (size_t)(dec->end - reader->window) < reader->window_size) {
		size_t room = reader->window_size - (size_t)(dec->end - reader->window);
		ptrdiff_t got = reader->read(reader->ctx,
		                             reader->window + reader->window_size - room, room);

		if (got <= 0 || (size_t)got > room)
			reader->ended = got == 0 ? 1 : -1;
		else
			dec->end += got;
	}
}

static int ended(const struct spemu_reader *reader, int status)
{
	return reader->ended < 0 && (status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED)
	               ? SPEMU_ERR_IO
	               : status;
}

int spemu_reader_next(struct spemu_reader *reader, struct spemu_record *rec)
{
	int status;

	do {
		refill(reader);
		status = spemu_decoder_next(&reader->decoder, rec);
		/* After much padding what is left may be little. */
	} while ((status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED) && !reader->ended);
	return ended(reader, status);
}

int spemu_reader_next_packet(struct spemu_reader *reader, struct spemu_packet *pkt)
{
	refill(reader);
	return ended(reader, spemu_decoder_next_packet(&reader->decoder, pkt));
}

int spemu_reader_batch(struct spemu_reader *reader, size_t *count,
                       const struct spemu_columns *columns)
{
	struct spemu_record rec;

	if (!reader || !count || !columns || !columns->capacity)
		return SPEMU_ERR_INVALID;
	for (*count = 0; *count < columns->capacity; ++*count) {
		int status = spemu_reader_next(reader, &rec);

		if (status != SPEMU_OK)
			return status;
		spemu__codec_columns_put(columns, *count, &rec);
	}
	return SPEMU_OK;
}
