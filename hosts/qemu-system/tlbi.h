/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scope of a TLBI instruction, as far as a TLB that knows addresses needs it.
 *
 * Arm ARM: DDI 0487 M.a, C5.5 (encodings and operands), D8.17 (TLB maintenance).
 */
#ifndef TLBI_H
#define TLBI_H

#include <stdbool.h>
#include <stdint.h>

/* Neither by_va nor by_asid: everything, more than some of them name. */
struct tlbi_scope {
	bool broadcast;      /* other PEs, too */
	bool by_va, by_asid; /* of these addresses, of this ASID or for all */
	uint16_t asid;
	uint64_t first, last; /* addresses in all 64 bits, inclusive */
};

/* SYS #op1, C8 or C9, Ccrm, #op2 with this operand. Of ranges, ds is TCR_ELx.DS of the regime that
 * it is for. */
struct tlbi_scope tlbi_scope(unsigned op1, unsigned crm, unsigned op2, uint64_t value, bool ds);

#endif
