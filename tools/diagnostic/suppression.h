/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics that are not shown. A file has one per line:
 *
 *   NAME-OR-RULE [pc=LOW[-HIGH]] [symbol=PATTERN]      # a comment
 *
 * NAME-OR-RULE may be "*". The range includes both addresses. PATTERN is a shell pattern.
 */
#ifndef TOOLS_SUPPRESSION_H
#define TOOLS_SUPPRESSION_H

#include <spemu/diagnostic.h>
#include "../base/common.h"

struct suppression_list;

/* Read a file, or return an empty list if the path is NULL. Die with EXIT_OWN on failure. The list
 * lives until the program ends. */
struct suppression_list *suppressions_read(const char *path);
/* Suppress `what` at any place. The text must stay valid. Unused entries like this are not
 * reported. */
void suppressions_add(struct suppression_list *list, const char *what);
/* Return true if an entry matches, and count its use. The symbol may be NULL. */
bool suppressions_match(struct suppression_list *list, const struct spemu_diagnostic *d,
                        const char *symbol);
/* Report, with -v, the lines that matched nothing. */
void suppressions_report_unused(const struct suppression_list *list);

#endif
