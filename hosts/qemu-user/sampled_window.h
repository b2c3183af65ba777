/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampled fidelity: the timing model is told what the program does in windows alone.
 *
 * Each block has two translations. The usual one counts, as without a model; the other, which is
 * run in windows, tells the model every access and branch. A bit of the translation flags in force
 * for the thread tells them apart, so that each is found in QEMU's cache and is chained to its
 * like. A thread changes from one to the other after a sample, where a block is left at its entry,
 * before anything of it has run. Windows are the process's: threads follow at their next sample.
 *
 * Relied on, beyond what restart_block.h names: CPU_TCG_CFLAGS of qemu_series.h are the flags in
 * force, and the bits that name a cluster mean nothing else in user-mode emulation.
 */
#ifndef SAMPLED_WINDOW_H
#define SAMPLED_WINDOW_H

#include "vcpu.h"

/* The thread has been made, and may have a copy of its maker's flags. */
void window_thread_starts(struct vcpu *vcpu);

/* Whether the calling thread translates blocks as they are in a window. */
bool window_translating(void);

/* The thread has executed so many operations more. */
void window_executed(struct vcpu *vcpu, uint64_t operations);

/* A sample was estimated; known: of its instruction enough was. */
void window_estimated(bool known);

/*
 * Block, which is counted, begins, and its samples have been taken: if the thread is to be in a
 * window and is not, or the other way, the block is left and run again so; then this does not
 * return. ra: return address of the entry callback.
 */
void window_follow(struct vcpu *vcpu, const struct block *block, uintptr_t ra);

/* What is known of the instruction at pc; the same in all its translations. Beyond some 100,000
 * they have one together. */
struct insn_stats *window_insn_stats(uint64_t pc);

#endif
