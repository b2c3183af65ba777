/* SPDX-License-Identifier: MIT */
/* Warnings about objects without symbols, with a remedy. */
#ifndef TOOLS_MISSING_H
#define TOOLS_MISSING_H

#include <stdint.h>

struct object;

/* Count samples of an object, or of NULL, that have no symbol. */
void missing_count(struct object *obj, uint64_t samples);
/* Print a warning for each object, the one with the most of them first, three at most. samples: of
 * all objects. */
void missing_warn(uint64_t samples);

#endif
