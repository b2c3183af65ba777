/* SPDX-License-Identifier: MIT */
/* Options of several commands that read recordings: filters, and the places of files. */
#ifndef TOOLS_SESSION_OPTION_H
#define TOOLS_SESSION_OPTION_H

#include <stdbool.h>

struct filter;

/*
 * Take an option by its long name in the tables of tools/options. filter may be NULL. Return false
 * if it is a different option. Die if the value is invalid.
 */
bool session_take_option(struct filter *filter, const char *option, const char *value);

#endif
