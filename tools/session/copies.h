/* SPDX-License-Identifier: MIT */
/* Copies of files in a recording: the descriptions of code that processes generated. */
#ifndef TOOLS_COPIES_H
#define TOOLS_COPIES_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "../base/map.h"

/* A copy. It lives until the program ends, and its data as long as the recording is open. */
struct copy;

/* A zeroed struct is empty. */
struct copies {
	struct map index; /* copies by kind and process */
	struct copy **items;
	size_t capacity;
};

/* Take an event if it is a part of a copy. A part that does not continue its copy is left out. */
void copies_add(struct copies *copies, const struct spemu_perf_event *event);
/* Return the copy of a process, or NULL if the recording does not have one. */
const struct copy *copies_find(const struct copies *copies, enum spemu_perf_copy_kind kind,
                               uint32_t pid);
/* Return the size in bytes; 0 means that the process left no such file. */
uint64_t copy_size(const struct copy *copy);
/* Write the copy into a file in memory, and return the file, positioned at its beginning. */
FILE *copy_open(const struct copy *copy);

#endif
