/* SPDX-License-Identifier: MIT */
/*
 * Stretches of trace that the decoder skipped, and the damaged records in them.
 *
 * A packet has its size in its header (Arm ARM DDI 0487 M.a, D18.1.1), so packets after a damaged
 * one are found again. A damaged record ends where the stretch does, with an End or Timestamp
 * packet, or after SPEMU_RECORD_MAX bytes.
 */
#ifndef SPEMU_SESSION_DAMAGE_H
#define SPEMU_SESSION_DAMAGE_H

#include <spemu/codec.h>
#include <stdbool.h>

/* One stretch of a queue. */
struct stretch {
	uint64_t from, to; /* stream offsets; equal for none */
	uint64_t given;    /* the end of the last whole record: no packet is shown twice */
};

/* Return true if a skip continues the stretch, which is empty or not. */
bool stretch_continues(const struct stretch *stretch, uint64_t offset);
/* Add a skip, or start anew with it. */
void stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size);

/* A damaged record. */
struct damaged {
	const uint8_t *begin, *end;
	bool suspect;               /* the decoder gave it as a record all the same */
	struct spemu_record record; /* with the packets that it has once; offset is the caller's */
	uint32_t repeated;          /* members of struct spemu_record that it has more than once */
};

/*
 * Find the next damaged record in [*p, end) and move *p to its end. Return false if there is none.
 * Stretches without a packet that has a member in struct spemu_record are passed over.
 */
bool damaged_next(struct damaged *damaged, const uint8_t **p, const uint8_t *end);

/* Return the member of the packet, a bit of spemu_record.present, or 0 for End and padding. */
uint32_t packet_member(const struct spemu_packet *pkt);

#endif
