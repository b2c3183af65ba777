/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns: with `spemu record --interleave N` one thread of a process runs at a time, and after N
 * operations the next one, in the order in which they were made. What threads share then depends on
 * the program and not on how the host happens to overlap them.
 *
 * A thread whose system call may block is out of the order until that has returned. So that the
 * same run has the same order, a thread that has woken others does not pass its turn on before they
 * are back, and one that has made a thread not before that has begun; both are waited for without
 * trust, a tenth of a second at most. What the kernel decides alone (reads, timeouts, signals)
 * comes when it comes.
 */
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include <stdint.h>

#include "qemu_plugin_api.h"

/* Once, before there is a second thread. */
void interleave_install(void);

/* The block just translated begins with a look at whose turn it is; before all other callbacks. */
void interleave_translate(struct qemu_plugin_tb *tb, size_t insns);

/* The calling thread makes a system call, and has returned from it. */
void interleave_syscall(int64_t num, const uint64_t argument[8]);
void interleave_return(int64_t num, int64_t ret);

/* The calling thread has ended. */
void interleave_exit(void);

/* A child of fork(): only the calling thread is left. */
void interleave_forked(void);

#endif
