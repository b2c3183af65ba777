/* SPDX-License-Identifier: MIT */
/* The parser of the configuration: features, choices, layout, sizes, and the translation of
 * addresses. */
#include "script.h"

#include <stdio.h>

void parse_scenario(struct parser *parser, struct command *c)
{
	if (parser->depth)
		refuse(parser, c->at, "a scenario cannot begin inside braces");
	c->text = slice_copy(parser, need_text(parser, "a name"));
}

void parse_features(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "a feature set, like v9.4,-EL3");
	struct spemu_features set;
	size_t offset;

	c->text = slice_copy(parser, word);
	if (spemu_features_parse(&set, &offset, c->text)) {
		struct slice rest = slice_part(word, offset < word.size ? offset : 0, word.size);
		struct slice bad = slice_part(rest, 0, slice_find(rest, ','));
		const char *names[SPEMU_FEATURE_COUNT + 1];

		for (unsigned i = 0; i < SPEMU_FEATURE_COUNT; i++)
			names[i] = spemu_feature_name((enum spemu_feature)i);
		names[SPEMU_FEATURE_COUNT] = NULL;
		if (bad.size && (bad.text[0] == '+' || bad.text[0] == '-'))
			bad = slice_part(bad, 1, bad.size);
		else if (offset)
			refuse(parser, bad.at, "+FEATURE or -FEATURE expected");
		refuse_word(parser, bad, offset ? "feature" : "architecture version", names);
	}
}

/* Parse NAME OPTION, or NAME=OPTION in one word. */
void parse_choose(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "NAME OPTION"), option;
	size_t eq = slice_find(word, '='), bad;
	const char *names[SPEMU_CHOICE_COUNT + 35];
	const struct spemu_choice_description *known;
	struct slice name = slice_part(word, 0, eq);
	unsigned n = 0;
	char text[128];

	option = eq < word.size ? slice_part(word, eq + 1, word.size)
	                        : need_text(parser, "an option, or random");
	snprintf(text, sizeof(text), "%.*s=%.*s", name.size < 60 ? (int)name.size : 60, name.text,
	         option.size < 60 ? (int)option.size : 60, option.text);
	if (spemu_choice_parse(&c->choose.choice, &c->choose.option, &bad, text) == SPEMU_OK)
		return;
	if (bad == 0) {
		for (; n < SPEMU_CHOICE_COUNT; n++)
			names[n] = spemu_choice_describe((enum spemu_choice)n)->name;
		names[n++] = "all";
	} else {
		known = spemu_choice_describe(c->choose.choice); /* NULL for all choices */
		for (; known && n < known->option_count; n++)
			names[n] = known->option[n].name;
		names[n++] = "random";
	}
	names[n] = NULL;
	refuse_word(parser, bad ? option : name, bad ? "option" : "choice", names);
}

void parse_layout(struct parser *parser, struct command *c)
{
	struct slice word = need_text(parser, "dense, neoverse or words");
	char *text = slice_copy(parser, word);
	size_t wrong;

	if (spemu_layout_parse(&c->layout, &wrong, text) == SPEMU_OK)
		return;
	if (!wrong)
		refuse_word(parser, word, "layout", spemu_layout_names);
	refuse(parser, c->at,
	       "'%s' is not an option of a layout; use align=BYTES, pad=inside, pad=after and "
	       "order=pseudocode, pc-first or PACKET:PACKET:...",
	       text + wrong);
}

void parse_config(struct parser *parser, struct command *c)
{
	c->config = need_number(parser, "a number", "the value");
}

void parse_translate(struct parser *parser, struct command *c)
{
	static const char *const names[] = {"map", "none", "walker", NULL};
	struct slice word = need_text(parser, "map, none or walker");

	c->translate = (enum translate)need_name(parser, word, "translation", names);
}
