/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns: with `spemu record --interleave N` one thread of a process runs at a time. After N
 * operations the next one runs, in the order in which the threads were made. The effects of sharing
 * then depend on the program and not on how the host happens to overlap the threads.
 *
 * A thread whose system call may block is out of the order until the call has returned. So that the
 * same run has the same order, a thread that has woken others keeps its turn until they are back,
 * and one that has made a thread until that has begun; it waits a tenth of a second at most. Events
 * that the kernel alone decides (reads, timeouts, signals) come when they come.
 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include <stdint.h>

#include "qemu_plugin_api.h"

/* Call once, before there is a second thread. */
void interleave_install(void);

/* Let the block just translated begin by checking whose turn it is; before all other callbacks. */
void interleave_translate(struct qemu_plugin_tb *tb, size_t insns);

/* Follow a system call of the calling thread: when it is made, and when it has returned. */
void interleave_syscall(int64_t num, const uint64_t argument[8]);
void interleave_return(int64_t num, int64_t ret);

/* Follow the end of the calling thread. */
void interleave_exit(void);

/* Start over in a child of fork(), where only the calling thread is left. */
void interleave_forked(void);

#endif
