/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking samples: choosing the operation, and finding out what it did.
 *
 * Most operations are complete when they are chosen. The outcome of a branch is the address of the
 * next block; the address of an access comes from a memory callback between now and then. While
 * such an operation is in flight the countdown is 0, so that the next block comes here first.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

#include "vcpu.h"

/* Take the samples of block, at whose entry the countdown expired. ra: return address of the entry
 * callback. */
void sample_block(struct vcpu *vcpu, const struct block *block, uintptr_t ra);

/* Return the operation in flight whose place in block.opcode is `want`, or NULL. */
struct in_flight *sample_in_flight(struct vcpu *vcpu, const uint32_t *want);

/* Record that the operation in flight accessed size bytes at va. */
void sample_access(struct vcpu *vcpu, struct in_flight *flight, uint64_t va, uint32_t size);

/* Return where the timing model is to store its results for the branch at pc, which ended the block
 * before; NULL if the branch is no sample. */
struct uarch_result *sample_branch_result(struct vcpu *vcpu, uint64_t pc);

/* End the operation in flight, if any; next_pc: where execution goes on, 0 if that is not known. */
void sample_finish(struct vcpu *vcpu, uint64_t next_pc);

/* End the operation in flight because a system call begins. There is one. */
void sample_syscall(struct vcpu *vcpu);

/* Load the countdown from the model. */
void sample_reload(struct vcpu *vcpu);

/* Return the number of operations executed since the last sample. */
uint64_t sample_partial(const struct vcpu *vcpu);

#endif
