/* SPDX-License-Identifier: MIT */
/* Jitdump files: code that a process made, and when it was where. */
#ifndef TOOLS_JITDUMP_H
#define TOOLS_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

/* Code that came to be at an address: a mapping of the object from offset on. */
struct jit_code {
	uint64_t time; /* of CLOCK_MONOTONIC, or of the architecture's counter */
	uint64_t start, size, offset;
};

/* Whether a mapped file is that of process pid by its name: jit-PID.dump, as perf has it. */
bool jitdump_is_named(const char *path, uint32_t pid);
/* In the order of the file. *by_counter: its times are those of the architecture's counter. */
const struct jit_code *object_jit_codes(struct object *obj, size_t *n, bool *by_counter);

#endif
