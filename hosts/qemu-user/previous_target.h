/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the branch taken last, for the records of a thread (FEAT_SPE_PBT).
 *
 * QEMU goes from block to block without a callback. So the countdown ends PREVIOUS_LEAD operations
 * before the sample. From there on each block calls its entry callback, which looks at the outcome
 * of the block before. If no branch was taken within this lead, the target is unknown: the record
 * lacks it and is counted as such. With a timing model every block has a callback anyway, so all
 * are followed.
 *
 * The kernel is not emulated. After a system call or a signal, the branch taken last is the
 * kernel's exception return, which executed where profiling is disabled. So the record has no
 * target, as on a machine (D17.6.3.1).
 */
#ifndef PREVIOUS_TARGET_H
#define PREVIOUS_TARGET_H

#include "vcpu.h"

/* The lead in operations: at least a few blocks, and a small part of a common interval. */
#define PREVIOUS_LEAD 128

/* Start, after the thread's SPU has been made. */
void previous_target_start(struct vcpu *vcpu);

/* Start again when the thread is switched on and its countdown loaded. Earlier branches are not
 * profiled. */
void previous_target_on(struct vcpu *vcpu);

/* Follow a block that begins. Called only with process.previous_target, and while each block has a
 * callback. */
void previous_target_block(struct vcpu *vcpu, const struct block *block);

/* Report the branch to the model before a sampled operation. */
void previous_target_report(struct vcpu *vcpu);

/* Make the countdown, which has just been loaded, end early by the lead. */
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

/* Take the lead back, so that the countdown ends at the sample itself. */
static inline void previous_target_release(struct vcpu *vcpu)
{
	*countdown_left(vcpu->index) += vcpu->lead;
	vcpu->lead = 0;
}

#endif
