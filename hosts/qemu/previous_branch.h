/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The branch that was taken last, from one block to the next. A block ends with a branch, an
 * instruction that generates an exception, or another instruction. The next block shows the
 * outcome.
 *
 * An outcome that the block's last instruction does not explain is an exception, perhaps in the
 * middle of the block. If a branch is indirect or its target is the exception's handler, it looks
 * like an exception. The host has to distinguish the two.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.3.1 (FEAT_SPE_PBT).
 */
#ifndef PREVIOUS_BRANCH_H
#define PREVIOUS_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/op.h>
#include <spemu/pe.h>

#include "block.h"

enum previous_branch_known {
	PREVIOUS_BRANCH_UNKNOWN = 0, /* the branch is older than the first followed block */
	PREVIOUS_BRANCH_TAKEN,       /* taken to `target` */
	PREVIOUS_BRANCH_NONE,        /* an exception came later, or an ISB that forgets it */
};

/* The effect of an ISB after the branch. */
enum previous_branch_isb {
	PREVIOUS_BRANCH_ISB_NOTHING = 0,
	PREVIOUS_BRANCH_ISB_BRANCH,
	PREVIOUS_BRANCH_ISB_FORGETS,
};

struct previous_branch {
	uint8_t known; /* enum previous_branch_known */
	uint8_t isb;   /* enum previous_branch_isb */
	bool midway;   /* a device access may leave and resume a block in its middle */
	bool followed; /* `last` is the last instruction before the next block */
	bool left;     /* the block was left there: `last` was not executed */
	uint32_t flags;
	uint64_t target;
	uint64_t first_pc, last_pc; /* bounds of the block of `last` */
	struct spemu_op_kind last;
};

/* Start with no branch taken. The choices are those of the PE. */
void previous_branch_start(struct previous_branch *previous, const struct spemu_pe *pe);

/* Follow the begin of a block that was made with `last`. `again` means that the block before was
 * left early and continues here. Return true if the known branch has changed. */
bool previous_branch_block(struct previous_branch *previous, const struct block *block, bool again);
/* Follow the end of the block: execution continued at next_pc. Return true if the known branch has
 * changed. */
bool previous_branch_went(struct previous_branch *previous, uint64_t next_pc);

#endif
