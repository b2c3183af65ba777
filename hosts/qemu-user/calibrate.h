/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for QEMU's private offsets in user-mode emulation (QEMU 7.2 to 10.2), which does not
 * report its version.
 *
 * Assumptions, in addition to those of restart_block.h:
 *
 *   cpu_single_step(cpu, n)        writes CPUState.singlestep_enabled and nothing else in user mode
 *   CPUState.cflags_next_tb        the word two before singlestep_enabled
 *   CPUState.in_exclusive_context  the word before it; exclusive_context_count in later series
 *
 * If an experiment has an unexpected result, the layout is rejected. Then blocks are not restarted,
 * and each block has memory callbacks.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>

/* Find the layout of the CPUState of the calling thread, which must execute guest code and be in a
 * callback. Return true if restart_block() can be used from now on. Call this once. */
bool calibrate_restart(void);

/* Find CPU_TCG_CFLAGS of qemu_series.h, the flags that curr_cflags() returns. Return true if they
 * include a cluster bit that can be changed. */
bool calibrate_flags(void);

#endif
