/* SPDX-License-Identifier: MIT */
/* Options for reading recordings that several commands have: filters, and places of files. */
#ifndef TOOLS_SESSION_OPTION_H
#define TOOLS_SESSION_OPTION_H

#include <stdbool.h>

struct filter;

/*
 * Take an option by its long name, as the tables of tools/options have it. filter may be NULL.
 * Return false if the option is another one. Die of a wrong value.
 */
bool session_take_option(struct filter *filter, const char *option, const char *value);

#endif
