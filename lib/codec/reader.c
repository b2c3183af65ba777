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

/* spemu_reader.own */
struct __attribute__((may_alias)) reader_own {
	uint8_t *window;
	size_t window_size;
	spemu_read_fn read;
	void *ctx;
	int ended; /* 1: the callback said so; negative: it failed */
};
_Static_assert(sizeof(struct reader_own) <= sizeof(((struct spemu_reader *)0)->own),
               "spemu_reader.own has room");

static struct reader_own *reader_own(const struct spemu_reader *reader)
{
	return (struct reader_own *)(uintptr_t)reader->own;
}

int spemu_reader_init(struct spemu_reader *reader, uint8_t *window, size_t window_size,
                      spemu_read_fn read, void *ctx, uint64_t base)
{
	if (!reader)
		return SPEMU_ERR_INVALID;
	memset(reader, 0, sizeof(*reader));
	if (!window || !read || window_size < SPEMU_READER_WINDOW_MIN) {
		reader_own(reader)->ended = -1;
		return SPEMU_ERR_INVALID;
	}
	*reader_own(reader) = (struct reader_own){
	        .window = window, .window_size = window_size, .read = read, .ctx = ctx};
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

	memmove(reader_own(reader)->window, reader_own(reader)->window + by,
	        (size_t)(dec->end - begin) - by);
	own(dec)->last = moved(own(dec)->last, begin, by);
	own(dec)->run = moved(own(dec)->run, begin, by);
	if (!own(dec)->run) /* the records from the last one on are of the same run */
		own(dec)->run = own(dec)->last;
	own(dec)->proven = moved(own(dec)->proven, begin, by);
	own(dec)->proven_end = moved(own(dec)->proven_end, begin, by);
	dec->pos -= by;
	dec->end -= by;
	dec->base += by;
}

/* Reads on when little is left. */
static void refill(struct spemu_reader *reader)
{
	struct spemu_decoder *dec = &reader->decoder;
	struct reader_own *r = reader_own(reader);
	size_t used = (size_t)(dec->pos - dec->begin);

	if (r->ended || dec->end - dec->pos >= AHEAD)
		return;
	if (used > BEHIND)
		move_down(reader, used - BEHIND);
	while (!r->ended && (size_t)(dec->end - r->window) < r->window_size) {
		size_t room = r->window_size - (size_t)(dec->end - r->window);
		ptrdiff_t got = r->read(r->ctx, r->window + r->window_size - room, room);

		if (got <= 0 || (size_t)got > room)
			r->ended = got == 0 ? 1 : -1;
		else
			dec->end += got;
	}
}

static int ended(const struct spemu_reader *reader, int status)
{
	return reader_own(reader)->ended < 0 &&
	                       (status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED)
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
	} while ((status == SPEMU_ERR_END || status == SPEMU_ERR_TRUNCATED) &&
	         !reader_own(reader)->ended);
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

	if (count)
		*count = 0;
	if (!reader || !count || !columns || !columns->capacity)
		return SPEMU_ERR_INVALID;
	for (; *count < columns->capacity; ++*count) {
		int status = spemu_reader_next(reader, &rec);

		if (status != SPEMU_OK)
			return status;
		spemu__codec_columns_put(columns, *count, &rec, 1);
	}
	return SPEMU_OK;
}
