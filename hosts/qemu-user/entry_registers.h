/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of the PE at a block's entry: by the plugin interface where it has them, else in
 * QEMU's own memory. */
#ifndef ENTRY_REGISTERS_H
#define ENTRY_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of registers. */
enum { FRAME_POINTER = 29, LINK_REGISTER = 30, STACK_POINTER = 31 };

/* Whether they can be read. First in a callback of a thread that executes guest code. */
bool registers_find(void);

/* Where they are in memory as long as the calling thread lives, at each block's entry; NULL if the
 * plugin interface has to be asked. */
const uint64_t *registers_in_memory(void);

/* x0 .. x30 and the stack pointer of the calling thread; only those in the set, bit n for the n-th,
 * are right. In a callback at a block's entry. */
const uint64_t *registers_at_entry(uint32_t set);

#endif
