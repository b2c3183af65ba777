/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks of blocks, and the reports to the model; see previous_target.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.3.1.
 */
#include "previous_target.h"
#include "qemu_series.h"
#include "qemu_symbols.h"
#include "signals.h"

void previous_target_start(struct vcpu *vcpu)
{
	vcpu->lead = 0;
	previous_branch_start(&vcpu->previous, vcpu->pe);
}

void previous_target_on(struct vcpu *vcpu)
{
	vcpu->previous.known = PREVIOUS_BRANCH_NONE;
	if (!vcpu_is_timed(vcpu))
		vcpu->previous.followed = false;
	previous_target_hold(vcpu);
}

/* Return true if the block is an exclusive step, which executes again, alone, the instruction at
 * which the block before was left. */
static bool is_exclusive_step(const struct block *block)
{
	return block->insns == 1 && !process.memory_callbacks &&
	       qemu_word(current_cpu, CPU_EXCLUSIVE_CONTEXT) != 0;
}

void previous_target_block(struct vcpu *vcpu, const struct block *block)
{
	previous_branch_block(&vcpu->previous, block,
	                      vcpu->arming == block->pc || is_exclusive_step(block));
}

void previous_target_report(struct vcpu *vcpu)
{
	const struct previous_branch *previous = &vcpu->previous;
	bool known = previous->known == PREVIOUS_BRANCH_TAKEN;

	if (!process.previous_target)
		return;
	/* The start of a handler may have been reached by a call or by a signal. */
	known = known && !signals_is_handler(previous->target);
	vcpu->previous_missing = !known && previous->known != PREVIOUS_BRANCH_NONE;
	if (known)
		spemu_spu_branch(vcpu->spu, previous->target, previous->flags, NULL);
	else
		spemu_spu_branch_unknown(vcpu->spu);
}
