/* SPDX-License-Identifier: MIT */
/* Parse options with getopt_long() from a table, and print better messages (options.h). */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "../../hosts/scenario/nearest.h"

enum { OPTIONS_MAX = 64, LONG_BASE = 256, FOREIGN_BASE = LONG_BASE + OPTIONS_MAX };

struct option_value option_value;

/*
 * Tables for getopt_long(). The value of a long option is LONG_BASE plus its row. Options of perf
 * are in the tables, too, because getopt_long() would read them as abbreviations. The value of a
 * long one is FOREIGN_BASE plus its row.
 */
struct getopt_table {
	char letters[3 + 4 * OPTIONS_MAX];
	struct option options[2 * OPTIONS_MAX + 1];
};

static bool is_own_letter(const struct option_table *table, int letter)
{
	for (unsigned i = 0; i < table->count; i++)
		if (table->rows[i].letter == letter)
			return true;
	return false;
}

/* Append the options of perf. None takes a value, because their values do not matter. */
static void build_foreign(struct option *options, char *letters, const struct option_table *table)
{
	for (unsigned i = 0; i < table->foreign_count && i < OPTIONS_MAX; i++) {
		const struct foreign_row *row = &table->foreign[i];

		if (row->value)
			continue;
		if (row->name)
			*options++ = (struct option){row->name, optional_argument, NULL,
			                             FOREIGN_BASE + (int)i};
		if (row->letter && !is_own_letter(table, row->letter))
			*letters++ = row->letter;
	}
}

static void build(struct getopt_table *g, const struct option_table *table)
{
	char *to = g->letters;
	unsigned count = table->count < OPTIONS_MAX ? table->count : OPTIONS_MAX;

	memset(g, 0, sizeof(*g));
	if (table->stops)
		*to++ = '+';
	*to++ = ':';
	for (unsigned i = 0; i < count; i++) {
		const struct option_row *row = &table->rows[i];

		g->options[i] = (struct option){row->name, row->argument, NULL, LONG_BASE + (int)i};
		if (!row->letter)
			continue;
		*to++ = row->letter;
		if (row->argument != no_argument)
			*to++ = ':';
		if (row->argument == optional_argument)
			*to++ = ':';
	}
	build_foreign(g->options + count, to, table);
}

/* Return the row of perf's option with a value of getopt_long(), or NULL. */
static const struct foreign_row *foreign_option(const struct option_table *table, int c)
{
	for (unsigned i = 0; i < table->foreign_count; i++) {
		const struct foreign_row *row = &table->foreign[i];

		if (!row->value && (c == row->letter || c == FOREIGN_BASE + (int)i))
			return row;
	}
	return NULL;
}

static _Noreturn void refuse_foreign(const struct foreign_row *row, int c)
{
	bool is_long = c >= FOREIGN_BASE;
	const char letter[] = {(char)c, 0};

	die(EXIT_USAGE, "perf's option '-%s%s' does not exist here: %s", is_long ? "-" : "",
	    is_long ? row->name : letter, row->instead);
}

/* Return the end of a message about an own option whose letter is another option in perf: what to
 * use for perf's option. `c` is the value of getopt_long(). */
static const char *other_meaning(const struct option_table *table, int c)
{
	const struct foreign_row *row = foreign_option(table, c);
	static char text[160];

	if (!row)
		return "";
	snprintf(text, sizeof(text), "; for perf's option '-%c': %s", c, row->instead);
	return text;
}

const char *foreign_value(const struct option_table *table, const char *name, const char *value)
{
	size_t length = strcspn(value, ",");

	for (unsigned i = 0; i < table->foreign_count; i++) {
		const struct foreign_row *row = &table->foreign[i];

		if (row->value && !strcmp(row->name, name) && strlen(row->value) == length &&
		    !strncmp(row->value, value, length))
			return row->instead;
	}
	return NULL;
}

static _Noreturn void unknown_option(const char *word, const struct option_table *table)
{
	const char *names[OPTIONS_MAX + 1] = {NULL}, *near;
	char name[64];

	for (unsigned i = 0; i < table->count && i < OPTIONS_MAX; i++)
		names[i] = table->rows[i].name;
	snprintf(name, sizeof(name), "%s", word);
	name[strcspn(name, "=")] = 0;
	near = nearest_name(name + 2, strlen(name + 2), names);
	if (!strncmp(name, "--", 2) && near)
		die(EXIT_USAGE, "unknown option '%s'; did you mean '--%s'?", name, near);
	die(EXIT_USAGE, "unknown option '%s'; see 'spemu help %s'", name, command_name);
}

/* Die with the error `c`, '?' or ':', of getopt_long(), which began at argv[before]. */
static _Noreturn void refuse(int c, int before, char **argv, const struct option_table *table)
{
	char letter[3] = {'-', (char)optopt, 0};

	/* A long option is the last word that was read, or an earlier one if values were
	 * skipped. */
	for (int i = optind - 1; i >= before; i--) {
		if (strncmp(argv[i], "--", 2))
			continue;
		if (c == ':')
			die(EXIT_USAGE, "option '%s' needs a value; see 'spemu help %s'", argv[i],
			    command_name);
		if (optopt)
			die(EXIT_USAGE, "option '%s' takes no value; see 'spemu help %s'", argv[i],
			    command_name);
		unknown_option(argv[i], table);
	}
	if (c == ':')
		die(EXIT_USAGE, "option '%s' needs a value; see 'spemu help %s'%s", letter,
		    command_name, other_meaning(table, optopt));
	unknown_option(letter, table);
}

/* Read the text into option_value. Return false if the row does not allow the text. */
static bool read_value(const struct option_row *row, const char *text)
{
	uint64_t *n = &option_value.number;

	if (row->unit)
		return parse_number(n, text, row->unit) && *n >= row->least && *n <= row->most &&
		       (!row->power_of_two || !(*n & (*n - 1)));
	for (unsigned i = 0; row->words && row->words[i]; i++) {
		if (strcmp(row->words[i], text) != 0)
			continue;
		option_value.word = i;
		return true;
	}
	return !row->words;
}

void print_help(const struct option_table *table)
{
	for (const char *const *line = table->help; *line; line++)
		out_text(&out_stdout, *line);
	out_flush(&out_stdout);
}

/* Die because the row does not permit the value. `c` is the value of getopt_long(). */
static _Noreturn void refuse_value(const struct option_table *table, const struct option_row *row,
                                   int c)
{
	const char *instead = foreign_value(table, row->name, optarg);

	die(EXIT_USAGE, "--%s: expected %s, got '%s'%s%s", row->name, row->expected, optarg,
	    instead ? "; " : other_meaning(table, c), instead ? instead : "");
}

int next_option(const struct option_table *table, int argc, char **argv)
{
	struct getopt_table g;
	const struct foreign_row *foreign;
	int before = optind ? optind : 1, c, row = 0;

	build(&g, table);
	opterr = 0;
	c = getopt_long(argc, argv, g.letters, g.options, NULL);
	if (c == -1)
		return -1;
	if (c == '?' || c == ':')
		refuse(c, before, argv, table);
	foreign = foreign_option(table, c);
	if (foreign && (c >= FOREIGN_BASE || !is_own_letter(table, c)))
		refuse_foreign(foreign, c);
	if (c >= LONG_BASE)
		row = c - LONG_BASE;
	else
		while (table->rows[row].letter != c)
			row++;
	option_value = (struct option_value){.given = true, .text = optarg ? optarg : "yes"};
	if (optarg && !read_value(&table->rows[row], optarg))
		refuse_value(table, &table->rows[row], c);
	if (!strcmp(table->rows[row].name, "help")) {
		print_help(table);
		exit(0);
	}
	if (!strcmp(table->rows[row].name, "quiet"))
		verbosity = 0;
	else if (!strcmp(table->rows[row].name, "verbose"))
		verbosity = 2;
	return row;
}

void read_options(struct option_value *values, const struct option_table *table, int argc,
                  char **argv, void (*take)(void *to, int row), void *to)
{
	int row;

	while ((row = next_option(table, argc, argv)) != -1) {
		values[row] = option_value;
		take(to, row);
	}
	for (unsigned i = 0; i < table->count; i++) {
		const struct option_row *r = &table->rows[i];

		if (values[i].given && r->needs && !values[r->needs - 1].given)
			die(EXIT_USAGE, "--%s requires %s", r->name, r->needed);
	}
}
