/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a block's last instruction to the next block; see previous_branch.h.
 */
#include <spemu/choices.h>

#include "previous_branch.h"

void previous_branch_start(struct previous_branch *previous, const struct spemu_pe *pe)
{
	previous->known = PREVIOUS_BRANCH_NONE;
	if (spemu_choice_get(pe, SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION) ==
	    SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_NOT_RECORDED)
		previous->isb = PREVIOUS_BRANCH_ISB_FORGETS;
	else if (spemu_choice_get(pe, SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB) !=
	         SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH)
		previous->isb = PREVIOUS_BRANCH_ISB_BRANCH;
	else
		previous->isb = PREVIOUS_BRANCH_ISB_NOTHING;
}

static void taken(struct previous_branch *previous, uint64_t target)
{
	previous->known = PREVIOUS_BRANCH_TAKEN;
	previous->target = target;
	previous->flags = previous->last.flags;
}

/* After `last` execution went on at next_pc. */
static void went_on(struct previous_branch *previous, uint64_t next_pc)
{
	const struct spemu_op_kind *last = &previous->last;
	uint64_t after = previous->last_pc + 4;

	if (last->type == SPEMU_OP_BRANCH) {
		if ((last->flags & (SPEMU_OPF_INDIRECT | SPEMU_OPF_ERET)) ||
		    next_pc == previous->last_pc + (uint64_t)(int64_t)last->branch_offset)
			taken(previous, next_pc);
		else if (!(last->flags & SPEMU_OPF_CONDITIONAL) || next_pc != after)
			previous->known = PREVIOUS_BRANCH_NONE;
	} else if ((last->flags & SPEMU_OPF_EXCEPTION) || next_pc != after) {
		previous->known = PREVIOUS_BRANCH_NONE;
	} else if (previous->isb && (last->flags & SPEMU_OPF_ISB)) {
		taken(previous, after);
		if (previous->isb == PREVIOUS_BRANCH_ISB_FORGETS)
			previous->known = PREVIOUS_BRANCH_NONE;
	}
}

void previous_branch_block(struct previous_branch *previous, const struct block *block, bool again)
{
	if (previous->followed && !again)
		went_on(previous, block->pc);
	previous->followed = true;
	previous->last = block->last;
	previous->last_pc = block_insn_pc(block, block->insns - 1u);
}
