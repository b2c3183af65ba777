/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding QEMU's private offsets in user-mode emulation (QEMU 7.2 to 10.2), where nothing tells its
 * version.
 *
 * Relied on, beyond restart_block.h:
 *   cpu_single_step(cpu, n)        writes CPUState.singlestep_enabled and nothing else in user mode
 *   CPUState.cflags_next_tb        the word two before singlestep_enabled
 *   CPUState.in_exclusive_context  in the word before that; exclusive_context_count in later series
 * The layout is found and refused if anything looks different; there is then no restart, and every
 * block carries memory callbacks.
 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <stdbool.h>

/*
 * Find the layout of the CPUState of the calling thread, which must be one that executes guest code
 * and is in a callback. True if restart_block() can be used from now on. Call once.
 */
bool calibrate_restart(void);

/* CPU_TCG_CFLAGS of qemu_series.h, the flags that curr_cflags() answers, if they have a cluster's
 * bit that can be changed. */
bool calibrate_flags(void);

#endif
