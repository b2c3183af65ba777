/* SPDX-License-Identifier: MIT */
/*
 * How an MSR or MRS ends: the clause lists of arch/sysreg.txt, run in order.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7, D24.5 "Accessing ..." of each register; D13.11
 * Implements:  MDCR_EL2.{TPMS,E2PB}, MDCR_EL3.{NSPB,NSPBE,EnPMSN,EnPMS3,EnPMS4,PMSEE} traps,
 *              HDFG{R,W}TR{,2}_EL2, HFG{R,W}TR_EL2, HCR_EL2.{TVM,TRVM}, MDCR_EL3.TDA,
 *              SCR_EL3.{FGTEn,FGTEn2,ECVEn}, NVMem redirection, E2H aliases; MDCR_EL3.{TPM,EnPM2,EnPMSS},
 *              MDCR_EL2.{TPM,TPMCR,HPMN}, PMUSERENR_EL0; DYBKKV IDXWRB RSRPKH (event counters)
 * Pseudocode:  CheckMDCR_EL3_NSPBTrap(), EL3SDDUndef(), GetNumEventCountersAccessible()
 * Choices:     sdd-undef-priority, reserved-nspb-trap, inaccessible-counter
 */
#include "pe/clause.h"

/* CheckMDCR_EL3_NSPBTrap(). For a reserved value NSPB[0] says nothing: the choice decides. */
static bool nspb_trap(const struct spemu_pe *pe)
{
	struct nspb nspb = spemu__pe_nspb(pe);

	if (!pe_has(pe, SPEMU_EL3))
		return false;
	if (nspb.reserved ? pe_choice(pe, SPEMU_CHOICE_RESERVED_NSPB_TRAP) ==
	                            SPEMU_RESERVED_NSPB_TRAP_TRAPPED
	                  : !(nspb.bits & 1))
		return true;
	if ((nspb.bits >> 1 & 1) != REG_FIELD(pe, SCR_EL3, NS))
		return true;
	return pe_has(pe, SPEMU_FEAT_RME) && (nspb.bits >> 2) != REG_FIELD(pe, SCR_EL3, NSE);
}

/* At EL0 of a host (EL2&0) no fine-grained trap applies. */
static bool exempt(const struct spemu_pe *pe)
{
	return pe->state.el == 0 && spemu__pe_el_is_in_host(pe, 0);
}

/* The fine-grained trap registers apply only if EL3, where there is one, lets them. */
static bool fgt_applies(const struct spemu_pe *pe)
{
	if (!spemu__pe_el2_enabled(pe) || !pe_has(pe, SPEMU_FEAT_FGT) || exempt(pe))
		return false;
	return !pe_has(pe, SPEMU_EL3) || REG_FIELD(pe, SCR_EL3, FGTEn);
}

static bool fgt_bit(const struct spemu_pe *pe, unsigned bit, bool write, bool trap_value)
{
	uint64_t value = pe->reg[write ? SPEMU_REG_HDFGWTR_EL2 : SPEMU_REG_HDFGRTR_EL2];

	return fgt_applies(pe) && bit_is_set(value, bit) == trap_value;
}

/* With FEAT_FGT2, SCR_EL3.FGTEn2 == 0 traps as if the (negative) bit were 0. */
static bool fgt2_bit(const struct spemu_pe *pe, unsigned bit, bool write)
{
	uint64_t value = pe->reg[write ? SPEMU_REG_HDFGWTR2_EL2 : SPEMU_REG_HDFGRTR2_EL2];

	if (!spemu__pe_el2_enabled(pe) || !pe_has(pe, SPEMU_FEAT_FGT2) || exempt(pe))
		return false;
	if (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, FGTEn2))
		return true;
	return !bit_is_set(value, bit);
}

static bool el3_bit_clear(const struct spemu_pe *pe, unsigned bit)
{
	return pe_has(pe, SPEMU_EL3) && !bit_is_set(pe->reg[SPEMU_REG_MDCR_EL3], bit);
}

/* EL3SDDUndef() */
static bool sdd_undef(const struct spemu_pe *pe)
{
	return pe->state.debug && pe->state.edscr_sdd;
}

/* EL3SDDUndefPriority() */
static bool sdd_undef_first(const struct spemu_pe *pe)
{
	return sdd_undef(pe) &&
	       pe_choice(pe, SPEMU_CHOICE_SDD_UNDEF_PRIORITY) == SPEMU_SDD_UNDEF_PRIORITY_EL3_FIRST;
}

static bool nv_pmbsr(const struct spemu_pe *pe)
{
	unsigned nvx = spemu__pe_hcr_nvx(pe);

	return (nvx & 5) == 5 &&
	       (spemu__pe_pmscr_el2_ee(pe) == 0 || REG_FIELD(pe, PMSCR_EL1, EE) == 0 || nvx == 7);
}

#define EL2_ENABLED " SCR_EL3.NS SCR_EL3.EEL2"
#define NSPB_FIELDS "MDCR_EL3.NSPBE MDCR_EL3.NSPB SCR_EL3.NSE SCR_EL3.NS"
#define NV_FIELDS "HCR_EL2.NV2 HCR_EL2.NV1 HCR_EL2.NV" EL2_ENABLED
#define IN_HOST_FIELDS "HCR_EL2.E2H" EL2_ENABLED
#define SDD_FIELDS " PE.state EDSCR.SDD"
#define COUNTER_FIELDS "PMCR_EL0.N PMSELR_EL0.SEL"
#define HPMN_FIELDS "MDCR_EL2.HPMN " COUNTER_FIELDS EL2_ENABLED
#define TGE_FIELDS " HCR_EL2.TGE" EL2_ENABLED
#define USER_FIELDS "PMUSERENR_EL0.UEN PMUSERENR_EL0.EN"
#define USER_DENIED "PMUSERENR_EL0 does not let EL0"
#define USER_PMCR "PMUSERENR_EL0.EN is 0 or UEN is 1"
#define EXC_FIELDS " PMSCR_EL2.EE MDCR_EL3.PMSEE"

static bool not_implemented(const struct clause_context *c)
{
	return !spemu__guard_holds(&c->desc->guard, &c->pe->features);
}

static bool at_el0(const struct clause_context *c)
{
	return c->pe->state.el == 0;
}

static bool undefined_at_el0(const struct clause_context *c)
{
	return at_el0(c) && !c->desc->access[0];
}

static bool is_read(const struct clause_context *c)
{
	return !c->write;
}

static bool msr_of_readonly(const struct clause_context *c)
{
	return c->write && c->desc->readonly;
}

static bool sdd_nspb(const struct clause_context *c)
{
	return sdd_undef_first(c->pe) && nspb_trap(c->pe);
}

static bool el3_enable_clear(const struct clause_context *c)
{
	return el3_bit_clear(c->pe, c->access->bit);
}

static bool sdd_el3(const struct clause_context *c)
{
	return sdd_undef_first(c->pe) && el3_enable_clear(c);
}

static bool pmsee_disabled(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_EL3) && spemu__pe_pmsee(c->pe) == 0;
}

static bool sdd_pmsee(const struct clause_context *c)
{
	return sdd_undef_first(c->pe) && pmsee_disabled(c);
}

static bool fgt_set(const struct clause_context *c)
{
	return fgt_bit(c->pe, c->access->bit, c->write, true);
}

static bool fgt_clear(const struct clause_context *c)
{
	return fgt_bit(c->pe, c->access->bit, c->write, false);
}

static bool fgt2_clear(const struct clause_context *c)
{
	return fgt2_bit(c->pe, c->access->bit, c->write);
}

static bool tpms(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && REG_FIELD(c->pe, MDCR_EL2, TPMS);
}

static bool e2pb(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && !(spemu__pe_e2pb(c->pe) & 1);
}

static bool nspb(const struct clause_context *c)
{
	return nspb_trap(c->pe);
}

static bool nv_matches(const struct clause_context *c)
{
	return (spemu__pe_hcr_nvx(c->pe) & c->access->mask) == c->access->value;
}

static bool nv_matches_pmbsr(const struct clause_context *c)
{
	return nv_pmbsr(c->pe);
}

static bool nv_set(const struct clause_context *c)
{
	return spemu__pe_hcr_nvx(c->pe) & 1;
}

static bool in_host(const struct clause_context *c)
{
	return spemu__pe_el_is_in_host(c->pe, 2);
}

static bool not_in_host(const struct clause_context *c)
{
	return !in_host(c);
}

static bool in_host_with_exc(const struct clause_context *c)
{
	return spemu__pe_pmscr_el2_ee(c->pe) != 0 && in_host(c);
}

/* The feature ID space: op0 3, op1 0, CRn 0. */
static bool in_id_space(const struct sysreg_desc *desc)
{
	return desc->encoding >> 7 == SPEMU_SYSREG(3, 0, 0, 0, 0) >> 7;
}

static bool idst_read_at_el0(const struct clause_context *c)
{
	return at_el0(c) && !c->write && pe_has(c->pe, SPEMU_FEAT_IDST);
}

static bool idst_read_under_tge(const struct clause_context *c)
{
	return idst_read_at_el0(c) && spemu__pe_tge(c->pe);
}

static bool tid3(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && REG_FIELD(c->pe, HCR_EL2, TID3);
}

static bool el3_bit_set(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_EL3) &&
	       bit_is_set(c->pe->reg[SPEMU_REG_MDCR_EL3], c->access->bit);
}

static bool sdd_el3_set(const struct clause_context *c)
{
	return sdd_undef_first(c->pe) && el3_bit_set(c);
}

static bool tpm(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && REG_FIELD(c->pe, MDCR_EL2, TPM);
}

static bool tpmcr(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && REG_FIELD(c->pe, MDCR_EL2, TPMCR);
}

static bool fgt_write_set(const struct clause_context *c)
{
	return c->write && fgt_bit(c->pe, c->access->bit, true, true);
}

static bool fgt2_write_clear(const struct clause_context *c)
{
	return c->write && fgt2_bit(c->pe, c->access->bit, true);
}

static bool hfgt_set(const struct clause_context *c)
{
	uint64_t value = c->pe->reg[c->write ? SPEMU_REG_HFGWTR_EL2 : SPEMU_REG_HFGRTR_EL2];

	return fgt_applies(c->pe) && bit_is_set(value, c->access->bit);
}

/* HCR_EL2.TVM traps writes, TRVM reads. */
static bool vm_control(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) &&
	       (c->write ? REG_FIELD(c->pe, HCR_EL2, TVM) : REG_FIELD(c->pe, HCR_EL2, TRVM));
}

static bool scr_enable_clear(const struct clause_context *c)
{
	return pe_has(c->pe, SPEMU_EL3) &&
	       !bit_is_set(c->pe->reg[SPEMU_REG_SCR_EL3], c->access->bit);
}

static bool sdd_scr(const struct clause_context *c)
{
	return sdd_undef_first(c->pe) && scr_enable_clear(c);
}

static bool is_write(const struct clause_context *c)
{
	return c->write;
}

/* The event counter that an access is about; -1 for the cycle counter. */
static int counter_of(const struct clause_context *c)
{
	unsigned sel = (unsigned)REG_FIELD(c->pe, PMSELR_EL0, SEL);

	if (c->access->value == COUNTER_SEL || c->access->value == COUNTER_SEL31)
		return c->access->value == COUNTER_SEL31 && sel == PMU_CYCLE_COUNTER ? -1
		                                                                     : (int)sel;
	return (int)c->index;
}

static bool counter_beyond(const struct clause_context *c, unsigned count)
{
	return counter_of(c) >= (int)count;
}

static bool unimplemented_counter(const struct clause_context *c)
{
	return counter_beyond(c, spemu__pe_pmu_counters(c->pe));
}

/* MDCR_EL2.HPMN keeps the counter from this Exception level. */
static bool reserved_counter(const struct clause_context *c)
{
	return spemu__pe_el2_enabled(c->pe) && counter_beyond(c, spemu__pe_pmu_hpmn(c->pe));
}

/* Without FEAT_FGT what comes of the access is a choice, but for the snapshot registers. */
static bool reserved_counter_undefined(const struct clause_context *c)
{
	return !pe_has(c->pe, SPEMU_FEAT_FGT) &&
	       pe_choice(c->pe, SPEMU_CHOICE_INACCESSIBLE_COUNTER) ==
	               SPEMU_INACCESSIBLE_COUNTER_UNDEFINED &&
	       reserved_counter(c);
}

static bool user_bit(const struct clause_context *c, unsigned bit)
{
	return bit_is_set(c->pe->reg[SPEMU_REG_PMUSERENR_EL0], bit);
}

/* PMUSERENR_EL0.EN, or UEN where there is one. */
static bool user_may(const struct clause_context *c)
{
	return user_bit(c, SPEMU_PMUSERENR_EL0_EN_LSB) ||
	       (pe_has(c->pe, SPEMU_FEAT_PMUV3P9) && user_bit(c, SPEMU_PMUSERENR_EL0_UEN_LSB));
}

static bool user_denied(const struct clause_context *c)
{
	if (c->access->bit == SPEMU_PMUSERENR_EL0_TID_LSB)
		return pe_has(c->pe, SPEMU_FEAT_PMUV3P9) &&
		       user_bit(c, SPEMU_PMUSERENR_EL0_TID_LSB);
	return !user_may(c) && (c->write || !user_bit(c, c->access->bit));
}

static bool user_denied_all(const struct clause_context *c)
{
	return !user_may(c) && !user_bit(c, c->access->bit);
}

static bool user_denied_pmcr(const struct clause_context *c)
{
	return !user_bit(c, SPEMU_PMUSERENR_EL0_EN_LSB) ||
	       (pe_has(c->pe, SPEMU_FEAT_PMUV3P9) && user_bit(c, SPEMU_PMUSERENR_EL0_UEN_LSB));
}

static bool user_denied_uen(const struct clause_context *c)
{
	return !user_bit(c, SPEMU_PMUSERENR_EL0_UEN_LSB);
}

static bool user_denied_tge(const struct clause_context *c)
{
	return spemu__pe_tge(c->pe) && user_denied(c);
}

static bool user_denied_all_tge(const struct clause_context *c)
{
	return spemu__pe_tge(c->pe) && user_denied_all(c);
}

static bool user_denied_pmcr_tge(const struct clause_context *c)
{
	return spemu__pe_tge(c->pe) && user_denied_pmcr(c);
}

static bool user_denied_uen_tge(const struct clause_context *c)
{
	return spemu__pe_tge(c->pe) && user_denied_uen(c);
}

/* What every register shares, before its own list. */
static const struct clause shared[] = {
        {"D24.7", "the register is not implemented", "", not_implemented, SPEMU_ACCESS_UNDEFINED},
        {"D24.7", "the access is made at EL0", "PSTATE.EL", undefined_at_el0,
         SPEMU_ACCESS_UNDEFINED},
        /* There is no such MSR, so nothing can trap it. */
        {"D24.7", "the access is an MSR and the register is read-only", "", msr_of_readonly,
         SPEMU_ACCESS_UNDEFINED},
};
enum { SHARED = sizeof(shared) / sizeof(*shared) };

/* What comes before that for the registers of the feature ID space. */
static const struct clause id_space[] = {
        {"D24.2", "an ID register is read at EL0 with FEAT_IDST, and HCR_EL2.TGE is 1",
         "PSTATE.EL HCR_EL2.TGE" EL2_ENABLED, idst_read_under_tge, SPEMU_ACCESS_TRAP_EL2},
        {"D24.2", "an ID register is read at EL0 with FEAT_IDST", "PSTATE.EL", idst_read_at_el0,
         SPEMU_ACCESS_TRAP_EL1},
};
enum { ID_SPACE = sizeof(id_space) / sizeof(*id_space) };

/* Indexed by enum access_clause_id; the value is what the clause decides. */
static const struct clause rows[] = {
        [ACCESS_SDD_NSPB] = {"D24.7",
                             "in Debug state, EDSCR.SDD is 1 and MDCR_EL3.{NSPBE, NSPB} traps",
                             NSPB_FIELDS SDD_FIELDS, sdd_nspb, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_SDD_EL3] = {"D24.7",
                            "in Debug state, EDSCR.SDD is 1 and the enable in MDCR_EL3 is 0", NULL,
                            sdd_el3, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_SDD_PMSEE] = {"D24.7", "in Debug state, EDSCR.SDD is 1 and MDCR_EL3.PMSEE is 0b00",
                              "MDCR_EL3.PMSEE" SDD_FIELDS, sdd_pmsee, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_FGT] = {"D24.2", "the fine-grained trap bit of EL2 is 1", NULL, fgt_set,
                        SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_FGT_N] = {"D24.2", "the fine-grained trap bit of EL2 is 0, which traps", NULL,
                          fgt_clear, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_FGT2_N] = {"D24.2",
                           "the fine-grained trap bit of EL2, or SCR_EL3.FGTEn2, is 0, which traps",
                           NULL, fgt2_clear, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_TPMS] = {"D24.3", "MDCR_EL2.TPMS is 1 and EL2 is enabled",
                         "MDCR_EL2.TPMS" EL2_ENABLED, tpms, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_E2PB] =
                {"D24.3",
                 "MDCR_EL2.E2PB is Effectively 0b00 or 0b10, which traps, and EL2 is enabled",
                 "MDCR_EL2.E2PB" EL2_ENABLED, e2pb, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_NSPB] = {"D24.3",
                         "MDCR_EL3.{NSPBE, NSPB} does not give this Security state the controls",
                         NSPB_FIELDS, nspb, SPEMU_ACCESS_TRAP_EL3},
        [ACCESS_EL3] = {"D24.3", "the enable in MDCR_EL3 is 0", NULL, el3_enable_clear,
                        SPEMU_ACCESS_TRAP_EL3},
        [ACCESS_PMSEE] = {"D24.3", "MDCR_EL3.PMSEE is 0b00", "MDCR_EL3.PMSEE", pmsee_disabled,
                          SPEMU_ACCESS_TRAP_EL3},
        [ACCESS_NV] = {"D24.7", "HCR_EL2.{NV2, NV1, NV} redirects the access to memory", NV_FIELDS,
                       nv_matches, SPEMU_ACCESS_NVMEM},
        [ACCESS_NV_PMBSR] = {"D24.7",
                             "HCR_EL2.{NV2, NV1, NV} and PMSCR_ELx.EE redirect it to memory",
                             NV_FIELDS EXC_FIELDS " PMSCR_EL1.EE", nv_matches_pmbsr,
                             SPEMU_ACCESS_NVMEM},
        [ACCESS_NV_TRAP] = {"D24.7", "HCR_EL2.NV is 1", NV_FIELDS, nv_set, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_IN_HOST] = {"D24.7", "EL2 is not in the EL2&0 regime: HCR_EL2.E2H is 0",
                            IN_HOST_FIELDS, not_in_host, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_ALIAS] = {"D24.7", "HCR_EL2.E2H is 1: the name is an alias of the EL2 register",
                          IN_HOST_FIELDS, in_host, SPEMU_ACCESS_OK},
        [ACCESS_ALIAS_EXC] = {"D24.7",
                              "HCR_EL2.E2H is 1 and PMSCR_EL2.EE is not 0b00: "
                              "the name is an alias of the EL2 register",
                              IN_HOST_FIELDS EXC_FIELDS, in_host_with_exc, SPEMU_ACCESS_OK},
        [ACCESS_TID3] = {"D24.2", "HCR_EL2.TID3 is 1 and EL2 is enabled",
                         "HCR_EL2.TID3" EL2_ENABLED, tid3, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_SDD_EL3_SET] = {"D24.5",
                                "in Debug state, EDSCR.SDD is 1 and the trap in MDCR_EL3 is 1",
                                NULL, sdd_el3_set, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_EL3_SET] = {"D24.3", "the trap in MDCR_EL3 is 1", NULL, el3_bit_set,
                            SPEMU_ACCESS_TRAP_EL3},
        [ACCESS_TPM] = {"D24.3", "MDCR_EL2.TPM is 1 and EL2 is enabled", "MDCR_EL2.TPM" EL2_ENABLED,
                        tpm, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_TPMCR] = {"D24.3", "MDCR_EL2.TPMCR is 1 and EL2 is enabled",
                          "MDCR_EL2.TPMCR" EL2_ENABLED, tpmcr, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_COUNTER] = {"RSRPKH", "the event counter is not implemented", COUNTER_FIELDS,
                            unimplemented_counter, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_HPMN_UNDEFINED] =
                {"DYBKKV",
                 "MDCR_EL2.HPMN reserves the event counter, and without FEAT_FGT that is UNDEFINED",
                 HPMN_FIELDS, reserved_counter_undefined, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_HPMN] = {"DYBKKV", "MDCR_EL2.HPMN reserves the event counter, and EL2 is enabled",
                         HPMN_FIELDS, reserved_counter, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_USER_TGE] = {"IDXSHB", USER_DENIED ", and HCR_EL2.TGE is 1", NULL, user_denied_tge,
                             SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_USER] = {"IDXSHB", USER_DENIED, NULL, user_denied, SPEMU_ACCESS_TRAP_EL1},
        [ACCESS_USER_ALL_TGE] = {"IDXSHB", USER_DENIED ", and HCR_EL2.TGE is 1", NULL,
                                 user_denied_all_tge, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_USER_ALL] = {"IDXSHB", USER_DENIED, NULL, user_denied_all, SPEMU_ACCESS_TRAP_EL1},
        [ACCESS_USER_PMCR_TGE] = {"D24.5.8", USER_PMCR ", and HCR_EL2.TGE is 1",
                                  USER_FIELDS TGE_FIELDS, user_denied_pmcr_tge,
                                  SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_USER_PMCR] = {"D24.5.8", USER_PMCR, USER_FIELDS, user_denied_pmcr,
                              SPEMU_ACCESS_TRAP_EL1},
        [ACCESS_USER_UEN_TGE] = {"D24.5.15", "PMUSERENR_EL0.UEN is 0, and HCR_EL2.TGE is 1",
                                 "PMUSERENR_EL0.UEN" TGE_FIELDS, user_denied_uen_tge,
                                 SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_USER_UEN] = {"D24.5.15", "PMUSERENR_EL0.UEN is 0", "PMUSERENR_EL0.UEN",
                             user_denied_uen, SPEMU_ACCESS_TRAP_EL1},
        [ACCESS_FGT_W] = {"D24.2", "the fine-grained write trap bit of EL2 is 1", NULL,
                          fgt_write_set, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_FGT2_W] = {"D24.2",
                           "the fine-grained write trap bit of EL2, or SCR_EL3.FGTEn2, is 0, "
                           "which traps",
                           NULL, fgt2_write_clear, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_HFGT] = {"D24.2", "the fine-grained trap bit of EL2 is 1", NULL, hfgt_set,
                         SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_VM_CONTROL] = {"D24.2",
                               "HCR_EL2.TVM (writes) or TRVM (reads) is 1, and EL2 is enabled",
                               NULL, vm_control, SPEMU_ACCESS_TRAP_EL2},
        [ACCESS_SDD_SCR] = {"D24.2",
                            "in Debug state, EDSCR.SDD is 1 and the enable in SCR_EL3 is 0", NULL,
                            sdd_scr, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_SCR] = {"D24.2", "the enable in SCR_EL3 is 0", NULL, scr_enable_clear,
                        SPEMU_ACCESS_TRAP_EL3},
        [ACCESS_WRITE_UNDEFINED] = {"D24.5", "the access is an MSR, and read-only at EL0", "",
                                    is_write, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_READ_UNDEFINED] = {"D24.5", "the access is an MRS and the register is write-only",
                                   "", is_read, SPEMU_ACCESS_UNDEFINED},
        [ACCESS_RW] = {"D24.7", "nothing else traps or redirects it", "", clause_always,
                       SPEMU_ACCESS_OK},
        [ACCESS_RO] = {"D24.7", "nothing else traps or redirects it", "", clause_always,
                       SPEMU_ACCESS_OK},
        [ACCESS_UNDEFINED] = {"D24.7", "the name is UNDEFINED at this Exception level", "PSTATE.EL",
                              clause_always, SPEMU_ACCESS_UNDEFINED},
};

const struct clause *spemu__pe_access_clause(struct clause_context *c, unsigned index)
{
	c->access = NULL;
	if (in_id_space(c->desc)) {
		if (index < ID_SPACE)
			return &id_space[index];
		index -= ID_SPACE;
	}
	if (index < SHARED)
		return &shared[index];
	c->access = &c->desc->access[c->pe->state.el][index - SHARED];
	return spemu__pe_access_row(c->access);
}

const struct clause *spemu__pe_access_row(const struct access_clause *access)
{
	return &rows[access->id];
}

const char *spemu__pe_access_fields(const struct clause *clause, const struct clause_context *c)
{
	return clause->fields ? clause->fields : c->access->fields[c->write];
}

/* ESR_ELx.ISS for EC 0x18, without Rt. */
static uint32_t access_iss(uint32_t encoding, bool write)
{
	uint32_t op0 = encoding >> 14 & 3, op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15;
	uint32_t crm = encoding >> 3 & 15, op2 = encoding & 7;

	return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | crm << 1 | !write;
}

void spemu__pe_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                      const struct sysreg_desc *desc, bool write)
{
	spemu__pe_access_nth(pe, result, desc, 0, write);
}

void spemu__pe_access_nth(const struct spemu_pe *pe, struct spemu_access_result *result,
                          const struct sysreg_desc *desc, unsigned n, bool write)
{
	struct clause_context c = {.pe = pe, .desc = desc, .write = write, .index = n};
	const struct clause *row;
	unsigned index = 0;

	do
		row = spemu__pe_access_clause(&c, index++);
	while (!row->holds(&c));
	*result = (struct spemu_access_result){
	        .outcome = (uint8_t)row->value,
	        .reg = desc->reg < 0 ? SPEMU_REG_COUNT : (uint16_t)desc->reg,
	};
	if (row->value != SPEMU_ACCESS_OK)
		result->rule = row->text;
	result->iss = access_iss(desc->encoding + n, write);
	if (!c.access)
		return;
	result->nvmem_offset = c.access->offset;
	if (result->outcome == SPEMU_ACCESS_TRAP_EL3 && sdd_undef(pe))
		result->outcome = SPEMU_ACCESS_UNDEFINED; /* EL3SDDUndef() */
	if (c.access->reg >= 0)
		result->reg = (uint16_t)c.access->reg;
}
