/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the branch taken last, for the records of a thread (FEAT_SPE_PBT).
 *
 * QEMU goes from block to block without a callback. So the countdown ends PREVIOUS_LEAD operations
 * before the sample. From there on each block comes to its entry callback, which looks at where the
 * block before went. If no branch was taken within this lead, the target is not known: the record
 * has none, and is counted. With a timing model each block has a callback anyway, and all are
 * looked at.
 *
 * The kernel is not emulated. After a system call or a signal the branch taken last is its
 * exception return, which was executed where profiling is disabled: the record has no target, as on
 * a machine (D17.6.3.1).
 */
#ifndef PREVIOUS_TARGET_H
#define PREVIOUS_TARGET_H

#include "vcpu.h"

/* Operations; at least a few blocks, and a small part of a common interval. */
#define PREVIOUS_LEAD 128

/* Start, once the thread's SPU has been made. */
void previous_target_start(struct vcpu *vcpu);

/* Start again where the thread is switched on and its countdown loaded: nothing before that is
 * profiled. */
void previous_target_on(struct vcpu *vcpu);

/* Follow a block that begins, where each block has a callback. For process.previous_target only. */
void previous_target_block(struct vcpu *vcpu, const struct block *block);

/* Report the branch to the model, before a sampled operation. */
void previous_target_report(struct vcpu *vcpu);

/* Let the countdown, which has just been loaded, end early by the lead. */
static inline void previous_target_hold(struct vcpu *vcpu)
{
	int64_t *left = countdown_left(vcpu->index);

	if (!process.previous_target || vcpu_is_timed(vcpu))
		return;
	vcpu->lead = *left < PREVIOUS_LEAD ? *left + 1 : PREVIOUS_LEAD;
	*left -= vcpu->lead;
	if (*left >= 0) {
		vcpu->previous.followed = false;
		vcpu->previous.known = PREVIOUS_BRANCH_UNKNOWN;
	}
}

/* Take the lead back: the countdown is that to the sample itself again. */
static inline void previous_target_release(struct vcpu *vcpu)
{
	*countdown_left(vcpu->index) += vcpu->lead;
	vcpu->lead = 0;
}

#endif
