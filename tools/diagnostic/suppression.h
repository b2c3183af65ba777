/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics that are known and not to be shown. A line each:
 *
 *   NAME-OR-RULE [pc=LOW[-HIGH]] [symbol=PATTERN]      # a comment
 *
 * NAME-OR-RULE may be "*"; the addresses are both part of the range; PATTERN is that of a shell.
 */
#ifndef TOOLS_SUPPRESSION_H
#define TOOLS_SUPPRESSION_H

#include <spemu/diagnostic.h>
#include "../base/common.h"

struct suppression_list;

/* path NULL: an empty list. Dies with EXIT_OWN. Lives until the program ends. */
struct suppression_list *suppressions_read(const char *path);
/* Suppress `what` at any place; the text must stay valid. The entry is never reported as unused. */
void suppressions_add(struct suppression_list *list, const char *what);
/* symbol NULL: there is none. */
bool suppressions_match(struct suppression_list *list, const struct spemu_diagnostic *d,
                        const char *symbol);
/* With -v: lines that matched nothing. */
void suppressions_report_unused(const struct suppression_list *list);

#endif
