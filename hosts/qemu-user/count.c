/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting the sample population: every architecturally executed instruction (FEAT_SPE_ArchInst).
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D17.3.
 */
#include <spemu/a64.h>

#include "count.h"
#include "process.h"
#include "sample.h"

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
	if (!vcpu->tid) {
		process_thread_start(vcpu);
		countdown[cpu].left -= block->insns;
	}
	sample_block(vcpu, block, ra);
}

void count_block(unsigned cpu, void *udata)
{
	cpu &= MAX_VCPUS - 1;
	countdown[cpu].left -= (int64_t)block_tag(udata);
	if (__builtin_expect(countdown[cpu].left <= 0, 0))
		count_expired(cpu, block_untagged(udata), (uintptr_t)__builtin_return_address(0));
}

void count_block_timed(unsigned cpu, void *udata)
{
	const struct block *block = block_untagged(udata);
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

/* Upper bits of udata: bytes of each access, 0 if only QEMU knows; then what it does. */
#define ACCESS_SIZE(tag) ((uint32_t)(tag)&0xff)
#define ACCESS_FLAGS(tag) ((unsigned)((tag) >> 8))

void *count_access_udata(const uint32_t *opcode)
{
	struct spemu_op_kind kind;
	uint64_t size, flags;

	spemu_a64_classify(&kind, *opcode, 0);
	size = kind.flags & SPEMU_OPF_PAIR ? kind.access_size / 2u : kind.access_size;
	flags = kind.type == SPEMU_OP_LOAD ? SPEMU_UARCH_LOAD : SPEMU_UARCH_STORE;
	if (size > 16 || size == 0 || kind.type == SPEMU_OP_LOAD_ATOMIC ||
	    (kind.ldst != SPEMU_LDST_GENERAL && kind.ldst != SPEMU_LDST_SIMDFP))
		return (void *)(uintptr_t)opcode;
	if (size > 8)
		size = 8; /* QEMU accesses 16 bytes in two steps */
	return block_tagged(opcode, size | flags << 8);
}

void count_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = countdown[cpu & (MAX_VCPUS - 1)].vcpu;
	const uint32_t *opcode = block_untagged(udata);
	struct spemu_uarch_result *result = NULL;
	uint32_t size = ACCESS_SIZE(block_tag(udata));
	unsigned flags = ACCESS_FLAGS(block_tag(udata));

	if (!vcpu || !vcpu->core)
		return;
	if (!size) {
		size = 1u << qemu_plugin_mem_size_shift(info);
		flags = qemu_plugin_mem_is_store(info) ? SPEMU_UARCH_STORE : SPEMU_UARCH_LOAD;
	}
	if (vcpu->flight.want == opcode)
		result = &vcpu->flight.timing;
	else if (vcpu->next.want == opcode)
		result = &vcpu->next.timing;
	if (result)
		sample_access(vcpu, opcode, vaddr, size);
	spemu_uarch_access(vcpu->core, result, vaddr, size, flags);
}
