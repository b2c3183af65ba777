/* SPDX-License-Identifier: MIT */
/* Options that several commands have of how a recording is read: filters, and where files are. */
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
