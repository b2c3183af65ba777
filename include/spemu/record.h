/* SPDX-License-Identifier: MIT */
/*
 * A sample record in memory, how an implementation lays it out, and its bytes.
 *
 * Both libraries, spemu and spemu-trace, have these functions: the SPU writes records, and so do
 * tools and tests that make traces.
 *
 * Arm ARM: DDI 0487 M.a, D18.1 (records), D18.2 (packets).
 *
 * Nothing here allocates or keeps state. Any thread may call every function on distinct objects.
 */
#ifndef SPEMU_RECORD_H
#define SPEMU_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/packet.h>
#include <spemu/status.h>

SPEMU_BEGIN_DECLS

/* PMSIDR_EL1.MaxSize: no record is longer than this many bytes. */
#define SPEMU_RECORD_MAX 2048

/* The packets of a record: bits of spemu_record.present. */
enum spemu_record_present {
	SPEMU_RECORD_ADDR0 = 1u << 0,     /* << INDEX 0..7 */
	SPEMU_RECORD_COUNTER0 = 1u << 8,  /* << INDEX 0..7 */
	SPEMU_RECORD_CONTEXT0 = 1u << 16, /* << INDEX 0..1 */
	SPEMU_RECORD_EVENTS = 1u << 20,
	SPEMU_RECORD_OP_TYPE = 1u << 21,
	SPEMU_RECORD_DATA_SOURCE = 1u << 22,
	SPEMU_RECORD_TIMESTAMP = 1u << 23,
	SPEMU_RECORD_OTHER = 1u << 24, /* some packet that has no member here: UNKNOWN, Address and
	                               Counter INDEX above 7, Context INDEX above 1, Data Source
	                               of a reserved size */
	SPEMU_RECORD_SUSPECT =
	        1u << 25, /* no packet: the record has a fault, as spemu_decoder_next()
	                               says, and may be damaged */
};
#define SPEMU_RECORD_ADDR(i) ((uint32_t)SPEMU_RECORD_ADDR0 << (i))
#define SPEMU_RECORD_COUNTER(i) ((uint32_t)SPEMU_RECORD_COUNTER0 << (i))
#define SPEMU_RECORD_CONTEXT(i) ((uint32_t)SPEMU_RECORD_CONTEXT0 << (i))

/*
 * One sample record. Address payloads are raw (NS, EL, NSE, CH, PAT, TAG in the top byte). A member
 * whose bit in present is clear is 0 after decoding and not read for encoding. Of two packets for
 * one member the later one stays.
 */
struct spemu_record {
	uint64_t offset; /* of its first packet in the stream, bytes */
	uint32_t size;   /* bytes, to the end of its End or Timestamp packet */
	uint32_t present;
	uint64_t addr[8];
	uint64_t events;
	uint64_t timestamp;
	uint32_t context[2];
	uint16_t counter[8];
	uint16_t data_source;
	uint8_t op_class; /* 0..3 */
	uint8_t op_subclass;
	uint8_t events_size;      /* payload bytes: 1, 2, 4, 8 */
	uint8_t data_source_size; /* payload bytes: 1, 2 */
};

/* The layout of an implementation's records: order of packets, padding, sizes. */
enum spemu_layout_order {
	SPEMU_ORDER_PSEUDOCODE = 0, /* as SPEConstructRecord(): context, counters, addresses,
	                               source, type, events, timestamp or end */
	SPEMU_ORDER_PC_FIRST,       /* as Neoverse N1 writes: PC, context, type, events, issue and
	                               total latency, target, virtual address, translation latency,
	                               physical address, source, packets that N1 lacks; timestamp or
	                               end */
	SPEMU_ORDER_CHOSEN,         /* as spemu_layout.chosen says; timestamp or end */
};

/*
 * The members of a record that an order names: 8 addresses, 8 counters, 2 contexts, and 3 others.
 */
#define SPEMU_LAYOUT_MEMBERS 21

struct spemu_layout {
	uint8_t order;      /* enum spemu_layout_order */
	uint8_t align_log2; /* the record, with padding after it, is a multiple of 1 << this; 0..11
	                     */
	uint8_t pad_before_end; /* 1: the padding is before the End or Timestamp packet */
	uint8_t fixed_places; /* 1: each packet at its place in Neoverse N1's 64 bytes, padding for
	                           what the record does not have. A record with what N1 does not
	                           write (more than two bytes of events, a branch target and a data
	                           address, Address or Counter INDEX above 3) is packed, and so is
	                           every record in slots of less than 64 bytes. With
	                           SPEMU_ORDER_PC_FIRST only; the other orders have no places. */
	uint8_t chosen[SPEMU_LAYOUT_MEMBERS]; /* with SPEMU_ORDER_CHOSEN: bit numbers in
	                           spemu_record.present, 0..17 and 20..22, each once. Else
	                           unused. */
};
extern const struct spemu_layout spemu_layout_dense; /* pseudocode order, no padding */
extern const struct spemu_layout
        spemu_layout_neoverse; /* PC first, 64-byte slots, fixed places, padding inside */
extern const struct spemu_layout
        spemu_layout_words; /* pseudocode order, multiples of 4 bytes, the timestamp or end last */

/* The names of the layouts above, "dense", "neoverse" and "words"; the last is NULL. */
extern const char *const spemu_layout_names[];

/*
 * Parse a layout from text: a name, then changes to it, all separated by commas.
 *
 *     neoverse,align=128
 *     dense,pad=inside,align=8,order=pc:events:type
 *
 * align is 1 to 2048, a power of two; pad is "inside" or "after"; order is "pseudocode", "pc-first"
 * or packets separated by colons: pc target va pa previous-target address5 to address7, total issue
 * translation counter3 alt-issue counter5 to counter7, context1 context2, events, type, source.
 * Packets that are not listed follow in the pseudocode's order. A new order ends fixed places.
 *
 * Return SPEMU_OK. Or return SPEMU_ERR_INVALID with the position of the error in *error_offset (may
 * be NULL); layout is then spemu_layout_dense.
 */
int spemu_layout_parse(struct spemu_layout *layout, size_t *error_offset, const char *text);

/*
 * Encode rec at buf, padded as layout says; offset, size and SPEMU_RECORD_SUSPECT are not read. A
 * record that needs more than one slot of 1 << align_log2 bytes takes as many as it needs. Every
 * record ends with a Timestamp packet if SPEMU_RECORD_TIMESTAMP is present, else with an End packet
 * (D18.1.2).
 *
 * Returns the size with padding (1..SPEMU_RECORD_MAX), SPEMU_ERR_NOSPACE (nothing written), or
 * SPEMU_ERR_INVALID for NULL, a member of layout or a present member of rec out of range (an events
 * or data source value or size, op_class), and bits of present without a member
 * (SPEMU_RECORD_OTHER).
 */
int spemu_record_encode(uint8_t *buf, size_t size, const struct spemu_record *rec,
                        const struct spemu_layout *layout);

SPEMU_END_DECLS
#endif
