/* SPDX-License-Identifier: MIT */
/* The struct view of `spemu annotate --data-type`: the section "layout" of `spemu report`. */
#ifndef TOOLS_ANNOTATE_LAYOUT_H
#define TOOLS_ANNOTATE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Show the members of the type `name`, or of the `limit` most expensive types if name is NULL (0
 * for all). Die if there is no such type. Return the exit status.
 */
int show_layout(const char *input, const char *name, uint64_t limit, bool json);

#endif
