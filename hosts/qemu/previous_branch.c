/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The branch from a block's last instruction to the next block; see previous_branch.h.
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

static bool taken(struct previous_branch *previous, uint64_t target)
{
	previous->known = PREVIOUS_BRANCH_TAKEN;
	previous->target = target;
	previous->flags = previous->last.flags;
	return true;
}

static bool not_taken(struct previous_branch *previous, enum previous_branch_known why)
{
	previous->known = (uint8_t)why;
	return true;
}

static bool branch_went(struct previous_branch *previous, uint64_t next_pc, bool inside)
{
	const struct spemu_op_kind *last = &previous->last;

	if (last->flags & (SPEMU_OPF_INDIRECT | SPEMU_OPF_ERET))
		return inside ? not_taken(previous, PREVIOUS_BRANCH_UNKNOWN)
		              : taken(previous, next_pc);
	if (next_pc == previous->last_pc + (uint64_t)(int64_t)last->branch_offset)
		return taken(previous, next_pc);
	if (inside || ((last->flags & SPEMU_OPF_CONDITIONAL) && next_pc == previous->last_pc + 4))
		return false;
	return not_taken(previous, PREVIOUS_BRANCH_NONE);
}

bool previous_branch_went(struct previous_branch *previous, uint64_t next_pc)
{
	uint32_t flags = previous->last.flags;
	bool inside =
	        previous->midway && next_pc > previous->first_pc && next_pc <= previous->last_pc;

	if (previous->last.type == SPEMU_OP_BRANCH)
		return branch_went(previous, next_pc, inside);
	if (inside)
		return false;
	if ((flags & SPEMU_OPF_EXCEPTION) || next_pc != previous->last_pc + 4)
		return not_taken(previous, PREVIOUS_BRANCH_NONE);
	if (!previous->isb || !(flags & SPEMU_OPF_ISB))
		return false;
	return previous->isb == PREVIOUS_BRANCH_ISB_FORGETS
	               ? not_taken(previous, PREVIOUS_BRANCH_NONE)
	               : taken(previous, next_pc);
}

bool previous_branch_block(struct previous_branch *previous, const struct block *block, bool again)
{
	bool changed = previous->followed && !again && !previous->left &&
	               previous_branch_went(previous, block->pc);

	previous->followed = true;
	previous->left = false;
	previous->last = block->last;
	previous->first_pc = block->pc;
	previous->last_pc = block_insn_pc(block, block->insns - 1u);
	return changed;
}
