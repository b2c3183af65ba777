/* SPDX-License-Identifier: MIT */
#include "damage.h"

bool stretch_continues(const struct stretch *stretch, uint64_t offset)
{
	return stretch->from < stretch->to && offset >= stretch->from && offset <= stretch->to;
}

void stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size)
{
	/* A skip may begin inside the stretch: a record was found before the stretch's end. */
	if (!stretch_continues(stretch, offset))
		stretch->from = offset;
	stretch->to = offset + size;
}

uint32_t packet_member(const struct spemu_packet *pkt)
{
	switch (pkt->type) {
	case SPEMU_PKT_PADDING:
	case SPEMU_PKT_END:
		return 0;
	case SPEMU_PKT_ADDRESS:
		return pkt->index < 8 ? SPEMU_RECORD_ADDR(pkt->index) : SPEMU_RECORD_OTHER;
	case SPEMU_PKT_COUNTER:
		return pkt->index < 8 ? SPEMU_RECORD_COUNTER(pkt->index) : SPEMU_RECORD_OTHER;
	case SPEMU_PKT_CONTEXT:
		return pkt->index < 2 ? SPEMU_RECORD_CONTEXT(pkt->index) : SPEMU_RECORD_OTHER;
	case SPEMU_PKT_EVENTS:
		return SPEMU_RECORD_EVENTS;
	case SPEMU_PKT_OP_TYPE:
		return SPEMU_RECORD_OP_TYPE;
	case SPEMU_PKT_DATA_SOURCE:
		return pkt->payload_size <= 2 ? SPEMU_RECORD_DATA_SOURCE : SPEMU_RECORD_OTHER;
	case SPEMU_PKT_TIMESTAMP:
		return SPEMU_RECORD_TIMESTAMP;
	default:
		return SPEMU_RECORD_OTHER;
	}
}

static void put_packet(struct damaged *damaged, const struct spemu_packet *pkt)
{
	struct spemu_record *rec = &damaged->record;
	uint32_t member = packet_member(pkt);

	damaged->repeated |= rec->present & member;
	rec->present |= member;
	if (member == SPEMU_RECORD_OTHER)
		return;
	if (pkt->type == SPEMU_PKT_ADDRESS) {
		rec->addr[pkt->index] = pkt->payload;
	} else if (pkt->type == SPEMU_PKT_COUNTER) {
		rec->counter[pkt->index] = (uint16_t)pkt->payload;
	} else if (pkt->type == SPEMU_PKT_CONTEXT) {
		rec->context[pkt->index] = (uint32_t)pkt->payload;
	} else if (pkt->type == SPEMU_PKT_EVENTS) {
		rec->events = pkt->payload;
		rec->events_size = pkt->payload_size;
	} else if (pkt->type == SPEMU_PKT_OP_TYPE) {
		rec->op_class = pkt->index;
		rec->op_subclass = (uint8_t)pkt->payload;
	} else if (pkt->type == SPEMU_PKT_DATA_SOURCE) {
		rec->data_source = (uint16_t)pkt->payload;
		rec->data_source_size = pkt->payload_size;
	} else if (pkt->type == SPEMU_PKT_TIMESTAMP) {
		rec->timestamp = pkt->payload;
	}
}

/* Read packets, starting at p, into damaged. Return the end of the record. */
static const uint8_t *read_packets(struct damaged *damaged, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *start = p;

	while (p < end) {
		struct spemu_packet pkt;
		int size = spemu_packet_decode(&pkt, p, (size_t)(end - p));

		if (size < 0)
			return end; /* the stretch ends inside a packet */
		if (p + size - start > SPEMU_RECORD_MAX)
			return p;
		p += size;
		put_packet(damaged, &pkt);
		if (pkt.type == SPEMU_PKT_END || pkt.type == SPEMU_PKT_TIMESTAMP)
			return p;
	}
	return p;
}

bool damaged_next(struct damaged *damaged, const uint8_t **p, const uint8_t *end)
{
	while (*p < end) {
		struct spemu_record *rec = &damaged->record;

		*damaged = (struct damaged){.repeated = 0};
		while (*p < end && **p == 0)
			++*p;
		damaged->begin = *p;
		*p = damaged->end = read_packets(damaged, *p, end);
		rec->size = (uint32_t)(damaged->end - damaged->begin);
		if (!(rec->present & ~(uint32_t)SPEMU_RECORD_OTHER))
			continue;
		rec->present &= ~(damaged->repeated | SPEMU_RECORD_OTHER);
		damaged->repeated &= ~(uint32_t)SPEMU_RECORD_OTHER;
		return true;
	}
	return false;
}
