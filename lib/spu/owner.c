/* SPDX-License-Identifier: MIT */
/*
 * The owner of the Profiling Buffer: a Security state and an Exception level.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.5, D17.7
 * Implements:  RWWFKZ RBWRVP RKFMHR ISBQVZ IYZHFG, Table D17-4; RPSLVX (Effective
 *              PMBLIMITR_EL1.nVM)
 * Pseudocode:  ProfilingBufferOwner(), EffectivePMBLIMITR_EL1_nVM()
 */
#include "spu/spu_object.h"

enum { OWNER_AT_EL1 = 1, OWNER_AT_EL2 = 2 };

static bool el2_disabled_for_owner(const struct clause_context *c)
{
	return !spemu__pe_el2_in_security(c->pe, decide(&spemu__spu_owner_security, c));
}

#include "spu/owner_clauses.h"

/* The choices reserved-nspb and reserved-e2pb replace reserved values in lib/pe (RBWRVP,
 * RKFMHR). */
const struct decision spemu__spu_owner_security = DECISION(FOLD_FIRST, owner_security_clauses);
const struct decision spemu__spu_owner_el = DECISION(FOLD_FIRST, owner_el_clauses);

struct spemu_owner spemu__spu_owner(const struct spemu_pe *pe)
{
	struct clause_context c = {.pe = pe};

	return (struct spemu_owner){.security = (uint8_t)decide(&spemu__spu_owner_security, &c),
	                            .el = (uint8_t)decide(&spemu__spu_owner_el, &c)};
}

bool spemu__spu_effective_nvm(const struct spemu_pe *pe)
{
	struct spemu_owner owner = spemu__spu_owner(pe);

	if (!pe_has(pe, SPEMU_FEAT_SPE_NVM))
		return false;
	if (spemu__pe_el2_in_security(pe, owner.security) && owner.el == 1 &&
	    !REG_FIELD(pe, PMSCR_EL2, EnVM))
		return false;
	return REG_FIELD(pe, PMBLIMITR_EL1, nVM);
}

void spemu_spu_buffer_owner(const struct spemu_spu *spu, struct spemu_owner *owner)
{
	*owner = spemu__spu_owner(spu->pe);
}
