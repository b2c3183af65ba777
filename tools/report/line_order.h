/* SPDX-License-Identifier: MIT */
/* The order of tables with a row for each address in a cache line. */
#ifndef TOOLS_REPORT_LINE_ORDER_H
#define TOOLS_REPORT_LINE_ORDER_H

#include "group.h"

/* Return the cache line and the offset in it, for a key that groups by address. */
uint64_t member_line_offset(const struct profile *p, const struct member *m);
/* Sort by cache line: contended lines first, then the lines with the most cycles. */
void sort_by_line_cost(struct groups *g, const struct profile *p, const struct view *view);

#endif
