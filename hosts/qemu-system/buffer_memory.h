/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SPU's view of memory: translation by lib/mmu, writes to QEMU's physical memory. */
#ifndef BUFFER_MEMORY_H
#define BUFFER_MEMORY_H

#include "vcpu.h"

/* The host's callbacks (struct spemu_spu_host); ctx is the vCPU. */
int memory_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                     const struct spemu_pe *pe, const struct spemu_buffer_write *access);
int memory_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                 const void *data, size_t size);

/* Note that a vCPU of the guest has maintained TLBs. */
void memory_tlbi(void);
/* Return how often TLBs were maintained; on any vCPU's thread. */
unsigned memory_tlbis(void);

/* Allocate memory for an object of the library. */
void *memory_alloc(size_t size);

/* Make the walker, or empty its cache. */
void memory_reset(struct vcpu *vcpu);

#endif
