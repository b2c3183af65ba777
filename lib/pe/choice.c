/* SPDX-License-Identifier: MIT */
/*
 * What may be chosen: names, options, defaults, and which feature level has which option; what is chosen,
 * and draws from the PE's generator.
 *
 * Arm ARM:     DDI 0487 M.a, Glossary: IMPLEMENTATION DEFINED, CONSTRAINED UNPREDICTABLE
 */
#include <string.h>

#include "base/prng.h"
#include "pe/choice.h"

static const struct choice_option *option_of(enum spemu_choice choice, unsigned option)
{
	if ((unsigned)choice >= SPEMU_CHOICE_COUNT ||
	    option >= spemu__choice_table[choice].option_count)
		return NULL;
	return &spemu__choice_table[choice].option[option];
}

const char *spemu_choice_name(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spemu__choice_table[choice].name : NULL;
}

const char *spemu_choice_rule(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spemu__choice_table[choice].rule : NULL;
}

const char *spemu_choice_text(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spemu__choice_table[choice].text : NULL;
}

int spemu_choice_kind(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spemu__choice_table[choice].kind
	                                             : SPEMU_ERR_INVALID;
}

unsigned spemu_choice_options(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? spemu__choice_table[choice].option_count : 0;
}

const char *spemu_choice_option_name(enum spemu_choice choice, unsigned option)
{
	const struct choice_option *o = option_of(choice, option);

	return o ? o->name : NULL;
}

const char *spemu_choice_option_text(enum spemu_choice choice, unsigned option)
{
	const struct choice_option *o = option_of(choice, option);

	return o ? o->text : NULL;
}

const char *spemu_choice_option_needs(enum spemu_choice choice, unsigned option)
{
	const struct choice_option *o = option_of(choice, option);

	return o ? o->needs_text : NULL;
}

bool spemu_choice_permitted(const struct spemu_features *features, enum spemu_choice choice,
                            unsigned option)
{
	const struct choice_option *o = option_of(choice, option);

	for (unsigned i = 0; o && i < o->need_count; i++)
		if (spemu_has(features, (enum spemu_feature)o->need[i].feature) !=
		    o->need[i].wanted)
			return false;
	return o != NULL;
}

int spemu_choice_default(const struct spemu_features *features, enum spemu_choice choice)
{
	const struct choice_desc *d;

	if ((unsigned)choice >= SPEMU_CHOICE_COUNT)
		return SPEMU_ERR_INVALID;
	d = &spemu__choice_table[choice];
	if (d->default_feature >= 0 && spemu_has(features, (enum spemu_feature)d->default_feature))
		return d->default_with;
	return d->default_option;
}

static bool is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static int refuse_at(size_t *error_offset, size_t offset)
{
	if (error_offset)
		*error_offset = offset;
	return SPEMU_ERR_INVALID;
}

int spemu_choice_parse(enum spemu_choice *choice, unsigned *option, size_t *error_offset,
                       const char *text)
{
	size_t name = strcspn(text, "="), value = name + 1;
	unsigned c = 0, o = 0;

	if (!text[name])
		return refuse_at(error_offset, name);
	while (c < SPEMU_CHOICE_COUNT && !is(text, name, spemu__choice_table[c].name))
		c++;
	if (c == SPEMU_CHOICE_COUNT && !is(text, name, "all"))
		return refuse_at(error_offset, 0);
	*choice = (enum spemu_choice)c;
	if (strcmp(text + value, "random") == 0) {
		*option = SPEMU_CHOICE_RANDOM;
		return SPEMU_OK;
	}
	while (spemu_choice_option_name(*choice, o) &&
	       strcmp(text + value, spemu_choice_option_name(*choice, o)) != 0)
		o++;
	if (!spemu_choice_option_name(*choice, o))
		return refuse_at(error_offset, value);
	*option = o;
	return SPEMU_OK;
}

void spemu__pe_choices_init(struct spemu_pe *pe)
{
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		pe->choice[i] = (uint8_t)spemu_choice_default(&pe->features, (enum spemu_choice)i);
		pe->random_choice[i] = false;
	}
	pe->any_random_choice = false;
}

/* One of the options that the feature level has, each as likely as the others. */
static void draw(struct spemu_pe *pe, enum spemu_choice choice)
{
	uint8_t permitted[32];
	unsigned count = 0;

	for (unsigned i = 0; i < spemu__choice_table[choice].option_count; i++)
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
	if (spemu__choice_table[choice].kind == SPEMU_CHOICE_KIND_UNPREDICTABLE)
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
		if (option >= spemu_choice_options(choice))
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

bool spemu_choice_is_random(const struct spemu_pe *pe, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT && pe->random_choice[choice];
}
