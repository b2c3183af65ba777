/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restart of a translation block from its first instruction, as a variant.
 *
 * Only samples pay the cost of data addresses. If the sample is a memory access in a block, the
 * block's entry callback leaves the block before any of it has run. It then requests the same block
 * under another translation key. QEMU translates that variant once, with memory callbacks, and then
 * finds it in its cache.
 *
 * This relies on more than the plugin interface. cpu_loop_exit_restore(cpu, ra) recovers the
 * guest's pc from the host return address ra and longjmps to the execution loop, which then raises
 * no exception. CPU_CFLAGS_NEXT_TB, CPU_EXCLUSIVE_CONTEXT and cf_noirq of qemu_series.h select the
 * variant.
 */
#ifndef RESTART_BLOCK_H
#define RESTART_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct CPUState;

/* Restarts for one sample before the wait for a variant is given up. */
#define MAX_RESTARTS 8

/* Return true if the current block may be restarted. It may not within an exclusive step. */
bool restart_block_allowed(const struct CPUState *cpu);

/*
 * Leave the current block through its entry callback, whose return address is ra, and run it as a
 * variant. The caller holds no lock.
 */
_Noreturn void restart_block(struct CPUState *cpu, uintptr_t ra);

/* Leave the current block at the instruction at env's pc, and execute that instruction again, as a
 * block of its own. The caller holds no lock, and runs where QEMU may raise an exception. */
_Noreturn void run_alone(struct CPUState *cpu);

/* Leave the current block through its entry callback and enter it again, after tasks that wait for
 * the vCPU to stop. */
_Noreturn void leave_block(struct CPUState *cpu, uintptr_t ra);

#endif
