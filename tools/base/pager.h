/* SPDX-License-Identifier: MIT */
/* Long output page by page, as git and perf show it. */
#ifndef TOOLS_PAGER_H
#define TOOLS_PAGER_H

/*
 * From here on standard output goes through the pager, if it is a terminal: SPEMU_PAGER, else
 * PAGER, else "less" where it is installed; an empty one, or "cat", is none. exit() waits for it.
 * Widths and colors stay those of the terminal, so color_setup() comes first.
 */
void pager_start(void);

#endif
