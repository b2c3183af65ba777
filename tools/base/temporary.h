/* SPDX-License-Identifier: MIT */
/* Unnamed temporary files, for data that may exceed the memory. */
#ifndef TOOLS_BASE_TEMPORARY_H
#define TOOLS_BASE_TEMPORARY_H

/* Open an unnamed file in $TMPDIR or /tmp for reading and writing. It vanishes when it is closed.
 * Die on failure. */
int temporary_file(void);

#endif
