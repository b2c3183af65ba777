/* SPDX-License-Identifier: MIT */
/*
 * The options of a sub-command, from the table that tools/gen/gen-options makes of tools/options:
 * how they are parsed, and what --help prints.
 */
#ifndef TOOLS_OPTION_H
#define TOOLS_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_row {
	const char *name; /* without "--" */
	char letter;      /* 0: none */
	int argument;     /* no_argument, required_argument, optional_argument */
	const char *const
	        *words; /* that the value may be, NULL at the end; NULL: it is none of a set */
	unsigned unit;  /* unit of the suffixes of a number; 0: the value is not a number */
	uint64_t least, most; /* of that number */
	bool power_of_two;
	const char *expected; /* of a value, for messages; NULL: anything */
	bool passed;          /* passed to the plugin of `spemu vm` */
	unsigned needs;       /* 1 and the row without which it is refused; 0: none */
	const char *needed;   /* that row, for messages */
};

/* The parsed value of an option. */
struct option_value {
	bool given;
	const char *text; /* "yes" if the option takes none */
	uint64_t number;  /* of a row with a unit */
	unsigned word;    /* index of the word, of a row with words */
};
/* The value of the option that next_option() returned last. */
extern struct option_value option_value;

struct option_table {
	const char *command, *summary;
	const char *const *help; /* lines, the last followed by NULL */
	const struct option_row *rows;
	unsigned count;
	bool stops; /* at the first operand: what follows is somebody else's */
};

/*
 * The next option as the index of its row, which the sub-command knows by its enumerator
 * (option_table.h, which is included below), with its value in optarg; -1 after the last, with the
 * first operand at optind. Sets verbosity on -q and -v, prints the help and exits on --help. Dies
 * with EXIT_USAGE, naming the nearest option, on one that is not in the table, and on values that
 * are missing, not taken, or not what the row expects.
 */
int next_option(const struct option_table *table, int argc, char **argv);

/* Read all options into values, a value for each row: the last one that was given. take is called
 * for each of them. */
void read_options(struct option_value *values, const struct option_table *table, int argc,
                  char **argv, void (*take)(void *to, int row), void *to);

/* Print the text of --help. */
void print_help(const struct option_table *table);

#include <option_table.h>

#endif
