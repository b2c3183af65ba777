/* SPDX-License-Identifier: MIT */
/*
 * Decoding and encoding of one packet.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, D18.1.4 (Tables D18-1 and D18-2), D18.2
 */
#include "codec/form.h"

int spemu_packet_decode(struct spemu_packet *pkt, const uint8_t *buf, size_t size)
{
	struct packet_form form;
	size_t header_size = 1, total;

	if (pkt)
		*pkt = (struct spemu_packet){0};
	if (!pkt || !buf)
		return SPEMU_ERR_INVALID;
	if (size == 0)
		return SPEMU_ERR_TRUNCATED;
	form = spemu__packet_forms[buf[0]];
	if (form.member == MEMBER_EXTENDED) {
		if (size < 2)
			return SPEMU_ERR_TRUNCATED;
		form = extended_form(buf[0], buf[1]);
		header_size = 2;
	}
	total = header_size + form.payload_size;
	if (size < total)
		return SPEMU_ERR_TRUNCATED;
	pkt->type = form.type;
	pkt->index = form.index;
	pkt->header_size = (uint8_t)header_size;
	pkt->payload_size = form.payload_size;
	pkt->header[0] = buf[0];
	pkt->header[1] = header_size == 2 ? buf[1] : 0;
	pkt->payload = payload_load(buf + header_size, size - header_size, form.payload_size);
	return (int)total;
}

/* Encode the header of Address or Counter, in the extended format if the INDEX or the caller needs
 * it. */
static unsigned extended_encode(uint8_t out[2], const struct spemu_packet *pkt,
                                enum spemu_header fixed)
{
	const unsigned low = pkt->index & SPEMU_HEADER_INDEX;

	if (pkt->index > SPEMU_INDEX_MAX)
		return 0;
	if (pkt->index == low && pkt->header_size != 2) {
		out[0] = (uint8_t)(fixed | low);
		return 1;
	}
	out[0] = (uint8_t)(SPEMU_HEADER_EXTENDED | pkt->index >> SPEMU_HEADER_INDEX_WIDTH);
	out[1] = (uint8_t)(fixed | low);
	return 2;
}

/* Table D18-1: the fixed bits of a header, and its greatest INDEX or CLASS, or SZ. */
static const struct {
	uint8_t fixed, greatest;
	bool sized;
} headers[] = {
        [SPEMU_PKT_PADDING] = {SPEMU_HEADER_PADDING, 0, false},
        [SPEMU_PKT_END] = {SPEMU_HEADER_END, 0, false},
        [SPEMU_PKT_TIMESTAMP] = {SPEMU_HEADER_TIMESTAMP, 0, false},
        [SPEMU_PKT_EVENTS] = {SPEMU_HEADER_EVENTS, 0, true},
        [SPEMU_PKT_DATA_SOURCE] = {SPEMU_HEADER_DATA_SOURCE, 0, true},
        [SPEMU_PKT_CONTEXT] = {SPEMU_HEADER_CONTEXT, SPEMU_HEADER_CONTEXT_INDEX, false},
        [SPEMU_PKT_OP_TYPE] = {SPEMU_HEADER_OP_TYPE, SPEMU_HEADER_CLASS, false},
};

/*
 * Write the header of pkt to out[]. Return its size, or 0 if the type, index and size have no
 * header. Reserved values of fields are encoded, because consumers must be tested with them
 * (D18.1.3).
 */
static unsigned header_encode(uint8_t out[2], const struct spemu_packet *pkt)
{
	switch (pkt->type) {
	case SPEMU_PKT_ADDRESS:
		return extended_encode(out, pkt, SPEMU_HEADER_ADDRESS);
	case SPEMU_PKT_COUNTER:
		return extended_encode(out, pkt, SPEMU_HEADER_COUNTER);
	case SPEMU_PKT_UNKNOWN:
		out[0] = pkt->header[0];
		out[1] = pkt->header[1];
		return pkt->header_size == 1 || pkt->header_size == 2 ? pkt->header_size : 0;
	default:
		break;
	}
	if (pkt->type >= sizeof(headers) / sizeof(*headers))
		return 0;
	out[0] = headers[pkt->type].fixed;
	if (headers[pkt->type].sized) {
		out[0] |= spemu_header_sz(pkt->payload_size);
		return SPEMU_HEADER_PAYLOAD_SIZE(out[0]) == pkt->payload_size;
	}
	out[0] |= pkt->index;
	return pkt->index <= headers[pkt->type].greatest;
}

int spemu_packet_encode(uint8_t *buf, size_t size, const struct spemu_packet *pkt)
{
	uint8_t header[2] = {0, 0};
	struct packet_form form;
	unsigned header_size;

	if (!buf || !pkt)
		return SPEMU_ERR_INVALID;
	header_size = header_encode(header, pkt);
	if (header_size == 0)
		return SPEMU_ERR_INVALID;
	form = spemu__packet_forms[header[0]];
	if ((form.member == MEMBER_EXTENDED) != (header_size == 2))
		return SPEMU_ERR_INVALID;
	if (header_size == 2)
		form = extended_form(header[0], header[1]);
	if (form.type != pkt->type)
		return SPEMU_ERR_INVALID;
	if (pkt->type == SPEMU_PKT_UNKNOWN && pkt->payload_size != form.payload_size)
		return SPEMU_ERR_INVALID;
	if (form.payload_size < 8 && pkt->payload >> (8 * form.payload_size))
		return SPEMU_ERR_INVALID;
	if (size < header_size + form.payload_size)
		return SPEMU_ERR_NOSPACE;
	for (unsigned i = 0; i < header_size; i++)
		buf[i] = header[i];
	le_store(buf + header_size, pkt->payload, form.payload_size);
	return (int)(header_size + form.payload_size);
}
