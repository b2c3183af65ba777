/* SPDX-License-Identifier: MIT */
/*
 * Which Security state and Exception level own the Profiling Buffer.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.5, D17.7
 * Implements:  RWWFKZ RBWRVP RKFMHR, Table D17-4; RPSLVX (Effective PMBLIMITR_EL1.nVM)
 * Pseudocode:  ProfilingBufferOwner(), EffectivePMBLIMITR_EL1_nVM()
 * Choices:     reserved-nspb, reserved-e2pb
 */
#include "spu/spu.h"

struct spemu_owner spu_owner(const struct pe *pe)
{
	/* {NSPBE, NSPB[1]} orders the states as {NSE, NS} does. */
	struct spemu_owner owner = {.security = (uint8_t)(pe_nspb(pe).bits >> 1), .el = 1};

	/* E2PB == 0b01 is reserved; as in the pseudocode it means an owner at EL1. */
	if (pe_el2_in_security(pe, owner.security) && REG_FIELD(pe, MDCR_EL2, E2PB) == 0)
		owner.el = 2;
	return owner;
}

bool spu_effective_nvm(const struct pe *pe)
{
	struct spemu_owner owner = spu_owner(pe);

	if (!pe_has(pe, SPEMU_FEAT_SPE_NVM))
		return false;
	if (pe_el2_in_security(pe, owner.security) && owner.el == 1 &&
	    !REG_FIELD(pe, PMSCR_EL2, EnVM))
		return false;
	return REG_FIELD(pe, PMBLIMITR_EL1, nVM);
}

void spemu_buffer_owner(const struct spemu *spu, struct spemu_owner *owner)
{
	*owner = spu_owner(&spu->pe);
}
