/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the branch taken last, for the records of a vCPU (FEAT_SPE_PBT).
 *
 * QEMU goes from block to block without telling. So the count reaches its limit some operations
 * before the sample, and from there on each block comes to its entry callback, which looks at where
 * the one before it went. If no branch was taken in this window the target is not known: the record
 * has none, and is counted. The window costs a callback a block, so it is half as long after
 * PREVIOUS_TRIAL samples for which it was enough, and twice as long after one for which it was not:
 * of 1000 records at most one has no target for that. Exceptions and returns from them are told by
 * QEMU; the model hears of what was taken before one in the state where it was executed, for that
 * decides whether it is recorded.
 */
#ifndef VCPU_PREVIOUS_H
#define VCPU_PREVIOUS_H

#include "config.h"
#include "present_block.h"
#include "vcpu.h"

#define PREVIOUS_LEAD_MOST 128
#define PREVIOUS_LEAD_LEAST 16
#define PREVIOUS_TRIAL 2048

/* The SPU has been made. */
void previous_target_reset(struct vcpu *vcpu);

/* Profiling may have become enabled: what was executed before is not recorded. */
void previous_target_enabled(struct vcpu *vcpu);

/* Block, or an instruction of it, comes to its callback, after the operation in flight has ended.
 * again: it does not begin here. */
void previous_target_block(struct vcpu *vcpu, const struct block *block, bool again);

/* An exception or the return from one: the PE is at its target, and the model has not been told. */
void previous_target_exception(struct vcpu *vcpu);

/*
 * An access of an instruction of block. For a device in the middle of a block QEMU leaves that one,
 * executes the instruction as a block of its own, of which it tells nothing but the access, and
 * goes on after it.
 */
static inline void previous_target_memory_access(struct vcpu *vcpu, const struct block *block)
{
	struct previous_branch *previous = &vcpu->saved.previous;

	if (config.previous_target && block->insns == 1 && previous->followed &&
	    block->pc >= previous->first_pc && block->pc < previous->last_pc)
		previous->left = true;
}

/* What is known of it goes to the model, before a sampled operation. */
void previous_target_report(struct vcpu *vcpu);

/* The count has been loaded, or goes on: it reaches its limit early. */
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
