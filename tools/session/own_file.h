/* SPDX-License-Identifier: MIT */
/* Files that a recorded process left for the tools, where everybody may write. */
#ifndef TOOLS_OWN_FILE_H
#define TOOLS_OWN_FILE_H

#include <stdio.h>

struct object;

enum { OWN_FILE_SIZE_MAX = 256 << 20 };

/*
 * The file of obj->path, below the sysroot first: as perf does, if it belongs to who asks or to
 * root, and is a regular file under that very name; of at most OWN_FILE_SIZE_MAX bytes. NULL:
 * obj->problem says why.
 */
FILE *own_file_open(struct object *obj);

#endif
