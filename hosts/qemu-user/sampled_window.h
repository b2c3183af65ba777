/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampled fidelity: the timing model sees only parts of the program, the sampling windows.
 *
 * Each block has two translations. The usual one counts, as without a model; the other, which runs
 * in sampling windows, reports every access and branch to the model. They differ by a bit of the
 * translation flags in force for the thread, so that each is found in QEMU's cache and is chained
 * to its like. A thread changes from one to the other after a sample, where a block is left at its
 * entry, before anything of it has run. Windows belong to the process: threads follow at their next
 * sample.
 *
 * Relied on, beyond what restart_block.h names: CPU_TCG_CFLAGS of qemu_series.h are the flags in
 * force, and the bits that name a cluster mean nothing else in user-mode emulation.
 */
#ifndef SAMPLED_WINDOW_H
#define SAMPLED_WINDOW_H

#include "vcpu.h"

/* Start a thread, which may have a copy of its maker's flags. */
void window_thread_starts(struct vcpu *vcpu);

/* Return true if the calling thread translates blocks as they are in a window. */
bool window_translating(void);

/* Add operations that the thread has executed; begin or end a window if its time has come. */
void window_executed(struct vcpu *vcpu, uint64_t operations);

/* Note that a sample was estimated. known: enough was known of its instruction. */
void window_estimated(bool known);

/*
 * Follow the process into a window or out of it, at the entry of block, which is counted and whose
 * samples have been taken. If the thread has to change, the block is left and run again, and this
 * does not return. ra: return address of the entry callback.
 */
void window_follow(struct vcpu *vcpu, const struct block *block, uintptr_t ra);

/* What is known of the instruction at pc; the same in all its translations. Beyond some 100,000
 * they have one together. */
struct insn_stats *window_insn_stats(uint64_t pc);

#endif
