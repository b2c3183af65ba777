/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in its block a vCPU is, when the block is left before its end.
 *
 * A block counts as a whole at its entry. What of it was not executed is found afterwards, so that
 * the population is exact and nothing is paid for it before: where a block ends follows from its
 * instructions. Blocks that end elsewhere (long ones, those that QEMU cuts for a reason of its own)
 * and instructions that count for themselves tell at their entry that they are the present ones.
 */
#ifndef PRESENT_BLOCK_H
#define PRESENT_BLOCK_H

#include "vcpu.h"

/* Whether the block has to tell: it does not end where its instructions say. */
bool present_block_irregular(const struct block *block);

/* Callback: an irregular block, after it has counted. */
void present_block_entered(unsigned cpu, void *block);

/* How many instructions after that at pc have been counted with it, and are not executed yet. */
unsigned present_block_rest(const struct vcpu *vcpu, uint64_t pc);

/* Whether the present block is this one, of a single instruction. */
static inline bool present_block_is(const struct vcpu *vcpu, const struct block *block)
{
	return vcpu->present.count == *vcpu->count && vcpu->present.block == block;
}

/* Every change of the count but by generated code: the present block stays. */
static inline void present_count_set(struct vcpu *vcpu, uint64_t value)
{
	vcpu->present.count = vcpu->present.count == *vcpu->count ? value : COUNT_NEVER;
	*vcpu->count = value;
}

#endif
