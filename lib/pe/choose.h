/* SPDX-License-Identifier: MIT */
/* Drawing random choices again after they may have been used. */
#ifndef SPEMU_PE_CHOOSE_H
#define SPEMU_PE_CHOOSE_H

#include "pe/pe_object.h"

/* Draw every random choice again, and report the change to all units. */
void spemu__pe_choices_draw(struct spemu_pe *pe);

/* Note that a choice may have been used: draw the random ones again. */
static inline void pe_choices_used(struct spemu_pe *pe)
{
	if (pe->any_random_choice)
		spemu__pe_choices_draw(pe);
}

#endif
