/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples: the choice of the operation and the collection of its data.
 *
 * Most operations are complete when they are chosen. The outcome of a branch is the address of the
 * next block. The address of a memory access comes from a memory callback before that. While such
 * an operation is in flight the countdown is 0, so that the next block calls sample_block().
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

#include "vcpu.h"

/* Take the samples of `block`, at whose entry the countdown expired. ra is the return address of
 * the entry callback. */
void sample_block(struct vcpu *vcpu, const struct block *block, uintptr_t ra);

/* Return the operation in flight whose place in block.opcode is `want`, or NULL. */
struct in_flight *sample_in_flight(struct vcpu *vcpu, const uint32_t *want);

/* Record that the operation in flight accessed size bytes at va. */
void sample_access(struct vcpu *vcpu, struct in_flight *flight, uint64_t va, uint32_t size);

/* Return the place for the timing model's results of the branch at pc, which ended the block
 * before. Return NULL if the branch is not sampled. */
struct uarch_result *sample_branch_result(struct vcpu *vcpu, uint64_t pc);

/* End the operation in flight, if there is one. next_pc is the address where execution continues,
 * or 0 if it is unknown. */
void sample_finish(struct vcpu *vcpu, uint64_t next_pc);

/* End the operation in flight because a system call begins. There must be one. */
void sample_syscall(struct vcpu *vcpu);

/* Load the countdown from the model. */
void sample_reload(struct vcpu *vcpu);

/* Return the number of operations that a thread (struct vcpu) has executed, for the timing model.
 * It may jump when the thread's profiling is switched. */
uint64_t sample_executed(void *vcpu);

/* Return the number of operations executed since the last sample. */
uint64_t sample_partial(const struct vcpu *vcpu);

#endif
