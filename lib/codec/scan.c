/* SPDX-License-Identifier: MIT */
/*
 * Read the packets of one record into its members.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.2 (a record ends with End or Timestamp), D18.1.3 (unknown packets
 * are skipped by their size)
 */
#include "codec/scan.h"

/* Return the end of the padding at p. */
const uint8_t *spemu__codec_padding_skip(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 8) {
		uint64_t word = le_load64(p);

		if (word != 0)
			return p + __builtin_ctzll(word) / 8;
		p += 8;
	}
	while (p < end && *p == 0)
		p++;
	return p;
}

/* Check that the packet at p ends at end or before. This function decodes the packet; callers call
 * it only if p does not show that enough bytes are left. */
static int packet_readable(const uint8_t *start, const uint8_t *p, const uint8_t *end)
{
	struct spemu_packet pkt;

	if (p - start > SPEMU_RECORD_MAX)
		return SPEMU_ERR_CORRUPT;
	return spemu_packet_decode(&pkt, p, (size_t)(end - p)) > 0 ? SPEMU_OK : SPEMU_ERR_TRUNCATED;
}

static inline void note(struct record_scan *scan, uint32_t bit)
{
	scan->repeated |= scan->present & bit;
	scan->present |= bit;
}

/*
 * Store a whole packet in the extended format in its member, if its INDEX has one. Return its size.
 */
static size_t extended_put(struct spemu_record *rec, struct record_scan *scan, const uint8_t *p)
{
	struct packet_form form = extended_form(p[0], p[1]);

	note(scan, (uint32_t)1 << form.member);
	if (form.member != MEMBER_OTHER && form.type == SPEMU_PKT_ADDRESS)
		rec->addr[form.index] = le_load64(p + 2);
	else if (form.member != MEMBER_OTHER)
		rec->counter[form.index] = le_load16(p + 2);
	return 2u + form.payload_size;
}

/*
 * Each kind of packet advances p by a constant instead of a loaded size. So the processor predicts
 * the place of the next packet and does not wait for it.
 */
int spemu__codec_record_read(struct spemu_record *rec, struct record_scan *scan,
                             const uint8_t *start, const uint8_t *end)
{
	const ptrdiff_t room = end - start;
	/* While p is below this place, the packet at p is complete and the record is not too
	 * long. */
	const uint8_t *plain = room < SPEMU_PACKET_SIZE_MAX ? start
	                       : room > SPEMU_RECORD_MAX
	                               ? start + SPEMU_RECORD_MAX - SPEMU_PACKET_SIZE_MAX
	                               : end - SPEMU_PACKET_SIZE_MAX;
	const uint8_t *p = start;
	bool ended = false;

	/* Pieces of this size compile to stores; one large piece compiles to a slower string
	 * instruction. */
	memset(rec, 0, 64);
	memset((uint8_t *)rec + 64, 0, sizeof(*rec) - 64);
	*scan = (struct record_scan){0};
	do {
		unsigned header;
		const struct packet_form *form;

		if (p >= plain) {
			int status = packet_readable(start, p, end);

			scan->end = p;
			if (status != SPEMU_OK)
				return status;
		}
		header = *p;
		form = &spemu__packet_forms[header];
		switch (form->type) {
		case SPEMU_PKT_ADDRESS:
			note(scan, SPEMU_RECORD_ADDR(header & SPEMU_HEADER_INDEX));
			rec->addr[header & SPEMU_HEADER_INDEX] = le_load64(p + 1);
			p += SPEMU_PACKET_SIZE_ADDRESS;
			break;
		case SPEMU_PKT_COUNTER:
			note(scan, SPEMU_RECORD_COUNTER(header & SPEMU_HEADER_INDEX));
			rec->counter[header & SPEMU_HEADER_INDEX] = le_load16(p + 1);
			p += SPEMU_PACKET_SIZE_COUNTER;
			break;
		case SPEMU_PKT_PADDING:
			p = spemu__codec_padding_skip(p, end);
			break;
		case SPEMU_PKT_OP_TYPE:
			note(scan, SPEMU_RECORD_OP_TYPE);
			rec->op_class = header & SPEMU_HEADER_CLASS;
			rec->op_subclass = p[1];
			p += SPEMU_PACKET_SIZE_OP_TYPE;
			break;
		case SPEMU_PKT_EVENTS:
			note(scan, SPEMU_RECORD_EVENTS);
			rec->events_size = form->payload_size;
			rec->events =
			        payload_load(p + 1, (size_t)(end - p - 1), form->payload_size);
			p += 1 + form->payload_size;
			break;
		case SPEMU_PKT_CONTEXT:
			note(scan, (uint32_t)1 << form->member);
			if (form->member != MEMBER_OTHER)
				rec->context[header & SPEMU_HEADER_CONTEXT_INDEX] =
				        le_load32(p + 1);
			p += SPEMU_PACKET_SIZE_CONTEXT;
			break;
		case SPEMU_PKT_TIMESTAMP:
			note(scan, SPEMU_RECORD_TIMESTAMP);
			rec->timestamp = le_load64(p + 1);
			p += SPEMU_PACKET_SIZE_TIMESTAMP;
			ended = true;
			break;
		case SPEMU_PKT_END:
			p += SPEMU_PACKET_SIZE_END;
			ended = true;
			break;
		case SPEMU_PKT_DATA_SOURCE:
			note(scan, (uint32_t)1 << form->member);
			if (form->member != MEMBER_OTHER) {
				rec->data_source_size = form->payload_size;
				rec->data_source = (uint16_t)payload_load(
				        p + 1, (size_t)(end - p - 1), form->payload_size);
			}
			p += 1 + form->payload_size;
			break;
		default:
			if (form->member == MEMBER_EXTENDED) {
				p += extended_put(rec, scan, p);
				break;
			}
			note(scan, SPEMU_RECORD_OTHER);
			p += 1 + form->payload_size;
			break;
		}
	} while (!ended);
	scan->end = p;
	return p - start > SPEMU_RECORD_MAX ? SPEMU_ERR_CORRUPT : SPEMU_OK;
}
