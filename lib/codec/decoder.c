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
static inline const uint8_t *padding_skip(const uint8_t *p, const uint8_t *end)
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

/*
 * The packets of one record by member. A store to an array whose place a table gives, instead of a
 * switch by type: which packets a record has is as good as random to a branch predictor.
 */
struct members {
	uint64_t value[32];
	uint8_t header[32]; /* the byte with SZ and CLASS; of Events, type and source */
	uint32_t present;
};

static inline void members_init(struct members *m)
{
	/* In pieces that compilers store directly; one piece becomes a slower string instruction.
	 */
	memset(m->value, 0, 8 * sizeof(m->value[0]));
	memset(m->value + 8, 0, 8 * sizeof(m->value[0]));
	memset(m->value + 16, 0, 8 * sizeof(m->value[0]));
	memset(m->header + 16, 0, 8);
	m->present = 0;
}

static inline void member_set(struct members *m, struct packet_form form, uint8_t header,
                              uint64_t value)
{
	m->value[form.member] = value;
	m->header[form.member] = header;
	m->present |= (uint32_t)1 << form.member;
}

/* All of rec but offset and size. */
static inline void record_fill(struct spemu_record *rec, const struct members *m)
{
	for (unsigned i = 0; i < 8; i++)
		rec->addr[i] = m->value[MEMBER_ADDR0 + i];
	for (unsigned i = 0; i < 8; i++)
		rec->counter[i] = (uint16_t)m->value[MEMBER_COUNTER0 + i];
	for (unsigned i = 0; i < 2; i++)
		rec->context[i] = (uint32_t)m->value[MEMBER_CONTEXT0 + i];
	rec->events = m->value[MEMBER_EVENTS];
	rec->events_size = packet_forms[m->header[MEMBER_EVENTS]].payload_size;
	rec->op_class = packet_forms[m->header[MEMBER_OP_TYPE]].index;
	rec->op_subclass = (uint8_t)m->value[MEMBER_OP_TYPE];
	rec->data_source = (uint16_t)m->value[MEMBER_DATA_SOURCE];
	rec->data_source_size = packet_forms[m->header[MEMBER_DATA_SOURCE]].payload_size;
	rec->timestamp = m->value[MEMBER_TIMESTAMP];
	rec->present = (uint32_t)bits_get(m->present, MEMBER_OTHER, 0);
}

static inline bool ends_record(struct packet_form form)
{
	return form.member == MEMBER_TIMESTAMP || form.member == MEMBER_END;
}

/* From p, inside what cannot be a record: behind the next packet that ends one, or the end. */
static int resynchronise(struct spemu_decoder *dec, const uint8_t *p)
{
	const uint8_t *from = dec->pos;
	struct spemu_packet pkt;
	int size;

	dec->pos = dec->end;
	while ((size = spemu_packet_decode(&pkt, p, (size_t)(dec->end - p))) > 0) {
		p += size;
		if (pkt.type == SPEMU_PKT_END || pkt.type == SPEMU_PKT_TIMESTAMP) {
			dec->pos = p;
			break;
		}
	}
	dec->skipped += (uint64_t)(dec->pos - from);
	return SPEMU_ERR_CORRUPT;
}

int spemu_decoder_next(struct spemu_decoder *dec, struct spemu_record *rec)
{
	const uint8_t *end = dec->end, *start, *p, *packet;
	struct packet_form form;
	struct members members;

	start = p = dec->pos = padding_skip(dec->pos, end);
	if (p == end)
		return SPEMU_ERR_END;
	members_init(&members);
	do {
		packet = p;
		if (p == end)
			goto cut;
		form = packet_forms[*p++];
		if (form.member == MEMBER_EXTENDED) {
			if (p == end)
				goto cut;
			form = extended_form(p[-1], *p);
			p++;
		}
		if ((size_t)(end - p) < form.payload_size)
			goto cut;
		member_set(&members, form, p[-1],
		           payload_load(p, (size_t)(end - p), form.payload_size));
		p += form.payload_size;
		if (p - start > SPEMU_RECORD_MAX)
			return resynchronise(dec, packet);
		if (form.member == MEMBER_PADDING)
			p = padding_skip(p, end);
	} while (!ends_record(form));
	record_fill(rec, &members);
	rec->offset = dec->base + (uint64_t)(start - dec->begin);
	rec->size = (uint32_t)(p - start);
	dec->pos = p;
	return SPEMU_OK;
cut:
	return end - start > SPEMU_RECORD_MAX ? resynchronise(dec, packet) : SPEMU_ERR_TRUNCATED;
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
