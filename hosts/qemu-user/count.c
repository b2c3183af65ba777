/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting the sample population: every architecturally executed instruction (FEAT_SPE_ArchInst).
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D17.3.
 */
#include <spemu/a64.h>

#include "callchain.h"
#include "count.h"
#include "previous_target.h"
#include "process.h"
#include "region.h"
#include "sample.h"

/*
 * A count that has expired, as the unsigned number that generated code compares: it is below zero by a
 * block at most. A constant of 32 bits costs that code one instruction less.
 */
#define EXPIRED ((uint64_t)-4096)

/* The vcpu of a thread that left a block to have its variant translated. */
static __thread struct vcpu *restarting __attribute__((tls_model("initial-exec")));

bool count_variant(uint64_t pc)
{
	return restarting && restarting->arming == pc;
}

static __attribute__((noinline)) void count_expired(unsigned cpu, const struct block *block,
                                                    uintptr_t ra)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	if (!vcpu) {
		*countdown_left(cpu) = COUNT_NEVER;
		return;
	}
	restarting = vcpu;
	if (!vcpu->tid) {
		process_thread_start(vcpu);
		*countdown_left(cpu) -= block->insns;
	}
	if (!region_waited(vcpu, block))
		return;
	if (process.previous_target && !process.profile)
		previous_target_block(vcpu, block);
	sample_block(vcpu, block, ra);
}

static void count_block(unsigned cpu, void *udata)
{
	if (cpu >= MAX_VCPUS)
		return;
	countdown[cpu].left -= (int64_t)block_tag(udata);
	if (__builtin_expect(countdown[cpu].left < 0, 0))
		count_expired(cpu, block_untagged(udata), (uintptr_t)__builtin_return_address(0));
}

/* The same for a block with a call site: one callback costs less than two. */
static void count_block_site(unsigned cpu, void *udata)
{
	const struct block *block = udata;

	if (cpu >= MAX_VCPUS)
		return;
	countdown[cpu].left -= block->insns;
	if (__builtin_expect(countdown[cpu].left < 0, 0))
		count_expired(cpu, block, (uintptr_t)__builtin_return_address(0));
	callchain_at_block(cpu, block);
}

/* Generated code has counted. */
static void count_block_expired(unsigned cpu, void *udata)
{
	count_expired(cpu, udata, (uintptr_t)__builtin_return_address(0));
}

static void count_block_timed(unsigned cpu, void *udata)
{
	const struct block *block = block_untagged(udata);
	struct vcpu *vcpu;

	if (cpu >= MAX_VCPUS)
		return;
	vcpu = countdown[cpu].vcpu;
	if (vcpu && vcpu->core)
		sample_branch_timed(vcpu, block);
	if (vcpu && process.previous_target)
		previous_target_block(vcpu, block);
	countdown[cpu].left -= block->insns;
	if (countdown[cpu].left < 0)
		count_expired(cpu, block, (uintptr_t)__builtin_return_address(0));
}

/* At a point of the region of interest; udata has which. */
static void count_block_region(unsigned cpu, void *udata)
{
	const struct block *block = block_untagged(udata);
	struct vcpu *vcpu;

	if (cpu >= MAX_VCPUS)
		return;
	vcpu = countdown[cpu].vcpu;
	if (vcpu && !vcpu->tid)
		process_thread_start(vcpu);
	if (vcpu && vcpu->core)
		sample_branch_timed(vcpu, block);
	if (vcpu && process.previous_target && process.profile)
		previous_target_block(vcpu, block);
	if (vcpu)
		region_pass(vcpu, block, (unsigned)block_tag(udata));
	*countdown_left(cpu) -= block->insns;
	if (*countdown_left(cpu) < 0)
		count_expired(cpu, block, (uintptr_t)__builtin_return_address(0));
}

void count_at_point(struct qemu_plugin_insn *insn, const struct block *block, unsigned points)
{
	qemu_plugin_register_vcpu_insn_exec_cb(insn, count_block_region, QEMU_PLUGIN_CB_R_REGS,
	                                       block_tagged(block, points));
}

void count_install(void)
{
	if (process.profile || process.params->interleave || !qemu_plugin_scoreboard_new ||
	    !qemu_plugin_scoreboard_find || !qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu ||
	    !qemu_plugin_register_vcpu_tb_exec_cond_cb)
		return;
	counted = qemu_plugin_scoreboard_new(sizeof(int64_t));
}

void count_at_entry(struct qemu_plugin_tb *tb, const struct block *block)
{
	struct qemu_plugin_u64 left = {.score = counted, .offset = 0};

	if (!counted && block->call_site) {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, count_block_site, QEMU_PLUGIN_CB_NO_REGS,
		                                     (void *)(uintptr_t)block);
		return;
	}
	if (!counted) {
		qemu_plugin_register_vcpu_tb_exec_cb(
		        tb, process.profile ? count_block_timed : count_block,
		        QEMU_PLUGIN_CB_NO_REGS, block_tagged(block, block->insns));
		return;
	}
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, left,
	                                                  (uint64_t) - (int64_t)block->insns);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, count_block_expired, QEMU_PLUGIN_CB_R_REGS,
	                                          QEMU_PLUGIN_COND_GE, left, EXPIRED,
	                                          (void *)(uintptr_t)block);
}

void count_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);

	if (vcpu && (vcpu->flight.want == udata || vcpu->next.want == udata))
		sample_access(vcpu, udata, vaddr, 1u << qemu_plugin_mem_size_shift(info));
}

/* The version of the interface whose QEMUs access up to 16 bytes at once. */
#define WHOLE_ACCESSES 4

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
	if (qemu_plugin_version >= WHOLE_ACCESSES && (size > 8 || kind.flags & SPEMU_OPF_PAIR))
		return (void *)(uintptr_t)opcode;
	if (size > 8)
		size = 8; /* QEMU 7.2 accesses 16 bytes in two steps */
	return block_tagged(opcode, size | flags << 8);
}

void count_access_timed(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *udata)
{
	struct vcpu *vcpu = vcpu_at(cpu);
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
