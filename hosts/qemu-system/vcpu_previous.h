/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the branch taken last, for the records of a vCPU (FEAT_SPE_PBT).
 *
 * QEMU does not report how execution goes from block to block. So the count reaches its limit a few
 * operations before the sample; their number is the lead. From there on each block calls its entry
 * callback, which looks at the outcome of the block before. If no branch was taken within the lead,
 * the target is unknown: the record lacks it, and is counted as such. The lead costs a callback per
 * block. It is halved after PREVIOUS_TRIAL samples for which it was long enough, and doubled after
 * one for which it was too short. So at most one of 1000 records lacks its target. QEMU reports
 * exceptions and exception returns. The model gets a branch before one of these in the state where
 * the branch executed, because that state decides whether the branch is recorded.
 */
#ifndef VCPU_PREVIOUS_H
#define VCPU_PREVIOUS_H

#include "config.h"
#include "present_block.h"
#include "vcpu.h"

#define PREVIOUS_LEAD_MOST 128
#define PREVIOUS_LEAD_LEAST 16
#define PREVIOUS_TRIAL 2048

/* Start again, after the SPU has been made. */
void previous_target_reset(struct vcpu *vcpu);

/* Forget earlier branches when profiling may have become enabled: they are not recorded. */
void previous_target_enabled(struct vcpu *vcpu);

/* Follow the callback of a block or of one of its instructions, after the operation in flight has
 * ended. `again` means that the block does not begin here. */
void previous_target_block(struct vcpu *vcpu, const struct block *block, bool again);

/* Note an exception or an exception return. The PE is at the target already; the model has not been
 * notified. */
void previous_target_exception(struct vcpu *vcpu);

/*
 * Follow a memory access by an instruction of `block`. To access a device in the middle of a block,
 * QEMU leaves the block, executes the instruction as a block of its own, and continues after it. Of
 * that block it reports only the memory access.
 */
static inline void previous_target_memory_access(struct vcpu *vcpu, const struct block *block)
{
	struct previous_branch *previous = &vcpu->saved.previous;

	if (config.previous_target && block->insns == 1 && previous->followed &&
	    block->pc >= previous->first_pc && block->pc < previous->last_pc)
		previous->left = true;
}

/* Report the previous branch to the model, before a sampled operation. */
void previous_target_report(struct vcpu *vcpu);

/* Make the count reach its limit early, by the lead. Called when the count was loaded or goes
 * on. */
static inline void previous_target_hold(struct vcpu *vcpu)
{
	uint64_t *count = vcpu->count, left;

	if (!config.previous_target || vcpu->flight.active || vcpu->until == UINT64_MAX ||
	    *count >= COUNT_LIMIT)
		return;
	left = COUNT_LIMIT - 1 - *count;
	vcpu->early = left < vcpu->saved.previous_lead ? left : vcpu->saved.previous_lead;
	present_count_set(vcpu, *count + vcpu->early);
	vcpu->loaded += vcpu->early;
	if (left > vcpu->saved.previous_lead) {
		vcpu->saved.previous.followed = false;
		vcpu->saved.previous.known = PREVIOUS_BRANCH_UNKNOWN;
		vcpu->saved.previous_reported = false;
	}
}

#endif
