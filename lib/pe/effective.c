/* SPDX-License-Identifier: MIT */
/*
 * Effective values of the controls of Statistical Profiling.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.5, D24.3
 * Implements:  RBWRVP (reserved values), Effective values of PMSCR_EL2.EE, PMSCR_EL1.EE
 * Pseudocode:  EffectiveMDCR_EL3_NSPB(), EffectivePMSCR_EL2_EE(), EffectivePMSCR_EL1_EE(),
 *              EL2Enabled(), ELIsInHost(), EffectiveHCR_EL2_NVx(), SecurityStateAtEL(),
 *              AArch64.PAMax(), EffectiveHPMN()
 * Choices:     reserved-nspb, reserved-e2pb, reserved-pmsee, nv1-without-nv, reserved-hpmn
 */
#include "pe/pe_object.h"

bool spemu__pe_have_secure_state(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_EL3))
		return pe_has(pe, SPEMU_SECUREONLY);
	if (pe_has(pe, SPEMU_FEAT_RME) && !pe_has(pe, SPEMU_FEAT_SEL2))
		return false;
	return pe_has(pe, SPEMU_SECURE);
}

bool spemu__pe_secure_el2_enabled(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_EL2) || !pe_has(pe, SPEMU_FEAT_SEL2))
		return false;
	if (!pe_has(pe, SPEMU_EL3))
		return pe_has(pe, SPEMU_SECUREONLY);
	return REG_FIELD(pe, SCR_EL3, EEL2);
}

unsigned spemu__pe_scr_ns(const struct spemu_pe *pe)
{
	if (!spemu__pe_have_secure_state(pe))
		return 1;
	if (!pe_has(pe, SPEMU_EL3))
		return 0;
	return (unsigned)REG_FIELD(pe, SCR_EL3, NS);
}

unsigned spemu__pe_scr_nse(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_FEAT_RME) ? (unsigned)REG_FIELD(pe, SCR_EL3, NSE) : 0;
}

bool spemu__pe_el2_enabled(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_EL2) &&
	       (!pe_has(pe, SPEMU_EL3) || spemu__pe_scr_ns(pe) || spemu__pe_secure_el2_enabled(pe));
}

bool spemu__pe_el2_in_security(const struct spemu_pe *pe, unsigned security)
{
	return pe_has(pe, SPEMU_EL2) &&
	       (security != SPEMU_SS_SECURE || spemu__pe_secure_el2_enabled(pe));
}

bool spemu__pe_hcr_e2h(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_FEAT_VHE))
		return false;
	return !pe_has(pe, SPEMU_FEAT_E2H0) || REG_FIELD(pe, HCR_EL2, E2H);
}

bool spemu__pe_tge(const struct spemu_pe *pe)
{
	return spemu__pe_el2_enabled(pe) && REG_FIELD(pe, HCR_EL2, TGE);
}

bool spemu__pe_hcr_dc(const struct spemu_pe *pe)
{
	return spemu__pe_el2_enabled(pe) && REG_FIELD(pe, HCR_EL2, DC) &&
	       !(spemu__pe_hcr_e2h(pe) && REG_FIELD(pe, HCR_EL2, TGE));
}

unsigned spemu__pe_hcr_nvx(const struct spemu_pe *pe)
{
	/* {NV, NV1} = {0, 1} has the effect that the choice nv1-without-nv selects. */
	static const uint8_t alone[] = {[SPEMU_NV1_WITHOUT_NV_AS_00] = 0,
	                                [SPEMU_NV1_WITHOUT_NV_AS_01] = 2,
	                                [SPEMU_NV1_WITHOUT_NV_AS_11] = 3};
	unsigned nv1, nv2;

	if (!spemu__pe_el2_enabled(pe) || !pe_has(pe, SPEMU_FEAT_NV))
		return 0;
	nv1 = (unsigned)REG_FIELD(pe, HCR_EL2, NV1);
	if (!REG_FIELD(pe, HCR_EL2, NV))
		return nv1 ? alone[pe_choice(pe, SPEMU_CHOICE_NV1_WITHOUT_NV)] : 0;
	nv2 = pe_has(pe, SPEMU_FEAT_NV2) ? (unsigned)REG_FIELD(pe, HCR_EL2, NV2) : 0;
	return nv2 << 2 | nv1 << 1 | 1;
}

bool spemu__pe_el_is_in_host(const struct spemu_pe *pe, unsigned el)
{
	if (!pe_has(pe, SPEMU_FEAT_VHE) || (pe->state.el_aarch32 & 1u << 2))
		return false;
	if (el == 2)
		return spemu__pe_el2_enabled(pe) && spemu__pe_hcr_e2h(pe);
	if (el == 0)
		return spemu__pe_el2_enabled(pe) && spemu__pe_hcr_e2h(pe) &&
		       REG_FIELD(pe, HCR_EL2, TGE);
	return false;
}

unsigned spemu__pe_security_at(const struct spemu_pe *pe, unsigned el)
{
	if (el == 3)
		return pe_has(pe, SPEMU_FEAT_RME) ? SPEMU_SS_ROOT : SPEMU_SS_SECURE;
	return spemu__pe_scr_nse(pe) << 1 | spemu__pe_scr_ns(pe);
}

unsigned spemu__pe_pamax(const struct spemu_pe *pe)
{
	if (pe->pa_bits)
		return pe->pa_bits;
	return pe_has(pe, SPEMU_FEAT_LPA) ? 52 : 48;
}

unsigned spemu__pe_oamax(const struct spemu_pe *pe)
{
	if (pe_has(pe, SPEMU_FEAT_D128))
		return 55;
	return pe_has(pe, SPEMU_FEAT_LPA) || pe_has(pe, SPEMU_FEAT_LPA2) ? 51 : 47;
}

struct nspb spemu__pe_nspb(const struct spemu_pe *pe)
{
	struct nspb result = {0};

	if (!pe_has(pe, SPEMU_EL3)) {
		result.bits = pe_has(pe, SPEMU_SECUREONLY) ? 0x1 : 0x3;
		return result;
	}
	result.bits = (unsigned)REG_FIELD(pe, MDCR_EL3, NSPB);
	if (!pe_has(pe, SPEMU_FEAT_RME))
		return result;
	result.bits |= (unsigned)REG_FIELD(pe, MDCR_EL3, NSPBE) << 2;
	if ((result.bits & 6) == 4 ||
	    ((result.bits & 6) == 0 && !spemu__pe_have_secure_state(pe))) {
		/*
		 * A reserved value means that an implemented Security state owns the buffer, or
		 * that profiling is disabled. By default Secure state owns it if it exists (with
		 * FEAT_RME: if FEAT_SEL2 exists). So profiling is disabled in Non-secure and Realm
		 * state, as Table D17-1 prints for {1, 0b0x}.
		 */
		static const uint8_t owner[] = {[SPEMU_RESERVED_NSPB_SECURE] = 0,
		                                [SPEMU_RESERVED_NSPB_NON_SECURE] = 2,
		                                [SPEMU_RESERVED_NSPB_REALM] = 6,
		                                [SPEMU_RESERVED_NSPB_NONE] = 2};
		unsigned choice = pe_choice(pe, SPEMU_CHOICE_RESERVED_NSPB);

		result.reserved = true;
		result.disables = choice == SPEMU_RESERVED_NSPB_NONE;
		result.bits = owner[choice] | (result.bits & 1);
	}
	return result;
}

unsigned spemu__pe_e2pb(const struct spemu_pe *pe)
{
	static const uint8_t reserved[] = {[SPEMU_RESERVED_E2PB_EL1] = 3,
	                                   [SPEMU_RESERVED_E2PB_EL1_TRAPPED] = 2,
	                                   [SPEMU_RESERVED_E2PB_EL2] = 0};
	unsigned raw = (unsigned)REG_FIELD(pe, MDCR_EL2, E2PB);

	return raw == 1 ? reserved[pe_choice(pe, SPEMU_CHOICE_RESERVED_E2PB)] : raw;
}

unsigned spemu__pe_pmsee(const struct spemu_pe *pe)
{
	if (!pe_has(pe, SPEMU_FEAT_SPE_EXC))
		return 0;
	return pe_has(pe, SPEMU_EL3) ? (unsigned)REG_FIELD(pe, MDCR_EL3, PMSEE) : 1;
}

unsigned spemu__pe_pmscr_el2_ee(const struct spemu_pe *pe)
{
	if (spemu__pe_pmsee(pe) == 0)
		return 0;
	if (pe_has(pe, SPEMU_EL2) && (spemu__pe_scr_ns(pe) || spemu__pe_secure_el2_enabled(pe)))
		return (unsigned)REG_FIELD(pe, PMSCR_EL2, EE);
	return 1;
}

unsigned spemu__pe_pmscr_el1_ee(const struct spemu_pe *pe)
{
	unsigned ee = (unsigned)REG_FIELD(pe, PMSCR_EL1, EE);

	if (spemu__pe_pmscr_el2_ee(pe) == 0)
		return 0;
	/* With FEAT_NV, 0b01 and 0b10 behave as {EE[1], EE[1]}. Without FEAT_NV they are
	 * reserved. */
	if ((ee == 1 || ee == 2) && !pe_has(pe, SPEMU_FEAT_NV)) {
		unsigned choice = pe_choice(pe, SPEMU_CHOICE_RESERVED_PMSEE);

		if (choice != SPEMU_RESERVED_PMSEE_BY_BIT_1)
			return choice == SPEMU_RESERVED_PMSEE_ENABLED ? 3 : 0;
	}
	return ee & 2 ? 3 : 0;
}

unsigned spemu__pe_pmu_counters(const struct spemu_pe *pe)
{
	return (unsigned)REG_FIELD(pe, PMCR_EL0, N);
}

unsigned spemu__pe_pmu_hpmn(const struct spemu_pe *pe)
{
	unsigned counters = spemu__pe_pmu_counters(pe), hpmn;

	if (!pe_has(pe, SPEMU_EL2))
		return counters;
	hpmn = (unsigned)REG_FIELD(pe, MDCR_EL2, HPMN);
	if (hpmn <= counters && (hpmn || pe_has(pe, SPEMU_FEAT_HPMN0)))
		return hpmn;
	return pe_choice(pe, SPEMU_CHOICE_RESERVED_HPMN) == SPEMU_RESERVED_HPMN_ONE && counters
	               ? 1
	               : counters;
}
