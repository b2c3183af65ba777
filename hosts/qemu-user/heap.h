/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heap objects (spemu record --heap): the allocation sites of the memory that samples access.
 *
 * Allocators are found by their symbols in every file that is mapped with code (heap_symbols.c).
 * Their entry is the entry of a block: arguments and return address are in registers there. They
 * return at the entry of the block at the return address, with the stack pointer as it was; blocks
 * after a call have a callback for it. The outermost allocator of a thread counts: operator new(),
 * not the malloc() that it calls.
 *
 * heap_objects.c keeps the objects. Only objects that a sample accesses are recorded, and the
 * totals of each allocation site.
 *
 * Relied on of QEMU: registers at a block's entry (entry_registers.h), nothing else.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>

#include "qemu_plugin_api.h"

/* The recording asks for heap objects. Otherwise the functions below do nothing. */
extern bool heap_on;

/*
 * Register callbacks of a block that is being translated. There are two, around the callback that
 * counts: an allocation ends before the block's samples are taken, and what was in flight is
 * completed before memory is given back.
 */
void heap_at_return(struct qemu_plugin_tb *tb);
void heap_at_entry(struct qemu_plugin_tb *tb);

#endif
