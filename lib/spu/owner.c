/* SPDX-License-Identifier: MIT */
/*
 * Which Security state and Exception level own the Profiling Buffer.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.5, D17.7
 * Implements:  RWWFKZ RBWRVP RKFMHR ISBQVZ IYZHFG, Table D17-4; RPSLVX (Effective PMBLIMITR_EL1.nVM)
 * Pseudocode:  ProfilingBufferOwner(), EffectivePMBLIMITR_EL1_nVM()
 */
#include "spu/spu_object.h"

static bool no_el3_secure(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_EL3) && pe_has(c->pe, SPEMU_SECUREONLY);
}

static bool no_el3(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_EL3);
}

/* {NSPBE, NSPB[1]} orders the states as {NSE, NS} does. */
static bool nspb_is_secure(const struct clause_context *c)
{
	return spemu__pe_nspb(c->pe).bits >> 1 == SPEMU_SS_SECURE;
}

static bool nspb_is_non_secure(const struct clause_context *c)
{
	return spemu__pe_nspb(c->pe).bits >> 1 == SPEMU_SS_NON_SECURE;
}

/* RBWRVP. Reserved values have been replaced by the choice reserved-nspb before. */
#define NSPB_FIELDS "MDCR_EL3.NSPBE MDCR_EL3.NSPB"
static const struct clause security_clauses[] = {
        {"RBWRVP", "EL3 is not implemented, and the PE has Secure state only: Secure", "",
         no_el3_secure, SPEMU_SS_SECURE},
        {"RBWRVP", "EL3 is not implemented: Non-secure", "", no_el3, SPEMU_SS_NON_SECURE},
        {"RBWRVP", "MDCR_EL3.{NSPBE, NSPB} is Effectively {0, 0b0x}: Secure", NSPB_FIELDS,
         nspb_is_secure, SPEMU_SS_SECURE},
        {"RBWRVP", "MDCR_EL3.{NSPBE, NSPB} is Effectively {0, 0b1x}: Non-secure", NSPB_FIELDS,
         nspb_is_non_secure, SPEMU_SS_NON_SECURE},
        {"RBWRVP", "MDCR_EL3.{NSPBE, NSPB} is Effectively {1, 0b1x}: Realm", NSPB_FIELDS,
         clause_always, SPEMU_SS_REALM},
};
const struct decision spemu__spu_owner_security = DECISION(FOLD_FIRST, security_clauses);

static bool no_el2(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_EL2);
}

static bool el2_disabled_for_owner(const struct clause_context *c)
{
	return !spemu__pe_el2_in_security(c->pe, decide(&spemu__spu_owner_security, c));
}

/* E2PB == 0b01 is reserved: lib/pe replaces it by the choice reserved-e2pb. */
static bool e2pb_not_zero(const struct clause_context *c)
{
	return spemu__pe_e2pb(c->pe) != 0;
}

/* RKFMHR */
static const struct clause el_clauses[] = {
        {"RKFMHR", "EL2 is not implemented: EL1", "", no_el2, 1},
        {"RKFMHR", "EL2 is disabled in the owning Security state: EL1", "SCR_EL3.EEL2 " NSPB_FIELDS,
         el2_disabled_for_owner, 1},
        {"RKFMHR", "MDCR_EL2.E2PB is Effectively not 0b00: EL1", "MDCR_EL2.E2PB", e2pb_not_zero, 1},
        {"RKFMHR", "MDCR_EL2.E2PB is Effectively 0b00: EL2", "MDCR_EL2.E2PB", clause_always, 2},
};
const struct decision spemu__spu_owner_el = DECISION(FOLD_FIRST, el_clauses);

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
