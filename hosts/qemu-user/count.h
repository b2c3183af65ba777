/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks that generated code calls.
 *
 * Counting is one subtraction at the entry of each block. If QEMU does it in generated code, a
 * callback comes only when the count expires. Otherwise the number of instructions travels in the
 * upper bits of the pointer to the block, so that the fast path touches one cache line.
 */
#ifndef COUNT_H
#define COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Let QEMU count in generated code if it can: that needs scoreboards and conditional callbacks,
 * interface version 4. Call once, before anything is translated. */
void count_install(void);

/* Register the callback that counts the block just translated at its entry. */
void count_at_entry(struct qemu_plugin_tb *tb, const struct block *block);

/* Do the same for a block that begins with points of the region of interest, perhaps within a
 * translation. */
void count_at_point(struct qemu_plugin_insn *insn, const struct block *block, unsigned points);

/* Register the callback that passes the accesses of the instruction at `index` of block on: to the
 * operation in flight, if they are its own, and to the timing model. */
void count_accesses(struct qemu_plugin_insn *insn, const struct block *block, unsigned index);

/* Return true if the calling thread is translating the variant of the block at pc. */
bool count_variant(uint64_t pc);

#endif
