/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples: from the chosen instruction to its record. */
#ifndef VCPU_SAMPLE_H
#define VCPU_SAMPLE_H

#include "vcpu.h"

/* Whether records have physical addresses (PMSCR_ELx.PA of the owning Exception level). */
bool sample_needs_pa(const struct vcpu *vcpu);

/* insn is chosen: what is known of it before it is executed. */
void sample_describe(struct vcpu *vcpu, struct block_insn insn);
/* The instruction described last is about to be executed. It is in flight until one of the next
 * three. */
void sample_begin(struct vcpu *vcpu);
/* ... makes its first access, of size bytes. */
void sample_memory_access(struct vcpu *vcpu, uint64_t va, uint32_t size, bool has_pa, uint64_t pa);
/* ... was executed: next_pc is the instruction after it. */
void sample_finish(struct vcpu *vcpu, uint64_t next_pc);
/* ... was executed or ended in an exception: the PE has changed its Exception level. */
void sample_finish_at_el_change(struct vcpu *vcpu);

/* Counts what became of a sample, and reports management events. */
void sample_count(struct vcpu *vcpu, const struct spemu_sample_result *result);

#endif
