/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of the PE at a block's entry, from the plugin interface if it has them, otherwise
 * from QEMU's memory. */
#ifndef ENTRY_REGISTERS_H
#define ENTRY_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct CPUArchState;

/* Numbers of registers. */
enum { FRAME_POINTER = 29, LINK_REGISTER = 30, STACK_POINTER = 31 };

/* Return true if registers can be read. The first call must come from a callback of a thread that
 * executes guest code. */
bool registers_find(void);

/* Return the address of the registers at each block's entry, which is valid until the calling
 * thread ends. Return NULL if they come from the plugin interface. */
const uint64_t *registers_in_memory(void);

/* Return QEMU's state of the calling thread's CPU, or NULL if registers come from the plugin
 * interface. */
struct CPUArchState *registers_env(void);

/* Return x0 .. x30 and the stack pointer of the calling thread. Only registers of the bit set `set`
 * are valid. For callbacks at a block's entry. */
const uint64_t *registers_at_entry(uint32_t set);

#endif
