/* SPDX-License-Identifier: MIT */
/*
 * An estimate of the cycles that loads and stores of a structure take after its members are
 * arranged in another way. docs/explanation/layout-advice.md explains the formula.
 *
 * A visit is one use of an object by a function. It fetches some lines into L1; the other loads of
 * the visit are near: L1 has the line, or the line is on its way.
 */
#ifndef TOOLS_REPORT_LAYOUT_ESTIMATE_H
#define TOOLS_REPORT_LAYOUT_ESTIMATE_H

#include "layout_shape.h"

#include <stdbool.h>

/* Places that lines are fetched from. */
enum fetch_level { FETCH_L2, FETCH_LLC, FETCH_DRAM, FETCH_LEVELS };

/* Cycles of a load that hits L1, and cycles before it, on every machine of the model. */
enum { L1_CYCLES = 4, ISSUE_CYCLES = 2 };

/* Samples and their cycles, without translation. */
struct loads {
	double count, cycles;
};

/* The samples of loads from one structure, and of stores to it, in one function. */
struct load_use {
	double visits;
	bool in_order; /* true if neighboring objects are visited one after the other */
	struct loads fetched[FETCH_LEVELS], near;
	double store_wait;  /* cycles of stores beyond the shortest store */
	double walks;       /* samples of loads and stores that walk the translation tables */
	double translation; /* cycles of translation of loads and stores */
};

/* Return the cycles of the loads in the samples, and the waits of the stores. */
double load_cycles(const struct load_use *use);
/* Return these cycles after a change of the arrangement. `saved` loads of each visit
 * disappear, because a load of a pair of registers takes two neighboring members. It is negative if
 * the change divides pairs. */
double load_estimate(const struct load_use *use, const struct shape *before,
                     const struct shape *after, double saved);

#endif
