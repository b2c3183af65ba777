/* SPDX-License-Identifier: MIT */
/*
 * Identification registers of the SPU, PMSIDR_EL1 and PMBIDR_EL1, and the bits of other registers
 * that its properties make RES0 or RAZ/WI.
 *
 * Arm ARM:     DDI 0487 M.a, D24.2, D24.7.1, D24.7.4, D24.7.10, D24.7.11, D24.7.14, D24.7.16
 * Implements:  IKDMQG
 * Choices:     external-abort, pointer-low-bits
 */
#include "spu/spu_object.h"

#define ID(REG, F, value) ((uint64_t)(value) << SPEMU_##REG##_##F##_LSB)
#define FIELD_MASK(REG, F) (BITMASK(SPEMU_##REG##_##F##_WIDTH - 1, 0) << SPEMU_##REG##_##F##_LSB)

/* Return PMSIDR_EL1.Interval, the encoding of 256, 512, 768, ... operations. The configuration
 * has one of these values. */
static unsigned encode_interval(unsigned operations)
{
	static const uint16_t table[9] = {256, 0, 512, 768, 1024, 1536, 2048, 3072, 4096};

	unsigned i = 8;

	while (table[i] != operations)
		i--;
	return i;
}

uint64_t spemu__identify_pmsidr(const struct spemu_spu *s)
{
	uint64_t value;

	spemu_id_from_features(&value, NULL, &s->pe->features, SPEMU_SYSREG_PMSIDR_EL1);
	value &= ~FIELD_MASK(PMSIDR_EL1, ALTCLK);
	return value | ID(PMSIDR_EL1, ALTCLK, s->config.alternate_clock) |
	       ID(PMSIDR_EL1, CountSize, s->config.counter_bits == 16 ? 3 : 2) |
	       ID(PMSIDR_EL1, MaxSize, s->config.max_size_log2) |
	       ID(PMSIDR_EL1, Interval, encode_interval(s->config.min_interval)) |
	       ID(PMSIDR_EL1, FL, 1) | ID(PMSIDR_EL1, FT, 1) | ID(PMSIDR_EL1, FE, 1);
}

/*
 * Return PMBIDR_EL1.P: the owner is a higher Exception level or another Security state. It is 0 at
 * EL3, and in the "otherwise" case: MDCR_EL3.{NSPBE, NSPB} is reserved, for any owner that it is
 * taken to select (D24.7.1).
 */
static bool programming_not_allowed(const struct spemu_pe *pe, unsigned el)
{
	struct spemu_owner owner = spemu__spu_owner(pe);

	if (el == 3 || spemu__pe_nspb(pe).reserved)
		return false;
	return owner.security != spemu__pe_security_at(pe, el) || owner.el > el;
}

/* Return the Effective PMSCR_EL2.EnVM, which is 1 if EL2 is the owner or is not enabled for the
 * owner. */
static bool may_avoid_translation(const struct spemu_pe *pe)
{
	struct spemu_owner owner = spemu__spu_owner(pe);

	return owner.el == 2 || !spemu__pe_el2_in_security(pe, owner.security) ||
	       REG_FIELD(pe, PMSCR_EL2, EnVM);
}

uint64_t spemu__identify_programming(const struct spemu_pe *pe, unsigned el, bool physical_only)
{
	bool p = programming_not_allowed(pe, el);
	uint64_t value = ID(PMBIDR_EL1, P, p);

	if (pe_has(pe, SPEMU_FEAT_SPE_NVM) && !p && may_avoid_translation(pe))
		value |= ID(PMBIDR_EL1, AddrMode,
		            physical_only ? SPEMU_PMBIDR_EL1_AddrMode_PHYSICAL
		                          : SPEMU_PMBIDR_EL1_AddrMode_BOTH);
	return value;
}

/* Return PMBIDR_EL1.EA, which does not have a value for aborts that are reported as management
 * events. */
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

uint64_t spemu__identify_pmbidr(const struct spemu_spu *s)
{
	return ID(PMBIDR_EL1, EA, external_abort(s->pe)) |
	       ID(PMBIDR_EL1, F, spemu__pe_spe_flag_updates(s->pe)) |
	       ID(PMBIDR_EL1, Align, s->config.layout.align_log2) |
	       ID(PMBIDR_EL1, MaxBuffSize, s->vm.max_buff_size) |
	       spemu__identify_programming(s->pe, s->pe->state.el, s->vm.physical_only);
}

/* Return the fields of ID_AA64DFRn_EL1 that the SPU provides. The host provides the others. */
static uint64_t own_fields(enum spemu_reg reg)
{
	switch (reg) {
	case SPEMU_REG_ID_AA64DFR0_EL1:
		return FIELD_MASK(ID_AA64DFR0_EL1, PMSVer);
	case SPEMU_REG_ID_AA64DFR1_EL1:
		return FIELD_MASK(ID_AA64DFR1_EL1, DPFZS);
	case SPEMU_REG_ID_AA64DFR2_EL1:
		return FIELD_MASK(ID_AA64DFR2_EL1, SPE_nVM) | FIELD_MASK(ID_AA64DFR2_EL1, SPE_EXC);
	default:
		return 0;
	}
}

uint64_t spemu__identify_id_register(const struct spemu_spu *s, enum spemu_reg reg)
{
	const uint64_t own = own_fields(reg);
	uint64_t value;

	if (!own)
		return 0;
	spemu_id_from_features(&value, NULL, &s->pe->features,
	                       spemu__sysreg_desc_of(reg)->encoding);
	return value & own;
}

/* Return the bits of PMBPTR_EL1[M-1:0] that are RES0. */
static uint64_t pointer_res0(const struct spemu_spu *s)
{
	uint64_t below = BIT64(s->config.layout.align_log2) - 1;

	switch (pe_choice(s->pe, SPEMU_CHOICE_POINTER_LOW_BITS)) {
	case SPEMU_POINTER_LOW_BITS_RES0:
		return below;
	case SPEMU_POINTER_LOW_BITS_RES0_BIT0:
		return below & 1;
	default:
		return 0;
	}
}

void spemu__identify_masks(const struct spemu_spu *s)
{
	uint64_t events = spemu__filter_event_mask(s), *mask = s->pe->mask;

	mask[SPEMU_REG_PMSEVFR_EL1] &= events;
	mask[SPEMU_REG_PMSNEVFR_EL1] &= events;
	mask[SPEMU_REG_PMSDSFR_EL1] &= ~s->config.missing_source_filters;
	mask[SPEMU_REG_PMBPTR_EL1] &= ~pointer_res0(s);
	if (s->config.counter_bits == 12)
		mask[SPEMU_REG_PMSLATFR_EL1] &= ~BITMASK(15, 12);
	if (!spu_has(s, SPEMU_FEAT_ECV)) {
		mask[SPEMU_REG_PMSCR_EL1] &= ~BIT64(7);
		mask[SPEMU_REG_PMSCR_EL2] &= ~BIT64(7);
	}
	/* The fields of ID registers that belong to the model are computed on each read. */
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		mask[i] &= ~own_fields((enum spemu_reg)i);
}
