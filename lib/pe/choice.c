/* SPDX-License-Identifier: MIT */
/*
 * The choices: names, options, defaults, and the features that each option requires.
 *
 * Arm ARM:     DDI 0487 M.a, Glossary: IMPLEMENTATION DEFINED, CONSTRAINED UNPREDICTABLE
 */
#include <string.h>

#include "pe/choice.h"

const struct spemu_choice_description *spemu_choice_describe(enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? &spemu__choice_table[choice].public : NULL;
}

bool spemu__choice_has_option(enum spemu_choice choice, unsigned option)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT &&
	       option < spemu__choice_table[choice].public.option_count;
}

bool spemu_choice_permitted(const struct spemu_features *features, enum spemu_choice choice,
                            unsigned option)
{
	const struct choice_option *o;

	if (!spemu__choice_has_option(choice, option))
		return false;
	o = &spemu__choice_table[choice].option[option];
	for (unsigned i = 0; i < o->need_count; i++)
		if (spemu_has(features, (enum spemu_feature)o->need[i].feature) !=
		    o->need[i].wanted)
			return false;
	return true;
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
	const struct spemu_choice_description *d;
	unsigned c = 0, o = 0;

	*choice = SPEMU_CHOICE_COUNT;
	*option = 0;
	if (error_offset)
		*error_offset = 0;
	if (!text[name])
		return refuse_at(error_offset, name);
	while (c < SPEMU_CHOICE_COUNT && !is(text, name, spemu__choice_table[c].public.name))
		c++;
	if (c == SPEMU_CHOICE_COUNT && !is(text, name, "all"))
		return refuse_at(error_offset, 0);
	*choice = (enum spemu_choice)c;
	if (strcmp(text + value, "random") == 0) {
		*option = SPEMU_CHOICE_RANDOM;
		return SPEMU_OK;
	}
	d = spemu_choice_describe(*choice); /* NULL for SPEMU_CHOICE_COUNT, which means all
	                                       choices */
	while (d && o < d->option_count && strcmp(text + value, d->option[o].name) != 0)
		o++;
	if (!d || o == d->option_count)
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
