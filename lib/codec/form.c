/* SPDX-License-Identifier: MIT */
/*
 * The table of header bytes. The compiler computes it from the encodings.
 *
 * Arm ARM: DDI 0487 M.a, D18.1.1, Table D18-1
 */
#include "codec/form.h"

/* Return true if h is equal to header outside the field in mask. */
#define IS(h, header, mask) (((h) & ~(mask)) == (header))

/* Return the packet type of a header by Table D18-1. */
#define TYPE(h)                                                                            \
	(IS(h, SPEMU_HEADER_PADDING, 0)                            ? SPEMU_PKT_PADDING     \
	 : IS(h, SPEMU_HEADER_END, 0)                              ? SPEMU_PKT_END         \
	 : IS(h, SPEMU_HEADER_TIMESTAMP, 0)                        ? SPEMU_PKT_TIMESTAMP   \
	 : IS(h, SPEMU_HEADER_EVENTS, SPEMU_HEADER_SZ)             ? SPEMU_PKT_EVENTS      \
	 : IS(h, SPEMU_HEADER_DATA_SOURCE, SPEMU_HEADER_SZ)        ? SPEMU_PKT_DATA_SOURCE \
	 : IS(h, SPEMU_HEADER_CONTEXT, SPEMU_HEADER_CONTEXT_INDEX) ? SPEMU_PKT_CONTEXT     \
	 : IS(h, SPEMU_HEADER_OP_TYPE, SPEMU_HEADER_CLASS)         ? SPEMU_PKT_OP_TYPE     \
	 : IS(h, SPEMU_HEADER_ADDRESS, SPEMU_HEADER_INDEX)         ? SPEMU_PKT_ADDRESS     \
	 : IS(h, SPEMU_HEADER_COUNTER, SPEMU_HEADER_INDEX)         ? SPEMU_PKT_COUNTER     \
	                                                           : SPEMU_PKT_UNKNOWN)

/* Return the field that a type calls INDEX (Context, Address, Counter) or CLASS (Operation
 * Type). */
#define INDEX(h)                                                                                 \
	(TYPE(h) == SPEMU_PKT_CONTEXT   ? (h)&SPEMU_HEADER_CONTEXT_INDEX                         \
	 : TYPE(h) == SPEMU_PKT_OP_TYPE ? (h)&SPEMU_HEADER_CLASS                                 \
	 : TYPE(h) == SPEMU_PKT_ADDRESS || TYPE(h) == SPEMU_PKT_COUNTER ? (h)&SPEMU_HEADER_INDEX \
	                                                                : 0)

/* Return the member of a header. A record has members for the two Context packets and the two
 * Data Source sizes that D18.2 defines. */
#define MEMBER(h)                                                                \
	(TYPE(h) == SPEMU_PKT_ADDRESS   ? MEMBER_ADDR0 + INDEX(h)                \
	 : TYPE(h) == SPEMU_PKT_COUNTER ? MEMBER_COUNTER0 + INDEX(h)             \
	 : TYPE(h) == SPEMU_PKT_CONTEXT && INDEX(h) <= SPEMU_CONTEXT_EL2         \
	         ? MEMBER_CONTEXT0 + INDEX(h)                                    \
	 : TYPE(h) == SPEMU_PKT_EVENTS  ? MEMBER_EVENTS                          \
	 : TYPE(h) == SPEMU_PKT_OP_TYPE ? MEMBER_OP_TYPE                         \
	 : TYPE(h) == SPEMU_PKT_DATA_SOURCE && SPEMU_HEADER_PAYLOAD_SIZE(h) <= 2 \
	         ? MEMBER_DATA_SOURCE                                            \
	 : TYPE(h) == SPEMU_PKT_TIMESTAMP ? MEMBER_TIMESTAMP                     \
	 : TYPE(h) == SPEMU_PKT_PADDING   ? MEMBER_PADDING                       \
	 : TYPE(h) == SPEMU_PKT_END       ? MEMBER_END                           \
	 : SPEMU_HEADER_IS_EXTENDED(h)    ? MEMBER_EXTENDED                      \
	                                  : MEMBER_OTHER)

#define FORM(h)                                                            \
	{                                                                  \
		TYPE(h), INDEX(h), SPEMU_HEADER_PAYLOAD_SIZE(h), MEMBER(h) \
	}
#define FORM4(h) FORM(h), FORM((h) + 1), FORM((h) + 2), FORM((h) + 3)
#define FORM16(h) FORM4(h), FORM4((h) + 4), FORM4((h) + 8), FORM4((h) + 12)
#define FORM64(h) FORM16(h), FORM16((h) + 16), FORM16((h) + 32), FORM16((h) + 48)

const struct packet_form spemu__packet_forms[256] = {FORM64(0), FORM64(64), FORM64(128),
                                                     FORM64(192)};
