/* SPDX-License-Identifier: MIT */
/* The struct view of `spemu annotate --data-type`: the section "layout" of `spemu report`. */
#ifndef TOOLS_ANNOTATE_LAYOUT_H
#define TOOLS_ANNOTATE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/* Show the members of the structure `name`, or of the `limit` structures with the most cycles if it
 * is NULL (all if limit is 0). Die if no sample accesses it. Return the exit status. */
int show_layout(const char *input, const char *name, uint64_t limit, bool json);

#endif
