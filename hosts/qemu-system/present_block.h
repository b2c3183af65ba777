/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The position of a vCPU in a block that is left before its end.
 *
 * A block counts as a whole at its entry. If it is left early, its instructions show where it would
 * have ended, and so how many did not execute. The population is exact without a cost at the entry.
 * Some blocks end elsewhere: long blocks, and blocks that QEMU cuts for its own reasons. These
 * blocks, and instructions that count for themselves, note at their entry that they are the present
 * block.
 */
#ifndef PRESENT_BLOCK_H
#define PRESENT_BLOCK_H

#include "vcpu.h"

/* Return true if the block does not end where its instructions say, so its entry is reported. */
bool present_block_irregular(const struct block *block);

/* Note that an irregular block is the present one. Callback after the block has counted. */
void present_block_entered(unsigned cpu, void *block);

/* Return the number of instructions after pc that have been counted but not executed. */
unsigned present_block_rest(const struct vcpu *vcpu, uint64_t pc);

/* Return true if `block`, of a single instruction, is the present block. */
static inline bool present_block_is(const struct vcpu *vcpu, const struct block *block)
{
	return vcpu->present.count == *vcpu->count && vcpu->present.block == block;
}

/* Set the count without leaving the present block. All code except generated code sets it through
 * this. */
static inline void present_count_set(struct vcpu *vcpu, uint64_t value)
{
	vcpu->present.count = vcpu->present.count == *vcpu->count ? value : COUNT_NEVER;
	*vcpu->count = value;
}

#endif
