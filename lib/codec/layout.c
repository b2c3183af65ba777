/* SPDX-License-Identifier: MIT */
/*
 * A sample record to bytes, in the order and the places that an implementation gives its packets.
 *
 * Arm ARM:     DDI 0487 M.a, D18.1.2, D18.1.3: any order, padding anywhere, End or Timestamp last
 * Pseudocode:  SPEConstructRecord()
 */
#include "codec/form.h"

const struct spemu_layout spemu_layout_dense = {.order = SPEMU_ORDER_PSEUDOCODE};
const struct spemu_layout spemu_layout_neoverse = {
        .order = SPEMU_ORDER_PC_FIRST,
        .align_log2 = 6,
        .pad_before_end = 1,
        .fixed_places = 1,
};

/* Where a member of the record goes: its bit number in present, and its byte in a fixed slot. */
struct place {
	uint8_t bit;
	uint8_t byte; /* 0: directly behind the member before it */
};

enum {
	MEMBERS = 21, /* 8 addresses, 8 counters, 2 contexts, events, type, source */
};

/* SPEConstructRecord() */
static const struct place pseudocode_order[MEMBERS] = {
        {MEMBER_CONTEXT0},     {MEMBER_CONTEXT0 + 1}, {MEMBER_COUNTER0},     {MEMBER_COUNTER0 + 1},
        {MEMBER_COUNTER0 + 2}, {MEMBER_COUNTER0 + 3}, {MEMBER_COUNTER0 + 4}, {MEMBER_COUNTER0 + 5},
        {MEMBER_COUNTER0 + 6}, {MEMBER_COUNTER0 + 7}, {MEMBER_ADDR0},        {MEMBER_ADDR0 + 1},
        {MEMBER_ADDR0 + 2},    {MEMBER_ADDR0 + 3},    {MEMBER_ADDR0 + 4},    {MEMBER_ADDR0 + 5},
        {MEMBER_ADDR0 + 6},    {MEMBER_ADDR0 + 7},    {MEMBER_DATA_SOURCE},  {MEMBER_OP_TYPE},
        {MEMBER_EVENTS},
};

/*
 * Neoverse N1, read off published dumps of Ampere Altra (an issue on Linux's handling of its data
 * sources) and of the SPE decoder tests of Google's quipper: PC at byte 0, room for both contexts,
 * type at 19, events at 21, issue and total latency at 24 and 27, target or virtual address at 30,
 * translation latency at 39, physical address at 42, source at 51, timestamp at 55; what an
 * operation does not have is padding. Those parts have no other packets: the rest follows where no
 * gap is needed.
 */
static const struct place pc_first_order[MEMBERS] = {
        {MEMBER_ADDR0, 0},         {MEMBER_CONTEXT0, 9},     {MEMBER_CONTEXT0 + 1, 14},
        {MEMBER_OP_TYPE, 19},      {MEMBER_EVENTS, 21},      {MEMBER_COUNTER0 + 1, 24},
        {MEMBER_COUNTER0, 27},     {MEMBER_ADDR0 + 1, 30},   {MEMBER_ADDR0 + 2, 30},
        {MEMBER_COUNTER0 + 2, 39}, {MEMBER_ADDR0 + 3, 42},   {MEMBER_DATA_SOURCE, 51},
        {MEMBER_ADDR0 + 4, 0},     {MEMBER_COUNTER0 + 4, 0}, {MEMBER_COUNTER0 + 3, 0},
        {MEMBER_COUNTER0 + 5, 0},  {MEMBER_COUNTER0 + 6, 0}, {MEMBER_COUNTER0 + 7, 0},
        {MEMBER_ADDR0 + 5, 0},     {MEMBER_ADDR0 + 6, 0},    {MEMBER_ADDR0 + 7, 0},
};

/* Header and payload of one member at out; its size. */
static size_t put(uint8_t *out, uint8_t header, uint64_t payload)
{
	size_t size = packet_forms[header].payload_size;

	out[0] = header;
	le_store(out + 1, payload, size);
	return 1 + size;
}

/* SZ, bits [5:4] of the header, of a payload of size bytes: 1, 2, 4 or 8. */
static uint8_t size_field(uint8_t size)
{
	return (uint8_t)((size == 8 ? 3 : size / 2) << 4);
}

static size_t member_put(uint8_t *out, const struct spemu_record *rec, unsigned bit)
{
	switch (bit) {
	case MEMBER_EVENTS:
		return put(out, 0x42 | size_field(rec->events_size), rec->events);
	case MEMBER_OP_TYPE:
		return put(out, 0x48 | rec->op_class, rec->op_subclass);
	case MEMBER_DATA_SOURCE:
		return put(out, 0x43 | size_field(rec->data_source_size), rec->data_source);
	default:
		if (bit >= MEMBER_CONTEXT0)
			return put(out, (uint8_t)(0x64 | (bit - MEMBER_CONTEXT0)),
			           rec->context[bit - MEMBER_CONTEXT0]);
		if (bit >= MEMBER_COUNTER0)
			return put(out, (uint8_t)(0x98 | (bit - MEMBER_COUNTER0)),
			           rec->counter[bit - MEMBER_COUNTER0]);
		return put(out, (uint8_t)(0xb0 | bit), rec->addr[bit]);
	}
}

/* No packet for reserved sizes, and none whose value its size would cut. */
static bool record_valid(const struct spemu_record *rec)
{
	const uint32_t known = SPEMU_REC_ADDR(8) - 1 + (SPEMU_REC_COUNTER(8) - SPEMU_REC_COUNTER0) +
	                       SPEMU_REC_CONTEXT(0) + SPEMU_REC_CONTEXT(1) + SPEMU_REC_EVENTS +
	                       SPEMU_REC_OP_TYPE + SPEMU_REC_DATA_SOURCE + SPEMU_REC_TIMESTAMP;
	unsigned es = rec->events_size, ds = rec->data_source_size;

	if (rec->present & ~known)
		return false;
	if (rec->present & SPEMU_REC_EVENTS) {
		if (es != 1 && es != 2 && es != 4 && es != 8)
			return false;
		if (es < 8 && rec->events >> (8 * es))
			return false;
	}
	if (rec->present & SPEMU_REC_DATA_SOURCE) {
		if (ds != 1 && ds != 2)
			return false;
		if (rec->data_source >> (8 * ds))
			return false;
	}
	return !(rec->present & SPEMU_REC_OP_TYPE) || rec->op_class <= 3;
}

/* All members but the last packet, with or without their fixed places; the size. buf: 256 bytes. */
static size_t body_put(uint8_t *buf, const struct spemu_record *rec, const struct place *order,
                       bool places)
{
	size_t pos = 0;

	for (unsigned i = 0; i < MEMBERS; i++) {
		if (!(rec->present >> order[i].bit & 1))
			continue;
		while (places && pos < order[i].byte)
			buf[pos++] = 0;
		pos += member_put(buf + pos, rec, order[i].bit);
	}
	return pos;
}

int spemu_record_encode(uint8_t *buf, size_t size, const struct spemu_record *rec,
                        const struct spemu_layout *layout)
{
	uint8_t body[256]; /* the members need 129 bytes at most, with gaps less than twice that */
	const struct place *order;
	size_t len, end, total, mask;

	if (!buf || !rec || !layout || layout->order > SPEMU_ORDER_PC_FIRST ||
	    layout->align_log2 > 11 || !record_valid(rec))
		return SPEMU_ERR_INVALID;
	order = layout->order == SPEMU_ORDER_PC_FIRST ? pc_first_order : pseudocode_order;
	mask = ((size_t)1 << layout->align_log2) - 1;
	end = rec->present & SPEMU_REC_TIMESTAMP ? 9 : 1;
	len = body_put(body, rec, order, layout->fixed_places);
	/* Gaps must not cost a slot. */
	if (layout->fixed_places && len + end > mask + 1)
		len = body_put(body, rec, order, false);
	total = (len + end + mask) & ~mask;
	if (size < total)
		return SPEMU_ERR_NOSPACE;
	memset(buf, 0, total);
	memcpy(buf, body, len);
	if (layout->pad_before_end)
		len = total - end;
	put(buf + len, end == 9 ? 0x71 : 0x01, rec->timestamp);
	return (int)total;
}
