/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scope of a TLBI instruction, for a TLB that knows virtual addresses.
 *
 * Arm ARM: DDI 0487 M.a, C5.5 (encodings and operands), D8.17 (TLB maintenance).
 */
#ifndef TLBI_H
#define TLBI_H

#include <stdbool.h>
#include <stdint.h>

/* The addresses to invalidate. If neither by_va nor by_asid is set, that is all addresses, even if
 * the TLBI names fewer. */
struct tlbi_scope {
	bool broadcast;      /* applies to other PEs, too */
	bool by_va, by_asid; /* limited to these addresses; limited to this ASID */
	uint16_t asid;
	uint64_t first, last; /* first and last byte, in all 64 bits */
};

/* Return the scope of SYS #op1, C8 or C9, C<crm>, #op2 with the operand `value`. For ranges, ds is
 * TCR_ELx.DS of the regime. */
struct tlbi_scope tlbi_scope(unsigned op1, unsigned crm, unsigned op2, uint64_t value, bool ds);

#endif
