/* SPDX-License-Identifier: MIT */
/*
 * MSR and MRS of the System registers, and the host's own view of them.
 *
 * Arm ARM:     DDI 0487 M.a, D24.7
 */
#include "spu/spu.h"

/* PMSCR_EL2.{E2SPE, E0HSPE} are RES0 while MDCR_EL2.E2PB is Effectively not 0b00. */
uint64_t spemu__register_writable(const struct spemu *s, enum spemu_reg reg)
{
	uint64_t mask = s->pe->mask[reg];

	if (reg == SPEMU_REG_PMSCR_EL2 && spemu__pe_e2pb(s->pe) != 0)
		mask &= ~BITMASK(1, 0);
	return mask;
}

uint64_t spemu__register_shows(const struct spemu *s, enum spemu_reg reg, uint64_t stored)
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

/* Registers whose write may begin or end a use of the Profiling Buffer (D17.7.4). */
static bool is_of_buffer(enum spemu_reg reg)
{
	return reg == SPEMU_REG_PMBPTR_EL1 || reg == SPEMU_REG_PMBLIMITR_EL1 ||
	       reg == SPEMU_REG_PMBSR_EL1 || reg == SPEMU_REG_PMBSR_EL2 ||
	       reg == SPEMU_REG_PMBSR_EL3;
}

/* Without what follows from it: spemu__spu_update(). */
void spemu__register_write(struct spemu *s, enum spemu_reg reg, uint64_t value)
{
	uint64_t mask = spemu__register_writable(s, reg);

	if (readonly(reg))
		return;
	if (reg == SPEMU_REG_PMBPTR_EL1) /* RMYXZK: an event still to come is about the old one */
		spemu__manage_late_fault(s);
	s->pe->reg[reg] = (s->pe->reg[reg] & ~mask) | (value & mask);
	s->pe->generation++;
	s->unchecked |= is_of_buffer(reg);
}

static void write_value(struct spemu *s, enum spemu_reg reg, uint64_t value)
{
	spemu__register_write(s, reg, value);
	spemu__spu_update(s);
}

static void write_by_software(struct spemu *s, enum spemu_reg reg, uint64_t value)
{
	if (s->vm.ignore_writes_while_enabled && spemu__vm_ignores(s, reg, value)) {
		if (s->strict_on)
			spemu__spu_diagnose_register(s, DIAGNOSE_VM_IGNORED, reg, value);
	} else if (s->strict_on) {
		spemu__strict_msr(s, reg, value);
	} else {
		write_value(s, reg, value);
	}
}

int spemu_msr(struct spemu *spu, struct spemu_access_result *result, uint32_t encoding,
              uint64_t value)
{
	const struct sysreg_desc *desc = spemu__sysreg_by_encoding(encoding);
	enum spemu_reg reg;

	if (!desc || desc->host_owned || desc->unit != UNIT_SPU)
		return SPEMU_ERR_NOT_SUPPORTED;
	spemu__pe_access(spu->pe, result, &reg, desc, true);
	if (result->outcome == SPEMU_ACCESS_OK)
		write_by_software(spu, reg, value);
	pe_choices_used(spu->pe);
	return SPEMU_OK;
}

int spemu_mrs(struct spemu *spu, struct spemu_access_result *result, uint64_t *value,
              uint32_t encoding)
{
	const struct sysreg_desc *desc = spemu__sysreg_by_encoding(encoding);
	enum spemu_reg reg;

	if (!desc || desc->host_owned || desc->unit != UNIT_SPU)
		return SPEMU_ERR_NOT_SUPPORTED;
	spemu__pe_access(spu->pe, result, &reg, desc, false);
	if (result->outcome == SPEMU_ACCESS_OK)
		*value = spu->strict_on ? spemu__strict_mrs(spu, reg)
		                        : spemu__register_shows(spu, reg, spu->pe->reg[reg]);
	pe_choices_used(spu->pe);
	return SPEMU_OK;
}

int spemu_access_check(const struct spemu *spu, struct spemu_access_result *result,
                       uint32_t encoding, bool write)
{
	const struct sysreg_desc *desc = spemu__sysreg_by_encoding(encoding);
	enum spemu_reg reg;

	if (!desc || desc->host_owned || desc->unit != UNIT_SPU)
		return SPEMU_ERR_NOT_SUPPORTED;
	spemu__pe_access(spu->pe, result, &reg, desc, write);
	return SPEMU_OK;
}

bool spemu__register_get(const struct spemu *s, uint64_t *value, enum spemu_reg reg)
{
	*value = spemu__register_shows(s, reg, spemu__strict_direct(s, reg));
	return true;
}

bool spemu__register_set(struct spemu *s, enum spemu_reg reg, uint64_t value)
{
	if (s->strict_on)
		spemu__strict_set(s, reg, value);
	else
		spemu__register_write(s, reg, value);
	return true;
}
