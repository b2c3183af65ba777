/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples: from the chosen instruction to its record. */
#ifndef VCPU_SAMPLE_H
#define VCPU_SAMPLE_H

#include "vcpu.h"

/* Return true if records have physical addresses (PMSCR_ELx.PA of the owning Exception level). */
bool sample_needs_pa(const struct vcpu *vcpu);

/* Describe the chosen instruction before it is executed. */
void sample_describe(struct vcpu *vcpu, struct block_insn insn);
/* Begin the sample of the instruction described last, which is about to be executed. The sample is
 * in flight until sample_finish() or sample_finish_at_el_change(). */
void sample_begin(struct vcpu *vcpu);
/* Note its first memory access, of `size` bytes. */
void sample_memory_access(struct vcpu *vcpu, uint64_t va, uint32_t size, bool has_pa, uint64_t pa);
/* End the sample of an instruction that was executed and that next_pc follows. */
void sample_finish(struct vcpu *vcpu, uint64_t next_pc);
/* End the sample after a change of the Exception level, by the instruction or by an exception. */
void sample_finish_at_el_change(struct vcpu *vcpu);

/* Count a sample by its outcome, and report management events. For host.sample_done. */
void sample_count(void *ctx, const struct spemu_sample_result *result);

#endif
