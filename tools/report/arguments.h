/* SPDX-License-Identifier: MIT */
/* The options that `spemu report` and `spemu diff` share: recordings, filters, keys, fields,
 * limits. */
#ifndef TOOLS_REPORT_ARGUMENTS_H
#define TOOLS_REPORT_ARGUMENTS_H

#include "group.h"
#include "../base/options.h"

struct filter;
struct arguments {
	const char **inputs;
	size_t input_count, input_capacity;
	struct filter *filter;
	struct view view;
	bool sorted; /* true if keys or orders were given */
	bool json, no_pager;
	const char *html;  /* file for the HTML page, or NULL */
	const char *color; /* value of --color, or NULL */
	unsigned line_size;
};

/* Set the usual keys (comm, dso, sym), fields and limits. */
void arguments_init(struct arguments *a);
void arguments_add_input(struct arguments *a, const char *path);
/* Take an option that both commands have, by its long name. Die if the value is invalid. */
void arguments_take_option(struct arguments *a, const char *option, const char *value);
/* Set wanted[i] for each names[i] in the value of --section. Die if a name is unknown. names ends
 * with NULL. */
void arguments_take_sections(bool *wanted, const char *const *names, const char *list);

/* Raise the limit of rows for --html, unless --limit was given. Die if another option excludes
 * --html, or if its file is a recording. */
void arguments_check_html(struct arguments *a);

/* Open the recordings and read them. */
void arguments_open(struct arguments *a, struct profile *p);

#endif
