/* SPDX-License-Identifier: MIT */
/* The numbers of the members of a record. */
#ifndef SPEMU_RECORD_MEMBER_H
#define SPEMU_RECORD_MEMBER_H

/* Bit numbers in spemu_record.present. Numbers from MEMBER_PADDING on are not members of the
 * record. */
enum {
	MEMBER_ADDR0 = 0,
	MEMBER_COUNTER0 = 8,
	MEMBER_CONTEXT0 = 16,
	MEMBER_EVENTS = 20,
	MEMBER_OP_TYPE = 21,
	MEMBER_DATA_SOURCE = 22,
	MEMBER_TIMESTAMP = 23,
	MEMBER_OTHER = 24,
	MEMBER_PADDING = 29,
	MEMBER_END = 30,
	MEMBER_EXTENDED = 31, /* first of two header bytes; the second one determines the member */
};

#endif
