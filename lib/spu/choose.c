/* SPDX-License-Identifier: MIT */
/*
 * Choices of an object: set, and drawn from its generator.
 *
 * Arm ARM:     DDI 0487 M.a, Glossary: IMPLEMENTATION DEFINED, CONSTRAINED UNPREDICTABLE
 */
#include "base/prng.h"
#include "pe/choice.h"
#include "spu/spu.h"

/* One of the options that the feature level has, each as likely as the others. */
static void draw(struct spemu *s, enum spemu_choice choice)
{
	uint8_t permitted[32];
	unsigned count = 0;

	for (unsigned i = 0; i < spemu__choice_table[choice].option_count; i++)
		if (spemu_choice_permitted(&s->pe.features, choice, i))
			permitted[count++] = (uint8_t)i;
	s->pe.choice[choice] = permitted[(prng_next(&s->prng) >> 32) % count];
}

static void set(struct spemu *s, enum spemu_choice choice, unsigned option)
{
	s->pe.random_choice[choice] = false;
	if (option != SPEMU_CHOICE_RANDOM) {
		s->pe.choice[choice] = (uint8_t)option;
		return;
	}
	draw(s, choice);
	if (spemu__choice_table[choice].kind == SPEMU_CHOICE_KIND_UNPREDICTABLE)
		s->pe.random_choice[choice] = true;
}

void spemu__choose_count_random(struct spemu *s)
{
	s->pe.any_random_choice = false;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		s->pe.any_random_choice |= s->pe.random_choice[i];
}

int spemu_choice_set(struct spemu *spu, enum spemu_choice choice, unsigned option)
{
	if (!spu || (unsigned)choice > SPEMU_CHOICE_COUNT)
		return SPEMU_ERR_INVALID;
	if (option != SPEMU_CHOICE_RANDOM) {
		if (option >= spemu_choice_options(choice))
			return SPEMU_ERR_INVALID;
		if (!spemu_choice_permitted(&spu->pe.features, choice, option))
			return SPEMU_ERR_NOT_SUPPORTED;
	}
	if (choice == SPEMU_CHOICE_COUNT)
		for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
			set(spu, (enum spemu_choice)i, option);
	else
		set(spu, choice, option);
	spemu__choose_count_random(spu);
	spemu__identify_masks(spu);
	spu->pe.generation++;
	spemu__spu_update(spu);
	return SPEMU_OK;
}

int spemu_choice_get(const struct spemu *spu, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spu->pe.choice[choice] : SPEMU_ERR_INVALID;
}

bool spemu_choice_is_random(const struct spemu *spu, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT && spu->pe.random_choice[choice];
}

void spemu__choose_again(struct spemu *s)
{
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		if (s->pe.random_choice[i])
			draw(s, (enum spemu_choice)i);
	s->pe.generation++;
	spemu__spu_update(s);
}
