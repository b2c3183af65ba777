/* SPDX-License-Identifier: MIT */
/*
 * How an MSR or MRS ends: the clause lists of arch/sysreg.txt, run in order.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7 "Accessing ..." of each register
 * Implements:  MDCR_EL2.{TPMS,E2PB}, MDCR_EL3.{NSPB,NSPBE,EnPMSN,EnPMS3,EnPMS4,PMSEE} traps,
 *              HDFG{R,W}TR{,2}_EL2, NVMem redirection, E2H aliases
 * Pseudocode:  CheckMDCR_EL3_NSPBTrap(), EL3SDDUndef()
 * Choices:     sdd-undef-priority, reserved-nspb-trap
 */
#include "pe/pe.h"

/* CheckMDCR_EL3_NSPBTrap(). The choice for a reserved value: trapped. */
static bool nspb_trap(const struct pe *pe)
{
	struct nspb nspb = pe_nspb(pe);

	if (!pe_has(pe, SPEMU_EL3))
		return false;
	if (nspb.reserved || !(nspb.bits & 1))
		return true;
	if ((nspb.bits >> 1 & 1) != REG_FIELD(pe, SCR_EL3, NS))
		return true;
	return pe_has(pe, SPEMU_FEAT_RME) && (nspb.bits >> 2) != REG_FIELD(pe, SCR_EL3, NSE);
}

/* The fine-grained trap registers apply only if EL3, where there is one, lets them. */
static bool fgt_bit(const struct pe *pe, unsigned bit, bool write, bool trap_value)
{
	uint64_t value = pe->reg[write ? SPEMU_REG_HDFGWTR_EL2 : SPEMU_REG_HDFGRTR_EL2];

	if (!pe_el2_enabled(pe) || !pe_has(pe, SPEMU_FEAT_FGT))
		return false;
	if (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, FGTEn))
		return false;
	return bit_is_set(value, bit) == trap_value;
}

/* With FEAT_FGT2, SCR_EL3.FGTEn2 == 0 traps as if the (negative) bit were 0. */
static bool fgt2_bit(const struct pe *pe, unsigned bit, bool write)
{
	uint64_t value = pe->reg[write ? SPEMU_REG_HDFGWTR2_EL2 : SPEMU_REG_HDFGRTR2_EL2];

	if (!pe_el2_enabled(pe) || !pe_has(pe, SPEMU_FEAT_FGT2))
		return false;
	if (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, FGTEn2))
		return true;
	return !bit_is_set(value, bit);
}

static bool el3_bit_clear(const struct pe *pe, unsigned bit)
{
	return pe_has(pe, SPEMU_EL3) && !bit_is_set(pe->reg[SPEMU_REG_MDCR_EL3], bit);
}

/* EL3SDDUndef() with the choice that an EL3 trap has priority. */
static bool sdd_undef(const struct pe *pe)
{
	return pe->state.debug && pe->state.edscr_sdd;
}

static bool nv_pmbsr(const struct pe *pe)
{
	unsigned nvx = pe_hcr_nvx(pe);

	return (nvx & 5) == 5 &&
	       (pe_pmscr_el2_ee(pe) == 0 || REG_FIELD(pe, PMSCR_EL1, EE) == 0 || nvx == 7);
}

/* Whether a clause applies, and what follows from it. ACCESS_RW as outcome means: go on. */
static bool clause_applies(const struct pe *pe, const struct access_clause *c, bool write)
{
	switch ((enum access_clause_id)c->id) {
	case ACCESS_SDD_NSPB:
		return sdd_undef(pe) && nspb_trap(pe);
	case ACCESS_SDD_EL3:
		return sdd_undef(pe) && el3_bit_clear(pe, c->bit);
	case ACCESS_SDD_PMSEE:
		return sdd_undef(pe) && pe_has(pe, SPEMU_EL3) && pe_pmsee(pe) == 0;
	case ACCESS_FGT:
		return fgt_bit(pe, c->bit, write, true);
	case ACCESS_FGT_N:
		return fgt_bit(pe, c->bit, write, false);
	case ACCESS_FGT2_N:
		return fgt2_bit(pe, c->bit, write);
	case ACCESS_TPMS:
		return pe_el2_enabled(pe) && REG_FIELD(pe, MDCR_EL2, TPMS);
	case ACCESS_E2PB:
		return pe_el2_enabled(pe) && !(REG_FIELD(pe, MDCR_EL2, E2PB) & 1);
	case ACCESS_NSPB:
		return nspb_trap(pe);
	case ACCESS_EL3:
		return el3_bit_clear(pe, c->bit);
	case ACCESS_PMSEE:
		return pe_has(pe, SPEMU_EL3) && pe_pmsee(pe) == 0;
	case ACCESS_NV:
		return (pe_hcr_nvx(pe) & c->mask) == c->value;
	case ACCESS_NV_PMBSR:
		return nv_pmbsr(pe);
	case ACCESS_NV_TRAP:
		return pe_hcr_nvx(pe) & 1;
	case ACCESS_IN_HOST:
		return !pe_el_is_in_host(pe, 2);
	case ACCESS_ALIAS:
		return pe_el_is_in_host(pe, 2);
	case ACCESS_ALIAS_EXC:
		return pe_pmscr_el2_ee(pe) != 0 && pe_el_is_in_host(pe, 2);
	case ACCESS_RO:
		return write;
	case ACCESS_RW:
	case ACCESS_UNDEFINED:
		return true;
	}
	return true;
}

/* Indexed by enum access_clause_id: what an applying clause decides, and its words. */
static const struct {
	uint8_t outcome;
	const char *rule;
} decision[] = {
        [ACCESS_SDD_NSPB] = {SPEMU_ACCESS_UNDEFINED, "MDCR_EL3.{NSPBE,NSPB}, EDSCR.SDD is 1"},
        [ACCESS_SDD_EL3] = {SPEMU_ACCESS_UNDEFINED, "MDCR_EL3 enable is 0, EDSCR.SDD is 1"},
        [ACCESS_SDD_PMSEE] = {SPEMU_ACCESS_UNDEFINED, "MDCR_EL3.PMSEE is 0b00, EDSCR.SDD is 1"},
        [ACCESS_FGT] = {SPEMU_ACCESS_TRAP_EL2, "fine-grained trap"},
        [ACCESS_FGT_N] = {SPEMU_ACCESS_TRAP_EL2, "fine-grained trap"},
        [ACCESS_FGT2_N] = {SPEMU_ACCESS_TRAP_EL2, "fine-grained trap"},
        [ACCESS_TPMS] = {SPEMU_ACCESS_TRAP_EL2, "MDCR_EL2.TPMS is 1"},
        [ACCESS_E2PB] = {SPEMU_ACCESS_TRAP_EL2, "MDCR_EL2.E2PB traps EL1"},
        [ACCESS_NSPB] = {SPEMU_ACCESS_TRAP_EL3, "MDCR_EL3.{NSPBE,NSPB}"},
        [ACCESS_EL3] = {SPEMU_ACCESS_TRAP_EL3, "MDCR_EL3 enable is 0"},
        [ACCESS_PMSEE] = {SPEMU_ACCESS_TRAP_EL3, "MDCR_EL3.PMSEE is 0b00"},
        [ACCESS_NV] = {SPEMU_ACCESS_NVMEM, "HCR_EL2.{NV2,NV1,NV}"},
        [ACCESS_NV_PMBSR] = {SPEMU_ACCESS_NVMEM, "HCR_EL2.{NV2,NV1,NV}"},
        [ACCESS_NV_TRAP] = {SPEMU_ACCESS_TRAP_EL2, "HCR_EL2.NV is 1"},
        [ACCESS_IN_HOST] = {SPEMU_ACCESS_UNDEFINED, "HCR_EL2.E2H is 0"},
        [ACCESS_ALIAS] = {SPEMU_ACCESS_OK, NULL},
        [ACCESS_ALIAS_EXC] = {SPEMU_ACCESS_OK, NULL},
        [ACCESS_RW] = {SPEMU_ACCESS_OK, NULL},
        [ACCESS_RO] = {SPEMU_ACCESS_UNDEFINED, "the register is read-only"},
        [ACCESS_UNDEFINED] = {SPEMU_ACCESS_UNDEFINED, "UNDEFINED at this Exception level"},
};

/* ESR_ELx.ISS for EC 0x18, without Rt. */
static uint32_t access_iss(uint32_t encoding, bool write)
{
	uint32_t op0 = encoding >> 14 & 3, op1 = encoding >> 11 & 7, crn = encoding >> 7 & 15;
	uint32_t crm = encoding >> 3 & 15, op2 = encoding & 7;

	return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | crm << 1 | !write;
}

void pe_access(const struct pe *pe, struct spemu_access_result *result, enum spemu_reg *target,
               const struct sysreg_desc *desc, bool write)
{
	const struct access_clause *c;

	*target = (enum spemu_reg)desc->reg;
	*result = (struct spemu_access_result){.outcome = SPEMU_ACCESS_UNDEFINED};
	if (!guard_holds(&desc->guard, &pe->features)) {
		result->rule = "the feature is not implemented";
		return;
	}
	if (pe->state.el == 0) {
		result->rule = "UNDEFINED at EL0";
		return;
	}
	if (write && desc->readonly) { /* there is no such MSR, so nothing can trap it */
		result->rule = "the register is read-only";
		return;
	}
	c = desc->access[pe->state.el - 1];
	while (!clause_applies(pe, c, write)) {
		if (c->id == ACCESS_RO) { /* a read of a read-only register */
			result->outcome = SPEMU_ACCESS_OK;
			return;
		}
		c++;
	}
	result->outcome = decision[c->id].outcome;
	result->rule = decision[c->id].rule;
	result->nvmem_offset = c->offset;
	result->iss = access_iss(desc->encoding, write);
	if (result->outcome == SPEMU_ACCESS_TRAP_EL3 && sdd_undef(pe))
		result->outcome = SPEMU_ACCESS_UNDEFINED; /* EL3SDDUndef() */
	if (c->reg >= 0)
		*target = (enum spemu_reg)c->reg;
}
