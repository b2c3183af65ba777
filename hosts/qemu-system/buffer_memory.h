/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SPU's view of memory: translation by lib/mmu, writes to QEMU's physical memory. */
#ifndef BUFFER_MEMORY_H
#define BUFFER_MEMORY_H

#include "vcpu.h"

/* Translate and write a part of a record. Callbacks of struct spemu_spu_host; ctx is the vCPU. */
int memory_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                     const struct spemu_pe *pe, const struct spemu_buffer_write *access);
int memory_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                 const void *data, size_t size);

/* Note that a vCPU has executed TLB maintenance. */
void memory_tlbi(void);
/* Return how often memory_tlbi() was called. Any vCPU's thread may call this. */
unsigned memory_tlbis(void);

/* Allocate memory for an object of the library, or end QEMU with an error. */
void *memory_alloc(size_t size);

/* Make the walker at the first call; empty its cache at later calls. */
void memory_reset(struct vcpu *vcpu);

#endif
