/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks that generated code calls.
 *
 * Counting is one subtraction at the entry of each block. If generated code subtracts, a callback
 * runs only when the count expires. Otherwise the upper bits of the pointer to the block have the
 * number of instructions, so that the fast path touches one cache line.
 */
#ifndef COUNT_H
#define COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Let generated code count if the running QEMU has scoreboards and conditional callbacks (interface
 * version 4). Call this once, before any translation. */
void count_install(void);

/* Register the callback that counts the block at its entry. */
void count_at_entry(struct qemu_plugin_tb *tb, const struct block *block);

/* Register the callback that counts a block which begins with points of the region of interest. The
 * block may begin within a translation. */
void count_at_point(struct qemu_plugin_insn *insn, const struct block *block, unsigned points);

/* Register the callbacks of the block's instruction at `index`. They give its memory accesses to
 * the operation in flight, if they are its own, and to the timing model, and complete an SVE
 * operation in flight. */
void count_accesses(struct qemu_plugin_insn *insn, const struct block *block, unsigned index);

/* Return true if the calling thread is translating the variant of the block at pc. */
bool count_variant(uint64_t pc);

#endif
