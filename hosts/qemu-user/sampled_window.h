/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampled fidelity: the timing model sees only parts of the program, the sampling windows.
 *
 * Each block has two translations. The usual one counts, as without a model. The other runs in
 * sampling windows and reports every memory access and branch to the model. They differ in a bit of
 * the translation flags in force for the thread, so QEMU keeps both in its cache and chains each
 * kind to itself. A thread changes from one to the other after a sample, when it leaves a block at
 * its entry, before any of the block has run. Sampling windows belong to the process. Threads
 * follow at their next sample.
 *
 * Assumptions, in addition to those of restart_block.h: CPU_TCG_CFLAGS of qemu_series.h contains
 * the flags in force, and user-mode emulation does not use the bits of the cluster number.
 */
#ifndef SAMPLED_WINDOW_H
#define SAMPLED_WINDOW_H

#include "vcpu.h"

/* Start a thread, which may have a copy of its creator's flags. */
void window_thread_starts(struct vcpu *vcpu);

/* Return true if the calling thread translates blocks for a sampling window. */
bool window_translating(void);

/* Add operations that the thread has executed, and begin or end a sampling window if its time has
 * come. */
void window_executed(struct vcpu *vcpu, uint64_t operations);

/* Note that a sample was estimated. `known` means that its instruction has enough statistics. */
void window_estimated(bool known);

/*
 * Follow the process into a sampling window or out of it, at the entry of `block`, which has been
 * counted and whose samples have been taken. If the thread has to change, the block is left and run
 * again, and this does not return. ra is the return address of the entry callback.
 */
void window_follow(struct vcpu *vcpu, const struct block *block, uintptr_t ra);

/* Return the statistics of the instruction at pc, which all its translations share. Instructions
 * after the first 98,304 share one set of statistics. */
struct insn_stats *window_insn_stats(uint64_t pc);

#endif
