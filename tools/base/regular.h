/* SPDX-License-Identifier: MIT */
/* Safe opening of files whose names come from other people. */
#ifndef TOOLS_REGULAR_H
#define TOOLS_REGULAR_H

/*
 * Open the path for reading if it is a regular file. Return -1 otherwise. Other files stay closed:
 * opening them may hang (a FIFO) or have an effect (a device), and reading them may never end.
 */
int open_regular(const char *path);

#endif
