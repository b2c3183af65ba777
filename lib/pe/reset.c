/* SPDX-License-Identifier: MIT */
/*
 * Warm reset of the registers and the state of a PE.
 *
 * Arm ARM:     DDI 0487 M.a, D24 "The reset behavior of this field is"
 */
#include "base/prng.h"
#include "pe/choice.h"

/* Reset PMCR_EL0.FZS if AArch32 exists. Its PMCR does not have FZS, so AArch32 software finds 0
 * (D24.5.8). */
static void reset_freeze_on_spe_event(struct spemu_pe *pe)
{
	if (pe_has(pe, SPEMU_FEAT_AA32))
		REG_FIELD_SET(pe, PMCR_EL0, FZS, 0);
}

void spemu__pe_reset(struct spemu_pe *pe)
{
	uint64_t host_owned = ~pe->prng;

	spemu__pe_choices_init(pe);
	pe->state = (struct spemu_pe_state){0};
	pe->state.el = pe_has(pe, SPEMU_EL3) ? 3 : pe_has(pe, SPEMU_EL2) ? 2 : 1;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		const struct sysreg_desc *desc = spemu__sysreg_desc_of((enum spemu_reg)i);
		/* The host's registers have their own random stream, so adding one changes no
		 * other value. */
		uint64_t random = prng_next(desc->host_owned ? &host_owned : &pe->prng);

		pe->mask[i] = spemu__sysreg_mask(desc, &pe->features);
		pe->unwritten[i] = true;
		pe->reg[i] = spemu__sysreg_reset_value(desc, &pe->features, random) & pe->mask[i];
	}
	reset_freeze_on_spe_event(pe);
}
