/* SPDX-License-Identifier: MIT */
/*
 * Sample records: a record as a struct, its layout, and its encoding.
 *
 * Both libraries, spemu and spemu-trace, have these functions: the SPU writes records, and so do
 * tools and tests that make traces.
 *
 * Arm ARM: DDI 0487 M.a, D18.1 (records), D18.2 (packets).
 *
 * No function allocates or keeps state. Any thread may call every function on distinct objects.
 */
#ifndef SPEMU_RECORD_H
#define SPEMU_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/packet.h>
#include <spemu/status.h>

SPEMU_BEGIN_DECLS

/* The maximum size of a record in bytes (PMSIDR_EL1.MaxSize). */
#define SPEMU_RECORD_MAX 2048

/* The packets that a record has: bits of spemu_record.present. */
enum spemu_record_present {
	SPEMU_RECORD_ADDR0 = 1u << 0,     /* shifted left by INDEX 0..7 */
	SPEMU_RECORD_COUNTER0 = 1u << 8,  /* shifted left by INDEX 0..7 */
	SPEMU_RECORD_CONTEXT0 = 1u << 16, /* shifted left by INDEX 0..1 */
	SPEMU_RECORD_EVENTS = 1u << 20,
	SPEMU_RECORD_OP_TYPE = 1u << 21,
	SPEMU_RECORD_DATA_SOURCE = 1u << 22,
	SPEMU_RECORD_TIMESTAMP = 1u << 23,
	/*
	 * The record has a packet without a member in struct spemu_record: UNKNOWN, Address or
	 * Counter with INDEX above 7, Context with INDEX above 1, or Data Source of a reserved
	 * size.
	 */
	SPEMU_RECORD_OTHER = 1u << 24,
	/* not a packet: the record has a fault (spemu_decoder_next()) and may be damaged */
	SPEMU_RECORD_SUSPECT = 1u << 25,
};
#define SPEMU_RECORD_ADDR(i) ((uint32_t)SPEMU_RECORD_ADDR0 << (i))
#define SPEMU_RECORD_COUNTER(i) ((uint32_t)SPEMU_RECORD_COUNTER0 << (i))
#define SPEMU_RECORD_CONTEXT(i) ((uint32_t)SPEMU_RECORD_CONTEXT0 << (i))

/*
 * One sample record. Address payloads are raw, with NS, EL, NSE, CH, PAT or TAG in the top byte. A
 * member whose bit in present is clear is 0 after decoding, and is not read for encoding. If two
 * packets have the same member, the later one counts.
 */
struct spemu_record {
	uint64_t offset;          /* stream offset of its first packet in bytes */
	uint32_t size;            /* bytes up to the end of its End or Timestamp packet */
	uint32_t present;         /* enum spemu_record_present */
	uint64_t addr[8];         /* payload of Address packets, by INDEX */
	uint64_t events;          /* payload of the Events packet */
	uint64_t timestamp;       /* payload of the Timestamp packet */
	uint32_t context[2];      /* payload of Context packets, by INDEX */
	uint16_t counter[8];      /* payload of Counter packets, by INDEX */
	uint16_t data_source;     /* payload of the Data Source packet */
	uint8_t op_class;         /* CLASS of the Operation Type packet, 0..3 */
	uint8_t op_subclass;      /* SUBCLASS of the Operation Type packet */
	uint8_t events_size;      /* payload size of the Events packet in bytes: 1, 2, 4, 8 */
	uint8_t data_source_size; /* payload size of the Data Source packet in bytes: 1, 2 */
};

/* The order of the packets in a record. */
enum spemu_layout_order {
	SPEMU_ORDER_PSEUDOCODE = 0, /* as SPEConstructRecord(): context, counters, addresses,
	                               source, type, events; timestamp or end */
	SPEMU_ORDER_PC_FIRST,       /* as Neoverse N1 writes: PC, context, type, events, issue
	                               and total latency, target, virtual address, translation
	                               latency, physical address, source, packets that N1 does
	                               not have; timestamp or end */
	SPEMU_ORDER_CHOSEN,         /* the order in spemu_layout.chosen; timestamp or end */
};

/* The number of members of a record that an order lists: 8 addresses, 8 counters, 2 contexts, and 3
 * others. */
#define SPEMU_LAYOUT_MEMBERS 21

/* The layout of an implementation's records: order of packets, padding, sizes. */
struct spemu_layout {
	uint8_t order; /* enum spemu_layout_order */
	/* log2 of the alignment, 0..11. Padding makes the size of a record a multiple of 1 <<
	 * align_log2 bytes. */
	uint8_t align_log2;
	uint8_t pad_before_end; /* 1: the padding is before the End or Timestamp packet; 0: after
	                           it */
	/*
	 * 1 if each packet has a fixed place in Neoverse N1's 64 bytes, and missing packets are
	 * replaced by padding. This is possible with SPEMU_ORDER_PC_FIRST only. A record is packed
	 * if it contains something that N1 does not write: more than two bytes of events, both a
	 * branch target and a data address, or Address or Counter with INDEX above 3. Every record
	 * in slots of less than 64 bytes is packed too.
	 */
	uint8_t fixed_places;
	uint8_t chosen[SPEMU_LAYOUT_MEMBERS]; /* SPEMU_ORDER_CHOSEN: bit numbers in
	                                         spemu_record.present, 0..17 and 20..22, each
	                                         once; else unused */
};
extern const struct spemu_layout spemu_layout_dense; /* pseudocode order, no padding */
extern const struct spemu_layout
        spemu_layout_neoverse; /* PC first, 64-byte slots, fixed places, padding inside */
extern const struct spemu_layout
        spemu_layout_words; /* pseudocode order, multiples of 4 bytes, timestamp or end last */

/* Names of the layouts above: "dense", "neoverse", "words", and NULL at the end. */
extern const char *const spemu_layout_names[];

/*
 * Parse a layout from text: a name, followed by changes, all separated by commas.
 *
 *     neoverse,align=128
 *     dense,pad=inside,align=8,order=pc:events:type
 *
 * align is a power of two, 1 to 2048 bytes. pad is "inside" or "after". order is "pseudocode",
 * "pc-first" or packets separated by colons: pc target va pa previous-target address5 to address7,
 * total issue translation counter3 alt-issue counter5 to counter7, context1 context2, events, type,
 * source. Packets that are not listed follow in the pseudocode's order. A new order ends fixed
 * places.
 *
 * Return SPEMU_OK, or SPEMU_ERR_INVALID with the position of the error in *error_offset (may be
 * NULL); layout is then spemu_layout_dense.
 */
int spemu_layout_parse(struct spemu_layout *layout, size_t *error_offset, const char *text);

/*
 * Encode rec at buf, with the order and padding of layout. The members offset, size and
 * SPEMU_RECORD_SUSPECT are not read. A record that does not fit in one slot of 1 << align_log2
 * bytes takes several. Every record ends with a Timestamp packet if SPEMU_RECORD_TIMESTAMP is
 * present, and otherwise with an End packet (D18.1.2).
 *
 * Return the size with padding (1..SPEMU_RECORD_MAX). Return SPEMU_ERR_NOSPACE, with nothing
 * written, if size is too small. Return SPEMU_ERR_INVALID for NULL, for a member of layout or a
 * present member of rec out of range (value or size of events or data source, op_class), and for
 * bits of present without a member (SPEMU_RECORD_OTHER).
 */
int spemu_record_encode(uint8_t *buf, size_t size, const struct spemu_record *rec,
                        const struct spemu_layout *layout);

SPEMU_END_DECLS
#endif
