/* SPDX-License-Identifier: MIT */
/*
 * Encoding of a sample record, in the order and the places that an implementation gives its
 * packets.
 *
 * Arm ARM:     DDI 0487 M.a, D18.1.2, D18.1.3: any order, padding anywhere, End or Timestamp last
 * Pseudocode:  SPEConstructRecord()
 */
#include <stdbool.h>
#include <string.h>
#include <spemu/packet.h>
#include <spemu/record.h>
#include "base/bits.h"
#include "encode.h"
#include "member.h"

const struct spemu_layout spemu_layout_dense = {.order = SPEMU_ORDER_PSEUDOCODE};
const struct spemu_layout spemu_layout_neoverse = {
        .order = SPEMU_ORDER_PC_FIRST,
        .align_log2 = 6,
        .pad_before_end = 1,
        .fixed_places = 1,
};
const struct spemu_layout spemu_layout_words = {.align_log2 = 2, .pad_before_end = 1};

/* Bytes of the largest Events and Data Source packets, and of all packets without padding. */
enum {
	EVENTS_MAX = 1 + 8,
	DATA_SOURCE_MAX = 1 + 2,
	PACKED_MAX = 8 * SPEMU_PACKET_SIZE_ADDRESS + 8 * SPEMU_PACKET_SIZE_COUNTER +
	             2 * SPEMU_PACKET_SIZE_CONTEXT + EVENTS_MAX + SPEMU_PACKET_SIZE_OP_TYPE +
	             DATA_SOURCE_MAX
};

/* A packet. */
struct part {
	uint64_t payload;
	uint8_t header;
	unsigned size; /* size of the whole packet in bytes */
};

static inline struct part part_of(const struct spemu_record *rec, unsigned bit)
{
	switch (bit) {
	case MEMBER_EVENTS:
		return (struct part){rec->events,
		                     SPEMU_HEADER_EVENTS | spemu_header_sz(rec->events_size),
		                     1 + rec->events_size};
	case MEMBER_OP_TYPE:
		return (struct part){rec->op_subclass, SPEMU_HEADER_OP_TYPE | rec->op_class,
		                     SPEMU_PACKET_SIZE_OP_TYPE};
	case MEMBER_DATA_SOURCE:
		return (struct part){rec->data_source,
		                     SPEMU_HEADER_DATA_SOURCE |
		                             spemu_header_sz(rec->data_source_size),
		                     1 + rec->data_source_size};
	default:
		if (bit >= MEMBER_CONTEXT0)
			return (struct part){
			        rec->context[bit - MEMBER_CONTEXT0],
			        (uint8_t)(SPEMU_HEADER_CONTEXT | (bit - MEMBER_CONTEXT0)),
			        SPEMU_PACKET_SIZE_CONTEXT};
		if (bit >= MEMBER_COUNTER0)
			return (struct part){
			        rec->counter[bit - MEMBER_COUNTER0],
			        (uint8_t)(SPEMU_HEADER_COUNTER | (bit - MEMBER_COUNTER0)),
			        SPEMU_PACKET_SIZE_COUNTER};
		return (struct part){rec->addr[bit], (uint8_t)(SPEMU_HEADER_ADDRESS | bit),
		                     SPEMU_PACKET_SIZE_ADDRESS};
	}
}

/*
 * Put the packet of member `bit` at p. Return the place of the next packet, which is p itself if
 * rec does not have this one. A branch predictor cannot predict the packets of a record, so the
 * function does not branch on them. It always writes nine bytes, and the next packet overwrites the
 * surplus. With a constant `bit` the function takes only a few instructions.
 */
static ALWAYS_INLINE uint8_t *put(uint8_t *restrict p, const struct spemu_record *restrict rec,
                                  uint32_t present, unsigned bit)
{
	struct part part = part_of(rec, bit);

	p[0] = part.header;
	le_store64(p + 1, part.payload);
	return p + (present >> bit & 1) * part.size;
}

static const uint32_t contexts = SPEMU_RECORD_CONTEXT(0) | SPEMU_RECORD_CONTEXT(1);
static const uint32_t rare_counters = SPEMU_RECORD_COUNTER(8) - SPEMU_RECORD_COUNTER(3);
static const uint32_t rare_addresses = SPEMU_RECORD_ADDR(8) - SPEMU_RECORD_ADDR(4);

/* Put the packets in the order of SPEConstructRecord(). Return the size. */
static size_t pseudocode_put(uint8_t *restrict out, const struct spemu_record *restrict rec)
{
	const uint32_t present = rec->present;
	uint8_t *p = out;

	if (present & contexts) { /* predictable: usually the same in all records */
		p = put(p, rec, present, MEMBER_CONTEXT0);
		p = put(p, rec, present, MEMBER_CONTEXT0 + 1);
	}
	p = put(p, rec, present, MEMBER_COUNTER0);
	p = put(p, rec, present, MEMBER_COUNTER0 + 1);
	p = put(p, rec, present, MEMBER_COUNTER0 + 2);
	for (unsigned i = 3; (present & rare_counters) && i < 8; i++)
		p = put(p, rec, present, MEMBER_COUNTER0 + i);
	p = put(p, rec, present, MEMBER_ADDR0);
	p = put(p, rec, present, MEMBER_ADDR0 + 1);
	p = put(p, rec, present, MEMBER_ADDR0 + 2);
	p = put(p, rec, present, MEMBER_ADDR0 + 3);
	for (unsigned i = 4; (present & rare_addresses) && i < 8; i++)
		p = put(p, rec, present, MEMBER_ADDR0 + i);
	p = put(p, rec, present, MEMBER_DATA_SOURCE);
	p = put(p, rec, present, MEMBER_OP_TYPE);
	p = put(p, rec, present, MEMBER_EVENTS);
	return (size_t)(p - out);
}

/* Put the packets in the order of Neoverse N1 without its gaps, then packets that N1 does not have.
 * Return the size. */
static size_t pc_first_put(uint8_t *restrict out, const struct spemu_record *restrict rec)
{
	static const uint8_t rare[] = {
	        MEMBER_ADDR0 + 4,    MEMBER_COUNTER0 + 4, MEMBER_COUNTER0 + 3,
	        MEMBER_COUNTER0 + 5, MEMBER_COUNTER0 + 6, MEMBER_COUNTER0 + 7,
	        MEMBER_ADDR0 + 5,    MEMBER_ADDR0 + 6,    MEMBER_ADDR0 + 7,
	};
	const uint32_t present = rec->present;
	uint8_t *p = out;

	p = put(p, rec, present, MEMBER_ADDR0);
	if (present & contexts) { /* predictable: usually the same in all records */
		p = put(p, rec, present, MEMBER_CONTEXT0);
		p = put(p, rec, present, MEMBER_CONTEXT0 + 1);
	}
	p = put(p, rec, present, MEMBER_OP_TYPE);
	p = put(p, rec, present, MEMBER_EVENTS);
	p = put(p, rec, present, MEMBER_COUNTER0 + 1);
	p = put(p, rec, present, MEMBER_COUNTER0);
	p = put(p, rec, present, MEMBER_ADDR0 + 1);
	p = put(p, rec, present, MEMBER_ADDR0 + 2);
	p = put(p, rec, present, MEMBER_COUNTER0 + 2);
	p = put(p, rec, present, MEMBER_ADDR0 + 3);
	p = put(p, rec, present, MEMBER_DATA_SOURCE);
	for (unsigned i = 0; (present & (rare_counters | rare_addresses)) && i < sizeof(rare); i++)
		p = put(p, rec, present, rare[i]);
	return (size_t)(p - out);
}

/*
 * The places of Neoverse N1. They come from published dumps of Ampere Altra (an issue about Linux's
 * handling of its data sources) and from the SPE decoder tests of Google's quipper. Padding
 * replaces packets that an operation does not have.
 */
enum {
	PLACE_PC = 0,
	PLACE_CONTEXT_EL1 = 9,
	PLACE_CONTEXT_EL2 = 14,
	PLACE_OP_TYPE = 19,
	PLACE_EVENTS = 21,
	PLACE_ISSUE = 24,
	PLACE_TOTAL = 27,
	PLACE_TARGET_OR_VA = 30,
	PLACE_TRANSLATION = 39,
	PLACE_PA = 42,
	PLACE_DATA_SOURCE = 51,
	PLACE_TIMESTAMP = 55,
	PLACES_SIZE = 64,
};

/* Return true if each packet of rec has a place, and fits it. */
static bool places_hold(const struct spemu_record *rec)
{
	const uint32_t target_and_va = SPEMU_RECORD_ADDR(1) | SPEMU_RECORD_ADDR(2);

	return !(rec->present & (rare_counters | rare_addresses)) &&
	       (rec->present & target_and_va) != target_and_va &&
	       (!(rec->present & SPEMU_RECORD_EVENTS) || rec->events_size <= 2);
}

/*
 * Put the packet of member bit, or nine zero bytes, at its place. If there is a packet, *len is its
 * end.
 */
static ALWAYS_INLINE void place(uint8_t *restrict out, size_t *len,
                                const struct spemu_record *restrict rec, uint32_t present,
                                unsigned bit, size_t at)
{
	struct part part = part_of(rec, bit);
	uint64_t has = -(uint64_t)(present >> bit & 1);

	out[at] = part.header & (uint8_t)has;
	le_store64(out + at + 1, part.payload & has);
	*len = has ? at + part.size : *len;
}

/* Put the packets in ascending order, because each one zeroes the bytes after it. Return the
 * size up to the last packet. */
static size_t places_put(uint8_t *restrict out, const struct spemu_record *restrict rec)
{
	const uint32_t present = rec->present;
	size_t len = 0;

	place(out, &len, rec, present, MEMBER_ADDR0, PLACE_PC);
	place(out, &len, rec, present, MEMBER_CONTEXT0, PLACE_CONTEXT_EL1);
	place(out, &len, rec, present, MEMBER_CONTEXT0 + 1, PLACE_CONTEXT_EL2);
	place(out, &len, rec, present, MEMBER_OP_TYPE, PLACE_OP_TYPE);
	place(out, &len, rec, present, MEMBER_EVENTS, PLACE_EVENTS);
	place(out, &len, rec, present, MEMBER_COUNTER0 + 1, PLACE_ISSUE);
	place(out, &len, rec, present, MEMBER_COUNTER0, PLACE_TOTAL);
	if (present & SPEMU_RECORD_ADDR(1))
		place(out, &len, rec, present, MEMBER_ADDR0 + 1, PLACE_TARGET_OR_VA);
	else
		place(out, &len, rec, present, MEMBER_ADDR0 + 2, PLACE_TARGET_OR_VA);
	place(out, &len, rec, present, MEMBER_COUNTER0 + 2, PLACE_TRANSLATION);
	place(out, &len, rec, present, MEMBER_ADDR0 + 3, PLACE_PA);
	place(out, &len, rec, present, MEMBER_DATA_SOURCE, PLACE_DATA_SOURCE);
	return len;
}

static size_t chosen_put(uint8_t *out, const struct spemu_record *rec, const uint8_t *chosen)
{
	uint8_t *p = out;

	for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++)
		p = put(p, rec, rec->present, chosen[i]);
	return (size_t)(p - out);
}

/* Put all packets except the last one, without padding. Return the size. Up to nine bytes after the
 * packets are also written. */
static inline size_t packed_put(uint8_t *out, const struct spemu_record *rec,
                                const struct spemu_layout *layout)
{
	switch (layout->order) {
	case SPEMU_ORDER_PC_FIRST:
		return pc_first_put(out, rec);
	case SPEMU_ORDER_CHOSEN:
		return chosen_put(out, rec, layout->chosen);
	default:
		return pseudocode_put(out, rec);
	}
}

/* Return true if each member is chosen exactly once. */
static bool chosen_valid(const uint8_t *chosen)
{
	const uint32_t members =
	        SPEMU_RECORD_TIMESTAMP - 1 - SPEMU_RECORD_CONTEXT(2) - SPEMU_RECORD_CONTEXT(3);
	uint32_t seen = 0;

	for (unsigned i = 0; i < SPEMU_LAYOUT_MEMBERS; i++)
		seen |= chosen[i] < 32 ? (uint32_t)1 << chosen[i] : 0;
	return seen == members;
}

static inline bool layout_valid(const struct spemu_layout *layout)
{
	return layout->align_log2 <= 11 &&
	       (layout->order < SPEMU_ORDER_CHOSEN ||
	        (layout->order == SPEMU_ORDER_CHOSEN && chosen_valid(layout->chosen)));
}

/* Zero bytes. Compilers turn a memset() or memcpy() of an unknown size into a slow string
 * instruction. */
static inline void zero(uint8_t *out, size_t size)
{
	for (; size >= 16; size -= 16, out += 16)
		memset(out, 0, 16);
	if (size & 8)
		memset(out, 0, 8);
	out += size & 8;
	if (size & 4)
		memset(out, 0, 4);
	out += size & 4;
	for (size &= 3; size;)
		out[--size] = 0;
}

static inline void copy(uint8_t *restrict out, const uint8_t *restrict in, size_t size)
{
	size_t at = 0;

	if (size < 16) {
		while (size--)
			out[size] = in[size];
		return;
	}
	for (; at + 16 < size; at += 16)
		memcpy(out + at, in + at, 16);
	memcpy(out + size - 16, in + size - 16, 16);
}

/* Return true if the size is not reserved and is large enough for the value. */
static inline bool payload_valid(uint64_t payload, unsigned size, unsigned sizes)
{
	return size <= 8 && (sizes >> size & 1) && !(size < 8 && payload >> (8 * size));
}

static inline bool record_valid(const struct spemu_record *rec)
{
	const uint32_t known =
	        SPEMU_RECORD_ADDR(8) - 1 + (SPEMU_RECORD_COUNTER(8) - SPEMU_RECORD_COUNTER0) +
	        SPEMU_RECORD_CONTEXT(0) + SPEMU_RECORD_CONTEXT(1) + SPEMU_RECORD_EVENTS +
	        SPEMU_RECORD_OP_TYPE + SPEMU_RECORD_DATA_SOURCE + SPEMU_RECORD_TIMESTAMP +
	        SPEMU_RECORD_SUSPECT;
	const unsigned events_sizes = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8;
	const unsigned source_sizes = 1u << 1 | 1u << 2;
	uint32_t p = rec->present;

	return !(p & ~known) &&
	       (!(p & SPEMU_RECORD_EVENTS) ||
	        payload_valid(rec->events, rec->events_size, events_sizes)) &&
	       (!(p & SPEMU_RECORD_DATA_SOURCE) ||
	        payload_valid(rec->data_source, rec->data_source_size, source_sizes)) &&
	       (!(p & SPEMU_RECORD_OP_TYPE) || rec->op_class <= SPEMU_HEADER_CLASS);
}

/* Put the last packet of the record, End or Timestamp, at out. */
static inline void last_put(uint8_t *out, const struct spemu_record *rec)
{
	if (!(rec->present & SPEMU_RECORD_TIMESTAMP)) {
		out[0] = SPEMU_HEADER_END;
		return;
	}
	out[0] = SPEMU_HEADER_TIMESTAMP;
	le_store64(out + 1, rec->timestamp);
}

int spemu__record_put(uint8_t *buf, size_t size, const struct spemu_record *rec,
                      const struct spemu_layout *layout)
{
	uint8_t body[PACKED_MAX + SPEMU_PACKET_SIZE_TIMESTAMP];
	size_t len, end, total, slot;
	uint8_t *out = body;

	slot = (size_t)1 << layout->align_log2;
	end = rec->present & SPEMU_RECORD_TIMESTAMP ? SPEMU_PACKET_SIZE_TIMESTAMP
	                                            : SPEMU_PACKET_SIZE_END;
	if (layout->fixed_places && layout->order == SPEMU_ORDER_PC_FIRST && slot >= PLACES_SIZE &&
	    places_hold(rec)) {
		if (size < slot)
			return SPEMU_ERR_NOSPACE;
		zero(buf, slot);
		len = places_put(buf, rec);
		last_put(buf + (layout->pad_before_end ? slot - end : len), rec);
		return (int)slot;
	}
	/* Write to buf directly if the Timestamp packet covers the surplus bytes of put(). */
	if (end == SPEMU_PACKET_SIZE_TIMESTAMP && size >= PACKED_MAX + end + slot)
		out = buf;
	len = packed_put(out, rec, layout);
	total = (len + end + slot - 1) & ~(slot - 1);
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	if (out == body)
		copy(buf, body, len);
	if (total - len > end)
		zero(buf + len, total - len);
	last_put(buf + (layout->pad_before_end ? total - end : len), rec);
	return (int)total;
}

int spemu_record_encode(uint8_t *buf, size_t size, const struct spemu_record *rec,
                        const struct spemu_layout *layout)
{
	if (!buf || !rec || !layout || !layout_valid(layout) || !record_valid(rec))
		return SPEMU_ERR_INVALID;
	return spemu__record_put(buf, size, rec, layout);
}
