/* SPDX-License-Identifier: MIT */
/* The rows that gen_tables.py generates from Tables D17-1, D17-4 and D17-8 to D17-10. */
#ifndef SELFTEST_TABLES_H
#define SELFTEST_TABLES_H

#include "runtime.h"

/* The value that a row requires of a control. Bits outside `mask` are "x". `other` means any value
 * except this one. */
struct control {
	u8 value, mask;
	bool other;
};

static inline bool control_is(struct control control, unsigned value)
{
	return ((value & control.mask) == control.value) != control.other;
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
	u8 el; /* the owning Exception level */
	bool el2_and_0, enabled;
};

/* Cells of the exception tables. EL1 to EL3 are their numbers. */
enum { EXCEPTION_NOT_APPLICABLE = 4, EXCEPTION_NONE, EXCEPTION_MASKED };

struct exception_row {
	struct control pmsee, ee2, ke2, tge, ee1, ke1, pm;
	bool irq;
	u8 cell[4]; /* target level, by Exception level */
};

/* The number of combinations of the controls; see control_of(). */
#define COMBINATIONS (1U << 10)

/* Set up the world of a combination at an Exception level. Return false if software must not use
 * it. */
bool world_of_combination(struct world *world, unsigned combination, unsigned el);

#endif
