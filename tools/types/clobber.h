/* SPDX-License-Identifier: MIT */
/*
 * The registers that a call may change. GCC keeps values in registers that the called function does
 * not write, although the procedure call standard lets the function write them (-fipa-ra).
 */
#ifndef TOOLS_TYPES_CLOBBER_H
#define TOOLS_TYPES_CLOBBER_H

#include "debug_index.h"

struct object;

/* Registers that any function may change (AAPCS64): x0 to x18 and x30, as bits. */
#define CLOBBER_ALL UINT32_C(0x4007ffff)

struct clobbers {
	struct object *object;
	struct debug_index *index;
	uint64_t bias;       /* vaddr minus address in DWARF */
	struct map function; /* index in masks by address in DWARF */
	uint32_t *masks;
	size_t capacity;
};

/* Return the registers that the function at an address in DWARF may change, and that the functions
 * that it calls may change. */
uint32_t clobbered_by(struct clobbers *clobbers, uint64_t address);

#endif
