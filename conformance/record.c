/* SPDX-License-Identifier: MIT */
#include "print.h"
#include "record.h"

enum { END = 0x01, TIMESTAMP = 0x71 };

static u64 payload(const u8 *from, unsigned bytes)
{
	u64 value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (u64)from[i] << (8 * i);
	return value;
}

static void once(struct record *record, bool *there, const char *name)
{
	if (*there)
		record->repeated = name;
	*there = true;
}

static void take_address(struct record *record, unsigned index, u64 value)
{
	u64 address = value & (BIT(56) - 1);

	switch (index) {
	case 0:
		once(record, &record->has_pc, "PC");
		/* Bits [63:56] of a virtual address are copies of bit 55, because the tests use no
		 * tags. */
		record->pc = address | (address & BIT(55) ? UINT64_C(0xff) << 56 : 0);
		record->pc_ns = (u8)(value >> 63);
		record->pc_el = (value >> 61) & 3;
		record->pc_nse = (value >> 60) & 1;
		record->pc_top = (u8)(value >> 56);
		break;
	case 1:
		once(record, &record->has_target, "branch target");
		record->target = address;
		record->target_el = (value >> 61) & 3;
		record->target_top = (u8)(value >> 56);
		break;
	case 2:
		once(record, &record->has_va, "virtual address");
		record->va = value;
		break;
	case 3:
		once(record, &record->has_pa, "physical address");
		record->pa = address;
		record->pa_ns = (u8)(value >> 63);
		record->pa_nse = (value >> 60) & 1;
		record->pa_top = (u8)(value >> 56);
		break;
	case 4:
		once(record, &record->has_previous, "previous branch target");
		record->previous = address;
		record->previous_el = (value >> 61) & 3;
		break;
	default:
		record->unknown = "an address packet";
		break;
	}
}

static void take_counter(struct record *record, unsigned index, u64 value)
{
	if (index < 16 && record->has_counters & BIT(index))
		record->repeated = "counter";
	if (index < 16)
		record->has_counters |= (u16)BIT(index);
	record->counter[index] = (u16)value;
}

/* Store a packet with a payload in the record. */
static void take(struct record *record, u8 header, unsigned high_index, const u8 *from,
                 unsigned bytes)
{
	u64 value = payload(from, bytes);

	if ((header & 0xf8) == 0xb0) {
		take_address(record, high_index << 3 | (header & 7), value);
	} else if ((header & 0xf8) == 0x98) {
		take_counter(record, high_index << 3 | (header & 7), value);
	} else if ((header & 0xcf) == 0x42) {
		once(record, &record->has_events, "events");
		record->events = value;
		record->events_bytes = (u8)bytes;
	} else if ((header & 0xcf) == 0x43) {
		once(record, &record->has_source, "data source");
		record->source = value;
	} else if ((header & 0xfc) == 0x48) {
		once(record, &record->has_type, "operation type");
		record->type = header & 3;
		record->subclass = (u8)value;
		if (record->type == 3)
			record->wrong = "the reserved class of operation types";
	} else if (header == 0x64) {
		once(record, &record->has_context1, "context of EL1");
		record->context1 = (u32)value;
	} else if (header == 0x65) {
		once(record, &record->has_context2, "context of EL2");
		record->context2 = (u32)value;
	} else {
		record->unknown = "a packet";
	}
}

const char *record_read(struct record *record, const u8 **at, const u8 *end)
{
	const u8 *p = *at;

	memset(record, 0, sizeof(*record));
	while (p < end && *p == 0)
		p++, record->padding++;
	record->begin = (u64)p;
	while (p < end) {
		unsigned high = 0, bytes = 0;
		u8 header = *p++;

		if ((header & 0xfc) == 0x20) { /* the extended format */
			if (p == end)
				break;
			high = header & 3;
			header = *p++;
		}
		if (header == 0)
			continue;
		if (header & 0xc0) /* else a header without payload */
			bytes = 1U << ((header >> 4) & 3);
		if ((u64)(end - p) < bytes)
			break;
		if (header == TIMESTAMP) {
			record->has_timestamp = true;
			record->timestamp = payload(p, 8);
		}
		p += bytes;
		if (header == END || header == TIMESTAMP) {
			record->ended = true;
			record->bytes = (u32)((u64)p - record->begin);
			*at = p;
			return NULL;
		}
		record->packets++;
		if (bytes)
			take(record, header, high, p - bytes, bytes);
		else
			record->unknown = "a packet without payload";
	}
	*at = p;
	return record->packets || (u64)p != record->begin ? "a record has no end" : NULL;
}
