/* SPDX-License-Identifier: MIT */
/* Files that somebody else named. */
#ifndef TOOLS_REGULAR_H
#define TOOLS_REGULAR_H

/*
 * Open path for reading if it is a regular file; else -1. Nothing else is opened, for that alone
 * may hang (a FIFO) or do something (a device), and reading it may never end.
 */
int open_regular(const char *path);

#endif
