/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting the sample population: every architecturally executed instruction (FEAT_SPE_ArchInst).
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D17.3.
 */
#include "count.h"
#include "sample.h"

struct countdown countdown[MAX_VCPUS];

/* The vcpu of a thread that left a block to have its variant translated. */
static __thread struct vcpu *restarting __attribute__((tls_model("initial-exec")));

bool count_variant(uint64_t pc)
{
	return restarting && restarting->arming == pc;
}

static __attribute__((noinline)) void count_expired(unsigned cpu, const struct block *block,
                                                    uintptr_t ra)
{
	struct vcpu *vcpu = countdown[cpu].vcpu;

	if (!vcpu || vcpu->index != cpu) {
		countdown[cpu].left = INT64_MAX;
		return;
	}
	restarting = vcpu;
	sample_block(vcpu, block, ra);
}

void count_block(unsigned cpu, void *udata)
{
	cpu &= MAX_VCPUS - 1;
	countdown[cpu].left -= (int64_t)((uintptr_t)udata >> COUNT_SHIFT);
	if (__builtin_expect(countdown[cpu].left <= 0, 0))
		count_expired(cpu, count_udata_block(udata),
		              (uintptr_t)__builtin_return_address(0));
}

void count_block_timed(unsigned cpu, void *udata)
{
	const struct block *block = count_udata_block(udata);
	struct vcpu *vcpu;

	cpu &= MAX_VCPUS - 1;
	vcpu = countdown[cpu].vcpu;
	if (vcpu && vcpu->core)
		sample_branch_timed(vcpu, block);
	countdown[cpu].left -= block->insns;
	if (countdown[cpu].left <= 0)
		count_expired(cpu, block, (uintptr_t)__builtin_return_address(0));
}

void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = countdown[cpu & (MAX_VCPUS - 1)].vcpu;

	if (vcpu && (vcpu->flight.want == udata || vcpu->next.want == udata))
		sample_access(vcpu, udata, vaddr, 1u << qemu_plugin_mem_size_shift(info));
}

void count_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = countdown[cpu & (MAX_VCPUS - 1)].vcpu;
	struct spemu_uarch_result *result = NULL;
	uint32_t size = 1u << qemu_plugin_mem_size_shift(info);

	if (!vcpu || !vcpu->core)
		return;
	if (vcpu->flight.want == udata)
		result = &vcpu->flight.timing;
	else if (vcpu->next.want == udata)
		result = &vcpu->next.timing;
	if (result)
		sample_access(vcpu, udata, vaddr, size);
	spemu_uarch_access(vcpu->core, vaddr, size,
	                   qemu_plugin_mem_is_store(info) ? SPEMU_UARCH_STORE : SPEMU_UARCH_LOAD,
	                   result);
}
