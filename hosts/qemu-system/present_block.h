/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in its block a vCPU is, when the block is left before its end.
 *
 * A block counts as a whole at its entry. The instructions that did not execute are found
 * afterwards, from where the block's instructions say that it ends. So the population is exact at
 * no cost up front. Blocks that end elsewhere (long ones, those that QEMU cuts for a reason of its
 * own) and instructions that count for themselves report at their entry that they are the present
 * ones.
 */
#ifndef PRESENT_BLOCK_H
#define PRESENT_BLOCK_H

#include "vcpu.h"

/* Return true if the block does not end where its instructions say, so its entry is reported. */
bool present_block_irregular(const struct block *block);

/* Callback: an irregular block, after it has counted. */
void present_block_entered(unsigned cpu, void *block);

/* Return how many instructions after pc have been counted and are not executed yet. */
unsigned present_block_rest(const struct vcpu *vcpu, uint64_t pc);

/* Return true if the present block is this one, of a single instruction. */
static inline bool present_block_is(const struct vcpu *vcpu, const struct block *block)
{
	return vcpu->present.count == *vcpu->count && vcpu->present.block == block;
}

/* Change the count without leaving the present block; only generated code does it otherwise. */
static inline void present_count_set(struct vcpu *vcpu, uint64_t value)
{
	vcpu->present.count = vcpu->present.count == *vcpu->count ? value : COUNT_NEVER;
	*vcpu->count = value;
}

#endif
