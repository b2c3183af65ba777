/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heap objects (spemu record --heap): the allocation sites of the memory that samples access.
 *
 * Allocators are found by their symbols in every file whose code is mapped (heap_symbols.c). An
 * allocator's entry is the entry of a block, with arguments and return address in registers. It
 * returns at the entry of the block at the return address, with the same stack pointer. Each block
 * after a call has a callback for that. Only the outermost allocator of a thread counts: operator
 * new(), not the malloc() that it calls.
 *
 * heap_objects.c keeps the objects. It records the totals of each allocation site, and only those
 * objects that a sample accesses.
 *
 * This relies on registers at a block's entry (entry_registers.h) and no other part of QEMU.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>

#include "qemu_plugin_api.h"

/* True if the recording requests heap objects. Otherwise the functions below do nothing. */
extern bool heap_on;

/*
 * Register the callbacks of a translation, before and after the callback that counts. So an
 * allocation ends before the block's samples are taken, and the operation in flight ends before
 * memory is freed.
 */
void heap_at_return(struct qemu_plugin_tb *tb);
void heap_at_entry(struct qemu_plugin_tb *tb);

#endif
