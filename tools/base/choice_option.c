/* SPDX-License-Identifier: MIT */
/* See choice_option.h. */
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
		names[n] = spemu_choice_describe((enum spemu_choice)n)->name;
	names[n++] = "all";
	names[n] = NULL;
	word[strcspn(word, "=")] = '\0';
	die(EXIT_USAGE, "unknown choice '%s'%s", word, suggestion(word, names));
}

static _Noreturn void refuse_option(enum spemu_choice choice, const char *word)
{
	const struct spemu_choice_description *d = spemu_choice_describe(choice);
	const char *names[34];
	unsigned n = 0;

	if (!d)
		die(EXIT_USAGE, "'all' can only be random, not '%s'; use all=random", word);
	for (; n < d->option_count; n++)
		names[n] = d->option[n].name;
	names[n++] = "random";
	names[n] = NULL;
	die(EXIT_USAGE, "%s has no option '%s'%s", d->name, word, suggestion(word, names));
}

void parse_choice(enum spemu_choice *choice, unsigned *option, const char *text)
{
	size_t bad;

	if (spemu_choice_parse(choice, option, &bad, text) == SPEMU_OK)
		return;
	if (!text[bad])
		die(EXIT_USAGE, "--choose: expected NAME=OPTION, got '%s'", text);
	if (bad == 0)
		refuse_choice(text);
	refuse_option(*choice, text + bad);
}

void check_choice(const struct spemu_features *features, enum spemu_choice choice, unsigned option,
                  const char *which)
{
	const struct spemu_choice_description *d = spemu_choice_describe(choice);

	if (!spemu_choice_permitted(features, choice, option))
		die(EXIT_USAGE, "%s has no option %s with %s: it needs %s", d->name,
		    d->option[option].name, which, d->option[option].needs);
}

static const char *kind_name(const struct spemu_choice_description *d)
{
	return d->kind == SPEMU_CHOICE_KIND_IMPDEF ? "impdef" : "unpredictable";
}

static struct json_object *json_option(const struct spemu_choice_option *option)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", option->name);
	json_add_text(o, "text", option->text);
	json_add_text(o, "needs", option->needs);
	return o;
}

static void json_choice(struct out *out, const struct spemu_choice_description *d, unsigned chosen)
{
	struct json_object *o = json_object_new_object(), *options = json_object_new_array();

	json_add_text(o, "name", d->name);
	json_add_text(o, "rule", d->rule);
	json_add_text(o, "kind", kind_name(d));
	json_add_text(o, "text", d->text);
	json_add_text(o, "default", d->option[chosen].name);
	for (unsigned i = 0; i < d->option_count; i++)
		json_object_array_add(options, json_option(&d->option[i]));
	json_object_object_add(o, "options", options);
	out_json_line(out, o);
}

static void text_choice(struct out *o, const struct spemu_choice_description *d, unsigned chosen)
{
	out_fmt(o, "%s (%s, %s)\n    %s:\n", d->name, d->rule, kind_name(d), d->text);
	for (unsigned i = 0; i < d->option_count; i++) {
		const struct spemu_choice_option *option = &d->option[i];

		out_fmt(o, "  %c %-24s %s", i == chosen ? '*' : ' ', option->name, option->text);
		if (*option->needs)
			out_fmt(o, " [%s]", option->needs);
		out_text(o, "\n");
	}
}

void list_choices(const struct spemu_features *features, bool json)
{
	if (!json)
		wrap_lines();
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		const struct spemu_choice_description *d =
		        spemu_choice_describe((enum spemu_choice)i);
		unsigned chosen = (unsigned)spemu_choice_default(features, (enum spemu_choice)i);

		if (json)
			json_choice(&out_stdout, d, chosen);
		else
			text_choice(&out_stdout, d, chosen);
	}
	out_flush(&out_stdout);
}
