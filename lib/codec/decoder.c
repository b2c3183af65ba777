/* SPDX-License-Identifier: MIT */
/*
 * Records and packets from a stretch of a Profiling Buffer.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2 (a record ends with End or Timestamp), D18.1.3 (only padding
 *          between records; what is not known is skipped by its size)
 */
#include "codec/form.h"

void spemu_decoder_init(struct spemu_decoder *dec, const uint8_t *buf, size_t size, uint64_t base)
{
	dec->begin = buf;
	dec->end = size ? buf + size : buf;
	dec->pos = buf;
	dec->base = base;
	dec->skipped = 0;
}

/* Behind the padding at p. */
static const uint8_t *padding_skip(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 8 && le_load(p, 8) == 0)
		p += 8;
	while (p < end && *p == 0)
		p++;
	return p;
}

/* One header at p < end. Its form, and where its payload starts and ends; false if it is cut. */
static inline bool packet_at(struct packet_form *form, const uint8_t **payload,
                             const uint8_t **next, const uint8_t *p, const uint8_t *end)
{
	*form = packet_forms[*p++];
	if (form->extended) {
		if (p == end)
			return false;
		*form = extended_form(p[-1], *p);
		p++;
	}
	*payload = p;
	if ((size_t)(end - p) < form->payload_size)
		return false;
	*next = p + form->payload_size;
	return true;
}

static inline void member_set(struct spemu_record *rec, struct packet_form form, uint64_t value)
{
	switch (form.type) {
	case SPEMU_PKT_PADDING:
	case SPEMU_PKT_END:
		return;
	case SPEMU_PKT_ADDRESS:
		if (form.index > 7)
			break;
		rec->addr[form.index] = value;
		rec->present |= SPEMU_REC_ADDR(form.index);
		return;
	case SPEMU_PKT_COUNTER:
		if (form.index > 7)
			break;
		rec->counter[form.index] = (uint16_t)value;
		rec->present |= SPEMU_REC_COUNTER(form.index);
		return;
	case SPEMU_PKT_EVENTS:
		rec->events = value;
		rec->events_size = form.payload_size;
		rec->present |= SPEMU_REC_EVENTS;
		return;
	case SPEMU_PKT_OP_TYPE:
		rec->op_class = form.index;
		rec->op_subclass = (uint8_t)value;
		rec->present |= SPEMU_REC_OP_TYPE;
		return;
	case SPEMU_PKT_CONTEXT:
		if (form.index > 1)
			break;
		rec->context[form.index] = (uint32_t)value;
		rec->present |= SPEMU_REC_CONTEXT(form.index);
		return;
	case SPEMU_PKT_DATA_SOURCE:
		if (form.payload_size > 2)
			break;
		rec->data_source = (uint16_t)value;
		rec->data_source_size = form.payload_size;
		rec->present |= SPEMU_REC_DATA_SOURCE;
		return;
	case SPEMU_PKT_TIMESTAMP:
		rec->timestamp = value;
		rec->present |= SPEMU_REC_TIMESTAMP;
		return;
	default:
		break;
	}
	rec->present |= SPEMU_REC_OTHER;
}

static inline bool ends_record(struct packet_form form)
{
	return form.type == SPEMU_PKT_END || form.type == SPEMU_PKT_TIMESTAMP;
}

/* From p, inside what cannot be a record: behind the next packet that ends one, or the end. */
static int resynchronise(struct spemu_decoder *dec, const uint8_t *p)
{
	const uint8_t *payload, *next, *from = dec->pos;
	struct packet_form form;

	dec->pos = dec->end;
	while (p < dec->end && packet_at(&form, &payload, &next, p, dec->end)) {
		p = next;
		if (ends_record(form)) {
			dec->pos = p;
			break;
		}
	}
	dec->skipped += (uint64_t)(dec->pos - from);
	return SPEMU_ERR_CORRUPT;
}

int spemu_decoder_next(struct spemu_decoder *dec, struct spemu_record *rec)
{
	const uint8_t *end = dec->end, *p, *payload, *next;
	struct packet_form form;

	dec->pos = padding_skip(dec->pos, end);
	p = dec->pos;
	if (p == end)
		return SPEMU_ERR_END;
	memset(rec, 0, sizeof(*rec));
	rec->offset = dec->base + (uint64_t)(p - dec->begin);
	do {
		if (p == end || !packet_at(&form, &payload, &next, p, end))
			return end - dec->pos > SPEMU_RECORD_MAX ? resynchronise(dec, p)
			                                         : SPEMU_ERR_TRUNCATED;
		if (next - dec->pos > SPEMU_RECORD_MAX)
			return resynchronise(dec, p);
		member_set(rec, form,
		           payload_load(payload, (size_t)(end - payload), form.payload_size));
		p = next;
		if (form.type == SPEMU_PKT_PADDING)
			p = padding_skip(p, end);
	} while (!ends_record(form));
	rec->size = (uint32_t)(p - dec->pos);
	dec->pos = p;
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
