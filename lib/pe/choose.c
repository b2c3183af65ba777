/* SPDX-License-Identifier: MIT */
/*
 * Setting the choices of a PE, and drawing random ones from its generator.
 *
 * Arm ARM:     DDI 0487 M.a, Glossary: IMPLEMENTATION DEFINED, CONSTRAINED UNPREDICTABLE
 */
#include "base/prng.h"
#include "pe/choice.h"
#include "pe/choose.h"

/* Draw one of the options that exist at the feature level, all with the same probability. */
static void draw(struct spemu_pe *pe, enum spemu_choice choice)
{
	uint8_t permitted[32];
	unsigned count = 0;

	for (unsigned i = 0; i < spemu__choice_table[choice].public.option_count; i++)
		if (spemu_choice_permitted(&pe->features, choice, i))
			permitted[count++] = (uint8_t)i;
	pe->choice[choice] = permitted[(prng_next(&pe->prng) >> 32) % count];
}

static void set(struct spemu_pe *pe, enum spemu_choice choice, unsigned option)
{
	pe->random_choice[choice] = false;
	if (option != SPEMU_CHOICE_RANDOM) {
		pe->choice[choice] = (uint8_t)option;
		return;
	}
	draw(pe, choice);
	if (spemu__choice_table[choice].public.kind == SPEMU_CHOICE_KIND_UNPREDICTABLE)
		pe->random_choice[choice] = true;
}

void spemu__pe_choices_count_random(struct spemu_pe *pe)
{
	pe->any_random_choice = false;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		pe->any_random_choice |= pe->random_choice[i];
}

void spemu__pe_choices_draw(struct spemu_pe *pe)
{
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		if (pe->random_choice[i])
			draw(pe, (enum spemu_choice)i);
	pe->generation++;
	spemu__pe_changed(pe, PE_UNITS);
}

int spemu_choice_set(struct spemu_pe *pe, enum spemu_choice choice, unsigned option)
{
	if (!pe || (unsigned)choice > SPEMU_CHOICE_COUNT)
		return SPEMU_ERR_INVALID;
	if (option != SPEMU_CHOICE_RANDOM) {
		if (!spemu__choice_has_option(choice, option))
			return SPEMU_ERR_INVALID;
		if (!spemu_choice_permitted(&pe->features, choice, option))
			return SPEMU_ERR_NOT_SUPPORTED;
	}
	if (choice == SPEMU_CHOICE_COUNT)
		for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
			set(pe, (enum spemu_choice)i, option);
	else
		set(pe, choice, option);
	spemu__pe_choices_count_random(pe);
	spemu__pe_masks(pe);
	pe->generation++;
	spemu__pe_changed(pe, PE_UNITS);
	return SPEMU_OK;
}

int spemu_choice_get(const struct spemu_pe *pe, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? pe->choice[choice] : SPEMU_ERR_INVALID;
}
