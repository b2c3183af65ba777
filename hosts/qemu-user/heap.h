/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heap objects (spemu record --heap): who allocated the memory that samples are of.
 *
 * Allocators are found by their symbols in every file that is mapped with code (heap_symbols.c).
 * Their entry is the entry of a block: arguments and return address are in registers there. Their
 * return is the entry of the block at the return address with the stack pointer as it was; blocks
 * after a call have a callback for it. The outermost allocator of a thread counts: operator new()
 * and not the malloc() that it calls.
 *
 * Objects are kept here (heap_objects.c); only those that a sample is of are told, and totals of
 * each site.
 *
 * Relied on of QEMU: registers at a block's entry (entry_registers.h), nothing else.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin_api.h"

/* Whether the recording asks for it; the other calls do nothing otherwise. */
extern bool heap_on;

/*
 * A block is translated. An allocation has ended before the block's samples are taken, and what was
 * in flight has been completed before memory is given back: two callbacks, around the one that
 * counts.
 */
void heap_at_return(struct qemu_plugin_tb *tb);
void heap_at_entry(struct qemu_plugin_tb *tb);

#endif
