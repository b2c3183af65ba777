/* SPDX-License-Identifier: MIT */
/*
 * Controls whose Effective value is not always what their bits say, and why.
 *
 * Arm ARM:     DDI 0487 M.a, D24.2, D24.3, D24.7, D17.7.5
 * Choices:     reserved-nspb, reserved-e2pb, nv1-without-nv, reserved-pmsee
 */
#include <string.h>

#include "explain/explain.h"

struct row {
	const char *name;
	uint64_t (*effective)(const struct spemu_pe *pe);
	/* Asked where the value differs. The bits of a field that does not exist are 0, and so is
	 * its Effective value, but where the reasons say otherwise. NULL: it never differs. */
	const char *(*why)(const struct spemu_pe *pe);
};

static const char *el2_missing(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_EL2) ? "EL2 is not enabled in the current Security state"
	                             : "EL2 is not implemented";
}

static const char *owner_without_el2(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_EL2) ? "EL2 is not enabled in the owning Security state"
	                             : "EL2 is not implemented";
}

static bool owner_has_el2(const struct spemu_pe *pe)
{
	return spemu__pe_el2_in_security(pe, spemu__spu_owner(pe).security);
}

static uint64_t ns(const struct spemu_pe *pe)
{
	return spemu__pe_scr_ns(pe);
}

static const char *ns_why(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_EL3) ? "Secure state is not implemented"
	                             : "EL3 is not implemented: the PE is in Non-secure state";
}

static uint64_t nse(const struct spemu_pe *pe)
{
	return spemu__pe_scr_nse(pe);
}

static uint64_t eel2(const struct spemu_pe *pe)
{
	return spemu__pe_secure_el2_enabled(pe);
}

static const char *eel2_why(const struct spemu_pe *pe)
{
	(void)pe;
	return "EL3 is not implemented, and the PE has Secure state only";
}

static uint64_t nspbe(const struct spemu_pe *pe)
{
	return spemu__pe_nspb(pe).bits >> 2;
}

static uint64_t nspb(const struct spemu_pe *pe)
{
	return spemu__pe_nspb(pe).bits & 3;
}

static const char *nspb_why(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_EL3))
		return "EL3 is not implemented: the one Security state owns the buffer";
	return "{NSPBE, NSPB} is reserved (choice reserved-nspb)";
}

static uint64_t pmsee(const struct spemu_pe *pe)
{
	return spemu__pe_pmsee(pe);
}

static const char *pmsee_why(const struct spemu_pe *pe)
{
	(void)pe;
	return "EL3 is not implemented";
}

static uint64_t e2pb(const struct spemu_pe *pe)
{
	return owner_has_el2(pe) ? spemu__pe_e2pb(pe) : 3;
}

static const char *e2pb_why(const struct spemu_pe *pe)
{
	return owner_has_el2(pe) ? "0b01 is reserved (choice reserved-e2pb)"
	                         : owner_without_el2(pe);
}

static uint64_t tge(const struct spemu_pe *pe)
{
	return spemu__pe_tge(pe);
}

static uint64_t e2h(const struct spemu_pe *pe)
{
	return spemu__pe_hcr_e2h(pe);
}

static const char *e2h_why(const struct spemu_pe *pe)
{
	(void)pe;
	return "FEAT_E2H0 is not implemented: E2H is always 1";
}

static uint64_t nv(const struct spemu_pe *pe)
{
	return spemu__pe_hcr_nvx(pe) & 1;
}

static uint64_t nv1(const struct spemu_pe *pe)
{
	return spemu__pe_hcr_nvx(pe) >> 1 & 1;
}

static uint64_t nv2(const struct spemu_pe *pe)
{
	return spemu__pe_hcr_nvx(pe) >> 2;
}

static const char *nv_why(const struct spemu_pe *pe)
{
	return spemu__pe_el2_enabled(pe) ? "HCR_EL2.NV is 0 (choice nv1-without-nv)"
	                                 : el2_missing(pe);
}

static uint64_t ee2(const struct spemu_pe *pe)
{
	return spemu__pe_pmscr_el2_ee(pe);
}

static const char *ee2_why(const struct spemu_pe *pe)
{
	return spemu__pe_pmsee(pe) == 0 ? "MDCR_EL3.PMSEE is 0b00" : el2_missing(pe);
}

static uint64_t ee1(const struct spemu_pe *pe)
{
	return spemu__pe_pmscr_el1_ee(pe);
}

static const char *ee1_why(const struct spemu_pe *pe)
{
	if (spemu__pe_pmscr_el2_ee(pe) == 0)
		return "the Effective PMSCR_EL2.EE is 0b00";
	return pe_has(pe, SPEMU_FEAT_NV) ? "0b01 and 0b10 take both bits from bit 1"
	                                 : "0b01 and 0b10 are reserved (choice reserved-pmsee)";
}

static uint64_t nvm(const struct spemu_pe *pe)
{
	return spemu__spu_effective_nvm(pe);
}

static const char *nvm_why(const struct spemu_pe *pe)
{
	(void)pe;
	return "the Effective PMSCR_EL2.EnVM is 0";
}

static uint64_t envm(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_FEAT_SPE_NVM))
		return 0;
	return !owner_has_el2(pe) || spemu__spu_owner(pe).el == 2 || REG_FIELD(pe, PMSCR_EL2, EnVM);
}

static const char *envm_why(const struct spemu_pe *pe)
{
	return owner_has_el2(pe) ? "the owning Exception level is EL2" : owner_without_el2(pe);
}

static uint64_t pa(const struct spemu_pe *pe)
{
	return !owner_has_el2(pe) || REG_FIELD(pe, PMSCR_EL2, PA);
}

static const struct row rows[] = {
        {"SCR_EL3.NS", ns, ns_why},
        {"SCR_EL3.NSE", nse, NULL},
        {"SCR_EL3.EEL2", eel2, eel2_why},
        {"MDCR_EL3.NSPB", nspb, nspb_why},
        {"MDCR_EL3.NSPBE", nspbe, nspb_why},
        {"MDCR_EL3.PMSEE", pmsee, pmsee_why},
        {"MDCR_EL2.E2PB", e2pb, e2pb_why},
        {"HCR_EL2.TGE", tge, el2_missing},
        {"HCR_EL2.E2H", e2h, e2h_why},
        {"HCR_EL2.NV", nv, nv_why},
        {"HCR_EL2.NV1", nv1, nv_why},
        {"HCR_EL2.NV2", nv2, nv_why},
        {"PMSCR_EL2.EE", ee2, ee2_why},
        {"PMSCR_EL1.EE", ee1, ee1_why},
        {"PMBLIMITR_EL1.nVM", nvm, nvm_why},
        {"PMSCR_EL2.EnVM", envm, envm_why},
        {"PMSCR_EL2.PA", pa, owner_without_el2},
};

int spemu_explain_effective(const struct spemu_pe *pe, struct spemu_effective *out, unsigned index)
{
	struct spemu_field_value raw;
	const struct row *row;

	*out = (struct spemu_effective){0};
	if (index >= sizeof(rows) / sizeof(*rows))
		return SPEMU_ERR_END;
	row = &rows[index];
	spemu_explain_value(pe, &raw, row->name, strlen(row->name));
	out->name = row->name;
	out->raw = raw.value;
	out->width = raw.width;
	out->effective = row->effective(pe);
	out->why = out->raw != out->effective ? row->why(pe) : NULL;
	return SPEMU_OK;
}
