/* SPDX-License-Identifier: MIT */
/* The options of a sub-command, in a table that tools/gen/gen-options generates from tools/options.
 * The table determines how options are parsed, and the text of --help. */
#ifndef TOOLS_OPTION_H
#define TOOLS_OPTION_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct option_row {
	const char *name;         /* name without "--" */
	char letter;              /* single-letter form; 0 if there is none */
	int argument;             /* no_argument, required_argument, optional_argument */
	const char *const *words; /* permitted values, NULL at the end; NULL if values are not a
	                             fixed set */
	unsigned unit;        /* 1000 or 1024 for the suffixes of a number; 0 if the value is not
	                         a number */
	uint64_t least, most; /* limits of the number */
	bool power_of_two;
	const char *expected; /* description of the value for messages; NULL if any text is
	                         permitted */
	bool passed;          /* passed on to the plugin of `spemu vm` */
	unsigned needs;       /* 1 + the row of an option that this one requires, or 0 */
	const char *needed;   /* description of the required option */
};

/* An option or a value of perf that the command does not have. */
struct foreign_row {
	char letter;         /* single-letter form; 0 if there is none */
	const char *name;    /* name without "--"; NULL if there is only the letter */
	const char *value;   /* value of the command's own option `name`, or NULL */
	const char *instead; /* the reason, and what to use instead */
};

/* The parsed value of an option. */
struct option_value {
	bool given;
	const char *text; /* value as text; "yes" if the option has no value */
	uint64_t number;  /* number, if the row has a unit */
	unsigned word;    /* index of the word, if the row has words */
};
/* The value of the last option that next_option() returned. */
extern struct option_value option_value;

struct option_table {
	const char *command, *summary;
	const char *const *help; /* lines of --help, NULL at the end */
	const struct option_row *rows;
	unsigned count;
	const struct foreign_row *foreign;
	unsigned foreign_count;
	bool stops; /* parsing stops at the first operand; the rest is for another program */
};

/*
 * Read the next option. Return its row, an enumerator of option_table.h (included below), and set
 * optarg and option_value. Return -1 after the last option, with the first operand at optind. Set
 * `verbosity` at -q and -v. Print the help and exit at --help. Die with EXIT_USAGE at an unknown
 * option (naming the nearest one), at an option of perf (naming what to use instead), and at a
 * value that is missing, unexpected or invalid.
 */
int next_option(const struct option_table *table, int argc, char **argv);

/* Read all options into `values`, one for each row. The last occurrence of an option counts. Call
 * `take` for each occurrence. */
void read_options(struct option_value *values, const struct option_table *table, int argc,
                  char **argv, void (*take)(void *to, int row), void *to);

/* Return what to use instead of perf's `value` of the command's option `name`, or NULL. A comma
 * ends the value. */
const char *foreign_value(const struct option_table *table, const char *name, const char *value);

/* Print the text of --help. */
void print_help(const struct option_table *table);

#include <option_table.h>

#endif
