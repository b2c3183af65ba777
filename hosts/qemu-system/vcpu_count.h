/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting the sample population: every architecturally executed instruction (FEAT_SPE_ArchInst).
 *
 * Each vCPU has one number, to which QEMU's generated code adds a block's instructions at its entry;
 * when it reaches COUNT_LIMIT the sample lies in that block. While profiling is disabled the number
 * starts from 0, so nothing happens for the next 2^63 instructions.
 *
 * The block is then left before any of it has run, and run again as a variant that counts
 * instruction by instruction. So the sample is found where it is, and instructions that a fault in
 * the middle of the block kept from running are not counted in it.
 */
#ifndef VCPU_COUNT_H
#define VCPU_COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

#define NO_BLOCK 1 /* never the address of an A64 instruction */

void count_start(void);
struct qemu_plugin_u64 count_entry(void);

/* Tell the model what has been executed since the count was loaded. */
void count_commit(struct vcpu *vcpu);
/* Set the count from the model's distance to the next sample. */
void count_load(struct vcpu *vcpu);
/* The same after a change that may have switched profiling on or off. */
void count_changed(struct vcpu *vcpu);

/* Whether the block at pc is being translated to be run instruction by instruction. */
bool count_variant(uint64_t pc);

/* Callbacks of blocks and of a variant's instructions: the count has reached its limit. */
void count_block_expired(unsigned cpu, void *block);
void count_insn_expired(unsigned cpu, void *insn);
/* A memory access of a variant's instruction. */
void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn);

#endif
