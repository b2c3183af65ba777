/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a translation block again from its start, as a variant of its own.
 *
 * The cost of data addresses is paid at samples only: blocks carry no memory callbacks; when the
 * entry callback of a block finds that a memory access in it is the sample, it leaves the block
 * before anything of it has run and asks QEMU for the same block under another translation key.
 * That variant is translated once, with memory callbacks, and from then on found in QEMU's cache.
 *
 * Relied on, beyond the plugin interface (QEMU 7.2; read in its source, symbols exported by Debian's
 * binary because it is built with modules):
 *   current_cpu                    thread-local pointer to the opaque CPUState
 *   curr_cflags(cpu)               translation flags in force
 *   cpu_single_step(cpu, n)        writes CPUState.singlestep_enabled and nothing else in user mode
 *   cpu_loop_exit_restore(cpu, ra) recovers the guest's pc from the host return address ra and
 *                                  longjmps to the execution loop, which raises no exception then
 *   CPUState.cflags_next_tb        the word two before singlestep_enabled: flags for the next block
 *                                  only
 *   CPUState.in_exclusive_context  the byte four before that word
 *   CF_NOIRQ (1 << 20)             part of the translation key; the block runs before pending signals
 * The layout is found by calibration and refused if anything looks different; there is then no
 * restart, and every block carries memory callbacks.
 */
#ifndef RESTART_BLOCK_H
#define RESTART_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Find the layout of the CPUState of the calling thread, which must be one that executes guest code
 * and is in a callback. True if restart_block() can be used from now on. Call once.
 */
bool restart_block_calibrate(void);

/* Whether the calling thread's current block may be restarted: not within an exclusive step. */
bool restart_block_allowed(void);

/*
 * Leave the current block through its entry callback, whose return address is ra, and run it as a
 * variant. Does not return. The caller holds no lock.
 */
_Noreturn void restart_block(uintptr_t ra);

#endif
