/* SPDX-License-Identifier: MIT */
/*
 * Register values: the effect of writes, and the results of reads.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7
 */
#include "spu/spu_object.h"

/* Return the writable bits of a register. PMSCR_EL2.{E2SPE, E0HSPE} are RES0 while the Effective
 * MDCR_EL2.E2PB is not 0b00. */
uint64_t spemu__register_writable(const struct spemu_spu *s, enum spemu_reg reg)
{
	uint64_t mask = s->pe->mask[reg];

	if (reg == SPEMU_REG_PMSCR_EL2 && spemu__pe_e2pb(s->pe) != 0)
		mask &= ~(BIT64(SPEMU_PMSCR_EL2_E2SPE_LSB) | BIT64(SPEMU_PMSCR_EL2_E0HSPE_LSB));
	return mask;
}

uint64_t spemu__register_shows(const struct spemu_spu *s, enum spemu_reg reg, uint64_t stored)
{
	uint64_t value = stored & spemu__register_writable(s, reg);

	if (reg == SPEMU_REG_PMSIDR_EL1)
		return spemu__identify_pmsidr(s);
	if (reg == SPEMU_REG_PMBIDR_EL1)
		return spemu__identify_pmbidr(s);
	if (reg == SPEMU_REG_PMSCR_EL1 && !spu_has(s, SPEMU_EL2)) /* PCT reads as 0b01 */
		value |= UINT64_C(1) << SPEMU_PMSCR_EL1_PCT_LSB;
	return value | spemu__identify_id_register(s, reg);
}

static bool readonly(enum spemu_reg reg)
{
	return reg == SPEMU_REG_PMSIDR_EL1 || reg == SPEMU_REG_PMBIDR_EL1;
}

/*
 * Return true if a write to the register may begin or end a use of the Profiling Buffer (D17.7.4).
 */
static bool is_of_buffer(enum spemu_reg reg)
{
	return reg == SPEMU_REG_PMBPTR_EL1 || reg == SPEMU_REG_PMBLIMITR_EL1 ||
	       reg == SPEMU_REG_PMBSR_EL1 || reg == SPEMU_REG_PMBSR_EL2 ||
	       reg == SPEMU_REG_PMBSR_EL3;
}

void spemu__register_write(struct spemu_spu *s, enum spemu_reg reg, uint64_t value)
{
	uint64_t mask = spemu__register_writable(s, reg);

	if (readonly(reg))
		return;
	s->pe->reg[reg] = (s->pe->reg[reg] & ~mask) | (value & mask);
	s->pe->generation++;
	s->change = CHANGE_NOTED;
	s->restart_check_due |= is_of_buffer(reg);
}

bool spemu__register_is_ours(const struct sysreg_desc *desc)
{
	return desc && !desc->host_owned && desc->unit == UNIT_SPU;
}
