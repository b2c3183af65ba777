/* SPDX-License-Identifier: MIT */
/*
 * The decoder: records and packets from a part of a Profiling Buffer.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2 (a record ends with End or Timestamp), D18.1.3 (only padding is
 * between records)
 */
#include "codec/shape.h"

/* Memory is prefetched this many bytes ahead, which is about a dozen records. */
enum { AHEAD = 1024 };

void spemu_decoder_init(struct spemu_decoder *dec, const uint8_t *buf, size_t size, uint64_t base)
{
	memset(dec, 0, sizeof(*dec));
	dec->begin = buf;
	dec->end = size ? buf + size : buf;
	dec->pos = buf;
	dec->base = base;
}

/* Return true if cheap tests find that the record resembles the records before it. */
static inline bool looks_usual(const struct spemu_decoder *dec, uint8_t first, uint32_t present,
                               uint32_t repeated)
{
	return own(dec)->synced && first == own(dec)->first && !repeated &&
	       !(present & ~own(dec)->seen) &&
	       (present & (own(dec)->usual | SPEMU_RECORD_OTHER)) == own(dec)->usual;
}

/* Read the record at dec->pos, which is not padding, packet by packet. If add is not NULL, add
 * the shape of the record to it. */
static int next_by_packets(struct spemu_decoder *dec, struct spemu_record *rec,
                           struct shapes_own *shapes, bool add)
{
	const uint8_t *start = dec->pos;
	struct record_scan scan;
	int status = spemu__codec_record_read(rec, &scan, start, dec->end);
	uint32_t suspect = 0;

	if (status != SPEMU_OK || !looks_usual(dec, *start, scan.present, scan.repeated)) {
		status = spemu__codec_resynchronize(dec, &scan, status, shapes);
		if (status != SPEMU_OK)
			return status;
		/* Records that are accepted in synchronization are not suspect. */
		suspect = own(dec)->synced ? 0 : SPEMU_RECORD_SUSPECT;
	}
	if (add)
		spemu__codec_shape_add(shapes, start, &scan, rec);
	rec->present = scan.present | suspect;
	rec->offset = dec->base + (uint64_t)(start - dec->begin);
	rec->size = (uint32_t)(scan.end - start);
	own(dec)->last = start;
	dec->pos = scan.end;
	return SPEMU_OK;
}

static ALWAYS_INLINE int next(struct spemu_decoder *dec, struct spemu_record *rec,
                              struct shapes_own *shapes)
{
	const uint8_t *start = spemu__codec_padding_skip(dec->pos, dec->end);
	const struct shape *shape;

	dec->pos = start;
	if (start == dec->end)
		return SPEMU_ERR_END;
	if (!shapes || dec->end - start < SHAPE_ROOM)
		return next_by_packets(dec, rec, shapes, false);
	shape = shape_find(shapes, start);
	if (!shape || !looks_usual(dec, *start, shape->present, 0))
		return next_by_packets(dec, rec, shapes, !shape);
	spemu__codec_shape_read(rec, shape, start);
	rec->offset = dec->base + (uint64_t)(start - dec->begin);
	own(dec)->last = start;
	dec->pos = start + shape->size;
	return SPEMU_OK;
}

int spemu__codec_next(struct spemu_decoder *dec, struct spemu_record *rec,
                      struct shapes_own *shapes)
{
	return next(dec, rec, shapes);
}

int spemu_decoder_next(struct spemu_decoder *dec, struct spemu_record *rec)
{
	int status = next(dec, rec, NULL);

	if (status != SPEMU_OK)
		*rec = (struct spemu_record){0};
	return status;
}

/* Return the shapes that look usual, one bit each. */
static uint32_t usual_shapes(const struct spemu_decoder *dec, const struct shapes_own *shapes)
{
	uint32_t usual = 0;

	for (unsigned i = 0; i < shapes->count; i++) {
		const struct shape *s = &shapes->shape[i];

		if (looks_usual(dec, shape_first_byte(s), s->present, 0))
			usual |= (uint32_t)1 << i;
	}
	return usual;
}

/*
 * Read the next records while they have usual shapes. If this record is as large as the previous
 * one, use that size to find the next record. The processor then predicts a comparison and does not
 * wait for the size.
 */
static size_t read_usual(struct spemu_decoder *dec, struct spemu_record *records, size_t capacity,
                         struct shapes_own *shapes)
{
	const uint32_t usual = usual_shapes(dec, shapes);
	const uint64_t base = dec->base - (uintptr_t)dec->begin;
	const uint8_t *p = dec->pos, *end = dec->end, *last = own(dec)->last;
	const struct shape *shape;
	size_t n = 0, size = 0;

	for (; n < capacity; n++) {
		if (p < end && !*p)
			p = spemu__codec_padding_skip(p, end);
		if (end - p < SHAPE_ROOM)
			break;
		__builtin_prefetch(p + AHEAD);
		shape = shape_find(shapes, p);
		if (!shape || !(usual >> shape->number & 1))
			break;
		spemu__codec_shape_read(&records[n], shape, p);
		records[n].offset = base + (uintptr_t)p;
		last = p;
		if (shape->size != size) {
			size = shape->size;
			/* Keep the compiler from replacing size by shape->size. */
			__asm__("" : "+r"(size));
		}
		p += size;
	}
	own(dec)->last = last;
	dec->pos = p;
	return n;
}

int spemu_decoder_records(struct spemu_decoder *dec, size_t *count, struct spemu_record *records,
                          size_t capacity, struct spemu_shapes *shapes)
{
	int status;

	if (count)
		*count = 0;
	if (!dec || !count || !records || !capacity || !shapes)
		return SPEMU_ERR_INVALID;
	for (; *count < capacity; ++*count) {
		*count += read_usual(dec, records + *count, capacity - *count, shapes_own(shapes));
		if (*count == capacity)
			break;
		status = next(dec, &records[*count], shapes_own(shapes));
		if (status != SPEMU_OK)
			return status;
	}
	return SPEMU_OK;
}

int spemu_decoder_next_packet(struct spemu_decoder *dec, struct spemu_packet *pkt)
{
	int size;

	*pkt = (struct spemu_packet){0};
	if (dec->pos == dec->end)
		return SPEMU_ERR_END;
	size = spemu_packet_decode(pkt, dec->pos, (size_t)(dec->end - dec->pos));
	if (size > 0)
		dec->pos += size;
	return size;
}
