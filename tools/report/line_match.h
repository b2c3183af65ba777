/* SPDX-License-Identifier: MIT */
/* Source lines of two recordings, whose programs may come from different versions of the source. */
#ifndef TOOLS_REPORT_LINE_MATCH_H
#define TOOLS_REPORT_LINE_MATCH_H

#include "profile.h"

/* Look up the source lines of all places, and set place.same_line. It is equal for places on the
 * same line of both versions, and 0 without line information. */
void line_match_find(struct profile *p);

#endif
