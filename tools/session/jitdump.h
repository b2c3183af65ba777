/* SPDX-License-Identifier: MIT */
/* Jitdump files: code that a process generated, and its addresses over time. */
#ifndef TOOLS_JITDUMP_H
#define TOOLS_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

/* Code that was placed at an address: a mapping of the object that starts at offset. */
struct jit_code {
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC, or ticks of the architecture's counter */
	uint64_t start, size, offset;
};

/* Return true if the name of a mapped file is that of process pid's jitdump file: jit-PID.dump, as
 * in perf. */
bool jitdump_is_named(const char *path, uint32_t pid);
/* Return the pieces of code in the order of the file. Set *by_counter to true if their times are
 * ticks of the architecture's counter. */
const struct jit_code *object_jit_codes(struct object *obj, size_t *n, bool *by_counter);

#endif
