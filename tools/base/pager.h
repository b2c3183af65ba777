/* SPDX-License-Identifier: MIT */
/* A pager for long output, as in git and perf. */
#ifndef TOOLS_PAGER_H
#define TOOLS_PAGER_H

/*
 * From now on, send standard output through the pager if it is a terminal. The pager is
 * SPEMU_PAGER, PAGER, or "less" if it is installed. An empty value or "cat" disables it. exit()
 * waits for the pager. Call color_setup() first: widths and colors stay those of the terminal.
 */
void pager_start(void);

#endif
