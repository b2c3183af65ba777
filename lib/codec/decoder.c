/* SPDX-License-Identifier: MIT */
/*
 * Records and packets from a stretch of a Profiling Buffer.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2 (a record ends with End or Timestamp), D18.1.3 (only padding
 *          between records)
 */
#include "codec/scan.h"

void spemu_decoder_init(struct spemu_decoder *dec, const uint8_t *buf, size_t size, uint64_t base)
{
	memset(dec, 0, sizeof(*dec));
	dec->begin = buf;
	dec->end = size ? buf + size : buf;
	dec->pos = buf;
	dec->base = base;
}

/* Like the records before it, by all that is cheap to ask. */
static inline bool looks_usual(const struct spemu_decoder *dec, const struct record_scan *scan)
{
	return own(dec)->synced && *dec->pos == own(dec)->first && !scan->repeated &&
	       !(scan->present & ~own(dec)->seen) &&
	       (scan->present & (own(dec)->usual | SPEMU_RECORD_OTHER)) == own(dec)->usual;
}

int spemu_decoder_next(struct spemu_decoder *dec, struct spemu_record *rec)
{
	const uint8_t *start = spemu__codec_padding_skip(dec->pos, dec->end);
	struct record_scan scan;
	int status;

	dec->pos = start;
	if (start == dec->end)
		return SPEMU_ERR_END;
	status = spemu__codec_record_read(rec, &scan, start, dec->end);
	if (status != SPEMU_OK || !looks_usual(dec, &scan)) {
		status = spemu__codec_resynchronize(dec, &scan, status);
		if (status != SPEMU_OK)
			return status;
	}
	rec->present = scan.present;
	rec->offset = dec->base + (uint64_t)(start - dec->begin);
	rec->size = (uint32_t)(scan.end - start);
	own(dec)->last = start;
	dec->pos = scan.end;
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
