/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding QEMU's private offsets in user-mode emulation (QEMU 7.2 to 10.2), which does not report
 * its version.
 *
 * Relied on, beyond restart_block.h:
 *
 *   cpu_single_step(cpu, n)        writes CPUState.singlestep_enabled and nothing else in user mode
 *   CPUState.cflags_next_tb        the word two before singlestep_enabled
 *   CPUState.in_exclusive_context  in the word before that; exclusive_context_count in later series
 *
 * The layout is found by experiment, and refused if anything looks different. Then blocks are not
 * restarted, and each has memory callbacks.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>

/* Find the layout of the CPUState of the calling thread, which must execute guest code and be in a
 * callback. Return true if restart_block() can be used from now on. Call once. */
bool calibrate_restart(void);

/* Find CPU_TCG_CFLAGS of qemu_series.h: the flags that curr_cflags() returns. Return true if they
 * have a cluster's bit that can be changed. */
bool calibrate_flags(void);

#endif
