/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks that generated code calls.
 *
 * Counting is one subtraction at the entry of each block. The number of instructions travels in the
 * upper bits of the pointer to the block, so that the usual entry touches one cache line.
 */
#ifndef COUNT_H
#define COUNT_H

#include "qemu_plugin_api.h"
#include "vcpu.h"

/* Entry of a block: without and with a timing model. */
void count_block(unsigned cpu, void *udata);
void count_block_timed(unsigned cpu, void *udata);

/* A memory access has been made by the instruction whose opcode udata points to. */
void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata);

/* The same with a timing model; what the opcode says of size and direction travels with udata, to
 * save asking QEMU. */
void *count_access_udata(const uint32_t *opcode);
void count_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata);

/* Whether the calling thread is translating the variant of the block at pc. */
bool count_variant(uint64_t pc);

#endif
