/* SPDX-License-Identifier: MIT */
/*
 * Effective values of the controls of address translation.
 *
 * Arm ARM:     DDI 0487 M.a, D8.1, D24.2 (HCRX_EL2, TCR2_ELx, SCTLR2_EL2), D24.7.1 (PMBIDR_EL1.F)
 * Pseudocode:  IsHCRXEL2Enabled(), IsTCR2EL1Enabled(), IsTCR2EL2Enabled(), IsSCTLR2EL2Enabled(),
 *              AArch64.S1DecodeTG0(), AArch64.S1DecodeTG1(), AArch64.S2DecodeTG0()
 * Choices:     reserved-granule, flag-updates
 */
#include "pe/pe_object.h"

static bool hcrx_el2_enabled(const struct spemu_pe *pe, unsigned security)
{
	if (!pe_has(pe, SPEMU_FEAT_HCX) || (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, HXEn)))
		return false;
	return spemu__pe_el2_in_security(pe, security);
}

uint64_t spemu__pe_tcr2(const struct spemu_pe *pe, unsigned el, unsigned security)
{
	bool el2 = spemu__pe_el2_in_security(pe, security);

	if (!pe_has(pe, SPEMU_FEAT_TCR2) ||
	    (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, TCR2En)))
		return 0;
	if (el == 2)
		return el2 ? pe->reg[SPEMU_REG_TCR2_EL2] & pe->mask[SPEMU_REG_TCR2_EL2] : 0;
	if (el2 && !(hcrx_el2_enabled(pe, security) && REG_FIELD(pe, HCRX_EL2, TCR2En)))
		return 0;
	return pe->reg[SPEMU_REG_TCR2_EL1] & pe->mask[SPEMU_REG_TCR2_EL1];
}

bool spemu__pe_emec(const struct spemu_pe *pe, unsigned security)
{
	if (!pe_has(pe, SPEMU_FEAT_MEC) || !pe_has(pe, SPEMU_FEAT_SCTLR2) ||
	    (pe_has(pe, SPEMU_EL3) && !REG_FIELD(pe, SCR_EL3, SCTLR2En)))
		return false;
	return spemu__pe_el2_in_security(pe, security) && REG_FIELD(pe, SCTLR2_EL2, EMEC);
}

static const enum spemu_feature granule_feature[3] = {SPEMU_FEAT_TGRAN4K, SPEMU_FEAT_TGRAN16K,
                                                      SPEMU_FEAT_TGRAN64K};

unsigned spemu__pe_smallest_granule(const struct spemu_pe *pe)
{
	unsigned i = 0;

	while (i < 2 && !pe_has(pe, granule_feature[i]))
		i++;
	return 12 + 2 * i;
}

/* Return log2 of the granule of a TG value. encoding has the encodings of 4KB, 16KB and 64KB. */
static unsigned granule(const struct spemu_pe *pe, unsigned tg, const uint8_t encoding[3])
{
	unsigned chosen = pe_choice(pe, SPEMU_CHOICE_RESERVED_GRANULE); /* options in order of
	                                                                   size */

	for (unsigned i = 0; i < 3; i++)
		if (tg == encoding[i] && pe_has(pe, granule_feature[i]))
			return 12 + 2 * i;
	for (unsigned i = 0; i < 3; i++, chosen = (chosen + 1) % 3)
		if (pe_has(pe, granule_feature[chosen]))
			break;
	return 12 + 2 * chosen;
}

unsigned spemu__pe_granule_tg0(const struct spemu_pe *pe, unsigned tg)
{
	return granule(pe, tg, (const uint8_t[]){0, 2, 1});
}

unsigned spemu__pe_granule_tg1(const struct spemu_pe *pe, unsigned tg)
{
	return granule(pe, tg, (const uint8_t[]){2, 1, 3});
}

bool spemu__pe_spe_flag_updates(const struct spemu_pe *pe)
{
	return pe_choice(pe, SPEMU_CHOICE_FLAG_UPDATES) == SPEMU_FLAG_UPDATES_MANAGED;
}
