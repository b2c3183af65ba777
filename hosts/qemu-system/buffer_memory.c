/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffer writes through the guest's translation; see buffer_memory.h.
 *
 * QEMU's exclusive monitor compares values, so a buffer write does not clear a monitor (D17.7.9).
 *
 * Arm ARM: DDI 0487 M.a, D17.7.6, D17.7.8.
 */
#include <stdlib.h>
#include <string.h>

#include "buffer_memory.h"
#include "events.h"

static unsigned tlbi_epoch; /* number of TLB maintenance instructions on all vCPUs */

static int read_descriptor(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	return !private_memory(((struct vcpu *)ctx)->cpu, at->address, at->pas, value,
	                       sizeof(*value), false);
}

static int swap_descriptor(void *ctx, uint64_t *old, const struct spemu_physical *at,
                           uint64_t expected, uint64_t desired)
{
	return !private_memory_swap(((struct vcpu *)ctx)->cpu, old, at->address, at->pas, expected,
	                            desired);
}

void memory_tlbi(void)
{
	__atomic_add_fetch(&tlbi_epoch, 1, __ATOMIC_RELEASE);
}

unsigned memory_tlbis(void)
{
	return __atomic_load_n(&tlbi_epoch, __ATOMIC_ACQUIRE);
}

static void forget(struct vcpu *vcpu)
{
	static const struct spemu_mmu_scope all = {.by = SPEMU_TLBI_ALL};

	vcpu->tlbi_seen = memory_tlbis();
	spemu_mmu_invalidate(vcpu->mmu, &all);
}

void *memory_alloc(size_t size)
{
	void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

	if (!memory)
		events_refuse("out of memory", "close other programs");
	return memory;
}

void memory_reset(struct vcpu *vcpu)
{
	struct spemu_mmu_memory access = {
	        .size = sizeof(access),
	        .ctx = vcpu,
	        .read = read_descriptor,
	        .compare_and_swap = swap_descriptor,
	};

	if (!vcpu->mmu) {
		void *memory = memory_alloc(spemu_mmu_size());

		spemu_mmu_init(&vcpu->mmu, memory, spemu_mmu_size(), &access);
	}
	forget(vcpu);
}

int memory_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                     const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	struct vcpu *vcpu = ctx;

	if (vcpu->tlbi_seen != memory_tlbis())
		forget(vcpu);
	return spemu_mmu_translate(vcpu->mmu, result, fault, pe, access);
}

int memory_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                 const void *data, size_t size)
{
	struct vcpu *vcpu = ctx;

	/* address_space_rw() does not change its source buffer in a write. */
	if (private_memory(vcpu->cpu, access->physical, access->pas, (void *)(uintptr_t)data, size,
	                   true))
		return 0;
	memset(fault, 0, sizeof(*fault));
	fault->kind = SPEMU_FAULT_EXTERNAL;
	return 1;
}
