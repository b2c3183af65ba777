/* SPDX-License-Identifier: MIT */
/*
 * The Profiling Buffer interrupt request, derived from state and from nothing else.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8
 * Implements:  RTSJRP
 * Pseudocode:  SPEInterruptEnabled(), SPECycle()
 */
#include "spu/spu.h"

bool signal_irq_level(const struct pe *pe)
{
	return pe_has(pe, SPEMU_FEAT_SPE) && pe_pmscr_el1_ee(pe) == 0 &&
	       REG_FIELD(pe, PMBSR_EL1, S);
}

bool spemu_pmbirq(const struct spemu *spu)
{
	return signal_irq_level(&spu->pe);
}
