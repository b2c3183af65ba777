/* SPDX-License-Identifier: MIT */
/* Choices that are drawn again when they may have been used. */
#ifndef SPEMU_PE_CHOOSE_H
#define SPEMU_PE_CHOOSE_H

#include "pe/pe_object.h"

/* Draw every random choice again, and report that to all units. */
void spemu__pe_choices_draw(struct spemu_pe *pe);

/* A choice may have been used: the random ones may differ from here on. */
static inline void pe_choices_used(struct spemu_pe *pe)
{
	if (pe->any_random_choice)
		spemu__pe_choices_draw(pe);
}

#endif
