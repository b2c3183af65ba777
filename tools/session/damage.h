/* SPDX-License-Identifier: MIT */
/*
 * Stretches of trace that the decoder skipped, and the damaged records in them.
 *
 * The header of a packet gives its size (Arm ARM DDI 0487 M.a, D18.1.1), so the packets after a
 * damaged one can be found. A damaged record ends with an End or Timestamp packet, at the end of
 * the stretch, or after SPEMU_RECORD_MAX bytes.
 */
#ifndef SPEMU_SESSION_DAMAGE_H
#define SPEMU_SESSION_DAMAGE_H

#include <spemu/codec.h>
#include <stdbool.h>

/* A stretch of a queue. */
struct stretch {
	uint64_t from, to; /* stream offsets; equal for an empty stretch */
	uint64_t given;    /* end of the last whole record, before which no packet is shown again */
};

/* Return true if a skip at the offset continues the stretch. Nothing continues an empty one. */
bool stretch_continues(const struct stretch *stretch, uint64_t offset);
/* Add a skip to the stretch, or start a new stretch with it. */
void stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size);

/* A damaged record. */
struct damaged {
	const uint8_t *begin, *end;
	bool suspect;               /* true if the decoder returned it as a record nevertheless */
	struct spemu_record record; /* packets that occur once; the caller sets record.offset */
	uint32_t repeated;          /* members of struct spemu_record that occur more than once */
};

/*
 * Find the next damaged record in [*p, end) and move *p to its end. Return false if there is none.
 * Skip records whose packets have no member in struct spemu_record.
 */
bool damaged_next(struct damaged *damaged, const uint8_t **p, const uint8_t *end);

/* Return the bit of spemu_record.present for the packet, or 0 for End and padding. */
uint32_t packet_member(const struct spemu_packet *pkt);

#endif
