/* SPDX-License-Identifier: MIT */
/*
 * The memory encryption context of a memory access.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.10, D8.12 (Memory Encryption Contexts), D24.2 (SCR_EL3.MECEn)
 * Implements:  RDFFVT
 * Pseudocode:  AArch64.S1DisabledOutputMECID(), AArch64.S1OutputMECID(), AArch64.S1TTWalkMECID(),
 *              AArch64.S2OutputMECID(), AArch64.S2TTWalkMECID()
 */
#include "pe/pe_object.h"

uint16_t spemu__pe_mecid(const struct spemu_pe *pe, const struct mecid_context *c)
{
	static const enum spemu_reg el2[2][2] = {{SPEMU_REG_MECID_P0_EL2, SPEMU_REG_MECID_A0_EL2},
	                                         {SPEMU_REG_MECID_P1_EL2, SPEMU_REG_MECID_A1_EL2}};
	static const enum spemu_reg el1[2] = {SPEMU_REG_VMECID_P_EL2, SPEMU_REG_VMECID_A_EL2};

	if (c->pas != SPEMU_SS_REALM || !spemu__pe_emec(pe, c->security))
		return 0;
	/* If MECEn is 0, the MECID registers are treated as 0 (D24.2, SCR_EL3). The pseudocode does
	 * not contain this rule. */
	if (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, MECEn))
		return 0;
	if (c->el == 2)
		return (uint16_t)pe->reg[el2[c->upper][c->alternate]];
	return (uint16_t)pe->reg[el1[c->stage2 && c->alternate]];
}
