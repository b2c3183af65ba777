/* SPDX-License-Identifier: MIT */
/* Warnings about objects without symbols, and what to do about them. */
#ifndef TOOLS_MISSING_H
#define TOOLS_MISSING_H

#include <stdint.h>

struct object;

/* Count samples without a symbol in an object. obj may be NULL. */
void missing_count(struct object *obj, uint64_t samples);
/* Print a warning for each of the three objects with the most such samples. samples is the number
 * of all samples. */
void missing_warn(uint64_t samples);

#endif
