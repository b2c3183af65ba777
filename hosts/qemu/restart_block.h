/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a translation block again from its start, as a variant.
 *
 * The cost of data addresses is paid only at samples. If a memory access in a block is the sample,
 * the block's entry callback leaves the block before anything of it has run, and asks QEMU for the
 * same block under another translation key. That variant is translated once, with memory callbacks,
 * and then found in QEMU's cache.
 *
 * Relied on, beyond the plugin interface: cpu_loop_exit_restore(cpu, ra) recovers the guest's pc
 * from the host return address ra and longjmps to the execution loop, which raises no exception
 * then; CPU_CFLAGS_NEXT_TB, CPU_EXCLUSIVE_CONTEXT and cf_noirq of qemu_series.h.
 */
#ifndef RESTART_BLOCK_H
#define RESTART_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct CPUState;

/* Restarts after which a variant that does not come is given up for the present sample. */
#define MAX_RESTARTS 8

/* Return true if cpu's current block may be restarted: not within an exclusive step. */
bool restart_block_allowed(const struct CPUState *cpu);

/*
 * Leave the current block through its entry callback, whose return address is ra, and run it as a
 * variant. Does not return. The caller holds no lock.
 */
_Noreturn void restart_block(struct CPUState *cpu, uintptr_t ra);

/* Leave the current block at the instruction at env's pc, which is executed again, as a block of
 * its own. The caller holds no lock, and runs where QEMU may raise an exception. */
_Noreturn void run_alone(struct CPUState *cpu);

/* Do the same, but enter the block itself again, after those that wait for the vCPU to stop. */
_Noreturn void leave_block(struct CPUState *cpu, uintptr_t ra);

#endif
