/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns of threads. With `spemu record --interleave N` one thread of a process runs at a time.
 * After N operations the next thread runs, in the order in which the threads were made. So the
 * effects of sharing depend on the program, and not on how the host happens to overlap the threads.
 *
 * A thread whose system call may block is out of the order until the call returns. Runs should have
 * the same order. So a thread that has woken others keeps its turn until they have returned, and a
 * thread that has made another until that one has begun. It waits at most a tenth of a second. The
 * order cannot depend on the program alone where the kernel decides: reads, timeouts, signals.
 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include <stdint.h>

#include "qemu_plugin_api.h"

/* Prepare turns. Call this once, before there is a second thread. */
void interleave_install(void);

/* Make the block just translated check the turn at its entry, before all other callbacks. */
void interleave_translate(struct qemu_plugin_tb *tb, size_t insns);

/* Follow a system call of the calling thread, at its start and at its return. */
void interleave_syscall(int64_t num, const uint64_t argument[8]);
void interleave_return(int64_t num, int64_t ret);

/* Follow the end of the calling thread. */
void interleave_exit(void);

/* Start over in a child of fork(), where only the calling thread exists. */
void interleave_forked(void);

#endif
