/* SPDX-License-Identifier: MIT */
/*
 * Records and packets from a stretch of a Profiling Buffer.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2 (a record ends with End or Timestamp), D18.1.3 (only padding
 *          between records)
 */
#include "codec/shape.h"

void spemu_decoder_init(struct spemu_decoder *dec, const uint8_t *buf, size_t size, uint64_t base)
{
	memset(dec, 0, sizeof(*dec));
	dec->begin = buf;
	dec->end = size ? buf + size : buf;
	dec->pos = buf;
	dec->base = base;
}

/* Like the records before it, by all that is cheap to ask. */
static inline bool looks_usual(const struct spemu_decoder *dec, uint32_t present, uint32_t repeated)
{
	return own(dec)->synced && *dec->pos == own(dec)->first && !repeated &&
	       !(present & ~own(dec)->seen) &&
	       (present & (own(dec)->usual | SPEMU_RECORD_OTHER)) == own(dec)->usual;
}

/* Packet by packet, from dec->pos, which is no padding. add: shapes that have none for it; or NULL. */
static int next_by_packets(struct spemu_decoder *dec, struct spemu_record *rec,
                           struct shapes_own *shapes, bool add)
{
	const uint8_t *start = dec->pos;
	struct record_scan scan;
	int status = spemu__codec_record_read(rec, &scan, start, dec->end);

	if (status != SPEMU_OK || !looks_usual(dec, scan.present, scan.repeated)) {
		status = spemu__codec_resynchronize(dec, &scan, status, shapes);
		if (status != SPEMU_OK)
			return status;
	}
	if (add)
		spemu__codec_shape_add(shapes, start, &scan, rec);
	rec->present = scan.present;
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
	if (!shape || !looks_usual(dec, shape->present, 0))
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
	return next(dec, rec, NULL);
}

int spemu_decoder_records(struct spemu_decoder *dec, size_t *count, struct spemu_record *records,
                          size_t capacity, struct spemu_shapes *shapes)
{
	if (!dec || !count || !records || !capacity || !shapes)
		return SPEMU_ERR_INVALID;
	for (*count = 0; *count < capacity; ++*count) {
		int status = next(dec, &records[*count], shapes_own(shapes));

		if (status != SPEMU_OK)
			return status;
	}
	return SPEMU_OK;
}

int spemu_decoder_next_packet(struct spemu_decoder *dec, struct spemu_packet *pkt)
{
	int size;

	if (dec->pos == dec->end)
		return SPEMU_ERR_END;
	size = spemu_packet_decode(pkt, dec->pos, (size_t)(dec->end - dec->pos));
	if (size > 0)
		dec->pos += size;
	return size;
}
