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

/* The guest has maintained TLBs, by any vCPU. */
void memory_tlbi(void);
/* How often; any vCPU's thread. */
unsigned memory_tlbis(void);

/* Makes the walker, or forgets what it knows. */
void memory_reset(struct vcpu *vcpu);

#endif
