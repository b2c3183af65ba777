/* SPDX-License-Identifier: MIT */
/*
 * MSR and MRS of the PMU's registers, and the host's access to them.
 *
 * Arm ARM:     DDI 0487 M.a, D13.11, D24.5
 * Implements:  IDXWRB IDXSHB IKPPZZ RNNBYQ IKGJMV, Tables D13-11 and D13-12
 * Pseudocode:  GetPMUAccessMask(), GetPMUReadMask(), GetPMUWriteMask(), ZeroPMUCounters()
 */
#include "pe/choose.h"
#include "pmu/pmu_object.h"

/* Return the register of an encoding, or NULL if the PMU does not have it. */
static const struct sysreg_desc *desc_of(uint32_t encoding)
{
	const struct sysreg_desc *d = spemu__sysreg_by_encoding(encoding);

	return d && d->unit == UNIT_PMU ? d : NULL;
}

/* Return the number of event counters that the current Exception level may access. */
static unsigned accessible(const struct spemu_pe *pe)
{
	return pe->state.el < 2 && spemu__pe_el2_enabled(pe) ? spemu__pe_pmu_hpmn(pe)
	                                                     : spemu__pe_pmu_counters(pe);
}

/* Return true if PMUSERENR_EL0.UEN has an effect. This is the case at EL0, where PMUACR_EL1 then
 * controls accesses. */
static bool user_access_control(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_FEAT_PMUV3P9) && pe->state.el == 0 &&
	       !(pe->state.el_aarch32 & 1u << 1) && REG_FIELD(pe, PMUSERENR_EL0, UEN);
}

static uint64_t access_mask(const struct spemu_pe *pe)
{
	uint64_t mask = BIT64(SPEMU_PMU_CYCLE_COUNTER) | (BIT64(accessible(pe)) - 1);

	if (pe_has(pe, SPEMU_FEAT_PMUV3_ICNTR) && !pe->state.aarch32 &&
	    (pe->state.el || REG_FIELD(pe, PMUSERENR_EL0, UEN)))
		mask |= BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	if (user_access_control(pe))
		mask &= pe->reg[SPEMU_REG_PMUACR_EL1];
	return mask;
}

/* Remove the bit of the instruction counter if accesses to its filter register, or to the
 * counter, would be trapped. */
static uint64_t without_trapped_instructions(const struct spemu_pe *pe, uint64_t mask,
                                             enum spemu_reg reg, unsigned bit)
{
	bool trapped =
	        pe_has(pe, SPEMU_EL3) && pe->state.el != 3 && !REG_FIELD(pe, MDCR_EL3, EnPM2);
	bool host = spemu__pe_hcr_e2h(pe) && spemu__pe_tge(pe);

	if (pe->state.el < 2 && spemu__pe_el2_enabled(pe) && !host)
		trapped = trapped || (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, FGTEn2)) ||
		          !bit_is_set(pe->reg[reg], bit);
	return trapped ? mask & ~BIT64(SPEMU_PMU_INSTRUCTION_COUNTER) : mask;
}

static uint64_t read_mask(const struct spemu_pe *pe)
{
	return without_trapped_instructions(pe, access_mask(pe), SPEMU_REG_HDFGRTR2_EL2,
	                                    SPEMU_HDFGRTR2_EL2_nPMICFILTR_EL0_LSB);
}

/* Return a bit set of the counters that software may write. counters selects the counters
 * themselves (PMZR_EL0) or their controls. */
static uint64_t write_mask(const struct spemu_pe *pe, bool counters)
{
	uint64_t mask = access_mask(pe);

	if (user_access_control(pe)) {
		if (REG_FIELD(pe, PMUSERENR_EL0, IR))
			mask &= ~BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
		if (REG_FIELD(pe, PMUSERENR_EL0, CR))
			mask &= ~BIT64(SPEMU_PMU_CYCLE_COUNTER);
		if (REG_FIELD(pe, PMUSERENR_EL0, ER))
			mask &= ~BITMASK(30, 0);
	}
	return without_trapped_instructions(pe, mask, SPEMU_REG_HDFGWTR2_EL2,
	                                    counters ? SPEMU_HDFGWTR2_EL2_nPMICNTR_EL0_LSB
	                                             : SPEMU_HDFGWTR2_EL2_nPMICFILTR_EL0_LSB);
}

/* Return true if EL0 may read or write a counter or its filter. If not, the register is RAZ/WI. */
static bool user_may(const struct spemu_pe *pe, unsigned n, bool write)
{
	static const uint8_t readonly[3] = {SPEMU_PMUSERENR_EL0_ER_LSB, SPEMU_PMUSERENR_EL0_CR_LSB,
	                                    SPEMU_PMUSERENR_EL0_IR_LSB};
	unsigned kind = n < SPEMU_PMU_CYCLE_COUNTER ? 0 : n - SPEMU_PMU_CYCLE_COUNTER + 1;

	if (!user_access_control(pe))
		return true;
	return bit_is_set(pe->reg[SPEMU_REG_PMUACR_EL1], n) &&
	       (!write || !bit_is_set(pe->reg[SPEMU_REG_PMUSERENR_EL0], readonly[kind]));
}

uint64_t spemu__pmu_type_mask(const struct spemu_pmu *p, unsigned n)
{
	uint32_t encoding = n == SPEMU_PMU_CYCLE_COUNTER         ? SPEMU_SYSREG_PMCCFILTR_EL0
	                    : n == SPEMU_PMU_INSTRUCTION_COUNTER ? SPEMU_SYSREG_PMICFILTR_EL0
	                                                         : SPEMU_SYSREG_PMEVTYPERn_EL0(0);

	return spemu__sysreg_mask(desc_of(encoding), &p->pe->features);
}

/* Return PMCEID0_EL0, PMCEID1_EL0 or PMMIR_EL1. */
uint64_t spemu__pmu_identify(const struct spemu_pmu *p, uint32_t encoding)
{
	const uint64_t *common = p->config.common_events;
	bool second = encoding == SPEMU_SYSREG_PMCEID1_EL0;
	uint64_t mask = spemu__sysreg_mask(desc_of(encoding), &p->pe->features);

	if (encoding == SPEMU_SYSREG_PMMIR_EL1)
		return p->config.slots | (uint64_t)pmu_has(p, SPEMU_FEAT_PMUV3_SME)
		                                 << SPEMU_PMMIR_EL1_SME_LSB;
	if (!common[0] && !common[1])
		return second ? 0
		              : BIT64(SPEMU_PMU_SW_INCR) | BIT64(SPEMU_PMU_INST_RETIRED) |
		                        BIT64(SPEMU_PMU_CPU_CYCLES) | BIT64(SPEMU_PMU_CHAIN);
	return common[second] & mask;
}

/* The counter register that an encoding selects: its bank and the number of the counter. */
enum bank { BANK_NONE, BANK_COUNTER, BANK_TYPE, BANK_SAVED };
struct place {
	enum bank bank;
	unsigned n;
};

static struct place place_of(const struct spemu_pmu *p, const struct sysreg_desc *d, unsigned index)
{
	unsigned sel = (unsigned)REG_FIELD(p->pe, PMSELR_EL0, SEL);

	switch (d->encoding) {
	case SPEMU_SYSREG_PMEVCNTRn_EL0(0):
		return (struct place){BANK_COUNTER, index};
	case SPEMU_SYSREG_PMXEVCNTR_EL0:
		return (struct place){BANK_COUNTER, sel};
	case SPEMU_SYSREG_PMCCNTR_EL0:
		return (struct place){BANK_COUNTER, SPEMU_PMU_CYCLE_COUNTER};
	case SPEMU_SYSREG_PMICNTR_EL0:
		return (struct place){BANK_COUNTER, SPEMU_PMU_INSTRUCTION_COUNTER};
	case SPEMU_SYSREG_PMEVTYPERn_EL0(0):
		return (struct place){BANK_TYPE, index};
	case SPEMU_SYSREG_PMXEVTYPER_EL0:
		return (struct place){BANK_TYPE, sel};
	case SPEMU_SYSREG_PMCCFILTR_EL0:
		return (struct place){BANK_TYPE, SPEMU_PMU_CYCLE_COUNTER};
	case SPEMU_SYSREG_PMICFILTR_EL0:
		return (struct place){BANK_TYPE, SPEMU_PMU_INSTRUCTION_COUNTER};
	case SPEMU_SYSREG_PMEVCNTSVRn_EL1(0):
		return (struct place){BANK_SAVED, index};
	case SPEMU_SYSREG_PMCCNTSVR_EL1:
		return (struct place){BANK_SAVED, SPEMU_PMU_CYCLE_COUNTER};
	case SPEMU_SYSREG_PMICNTSVR_EL1:
		return (struct place){BANK_SAVED, SPEMU_PMU_INSTRUCTION_COUNTER};
	}
	return (struct place){BANK_NONE, 0};
}

static bool flags_register(const struct sysreg_desc *d)
{
	return d->reg == SPEMU_REG_PMCNTENSET_EL0 || d->reg == SPEMU_REG_PMINTENSET_EL1 ||
	       d->reg == SPEMU_REG_PMOVSSET_EL0;
}

/* Return the value of a register that the PE stores, without the effects of the current state. */
static uint64_t pe_value(const struct spemu_pmu *p, const struct sysreg_desc *d)
{
	uint64_t value = p->pe->reg[d->reg] & p->pe->mask[d->reg];

	if (d->reg == SPEMU_REG_PMCR_EL0 && !pmu_has(p, SPEMU_FEAT_AA32)) /* LC is RES1 */
		value |= BIT64(SPEMU_PMCR_EL0_LC_LSB);
	return value;
}

static uint64_t bank_value(const struct spemu_pmu *p, struct place at)
{
	if (!pmu_has_counter(p, at.n))
		return 0;
	if (at.bank == BANK_COUNTER)
		return spemu__pmu_counter_read(p, at.n);
	return at.bank == BANK_TYPE ? pmu_type(p, at.n) : p->saved[at.n];
}

static uint64_t software_read(struct spemu_pmu *p, const struct sysreg_desc *d, unsigned index)
{
	struct place at = place_of(p, d, index);
	const struct spemu_pe *pe = p->pe;

	if (at.bank == BANK_SAVED)
		return spemu__pmu_snapshot(p, at.n);
	if (at.bank != BANK_NONE)
		return user_may(pe, at.n, false) ? bank_value(p, at) : 0;
	if (d->reg < 0)
		return spemu__pmu_identify(p, d->encoding);
	if (flags_register(d))
		return pe_value(p, d) & read_mask(pe);
	if (d->reg == SPEMU_REG_PMSSCR_EL1)
		return spemu__pmu_pmsscr(p, true);
	if (d->reg == SPEMU_REG_PMCR_EL0)
		return bits_set(pe_value(p, d), 15, 11, accessible(pe));
	if (d->reg == SPEMU_REG_PMUACR_EL1) /* RAZ/WI above the accessible event counters */
		return pe_value(p, d) & (BITMASK(32, 31) | (BIT64(accessible(pe)) - 1));
	return pe_value(p, d);
}

static void zero_counters(struct spemu_pmu *p, uint64_t counters)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS && counters >> n; n++)
		if (bit_is_set(counters, n))
			spemu__pmu_counter_write(p, n, 0);
}

void spemu__pmu_write_pmcr(struct spemu_pmu *p, uint64_t value, uint64_t resettable)
{
	const uint64_t writable = BIT64(SPEMU_PMCR_EL0_FZS_LSB) | BIT64(SPEMU_PMCR_EL0_FZO_LSB) |
	                          BIT64(SPEMU_PMCR_EL0_LP_LSB) | BIT64(SPEMU_PMCR_EL0_LC_LSB) |
	                          BIT64(SPEMU_PMCR_EL0_DP_LSB) | BIT64(SPEMU_PMCR_EL0_D_LSB) |
	                          BIT64(SPEMU_PMCR_EL0_E_LSB);
	uint64_t mask = writable & p->pe->mask[SPEMU_REG_PMCR_EL0];
	uint64_t *reg = &p->pe->reg[SPEMU_REG_PMCR_EL0];

	*reg = (*reg & ~mask) | (value & mask);
	if (bit_is_set(value, SPEMU_PMCR_EL0_P_LSB))
		zero_counters(p, resettable & BITMASK(30, 0));
	if (bit_is_set(value, SPEMU_PMCR_EL0_C_LSB))
		zero_counters(p, BIT64(SPEMU_PMU_CYCLE_COUNTER));
}

/* Set or clear flags, depending on the register that software wrote (W1S or W1C). */
static void write_flags(struct spemu_pmu *p, const struct sysreg_desc *d, uint64_t bits)
{
	uint64_t *reg = &p->pe->reg[d->reg];
	bool clears = d->encoding == SPEMU_SYSREG_PMCNTENCLR_EL0 ||
	              d->encoding == SPEMU_SYSREG_PMINTENCLR_EL1 ||
	              d->encoding == SPEMU_SYSREG_PMOVSCLR_EL0;

	bits &= pmu_mask(p);
	*reg = clears ? *reg & ~bits : *reg | bits;
}

static void software_increment(struct spemu_pmu *p, uint64_t value)
{
	const struct spemu_pe *pe = p->pe;

	value &= BIT64(accessible(pe)) - 1;
	if (user_access_control(pe) && !REG_FIELD(pe, PMUSERENR_EL0, SW))
		value &= pe->reg[SPEMU_REG_PMUACR_EL1];
	spemu__pmu_software_increment(p, value);
}

static void write_pe_value(struct spemu_pmu *p, const struct sysreg_desc *d, uint64_t value,
                           uint64_t mask)
{
	uint64_t *reg = &p->pe->reg[d->reg];

	mask &= p->pe->mask[d->reg];
	*reg = (*reg & ~mask) | (value & mask);
}

static void set_bank(struct spemu_pmu *p, struct place at, uint64_t value)
{
	if (at.bank == BANK_COUNTER)
		spemu__pmu_counter_write(p, at.n, value);
	else if (at.bank == BANK_TYPE)
		p->type[at.n] = value & spemu__pmu_type_mask(p, at.n);
	else
		p->saved[at.n] = p->visible[at.n] = value;
}

static void software_write(struct spemu_pmu *p, const struct sysreg_desc *d, unsigned index,
                           uint64_t value)
{
	struct place at = place_of(p, d, index);
	const struct spemu_pe *pe = p->pe;

	if (at.bank != BANK_NONE) {
		if (!user_may(pe, at.n, true))
			return;
		set_bank(p, at, value);
	} else if (d->encoding == SPEMU_SYSREG_PMZR_EL0) {
		zero_counters(p, value & write_mask(pe, true));
	} else if (d->encoding == SPEMU_SYSREG_PMSWINC_EL0) {
		software_increment(p, value);
	} else if (flags_register(d)) {
		write_flags(p, d, value & write_mask(pe, false));
	} else if (d->reg == SPEMU_REG_PMCR_EL0) {
		spemu__pmu_write_pmcr(p, value, write_mask(pe, true));
	} else if (d->reg == SPEMU_REG_PMSSCR_EL1) {
		spemu__pmu_capture_write(p, value, ~UINT64_C(0), true);
	} else if (d->reg == SPEMU_REG_PMUACR_EL1) {
		write_pe_value(p, d, value, BITMASK(32, 31) | (BIT64(accessible(pe)) - 1));
	} else {
		write_pe_value(p, d, value, ~UINT64_C(0));
	}
	p->pe->generation++;
	spemu__pmu_changed(p);
}

/* Check an MSR or MRS. Return its register, or NULL if the register does not belong to the PMU. */
static const struct sysreg_desc *
check(const struct spemu_pmu *p, struct spemu_access_result *result, uint32_t encoding, bool write)
{
	const struct sysreg_desc *d = desc_of(encoding);

	*result = (struct spemu_access_result){0};
	if (d)
		spemu__pe_access_nth(p->pe, result, d, encoding - d->encoding, write);
	return d;
}

int spemu_pmu_access_check(const struct spemu_pmu *p, struct spemu_access_result *result,
                           uint32_t encoding, bool write)
{
	return check(p, result, encoding, write) ? SPEMU_OK : SPEMU_ERR_NOT_SUPPORTED;
}

int spemu_pmu_msr(struct spemu_pmu *p, struct spemu_access_result *result, uint32_t encoding,
                  uint64_t value)
{
	const struct sysreg_desc *d = check(p, result, encoding, true);

	if (!d)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (result->outcome == SPEMU_ACCESS_OK)
		software_write(p, d, encoding - d->encoding, value);
	pe_choices_used(p->pe);
	return SPEMU_OK;
}

int spemu_pmu_mrs(struct spemu_pmu *p, struct spemu_access_result *result, uint64_t *value,
                  uint32_t encoding)
{
	const struct sysreg_desc *d = check(p, result, encoding, false);

	*value = 0;
	if (!d)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (result->outcome == SPEMU_ACCESS_OK)
		*value = software_read(p, d, encoding - d->encoding);
	pe_choices_used(p->pe);
	return SPEMU_OK;
}

/* Return the register of a permitted register access, or NULL if the access was not permitted. */
static const struct sysreg_desc *permitted(const struct spemu_access_result *access,
                                           uint32_t encoding)
{
	const struct sysreg_desc *d = desc_of(encoding);
	bool same = d && access->reg == (d->reg < 0 ? SPEMU_REG_COUNT : d->reg);

	return same && access->outcome == SPEMU_ACCESS_OK ? d : NULL;
}

int spemu_pmu_msr_permitted(struct spemu_pmu *p, const struct spemu_access_result *access,
                            uint32_t encoding, uint64_t value)
{
	const struct sysreg_desc *d = permitted(access, encoding);

	if (!d || d->readonly)
		return SPEMU_ERR_INVALID;
	software_write(p, d, encoding - d->encoding, value);
	pe_choices_used(p->pe);
	return SPEMU_OK;
}

int spemu_pmu_mrs_permitted(struct spemu_pmu *p, uint64_t *value,
                            const struct spemu_access_result *access, uint32_t encoding)
{
	const struct sysreg_desc *d = permitted(access, encoding);

	*value = 0;
	if (!d || d->writeonly)
		return SPEMU_ERR_INVALID;
	*value = software_read(p, d, encoding - d->encoding);
	pe_choices_used(p->pe);
	return SPEMU_OK;
}

bool spemu__pmu_pe_reg_get(const void *pmu, uint64_t *value, enum spemu_reg reg)
{
	const struct sysreg_desc *d = spemu__sysreg_desc_of(reg);

	if (d->unit != UNIT_PMU)
		return false;
	*value = pe_value(pmu, d);
	return true;
}

bool spemu__pmu_pe_reg_set(void *pmu, enum spemu_reg reg, uint64_t value)
{
	struct spemu_pmu *p = pmu;
	const struct sysreg_desc *d = spemu__sysreg_desc_of(reg);

	if (d->unit != UNIT_PMU)
		return false;
	if (reg == SPEMU_REG_PMCR_EL0)
		spemu__pmu_write_pmcr(
		        p, value & ~(BIT64(SPEMU_PMCR_EL0_P_LSB) | BIT64(SPEMU_PMCR_EL0_C_LSB)), 0);
	else if (reg == SPEMU_REG_PMSSCR_EL1) /* the write does not end an ongoing Capture */
		write_pe_value(p, d, value, BIT64(SPEMU_PMSSCR_EL1_NC_LSB));
	else if (!d->readonly)
		write_pe_value(p, d, value, flags_register(d) ? pmu_mask(p) : ~UINT64_C(0));
	p->pe->generation++;
	return true;
}

int spemu_pmu_reg_get(const struct spemu_pmu *p, uint64_t *value, uint32_t encoding)
{
	const struct sysreg_desc *d = desc_of(encoding);
	struct place at;

	*value = 0;
	if (!d)
		return SPEMU_ERR_INVALID;
	at = place_of(p, d, encoding - d->encoding);
	if (at.bank != BANK_NONE)
		*value = bank_value(p, at);
	else if (d->reg >= 0)
		*value = pe_value(p, d);
	else
		*value = d->writeonly ? 0 : spemu__pmu_identify(p, encoding);
	return SPEMU_OK;
}

int spemu_pmu_reg_set(struct spemu_pmu *p, uint32_t encoding, uint64_t value)
{
	const struct sysreg_desc *d = desc_of(encoding);
	struct place at;

	if (!d)
		return SPEMU_ERR_INVALID;
	at = place_of(p, d, encoding - d->encoding);
	if ((at.bank != BANK_NONE && !pmu_has_counter(p, at.n)) ||
	    (at.bank == BANK_NONE && d->reg < 0) || (d->readonly && at.bank != BANK_SAVED))
		return SPEMU_ERR_INVALID;
	if (at.bank == BANK_NONE)
		return spemu_reg_set(p->pe, (enum spemu_reg)d->reg, value);
	set_bank(p, at, value);
	p->pe->generation++;
	return SPEMU_OK;
}
