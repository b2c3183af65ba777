/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The effect of a block on the call stack, as its opcodes show it.
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
	CALL_SITE_LEAVE,  /* sets the stack pointer to an unknown value */
};

struct call_site {
	enum call_site_kind kind;
	bool exact;     /* base and offset give the stack pointer at the block's end */
	bool frame;     /* the base is x29 at the block's entry, not the stack pointer */
	int64_t offset; /* bytes */
};

void call_site_find(struct call_site *site, const uint32_t *opcode, unsigned n);

#endif
