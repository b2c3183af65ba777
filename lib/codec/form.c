/* SPDX-License-Identifier: MIT */
/*
 * The table of header bytes, computed by the compiler from the encodings.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, Table D18-1
 */
#include "codec/form.h"

/* D18.1.1: no payload below 0x40, else SZ, bits [5:4], gives 1, 2, 4 or 8 bytes. */
#define PAYLOAD_SIZE(h) ((h) < 0x40 ? 0 : 1 << ((h) >> 4 & 3))

/* Table D18-1, most bits fixed first. */
#define TYPE(h)                                       \
	((h) == 0x00          ? SPEMU_PKT_PADDING     \
	 : (h) == 0x01        ? SPEMU_PKT_END         \
	 : (h) == 0x71        ? SPEMU_PKT_TIMESTAMP   \
	 : ((h)&0xcf) == 0x42 ? SPEMU_PKT_EVENTS      \
	 : ((h)&0xcf) == 0x43 ? SPEMU_PKT_DATA_SOURCE \
	 : ((h)&0xfc) == 0x64 ? SPEMU_PKT_CONTEXT     \
	 : ((h)&0xfc) == 0x48 ? SPEMU_PKT_OP_TYPE     \
	 : ((h)&0xf8) == 0xb0 ? SPEMU_PKT_ADDRESS     \
	 : ((h)&0xf8) == 0x98 ? SPEMU_PKT_COUNTER     \
	                      : SPEMU_PKT_UNKNOWN)

/* The field that a type calls INDEX (Context, Address, Counter) or CLASS (Operation Type). */
#define INDEX(h)                                                                \
	(TYPE(h) == SPEMU_PKT_CONTEXT || TYPE(h) == SPEMU_PKT_OP_TYPE   ? (h)&3 \
	 : TYPE(h) == SPEMU_PKT_ADDRESS || TYPE(h) == SPEMU_PKT_COUNTER ? (h)&7 \
	                                                                : 0)

/* A record has members for the two Context packets and the two Data Source sizes that D18.2
 * defines. */
#define MEMBER(h)                                                                          \
	(TYPE(h) == SPEMU_PKT_ADDRESS                          ? MEMBER_ADDR0 + ((h)&7)    \
	 : TYPE(h) == SPEMU_PKT_COUNTER                        ? MEMBER_COUNTER0 + ((h)&7) \
	 : TYPE(h) == SPEMU_PKT_CONTEXT && ((h)&3) <= 1        ? MEMBER_CONTEXT0 + ((h)&3) \
	 : TYPE(h) == SPEMU_PKT_EVENTS                         ? MEMBER_EVENTS             \
	 : TYPE(h) == SPEMU_PKT_OP_TYPE                        ? MEMBER_OP_TYPE            \
	 : TYPE(h) == SPEMU_PKT_DATA_SOURCE && ((h)&0x20) == 0 ? MEMBER_DATA_SOURCE        \
	 : TYPE(h) == SPEMU_PKT_TIMESTAMP                      ? MEMBER_TIMESTAMP          \
	 : TYPE(h) == SPEMU_PKT_PADDING                        ? MEMBER_PADDING            \
	 : TYPE(h) == SPEMU_PKT_END                            ? MEMBER_END                \
	 : ((h)&0xe0) == 0x20                                  ? MEMBER_EXTENDED           \
	                                                       : MEMBER_OTHER)

#define FORM(h)                                               \
	{                                                     \
		TYPE(h), INDEX(h), PAYLOAD_SIZE(h), MEMBER(h) \
	}
#define FORM4(h) FORM(h), FORM((h) + 1), FORM((h) + 2), FORM((h) + 3)
#define FORM16(h) FORM4(h), FORM4((h) + 4), FORM4((h) + 8), FORM4((h) + 12)
#define FORM64(h) FORM16(h), FORM16((h) + 16), FORM16((h) + 32), FORM16((h) + 48)

const struct packet_form spemu__packet_forms[256] = {FORM64(0), FORM64(64), FORM64(128),
                                                     FORM64(192)};
