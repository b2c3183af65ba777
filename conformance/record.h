/* SPDX-License-Identifier: MIT */
/*
 * A reader of the SPU's output that does not depend on spemu.
 *
 * Arm ARM: DDI 0487 M.a, D18.1 (records), D18.2 (packets).
 */
#ifndef CONFORMANCE_RECORD_H
#define CONFORMANCE_RECORD_H

#include "spe.h"

enum { OTHER, LOAD_STORE, BRANCH }; /* class of the Operation Type packet */
enum { COUNTER_TOTAL, COUNTER_ISSUE, COUNTER_TRANSLATION, COUNTER_ALTERNATE_ISSUE = 4 };

struct record {
	u64 begin;          /* address of the first packet */
	u32 bytes, padding; /* sizes of the packets, and of the padding before them */
	u64 pc, target, va, pa, previous, timestamp, events, source;
	u32 context1, context2;
	u16 counter[32], has_counters; /* by INDEX; a bit for each of the first 16 */
	u8 type, subclass;             /* class and payload of the Operation Type packet */
	u8 pc_el, pc_ns, pc_nse, target_el, previous_el;
	u8 pc_top, target_top, pa_top; /* bits [63:56] of the payload */
	u8 pa_ns, pa_nse;
	u8 events_bytes;
	bool has_pc, has_target, has_va, has_pa, has_timestamp, has_context1, has_context2,
	        has_type, has_events, has_previous, has_source;
	bool ended;           /* has an End or Timestamp packet; false for padding at the end */
	unsigned packets;     /* without the End packet */
	const char *unknown;  /* packet that D18.2 does not describe, or NULL */
	const char *wrong;    /* field with a value that D18.2 does not permit, or NULL */
	const char *repeated; /* packet that occurs twice, or NULL */
};

/*
 * Read a record and the padding before it from *at, up to `end`, and move *at to its end. Return
 * NULL for a record. Also return NULL for padding without a record; `ended` is then false.
 * Otherwise return the error: a packet is cut off, or the record has no end.
 */
const char *record_read(struct record *record, const u8 **at, const u8 *end);

#endif
