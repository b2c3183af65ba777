/* SPDX-License-Identifier: MIT */
/* Files without a name, for what need not fit into memory. */
#ifndef TOOLS_BASE_TEMPORARY_H
#define TOOLS_BASE_TEMPORARY_H

/* Opened for reading and writing in $TMPDIR or /tmp; it is gone when it is closed. Dies if there
 * can be none. */
int temporary_file(void);

#endif
