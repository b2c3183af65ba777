/* SPDX-License-Identifier: MIT */
/*
 * Controls whose Effective value can differ from their bits, with the reason.
 *
 * Arm ARM:     DDI 0487 M.a, D24.2, D24.3, D24.7, D17.7.5
 * Choices:     reserved-nspb, reserved-e2pb, nv1-without-nv, reserved-pmsee
 */
#include <string.h>

#include "explain/explain.h"

enum control {
	NS,
	NSE,
	EEL2,
	NSPB,
	NSPBE,
	PMSEE,
	E2PB,
	TGE,
	E2H,
	NV,
	NV1,
	NV2,
	EE2,
	EE1,
	NVM,
	ENVM,
	PA,
	CONTROLS
};
static const char *const names[CONTROLS] = {
        [NS] = "SCR_EL3.NS",       [NSE] = "SCR_EL3.NSE",      [EEL2] = "SCR_EL3.EEL2",
        [NSPB] = "MDCR_EL3.NSPB",  [NSPBE] = "MDCR_EL3.NSPBE", [PMSEE] = "MDCR_EL3.PMSEE",
        [E2PB] = "MDCR_EL2.E2PB",  [TGE] = "HCR_EL2.TGE",      [E2H] = "HCR_EL2.E2H",
        [NV] = "HCR_EL2.NV",       [NV1] = "HCR_EL2.NV1",      [NV2] = "HCR_EL2.NV2",
        [EE2] = "PMSCR_EL2.EE",    [EE1] = "PMSCR_EL1.EE",     [NVM] = "PMBLIMITR_EL1.nVM",
        [ENVM] = "PMSCR_EL2.EnVM", [PA] = "PMSCR_EL2.PA",
};

static bool owner_has_el2(const struct spemu_pe *pe)
{
	return spemu__pe_el2_in_security(pe, spemu__spu_owner(pe).security);
}

static uint64_t effective(const struct spemu_pe *pe, enum control control)
{
	switch (control) {
	case NS:
		return spemu__pe_scr_ns(pe);
	case NSE:
		return spemu__pe_scr_nse(pe);
	case EEL2:
		return spemu__pe_secure_el2_enabled(pe);
	case NSPB:
		return spemu__pe_nspb(pe).bits & 3;
	case NSPBE:
		return spemu__pe_nspb(pe).bits >> 2;
	case PMSEE:
		return spemu__pe_pmsee(pe);
	case E2PB:
		return owner_has_el2(pe) ? spemu__pe_e2pb(pe) : 3;
	case TGE:
		return spemu__pe_tge(pe);
	case E2H:
		return spemu__pe_hcr_e2h(pe);
	case NV:
	case NV1:
	case NV2:
		return spemu__pe_hcr_nvx(pe) >> (control - NV) & 1;
	case EE2:
		return spemu__pe_pmscr_el2_ee(pe);
	case EE1:
		return spemu__pe_pmscr_el1_ee(pe);
	case NVM:
		return spemu__spu_effective_nvm(pe);
	case ENVM:
		return pe_has(pe, SPEMU_FEAT_SPE_NVM) &&
		       (!owner_has_el2(pe) || spemu__spu_owner(pe).el == 2 ||
		        REG_FIELD(pe, PMSCR_EL2, EnVM));
	default: /* the control PA */
		return !owner_has_el2(pe) || REG_FIELD(pe, PMSCR_EL2, PA);
	}
}

static const char *el2_missing(const struct spemu_pe *pe, const char *disabled)
{
	return pe_has(pe, SPEMU_EL2) ? disabled : "EL2 is not implemented";
}

/*
 * Return the reason why the Effective value differs from the bits. If a field does not exist, its
 * bits and its Effective value are 0, unless a reason below says otherwise. SCR_EL3.NSE never
 * differs.
 */
static const char *why(const struct spemu_pe *pe, enum control control)
{
	static const char *const here = "EL2 is not enabled in the current Security state";
	static const char *const owning = "EL2 is not enabled in the owning Security state";

	switch (control) {
	case NS:
		return pe_has(pe, SPEMU_EL3)
		               ? "Secure state is not implemented"
		               : "EL3 is not implemented: the PE is in Non-secure state";
	case EEL2:
		return "EL3 is not implemented, and the PE has Secure state only";
	case NSPB:
	case NSPBE:
		return pe_has(pe, SPEMU_EL3)
		               ? "{NSPBE, NSPB} is reserved (choice reserved-nspb)"
		               : "EL3 is not implemented: the only Security state owns the buffer";
	case PMSEE:
		return "EL3 is not implemented";
	case E2PB:
		return owner_has_el2(pe) ? "0b01 is reserved (choice reserved-e2pb)"
		                         : el2_missing(pe, owning);
	case TGE:
		return el2_missing(pe, here);
	case E2H:
		return "FEAT_E2H0 is not implemented: E2H is always 1";
	case NV:
	case NV1:
	case NV2:
		return spemu__pe_el2_enabled(pe) ? "HCR_EL2.NV is 0 (choice nv1-without-nv)"
		                                 : el2_missing(pe, here);
	case EE2:
		return spemu__pe_pmsee(pe) == 0 ? "MDCR_EL3.PMSEE is 0b00" : el2_missing(pe, here);
	case EE1:
		if (spemu__pe_pmscr_el2_ee(pe) == 0)
			return "the Effective PMSCR_EL2.EE is 0b00";
		return pe_has(pe, SPEMU_FEAT_NV)
		               ? "0b01 and 0b10 take both bits from bit 1"
		               : "0b01 and 0b10 are reserved (choice reserved-pmsee)";
	case NVM:
		return "the Effective PMSCR_EL2.EnVM is 0";
	case ENVM:
		return owner_has_el2(pe) ? "the owning Exception level is EL2"
		                         : el2_missing(pe, owning);
	case PA:
		return el2_missing(pe, owning);
	default:
		return NULL;
	}
}

int spemu_explain_effective(const struct spemu_pe *pe, struct spemu_effective *out, unsigned index)
{
	struct spemu_field_value raw;

	*out = (struct spemu_effective){0};
	if (index >= CONTROLS)
		return SPEMU_ERR_END;
	spemu_explain_value(pe, &raw, names[index], strlen(names[index]));
	out->name = names[index];
	out->raw = raw.value;
	out->width = raw.width;
	out->effective = effective(pe, (enum control)index);
	out->why = out->raw != out->effective ? why(pe, (enum control)index) : NULL;
	return SPEMU_OK;
}
