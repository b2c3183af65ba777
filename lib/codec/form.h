/* SPDX-License-Identifier: MIT */
/*
 * The meaning of a header byte: a table gives type, INDEX and payload size of a packet.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1 (payload sizes), Tables D18-1 and D18-2 (types).
 */
#ifndef SPEMU_CODEC_FORM_H
#define SPEMU_CODEC_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <spemu/codec.h>
#include "base/bits.h"
#include "record/member.h"

struct packet_form {
	uint8_t type;  /* enum spemu_packet_type */
	uint8_t index; /* INDEX or CLASS; for an extended header only bits [2:0] */
	uint8_t payload_size;
	uint8_t member; /* bit number in spemu_record.present of the packet, or one of: */
};

/* Forms, indexed by the only byte of an 8-bit header, or the first byte of a 16-bit one. */
extern const struct packet_form spemu__packet_forms[256];

/* Return the form of a 16-bit header. SPEMU_HEADER_IS_EXTENDED(byte0) must hold. */
static inline struct packet_form extended_form(uint8_t byte0, uint8_t byte1)
{
	struct packet_form form = spemu__packet_forms[byte1];
	bool defined = !(byte0 & SPEMU_HEADER_EXTENDED_RES0) &&
	               (form.type == SPEMU_PKT_ADDRESS || form.type == SPEMU_PKT_COUNTER);

	form.index = (uint8_t)(defined ? (byte0 & SPEMU_HEADER_EXTENDED_INDEX)
	                                                 << SPEMU_HEADER_INDEX_WIDTH |
	                                         form.index
	                               : 0);
	form.type = defined ? form.type : SPEMU_PKT_UNKNOWN;
	form.member = defined && form.index <= SPEMU_HEADER_INDEX ? form.member : MEMBER_OTHER;
	return form;
}

/* Find the form and the size of the packet at p, which is before end. Return false if the packet
 * does not end before end. */
static inline bool packet_form_at(struct packet_form *form, size_t *size, const uint8_t *p,
                                  const uint8_t *end)
{
	const size_t left = (size_t)(end - p);

	*form = spemu__packet_forms[p[0]];
	*size = 1u + form->payload_size;
	if (form->member == MEMBER_EXTENDED) {
		if (left < 2)
			return false;
		*form = extended_form(p[0], p[1]);
		*size = 2u + form->payload_size;
	}
	return *size <= left;
}

/*
 * Load size bytes (0, 1, 2, 4 or 8), little-endian; left bytes are readable, left >= size. If eight
 * bytes are readable, this is one wide load, because a load whose width depends on the data costs a
 * mispredicted branch for most packets.
 */
static inline uint64_t payload_load(const uint8_t *p, size_t left, unsigned size)
{
	static const uint64_t mask[9] = {
	        0, UINT8_MAX, UINT16_MAX, 0, UINT32_MAX, 0, 0, 0, UINT64_MAX,
	};

	if (left >= 8)
		return le_load64(p) & mask[size];
	return le_load(p, size);
}

#endif
