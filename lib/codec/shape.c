/* SPDX-License-Identifier: MIT */
/*
 * Shapes of records: learning the shape of a record that was read packet by packet, searching for a
 * shape, and reading a record by its shape.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, D18.1.2
 */
#include "codec/shape.h"

static uint8_t *bytes_of(shape_words *words)
{
	return (uint8_t *)words;
}

/* Make bytes [from, to) of the record at start part of the shape. */
static void fix(struct shape *s, const uint8_t *start, const uint8_t *from, const uint8_t *to)
{
	size_t at = (size_t)(from - start), n = (size_t)(to - from);

	memset(bytes_of(s->fixed) + at, UINT8_MAX, n);
	memcpy(bytes_of(s->bytes) + at, from, n);
}

/* Make the shape of a record from its headers. The record was read, has at most SHAPE_BYTES, and
 * no packet twice. */
static void measure(struct shape *s, const uint8_t *start, const struct record_scan *scan,
                    const struct spemu_record *rec)
{
	const uint8_t *p = start;

	*s = (struct shape){.present = scan->present,
	                    .size = (uint8_t)(scan->end - start),
	                    .op_class = rec->op_class,
	                    .events_size = rec->events_size,
	                    .data_source_size = rec->data_source_size};
	while (p < scan->end) {
		struct packet_form form = spemu__packet_forms[*p];
		const uint8_t *payload = p + 1;

		if (form.member == MEMBER_EXTENDED) {
			form = extended_form(p[0], p[1]);
			payload++;
		}
		fix(s, start, p, payload);
		if (form.member < SHAPE_MEMBERS) {
			if (!s->first)
				s->first = (uint32_t)1 << form.member;
			s->at[form.member] = (uint8_t)(payload - start);
			s->kept[form.member] = ~UINT64_C(0) >> (64 - 8 * form.payload_size);
		}
		p = payload + form.payload_size;
	}
}

/* Return the first byte that both shapes fix to different values. There is one: up to that byte,
 * records of both shapes are read in the same way. */
static unsigned first_difference(struct shape *a, struct shape *b)
{
	const uint8_t *fixed_a = bytes_of(a->fixed), *fixed_b = bytes_of(b->fixed);
	const uint8_t *bytes_a = bytes_of(a->bytes), *bytes_b = bytes_of(b->bytes);
	unsigned i = 0;

	while (i < SHAPE_BYTES - 1 && !(fixed_a[i] & fixed_b[i] & (bytes_a[i] ^ bytes_b[i])))
		i++;
	return i;
}

/* Add the bytes that distinguish s from the other shapes. */
static void tell_apart(struct shapes_own *own, struct shape *s)
{
	for (unsigned i = 0; i < own->count && own->places < SHAPE_PLACES; i++) {
		unsigned at = first_difference(&own->shape[i], s), k = 0;

		if (&own->shape[i] == s)
			continue;
		while (k < own->places && own->place[k] != at)
			k++;
		if (k < own->places)
			continue;
		own->place[own->places++] = (uint8_t)at;
		memset(own->choice, 0, sizeof(own->choice));
	}
}

void spemu__codec_shape_add(struct shapes_own *own, const uint8_t *start,
                            const struct record_scan *scan, const struct spemu_record *rec)
{
	struct shape *s = &own->shape[own->next];

	if (scan->end - start > SHAPE_BYTES || scan->repeated || scan->present & SPEMU_RECORD_OTHER)
		return;
	measure(s, start, scan, rec);
	s->number = own->next;
	own->next = (uint8_t)((own->next + 1) % SHAPES);
	if (own->count < SHAPES)
		own->count++;
	tell_apart(own, s);
}

const struct shape *spemu__codec_shape_search(struct shapes_own *own, const uint8_t *p,
                                              unsigned choice)
{
	for (unsigned i = 0; i < own->count; i++) {
		if (shape_fits(&own->shape[i], p)) {
			own->choice[choice] = (uint8_t)(i + 1);
			return &own->shape[i];
		}
	}
	return NULL;
}

/* Return the payload of a member, or 0 if the record does not have it. No branch depends on the
 * packets of the record. */
static ALWAYS_INLINE uint64_t payload(const struct shape *s, const uint8_t *p, unsigned member)
{
	return le_load64(p + s->at[member]) & s->kept[member];
}

/* Read the members that few implementations write. */
static OUT_OF_LINE void read_rare(struct spemu_record *rec, const struct shape *s, const uint8_t *p)
{
	for (unsigned i = 4; i < 8; i++)
		rec->addr[i] = payload(s, p, MEMBER_ADDR0 + i);
	for (unsigned i = 3; i < 8; i++)
		rec->counter[i] = (uint16_t)payload(s, p, MEMBER_COUNTER0 + i);
}

void spemu__codec_shape_read(struct spemu_record *rec, const struct shape *s, const uint8_t *p)
{
	const uint32_t rare = SPEMU_RECORD_ADDR(8) - SPEMU_RECORD_ADDR(4) +
	                      (SPEMU_RECORD_COUNTER(8) - SPEMU_RECORD_COUNTER(3));

	rec->size = s->size;
	rec->present = s->present;
	rec->addr[0] = payload(s, p, MEMBER_ADDR0);
	rec->addr[1] = payload(s, p, MEMBER_ADDR0 + 1);
	rec->addr[2] = payload(s, p, MEMBER_ADDR0 + 2);
	rec->addr[3] = payload(s, p, MEMBER_ADDR0 + 3);
	memset(&rec->addr[4], 0, sizeof(rec->addr) - 4 * sizeof(rec->addr[0]));
	rec->events = payload(s, p, MEMBER_EVENTS);
	rec->timestamp = payload(s, p, MEMBER_TIMESTAMP);
	rec->context[0] = (uint32_t)payload(s, p, MEMBER_CONTEXT0);
	rec->context[1] = (uint32_t)payload(s, p, MEMBER_CONTEXT0 + 1);
	memset(rec->counter, 0, sizeof(rec->counter));
	rec->counter[0] = (uint16_t)payload(s, p, MEMBER_COUNTER0);
	rec->counter[1] = (uint16_t)payload(s, p, MEMBER_COUNTER0 + 1);
	rec->counter[2] = (uint16_t)payload(s, p, MEMBER_COUNTER0 + 2);
	rec->data_source = (uint16_t)payload(s, p, MEMBER_DATA_SOURCE);
	rec->op_class = s->op_class;
	rec->op_subclass = (uint8_t)payload(s, p, MEMBER_OP_TYPE);
	rec->events_size = s->events_size;
	rec->data_source_size = s->data_source_size;
	if (s->present & rare)
		read_rare(rec, s, p);
}
