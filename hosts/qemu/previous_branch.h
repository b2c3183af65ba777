/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The branch that was taken last, from one block to the next: a block ends with a branch, an
 * instruction that generates an exception, or any other, and the next block shows the outcome.
 *
 * An outcome that the block's last instruction does not explain is an exception, perhaps in the
 * middle of the block. If a branch is indirect, or its target is the exception's handler, the two
 * look alike: the host has to distinguish them.
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
	PREVIOUS_BRANCH_UNKNOWN = 0, /* it is older than the first block that was followed */
	PREVIOUS_BRANCH_TAKEN,       /* to target */
	PREVIOUS_BRANCH_NONE, /* an exception came after it, or by choice an ISB that ends it */
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
	bool midway;   /* a block may be left in its middle, for a device, and go on there */
	bool followed; /* `last` is the instruction before the next block */
	bool left;     /* the host has reported that: `last` was not executed */
	uint32_t flags;
	uint64_t target;
	uint64_t first_pc, last_pc; /* of that block */
	struct spemu_op_kind last;
};

/* Start: no branch has been taken. The choices are the PE's. */
void previous_branch_start(struct previous_branch *previous, const struct spemu_pe *pe);

/* Follow a block, made with `last`, that begins. again: the block before was left before its end
 * and goes on here. Return true if what is known has changed. */
bool previous_branch_block(struct previous_branch *previous, const struct block *block, bool again);
/* Follow the end of the block: execution went on at next_pc. */
bool previous_branch_went(struct previous_branch *previous, uint64_t next_pc);

#endif
