/* SPDX-License-Identifier: MIT */
/* What `spemu report` and `spemu diff` are asked for alike: recordings, filters, keys, fields, limits. */
#ifndef TOOLS_REPORT_ARGUMENTS_H
#define TOOLS_REPORT_ARGUMENTS_H

#include "report_group.h"
#include "../base/options.h"

struct filter;
struct report_arguments {
	const char **inputs;
	size_t input_count, input_capacity;
	struct filter *filter;
	struct view view;
	bool by_address; /* what was done to each address is asked for */
	bool sorted;     /* keys or orders were given */
	bool limited;    /* the number of rows was given */
	bool json, no_pager;
	const char *html;  /* file of the page; NULL: none */
	const char *color; /* NULL: not given */
	unsigned line_size;
};

/* The usual keys (comm, dso, sym), fields and limits. */
void arguments_init(struct report_arguments *a);
void arguments_add_input(struct report_arguments *a, const char *path);
/* Take an option that both commands have, by its long name. Die of a wrong value. */
void arguments_take_option(struct report_arguments *a, const char *option, const char *value);

/* A page has more rows, unless the number was given. Dies of options that do not go with it. */
void arguments_check_html(struct report_arguments *a);

/* Opens the recordings and reads them. */
void arguments_open(struct report_arguments *a, struct profile *p);
/* Says in one line each which symbols are missing, and that nothing passes the filters. */
void arguments_warn(const struct profile *p);

#endif
