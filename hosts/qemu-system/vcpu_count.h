/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting the sample population: every instruction that is executed.
 *
 * A block counts as a whole. Where it is left before its end, by a fault, for the access of a device or for a System
 * register, what of it was not executed is taken off (present_block.h): the count is exact, and PMSIDR_EL1.ArchInst
 * is 1. An instruction that generates an exception is a member.
 *
 * Each vCPU has one number, to which QEMU's generated code adds a block's instructions at its entry;
 * when it reaches COUNT_LIMIT the sample lies in that block. While profiling is disabled the number
 * starts from 0, so nothing happens for the next 2^63 instructions.
 *
 * Of most operations all that a record needs is known there: a branch's outcome is the address of the
 * next block, and the address of an access follows from registers that nothing in between writes. Such
 * a sample is begun and finished when the next block is entered, or an exception taken, which says
 * whether it was reached.
 *
 * For the others the block is left before any of it has run, and run again as a variant that counts
 * instruction by instruction and whose accesses are told.
 */
#ifndef VCPU_COUNT_H
#define VCPU_COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

void count_start(void);
struct qemu_plugin_u64 count_entry(void);
/* Once all vCPUs are there: QEMU moves the numbers before. */
void count_find(struct vcpu *vcpu);

/* The machine begins anew or elsewhere: no operation is in flight, and no block is the present one. */
void count_forget(struct vcpu *vcpu);

/* Tell the model what has been executed since the count was loaded. */
void count_commit(struct vcpu *vcpu);
/* Set the count from the model's distance to the next sample. */
void count_load(struct vcpu *vcpu);
/* The same before the instruction at pc, whose callback comes before its count: an operation of a variant that is
 * in flight has been executed, and ends. */
void count_before(struct vcpu *vcpu, uint64_t pc);
/* The guest accesses a System register at pc: what was executed before it is settled. */
void count_settle(struct vcpu *vcpu, uint64_t pc);
/* The machine is stopped between two blocks: the operation in flight ends, and all is settled. */
void count_quiesce(struct vcpu *vcpu);
/* An exception is taken from pc: what was executed is settled. fault: the instruction at pc was not. */
void count_settle_exception(struct vcpu *vcpu, uint64_t pc, bool fault);
/* The exception has been taken, and the model has not been told: the operation in flight ends. */
void count_finish_exception(struct vcpu *vcpu);
/* QEMU has left the present block before the instruction at pc, and will execute it in another. */
void count_left_before(struct vcpu *vcpu, uint64_t pc);
/* The guest reads a System register that the count decides, at pc, in its access function: what is behind it in its
 * block has not been executed. May not return: then it is read again, alone. */
void count_alone(struct vcpu *vcpu, uint64_t pc);
/* For an access of the PMU at pc: both, and the count goes on. */
void count_up_to(struct vcpu *vcpu, uint64_t pc, bool is_read);
/* What the PMU counts has changed, in a state that is settled. */
void count_to_overflow(struct vcpu *vcpu);
/* As count_load() after a change that may have switched profiling on or off. */
void count_changed(struct vcpu *vcpu);

/* Whether the block at pc is being translated to be run instruction by instruction. */
bool count_variant(uint64_t pc);

/* Callbacks of blocks and of a variant's instructions: the count has reached its limit. */
void count_block_expired(unsigned cpu, void *block);
void count_insn_expired(unsigned cpu, void *insn);
/* Callback: an instruction of the block, which count for themselves, before it does. */
void count_insn_begins(unsigned cpu, void *block);
/* A memory access of a variant's instruction; with a timing model, of any. */
void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn);
void count_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn);

#endif
