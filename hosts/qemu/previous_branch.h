/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The branch that was taken last, from one block to the next: a block ends with a branch, an
 * instruction that generates an exception, or any other, and where execution went on says what
 * became of it.
 *
 * What cannot be explained by the block's last instruction is an exception, also one that came in
 * the middle of the block. Where a branch is indirect, or has the exception's handler as target,
 * the two look alike: the host has to tell.
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
	PREVIOUS_BRANCH_UNKNOWN = 0, /* it lies before what was followed */
	PREVIOUS_BRANCH_TAKEN,       /* to target */
	PREVIOUS_BRANCH_NONE, /* an exception came after it, or by choice an ISB that ends it */
};

/* What an ISB is after the branch. */
enum previous_branch_isb {
	PREVIOUS_BRANCH_ISB_NOTHING = 0,
	PREVIOUS_BRANCH_ISB_BRANCH,
	PREVIOUS_BRANCH_ISB_FORGETS,
};

struct previous_branch {
	uint8_t known; /* enum previous_branch_known */
	uint8_t isb;   /* enum previous_branch_isb */
	bool midway;   /* a block may be left in its middle, for a device's sake, and go on there */
	bool followed; /* last is the instruction that was executed before the next block */
	bool left;     /* the host has told that this was so: last has not been executed */
	uint32_t flags;
	uint64_t target;
	uint64_t first_pc, last_pc; /* of that block */
	struct spemu_op_kind last;
};

/* No branch has been taken; the choices are the PE's. */
void previous_branch_start(struct previous_branch *previous, const struct spemu_pe *pe);

/* Block, with `last`, begins. again: the block before was left before its end and goes on here.
 * True if what is known has changed. */
bool previous_branch_block(struct previous_branch *previous, const struct block *block, bool again);
/* The block that is followed has been executed to its end, and execution went on at next_pc. */
bool previous_branch_went(struct previous_branch *previous, uint64_t next_pc);

#endif
