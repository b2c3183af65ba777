/* SPDX-License-Identifier: MIT */
/* Warnings about objects without symbols, with a remedy. */
#ifndef TOOLS_MISSING_H
#define TOOLS_MISSING_H

#include <stdbool.h>
#include <stdint.h>

struct object;

struct missing;
struct missing *missing_new(void);
/* Count samples of an object (or NULL), with a name or without. */
void missing_count(struct missing *m, const struct object *obj, uint64_t samples, bool named);
/* Print a warning for each object, the one with the most samples first, three at most. Free m. */
void missing_warn(struct missing *m);

#endif
