/* SPDX-License-Identifier: MIT */
/* Instructions that a kernel replaces when it starts or runs, as far as they are branches:
 * alternatives for features of the CPU, and static keys. */
#ifndef TOOLS_TYPES_PATCHED_CODE_H
#define TOOLS_TYPES_PATCHED_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct object;
struct patched_code;

/* Read the tables of a kernel. Return NULL if the file has none. */
struct patched_code *patched_code_new(const struct object *kernel);
/*
 * Return true if the kernel may replace the instruction at vaddr. Set *target to the target of the
 * branch that may be there, or to 0 if only the instruction in the file may be a branch.
 */
bool patched_code_at(const struct patched_code *code, uint64_t *target, uint64_t vaddr);

#endif
