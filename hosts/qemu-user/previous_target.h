/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the branch taken last, for the records of a thread (FEAT_SPE_PBT).
 *
 * QEMU goes from block to block without telling. So the countdown ends PREVIOUS_LEAD operations
 * before the sample, and from there on each block comes to its entry callback, which looks at where
 * the one before it went. If no branch was taken in the window the target is not known: the record
 * has none, and is counted. With a timing model each block has a callback anyway, and all are
 * looked at.
 *
 * The kernel is not emulated; after a system call or a signal the branch taken last is its
 * exception return, which was executed where profiling is disabled: the record has no target, as on
 * a machine (D17.6.3.1).
 */
#ifndef PREVIOUS_TARGET_H
#define PREVIOUS_TARGET_H

#include "vcpu.h"

/* Operations; at least the smallest interval's worth of blocks, and few of a common one. */
#define PREVIOUS_LEAD 128

/* The thread's SPU has been made. */
void previous_target_start(struct vcpu *vcpu);

/* The thread is switched on, its countdown loaded: what was executed before is not profiled. */
void previous_target_on(struct vcpu *vcpu);

/* Block begins: with process.previous_target, where each block reports itself. */
void previous_target_block(struct vcpu *vcpu, const struct block *block);

/* What is known of it goes to the model, before a sampled operation. */
void previous_target_report(struct vcpu *vcpu);

/* The countdown has been loaded: it ends early. */
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

/* It has ended, perhaps early: the countdown to the sample itself. */
static inline void previous_target_release(struct vcpu *vcpu)
{
	*countdown_left(vcpu->index) += vcpu->lead;
	vcpu->lead = 0;
}

#endif
