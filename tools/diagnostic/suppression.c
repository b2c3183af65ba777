/* SPDX-License-Identifier: MIT */
/* See suppression.h. */
#define _GNU_SOURCE
#include "suppression.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/strict.h>

struct suppression {
	char *what;   /* name of a diagnostic or rule, or "*" */
	char *symbol; /* pattern of the symbol; NULL for any place */
	bool has_pc;
	uint64_t low, high;
	unsigned line; /* line in the file; 0 if not from a file */
	uint64_t used;
};

struct suppression_list {
	const char *path;
	struct suppression *items;
	size_t count, capacity;
};

static bool is_known(const char *what)
{
	const struct spemu_diagnostic *d;

	if (!strcmp(what, "*"))
		return true;
	for (unsigned i = 0; (d = spemu_diagnostic_at(i)); i++)
		if (!strcmp(what, d->name) || !strcmp(what, d->rule))
			return true;
	return false;
}

static const char *similar(const char *what)
{
	const char *names[128];
	const struct spemu_diagnostic *d;
	unsigned n = 0;

	for (; n < 127 && (d = spemu_diagnostic_at(n)); n++)
		names[n] = d->name;
	names[n] = NULL;
	return suggestion(what, names);
}

/* Parse "LOW" or "LOW-HIGH". */
static bool parse_pc(struct suppression *s, char *text)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash = 0;
	s->has_pc = true;
	return parse_number(&s->low, text, 1024) &&
	       parse_number(&s->high, dash ? dash + 1 : text, 1024) && s->low <= s->high;
}

static void parse_line(struct suppression_list *list, char *line, unsigned number)
{
	struct suppression s = {.line = number};
	char *rest = NULL, *word;

	line[strcspn(line, "#\n")] = 0;
	for (word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
		if (!s.what) {
			if (!is_known(word))
				die(EXIT_OWN, "%s:%u: unknown diagnostic or rule '%s'%s",
				    list->path, number, word, similar(word));
			s.what = xstrdup(word);
		} else if (!strncmp(word, "symbol=", 7)) {
			s.symbol = xstrdup(word + 7);
		} else if (strncmp(word, "pc=", 3) || !parse_pc(&s, word + 3)) {
			die(EXIT_OWN, "%s:%u: pc=LOW[-HIGH] or symbol=PATTERN expected", list->path,
			    number);
		}
	}
	if (s.what)
		GROW(list->items, list->count, list->capacity)[list->count] = s, list->count++;
}

struct suppression_list *suppressions_read(const char *path)
{
	struct suppression_list *list = xcalloc(1, sizeof(*list));
	unsigned number = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *f;

	list->path = path;
	if (!path)
		return list;
	f = fopen(path, "re");
	if (!f)
		die(EXIT_OWN, "cannot read '%s': %s; correct --suppressions", path,
		    strerror(errno));
	while (getline(&line, &room, f) >= 0)
		parse_line(list, line, ++number);
	free(line);
	fclose(f);
	return list;
}

void suppressions_add(struct suppression_list *list, const char *what)
{
	GROW(list->items, list->count, list->capacity)
	[list->count] = (struct suppression){.what = xstrdup(what)};
	list->count++;
}

static bool matches(const struct suppression *s, const struct spemu_diagnostic *d,
                    const char *symbol)
{
	if (strcmp(s->what, "*") && strcmp(s->what, d->name) && strcmp(s->what, d->rule))
		return false;
	if (s->has_pc && (!d->has_pc || d->pc < s->low || d->pc > s->high))
		return false;
	return !s->symbol || (symbol && !fnmatch(s->symbol, symbol, 0));
}

bool suppressions_match(struct suppression_list *list, const struct spemu_diagnostic *d,
                        const char *symbol)
{
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		bool match = matches(&list->items[i], d, symbol);

		list->items[i].used += match;
		found |= match;
	}
	return found;
}

void suppressions_report_unused(const struct suppression_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->items[i].used && list->items[i].line)
			verbose("%s:%u: matched nothing", list->path, list->items[i].line);
}
