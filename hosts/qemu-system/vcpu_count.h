/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The count of the sample population: every instruction that is executed.
 *
 * A block counts as a whole at its entry. If a fault, a memory access to a device or a System
 * register access leaves it early, the instructions that did not execute are subtracted
 * (present_block.h). So the count is exact, and PMSIDR_EL1.ArchInst is 1. An instruction that
 * generates an exception is a member of the population.
 *
 * Each vCPU has one number, the count. At a block's entry QEMU's generated code adds the block's
 * instructions to it. When the count reaches COUNT_LIMIT, the sample lies in that block. While
 * profiling is disabled the count starts from 0, so nothing happens for the next 2^63 instructions.
 *
 * At the block's entry most operations are known well enough for a record: a branch's outcome is
 * the address of the next block, and the address of a memory access follows from registers that
 * nothing in between writes. The sample of such an operation is begun and finished when the next
 * block is entered or an exception is taken, which shows whether the operation was reached. For
 * other operations the block is left before any of it has run. It runs again as a variant that
 * counts instruction by instruction and reports its memory accesses.
 *
 * The sampled operation (struct vcpu.flight) goes through these states. IDLE: not active. CHOSEN:
 * active, not begun. BEGUN: active and begun, so the model has a sample in flight; until is 0, and
 * the next callback comes at once.
 *
 *   state   event                                        action                                 next
 *   IDLE    *count has reached the limit, early          hold() again                           IDLE
 *   IDLE    ... the sample is in the block: defer()      describe the operation                 CHOSEN
 *   IDLE    ... but needs a variant                      restart the block, armed               IDLE
 *   IDLE    a variant reaches the sampled instruction    begin()                                BEGUN
 *   CHOSEN  the next block is entered                    begin() and sample_finish()            IDLE
 *   CHOSEN  an exception is taken at it or after it      begin()                                BEGUN
 *   CHOSEN  an exception is taken before it              commit; drop the operation             IDLE
 *   CHOSEN  a System register is accessed after it       begin() and sample_finish()            IDLE
 *   CHOSEN  ... by it                                    begin()                                BEGUN
 *   CHOSEN  ... before it                                commit; until = what is left           CHOSEN
 *   CHOSEN  the block is left for good after it          begin() and sample_finish()            IDLE
 *   CHOSEN  ... at it, and it was executed               begin()                                BEGUN
 *   CHOSEN  ... before it                                commit; drop the operation             IDLE
 *   BEGUN   the next block or instruction is entered     sample_finish()                        IDLE
 *   BEGUN   the exception has been taken                 sample_finish_at_el_change()           IDLE
 */
#ifndef VCPU_COUNT_H
#define VCPU_COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

void count_start(void);
/* Return the member of struct generated at this offset, for generated code. */
struct qemu_plugin_u64 generated_entry(size_t member);
static inline struct qemu_plugin_u64 count_entry(void)
{
	return generated_entry(offsetof(struct generated, count));
}
/* Find the vCPU's numbers once all vCPUs exist. QEMU may move them before. */
void count_find(struct vcpu *vcpu);

/* Forget the operation in flight and the present block, at a reset or after another state was
 * loaded. */
void count_forget(struct vcpu *vcpu);

/* Give the model the operations executed since the count was loaded. */
void count_commit(struct vcpu *vcpu);
/* Set the count from the model's distance to the next sample. */
void count_load(struct vcpu *vcpu);
/* Commit and load before the instruction at pc, in a callback that runs before the instruction is
 * counted. If an operation of a variant is in flight, it has executed and ends. */
void count_before(struct vcpu *vcpu, uint64_t pc);
/* Catch up with the operations before the guest's access to a System register at pc. */
void count_catch_up(struct vcpu *vcpu, uint64_t pc);
/* Catch up completely and end the operation in flight. The machine is stopped between two
 * blocks. */
void count_quiesce(struct vcpu *vcpu);
/* Catch up with the operations before an exception that is taken from pc. `fault` means that the
 * instruction at pc did not execute. */
void count_catch_up_exception(struct vcpu *vcpu, uint64_t pc, bool fault);
/* End the operation in flight after the exception has been taken and before the model is
 * notified. */
void count_finish_exception(struct vcpu *vcpu);
/* Correct the count for the present block, which QEMU has left for good at pc, maybe to execute the
 * instruction there in another block. `executed` means that this instruction was executed. */
void count_left(struct vcpu *vcpu, uint64_t pc, bool executed);
/* Run the guest's MRS at pc, of a System register that depends on the count, in a block of its own,
 * so that no later instruction has been counted. Called by the register's access function. Does not
 * return if it leaves the block. */
void count_alone(struct vcpu *vcpu, uint64_t pc);
/* Call count_alone() for a read and count_catch_up(), for a register access to the PMU at pc. Then
 * load the count. */
void count_up_to(struct vcpu *vcpu, uint64_t pc, bool is_read);
/* Recompute the distance to the next overflow after the PMU's configuration changed. The count has
 * caught up before. */
void count_to_overflow(struct vcpu *vcpu);
/* Do the same as count_load(), after a change that may have enabled or disabled profiling. */
void count_changed(struct vcpu *vcpu);

/* Return true if the block at pc is being translated as a variant. */
bool count_variant(uint64_t pc);

/* Handle a count that has reached its limit. Callbacks of blocks, and of a variant's
 * instructions. */
void count_block_expired(unsigned cpu, void *block);
void count_insn_expired(unsigned cpu, void *insn);
/* Note that an instruction which counts for itself begins. Callback, before the instruction
 * counts. */
void count_insn_begins(unsigned cpu, void *block);
/* Follow a memory access of a variant's instruction, or of any instruction with a timing model.
 * Callbacks. */
void count_memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *insn);
void count_memory_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                               void *insn);

#endif
