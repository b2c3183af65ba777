/* SPDX-License-Identifier: MIT */
/* See model_option.h. */
#include "model_option.h"

#include "common.h"

#include <string.h>

const struct uarch_profile *parse_machine_name(const char *name)
{
	const struct uarch_profile *profile = uarch_profile(name);
	const char *names[32];
	unsigned n = 0;

	if (profile || !strcmp(name, "none"))
		return profile;
	for (size_t i = 0; (profile = uarch_profile_at(i)) && n < 30; i++)
		names[n++] = profile->name;
	names[n++] = "none";
	names[n] = NULL;
	die(EXIT_USAGE, "unknown machine '%s'%s", name, suggestion(name, names));
}

void parse_layout_name(struct spemu_layout *layout, const char *text, const char *command)
{
	size_t at = 0;
	char *word;

	if (spemu_layout_parse(layout, &at, text) == SPEMU_OK)
		return;
	word = xstrdup(text + at);
	word[strcspn(word, ",:")] = 0;
	if (!at)
		die(EXIT_USAGE, "unknown layout '%s'%s", word,
		    suggestion(word, spemu_layout_names));
	die(EXIT_USAGE, "'%s' is not an option of a layout; see --layout in 'man spemu-%s'", word,
	    command);
}
