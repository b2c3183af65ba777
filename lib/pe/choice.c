/* SPDX-License-Identifier: MIT */
/*
 * What may be chosen: names, options, defaults, and which feature level has which option.
 *
 * Arm ARM:     DDI 0487 M.a, Glossary: IMPLEMENTATION DEFINED, CONSTRAINED UNPREDICTABLE
 */
#include <string.h>

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

	*choice = SPEMU_CHOICE_COUNT;
	*option = 0;
	if (error_offset)
		*error_offset = 0;
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
