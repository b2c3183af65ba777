/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks of blocks and exceptions, and the reports of branches to the model; see
 * vcpu_previous.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.3.1.
 */
#include "vcpu_previous.h"
#include "qemu_series.h"

void previous_target_reset(struct vcpu *vcpu)
{
	vcpu->early = 0;
	vcpu->saved.previous_reported = false;
	vcpu->saved.previous_lead = PREVIOUS_LEAD_MOST;
	vcpu->saved.previous_found = 0;
	vcpu->saved.previous.followed = false;
	vcpu->saved.previous.midway = true;
	previous_branch_start(&vcpu->saved.previous, vcpu->pe);
}

void previous_target_enabled(struct vcpu *vcpu)
{
	vcpu->saved.previous.followed = false;
	vcpu->saved.previous.known = PREVIOUS_BRANCH_NONE;
	vcpu->saved.previous_reported = false;
}

void previous_target_block(struct vcpu *vcpu, const struct block *block, bool again)
{
	if (!config.previous_target)
		return;
	/* In an exclusive step QEMU leaves the block before, and executes the instruction there
	 * again in a block of its own. */
	if (block->insns == 1 &&
	    (qemu_word(vcpu->cpu, CPU_EXCLUSIVE_CONTEXT) || vcpu->alone == block->pc))
		again = true;
	if (previous_branch_block(&vcpu->saved.previous, block, again))
		vcpu->saved.previous_reported = false;
}

/* Report the branch, in the PE state where it was executed. */
static void report(struct vcpu *vcpu)
{
	const struct previous_branch *previous = &vcpu->saved.previous;

	if (vcpu->saved.previous_reported)
		return;
	vcpu->saved.previous_reported = true;
	if (previous->known == PREVIOUS_BRANCH_TAKEN)
		spemu_spu_branch(vcpu->spu, previous->target, previous->flags, NULL);
	else
		spemu_spu_branch_unknown(vcpu->spu);
}

void previous_target_exception(struct vcpu *vcpu)
{
	struct previous_branch *previous = &vcpu->saved.previous;
	struct spemu_pe_state destination = vcpu->state;
	uint32_t flags =
	        previous->left ? 0 : previous->last.flags & (SPEMU_OPF_ERET | SPEMU_OPF_EXCEPTION);

	if (!config.previous_target || !vcpu->can_sample)
		return;
	if (!previous->followed) { /* the last branch is unknown */
		previous->known = PREVIOUS_BRANCH_UNKNOWN;
		vcpu->saved.previous_reported = false;
	} else if (!vcpu->before_fault && !flags && !previous->left &&
	           previous_branch_went(previous, vcpu->before_pc)) {
		vcpu->saved.previous_reported = false;
	}
	report(vcpu);
	if (previous->followed && !vcpu->before_fault && flags) {
		destination.el = (uint8_t)private_el(vcpu->env);
		previous->known = PREVIOUS_BRANCH_TAKEN;
		previous->target = private_pc(vcpu->env);
		previous->flags = previous->last.flags;
		spemu_spu_branch(vcpu->spu, previous->target, previous->flags, &destination);
	}
	previous->followed = false;
	previous->left = false;
}

static void fit_lead(struct vcpu *vcpu)
{
	if (vcpu->saved.previous_missing) {
		if (vcpu->saved.previous_lead < PREVIOUS_LEAD_MOST)
			vcpu->saved.previous_lead *= 2;
	} else if (++vcpu->saved.previous_found < PREVIOUS_TRIAL) {
		return;
	} else if (vcpu->saved.previous_lead > PREVIOUS_LEAD_LEAST) {
		vcpu->saved.previous_lead /= 2;
	}
	vcpu->saved.previous_found = 0;
}

void previous_target_report(struct vcpu *vcpu)
{
	if (!config.previous_target)
		return;
	report(vcpu);
	vcpu->saved.previous_missing = vcpu->saved.previous.known == PREVIOUS_BRANCH_UNKNOWN;
	fit_lead(vcpu);
}
