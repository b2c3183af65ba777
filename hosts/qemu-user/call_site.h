/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a block does to the stack of calls, as far as its opcodes say.
 *
 * Arm ARM: DDI 0487 M.a, C3.2 (branches), C4.1 (encoding index), C6.2 (forms that write the stack
 * pointer).
 */
#ifndef CALL_SITE_H
#define CALL_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum call_site_kind {
	CALL_SITE_NONE,
	CALL_SITE_CALL,   /* ends with BL, BLR or the like */
	CALL_SITE_RETURN, /* ends with RET or the like */
	CALL_SITE_LEAVE,  /* sets the stack pointer to what its opcodes do not say */
};

struct call_site {
	enum call_site_kind kind;
	bool exact;     /* the stack pointer at the block's end is that register and offset */
	bool frame;     /* x29 instead of the stack pointer, as they are at the block's entry */
	int64_t offset; /* bytes */
};

void call_site_find(struct call_site *site, const uint32_t *opcode, unsigned n);

#endif
