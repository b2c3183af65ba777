/* SPDX-License-Identifier: MIT */
/* Choices of the architecture on the command line. */
#include "choice_option.h"
#include "fit.h"
#include "json.h"
#include "options.h"

#include <string.h>

static _Noreturn void refuse_choice(const char *text)
{
	const char *names[SPEMU_CHOICE_COUNT + 2];
	unsigned n = 0;
	char *word = xstrdup(text);

	for (; n < SPEMU_CHOICE_COUNT; n++)
		names[n] = spemu_choice_name((enum spemu_choice)n);
	names[n++] = "all";
	names[n] = NULL;
	word[strcspn(word, "=")] = '\0';
	die(EXIT_USAGE, "unknown choice '%s'%s", word, suggestion(word, names));
}

static _Noreturn void refuse_option(enum spemu_choice choice, const char *word)
{
	const char *names[34];
	unsigned n = 0;

	if (choice == SPEMU_CHOICE_COUNT)
		die(EXIT_USAGE, "all can be random only, not '%s'", word);
	for (; n < spemu_choice_options(choice); n++)
		names[n] = spemu_choice_option_name(choice, n);
	names[n++] = "random";
	names[n] = NULL;
	die(EXIT_USAGE, "%s has no option '%s'%s", spemu_choice_name(choice), word,
	    suggestion(word, names));
}

void parse_choice(enum spemu_choice *choice, unsigned *option, const char *text)
{
	size_t bad;

	if (spemu_choice_parse(choice, option, &bad, text) == SPEMU_OK)
		return;
	if (!text[bad])
		die(EXIT_USAGE, "'%s' is not NAME=OPTION", text);
	if (bad == 0)
		refuse_choice(text);
	refuse_option(*choice, text + bad);
}

static const char *kind_name(enum spemu_choice choice)
{
	return spemu_choice_kind(choice) == SPEMU_CHOICE_KIND_IMPDEF ? "impdef" : "unpredictable";
}

static struct json_object *json_option(enum spemu_choice c, unsigned option)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", spemu_choice_option_name(c, option));
	json_add_text(o, "text", spemu_choice_option_text(c, option));
	json_add_text(o, "needs", spemu_choice_option_needs(c, option));
	return o;
}

static void json_choice(struct out *out, enum spemu_choice c, unsigned chosen)
{
	struct json_object *o = json_object_new_object(), *options = json_object_new_array();

	json_add_text(o, "name", spemu_choice_name(c));
	json_add_text(o, "rule", spemu_choice_rule(c));
	json_add_text(o, "kind", kind_name(c));
	json_add_text(o, "text", spemu_choice_text(c));
	json_add_text(o, "default", spemu_choice_option_name(c, chosen));
	for (unsigned i = 0; i < spemu_choice_options(c); i++)
		json_object_array_add(options, json_option(c, i));
	json_object_object_add(o, "options", options);
	out_json(out, o);
	out_text(out, "\n");
}

static void text_choice(struct out *o, enum spemu_choice c, unsigned chosen)
{
	out_fmt(o, "%s (%s, %s)\n    %s:\n", spemu_choice_name(c), spemu_choice_rule(c),
	        kind_name(c), spemu_choice_text(c));
	for (unsigned i = 0; i < spemu_choice_options(c); i++) {
		const char *needs = spemu_choice_option_needs(c, i);

		out_fmt(o, "  %c %-24s %s", i == chosen ? '*' : ' ', spemu_choice_option_name(c, i),
		        spemu_choice_option_text(c, i));
		if (*needs)
			out_fmt(o, " [%s]", needs);
		out_text(o, "\n");
	}
}

void list_choices(const struct spemu_features *features, bool json)
{
	if (!json)
		wrap_lines();
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		enum spemu_choice c = (enum spemu_choice)i;
		unsigned chosen = (unsigned)spemu_choice_default(features, c);

		if (json)
			json_choice(&out_stdout, c, chosen);
		else
			text_choice(&out_stdout, c, chosen);
	}
	out_flush(&out_stdout);
}
