/* SPDX-License-Identifier: MIT */
/*
 * The units of a PE: the register bits that they leave, and the reports of changes to them.
 *
 * Arm ARM:     DDI 0487 M.a, D24
 */
#include "pe/pe_object.h"

void spemu__pe_masks(struct spemu_pe *pe)
{
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		pe->mask[i] =
		        spemu__sysreg_mask(spemu__sysreg_desc_of((enum spemu_reg)i), &pe->features);
	for (unsigned i = 0; i < PE_UNITS; i++)
		if (pe->unit[i].calls)
			pe->unit[i].calls->narrow_masks(pe->unit[i].object);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		pe->reg[i] &= pe->mask[i];
}

void spemu__pe_attach(struct spemu_pe *pe, enum pe_unit_name name,
                      const struct pe_unit_calls *calls, void *object)
{
	pe->unit[name] = (struct pe_unit){calls, object};
	spemu__pe_masks(pe);
}

void spemu__pe_changed(struct spemu_pe *pe, enum pe_unit_name except)
{
	/* Call the SPU first, which is last in the enumeration, because the PMU reads the SPU's
	 * freeze request. */
	for (unsigned i = PE_UNITS; i-- > 0;)
		if (pe->unit[i].calls && i != except)
			pe->unit[i].calls->changed(pe->unit[i].object);
}

bool spemu__pe_has_el(const struct spemu_pe *pe, unsigned el)
{
	return el <= 1 || (el == 2 && pe_has(pe, SPEMU_EL2)) || (el == 3 && pe_has(pe, SPEMU_EL3));
}
