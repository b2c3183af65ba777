/* SPDX-License-Identifier: MIT */
/* The shape of the rows that gen_tables.py makes of Table D17-1 and Table D17-4. */
#ifndef SELFTEST_TABLES_H
#define SELFTEST_TABLES_H

#include "runtime.h"

/* What a row asks of a control: bits that mask leaves out are "x". */
struct control {
	u8 value, mask;
};

static inline bool control_is(struct control control, unsigned value)
{
	return (value & control.mask) == control.value;
}

enum cell { CELL_DISABLED, CELL_NOT_APPLICABLE, CELL_E0SPE, CELL_E1SPE, CELL_E2SPE, CELL_E0HSPE };

struct enabling_row {
	struct control nse, ns, nspbe, nspb, e2pb, eel2, tge;
	u8 cell[4]; /* enum cell, by Exception level */
	const char *source;
};

struct owner_row {
	struct control e, nse, ns, eel2, nspbe, nspb, e2pb, e2h;
	const char *name;
	u8 el; /* that owns */
	bool el2_and_0, enabled;
};

/* All combinations of the controls, as one number; see control_of(). */
#define COMBINATIONS (1U << 10)

/* The world of a combination, at an Exception level; false if no software should set it up. */
bool world_of_combination(struct world *world, unsigned combination, unsigned el);

#endif
