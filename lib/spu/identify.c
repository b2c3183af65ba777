/* SPDX-License-Identifier: MIT */
/*
 * What the SPU says of itself: PMSIDR_EL1, PMBIDR_EL1, and the bits of other registers that its
 * properties make RES0 or RAZ/WI.
 *
 * Arm ARM:     DDI 0487 M.a, D24.2, D24.7.1, D24.7.11, D24.7.14, D24.7.16
 * Implements:  IKDMQG
 * Choices:     external-abort
 */
#include "spu/spu.h"

#define ID(REG, F, value) ((uint64_t)(value) << SPEMU_##REG##_##F##_LSB)

/* PMSIDR_EL1.Interval: the encodings of 256, 512, 768, ... operations. */
static unsigned encode_interval(unsigned operations)
{
	static const uint16_t table[9] = {256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096};

	for (unsigned i = 0; i < 9; i++)
		if (table[i] == operations)
			return i;
	return 0;
}

uint64_t spemu__identify_pmsidr(const struct spemu *s)
{
	return ID(PMSIDR_EL1, SME, spu_has(s, SPEMU_FEAT_SPE_SME)) |
	       ID(PMSIDR_EL1, ALTCLK, s->config.alternate_clock) |
	       ID(PMSIDR_EL1, FPF, spu_has(s, SPEMU_FEAT_SPE_FPF)) |
	       ID(PMSIDR_EL1, EFT, spu_has(s, SPEMU_FEAT_SPE_EFT)) |
	       ID(PMSIDR_EL1, CRR, spu_has(s, SPEMU_FEAT_SPE_CRR)) |
	       ID(PMSIDR_EL1, PBT, spu_has(s, SPEMU_FEAT_SPE_PBT)) |
	       ID(PMSIDR_EL1, CountSize, s->config.counter_bits == 16 ? 3 : 2) |
	       ID(PMSIDR_EL1, MaxSize, s->config.max_size_log2) |
	       ID(PMSIDR_EL1, Interval, encode_interval(s->config.min_interval)) |
	       ID(PMSIDR_EL1, FDS, spu_has(s, SPEMU_FEAT_SPE_FDS)) |
	       ID(PMSIDR_EL1, FnE, spu_has(s, SPEMU_FEAT_SPE_FNE)) |
	       ID(PMSIDR_EL1, ERnd, spu_has(s, SPEMU_FEAT_SPE_ERND)) |
	       ID(PMSIDR_EL1, LDS, spu_has(s, SPEMU_FEAT_SPE_LDS)) |
	       ID(PMSIDR_EL1, ArchInst, spu_has(s, SPEMU_FEAT_SPE_ARCHINST)) |
	       ID(PMSIDR_EL1, FL, 1) | ID(PMSIDR_EL1, FT, 1) | ID(PMSIDR_EL1, FE, 1);
}

/* P: the owner is a higher Exception level or another Security state; 0 at EL3. */
bool spemu__identify_programming_not_allowed(const struct spemu_pe *pe)
{
	struct spemu_owner owner = spemu__spu_owner(pe);

	if (pe->state.el == 3)
		return false;
	return owner.security != spemu__pe_security_at(pe, pe->state.el) || owner.el > pe->state.el;
}

/* PMBIDR_EL1.EA: what is reported as a management event is not described. */
static uint64_t external_abort(const struct spemu_pe *pe)
{
	switch (pe_choice(pe, SPEMU_CHOICE_EXTERNAL_ABORT)) {
	case SPEMU_EXTERNAL_ABORT_IGNORED:
		return 1;
	case SPEMU_EXTERNAL_ABORT_SERROR:
		return 2;
	default:
		return 0;
	}
}

uint64_t spemu__identify_pmbidr(const struct spemu *s)
{
	bool p = spemu__identify_programming_not_allowed(s->pe);
	struct spemu_owner owner = spemu__spu_owner(s->pe);
	/* PMSCR_EL2.EnVM is Effectively 1 where EL2 owns or is not enabled for the owner. */
	bool en_vm = owner.el == 2 || !spemu__pe_el2_in_security(s->pe, owner.security) ||
	             REG_FIELD(s->pe, PMSCR_EL2, EnVM);

	uint64_t value = ID(PMBIDR_EL1, EA, external_abort(s->pe)) |
	                 ID(PMBIDR_EL1, F, spemu__pe_spe_flag_updates(s->pe)) |
	                 ID(PMBIDR_EL1, P, p) | ID(PMBIDR_EL1, Align, s->config.layout.align_log2);

	if (spu_has(s, SPEMU_FEAT_SPE_NVM) && en_vm && !p)
		value |= ID(PMBIDR_EL1, AddrMode,
		            s->vm.physical_only ? SPEMU_PMBIDR_EL1_AddrMode_PHYSICAL
		                                : SPEMU_PMBIDR_EL1_AddrMode_BOTH);
	return value | ID(PMBIDR_EL1, MaxBuffSize, s->vm.max_buff_size);
}

uint64_t spemu__identify_id_register(const struct spemu *s, enum spemu_reg reg)
{
	static const enum spemu_feature version[] = {SPEMU_FEAT_SPE,     SPEMU_FEAT_SPEV1P1,
	                                             SPEMU_FEAT_SPEV1P2, SPEMU_FEAT_SPEV1P3,
	                                             SPEMU_FEAT_SPEV1P4, SPEMU_FEAT_SPEV1P5};
	unsigned pmsver = 0;

	while (pmsver < sizeof(version) / sizeof(*version) && spu_has(s, version[pmsver]))
		pmsver++;
	switch (reg) {
	case SPEMU_REG_ID_AA64DFR0_EL1:
		return ID(ID_AA64DFR0_EL1, PMSVer, pmsver);
	case SPEMU_REG_ID_AA64DFR1_EL1:
		return ID(ID_AA64DFR1_EL1, DPFZS, spu_has(s, SPEMU_FEAT_SPE_DPFZS));
	case SPEMU_REG_ID_AA64DFR2_EL1:
		return ID(ID_AA64DFR2_EL1, SPE_nVM, spu_has(s, SPEMU_FEAT_SPE_NVM)) |
		       ID(ID_AA64DFR2_EL1, SPE_EXC, spu_has(s, SPEMU_FEAT_SPE_EXC));
	default:
		return 0;
	}
}

void spemu__identify_masks(const struct spemu *s)
{
	uint64_t events = spemu__filter_event_mask(s), *mask = s->pe->mask;

	mask[SPEMU_REG_PMSEVFR_EL1] &= events;
	mask[SPEMU_REG_PMSNEVFR_EL1] &= events;
	if (s->config.counter_bits == 12)
		mask[SPEMU_REG_PMSLATFR_EL1] &= ~BITMASK(15, 12);
	if (!spu_has(s, SPEMU_FEAT_ECV)) {
		mask[SPEMU_REG_PMSCR_EL1] &= ~BIT64(7);
		mask[SPEMU_REG_PMSCR_EL2] &= ~BIT64(7);
	}
	/* What is the model's own in ID registers is computed when they are read. */
	mask[SPEMU_REG_ID_AA64DFR0_EL1] &= ~BITMASK(35, 32);
	mask[SPEMU_REG_ID_AA64DFR1_EL1] &= ~BITMASK(55, 52);
	mask[SPEMU_REG_ID_AA64DFR2_EL1] &= ~BITMASK(23, 16);
}
