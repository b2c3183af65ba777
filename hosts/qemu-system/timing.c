/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input of the timing model; see timing.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.6 and D18.2 (events, counters and data sources of a record).
 */
#include <pthread.h>

#include "config.h"
#include "events.h"
#include "fresh_memory.h"
#include "timing.h"
#include "timing_pages.h"

static struct uarch_shared *shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

static bool make_shared(void)
{
	size_t size = uarch_shared_size(config.machine, MAX_VCPUS);
	void *memory = size ? fresh_memory(size, MAP_NORESERVE) : NULL;

	return memory &&
	       uarch_shared_init(&shared, memory, size, config.machine, MAX_VCPUS) == SPEMU_OK;
}

void timing_start(struct vcpu *vcpu)
{
	size_t size;
	void *memory;
	bool made;

	if (!config.machine)
		return;
	pthread_mutex_lock(&shared_lock);
	made = shared || make_shared();
	pthread_mutex_unlock(&shared_lock);
	size = made ? uarch_core_size(shared) : 0;
	memory = size ? fresh_memory(size, MAP_NORESERVE) : NULL;
	if (!memory || uarch_core_init(&vcpu->core, memory, size, shared, vcpu->index) ||
	    !timing_pages_start(vcpu))
		events_refuse("out of memory for the timing model", "close other programs");
}

static struct uarch_result *result_for(struct vcpu *vcpu, struct block_insn insn)
{
	return vcpu->flight.active && insn_is(vcpu->flight.insn, insn) ? &vcpu->flight.timing
	                                                               : NULL;
}

void timing_memory_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t va, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	struct block_insn at = block_insn_of(udata);
	struct uarch_result *result = result_for(vcpu, at);
	uint32_t size = 1u << qemu_plugin_mem_size_shift(info);
	unsigned flags = qemu_plugin_mem_is_store(info) ? UARCH_STORE : UARCH_LOAD;

	if (block_tag(udata) & INSN_ATOMIC)
		flags = UARCH_LOAD | UARCH_STORE;
	va = timing_address(vcpu, va);
	if (result ||
	    !(uarch_hit(vcpu->core, va, size, flags) || uarch_in_l1(vcpu->core, va, size, flags))) {
		const struct block_registers *registers = &at.block->registers[at.index];

		uarch_registers(vcpu->core, registers->from, registers->to);
		uarch_access(vcpu->core, result, insn_pc(at), va, size, flags);
	}
}

/* Report the branch that ended the last block to the model. It went to next_pc, or to eret_pc if it
 * was an exception return. */
static void decide(struct vcpu *vcpu, uint64_t next_pc, uint64_t eret_pc)
{
	const struct block *block = vcpu->last_block;
	struct block_insn last = {block, block->insns - 1u};
	uint64_t pc = insn_pc(last);

	if (block->last.type != SPEMU_OP_BRANCH)
		return;
	if (block->last.flags & SPEMU_OPF_ERET)
		next_pc = eret_pc;
	uarch_branch(vcpu->core, result_for(vcpu, last), pc, block->last.flags, next_pc != pc + 4,
	             next_pc);
}

void timing_block(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	const struct block *block = udata;

	if (vcpu->last_block)
		decide(vcpu, block->pc, block->pc);
	vcpu->last_block = block;
}

void timing_break(struct vcpu *vcpu)
{
	if (vcpu->core && vcpu->last_block && !vcpu->before_fault)
		decide(vcpu, vcpu->before_pc, private_pc(vcpu->env));
	vcpu->last_block = NULL;
}

void timing_forget(struct vcpu *vcpu)
{
	vcpu->last_block = NULL;
}

void timing_complete(struct vcpu *vcpu)
{
	if (!vcpu->core)
		return;
	vcpu->flight.timing.opcode = insn_opcode(vcpu->flight.insn);
	uarch_complete(vcpu->core, &vcpu->flight.op, &vcpu->flight.timing);
}
