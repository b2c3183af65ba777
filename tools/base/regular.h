/* SPDX-License-Identifier: MIT */
/* Safe opening of files whose names come from other people. */
#ifndef TOOLS_REGULAR_H
#define TOOLS_REGULAR_H

/*
 * Open the path for reading if it is a regular file. Return -1 otherwise. Other files stay closed:
 * opening them may hang (a FIFO) or have an effect (a device), and reading them may never end.
 */
int open_regular(const char *path);

/*
 * Open a file that a process left in a folder that everyone can write. As in perf, the file must
 * belong to the user or to root, and be a regular file, not a symbolic link. Otherwise return -1
 * and set *problem, which the caller frees. errno is ENOENT if there is no such file, else another
 * error.
 */
int open_own(const char *path, char **problem);

#endif
