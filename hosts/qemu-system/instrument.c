/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks of blocks and instructions; see instrument.h.
 */
#include <stdlib.h>
#include <string.h>

#include "timing/a64.h"
#include <spemu/strict.h>

#include "block.h"
#include "config.h"
#include "counting.h"
#include "events.h"
#include "instrument.h"
#include "pmu_snapshot.h"
#include "present_block.h"
#include "profiling_exception.h"
#include "regime.h"
#include "serror.h"
#include "timing.h"
#include "vcpu_count.h"

#define OPCODE_ISB 0xd50330dfu /* with any CRm */
#define OPCODE_PSB_CSYNC 0xd503223fu
#define OPCODE_DSB 0xd503309fu /* CRm: option */
#define OPCODE_MSR_OP0_3 0xd5180000u
#define CRM_MASK 0xfffff0ffu
#define CRM_OF(opcode) ((opcode) >> 8 & 15)
/* Kinds of barriers, in the lowest bits of an instruction's address. */
enum { BARRIER_ISB, BARRIER_PSB, BARRIER_DSB, BARRIERS_MASK };

/* Keep the block of an operation in flight while translations are dropped. Its vCPU waits. */
static void keep_flight(struct vcpu *vcpu)
{
	const struct block *block = vcpu->flight.insn.block;
	struct block *kept;
	size_t size;

	timing_forget(vcpu);
	vcpu->present.count = COUNT_NEVER;
	if (!vcpu->flight.active)
		return;
	size = sizeof(*block) + block->insns * sizeof(block->opcode[0]);
	kept = malloc(size);
	if (!kept) {
		vcpu->flight.active = false;
		return;
	}
	memcpy(kept, block, size);
	vcpu->flight.insn.block = kept;
	free(vcpu->kept);
	vcpu->kept = kept;
}

void instrument_flush(void)
{
	for (unsigned i = 0; i < MAX_VCPUS; i++)
		keep_flight(&vcpus[i]);
	block_drop_all();
	counting_flushed();
}

/*
 * Report a barrier to the model. Barriers matter only in strict mode (D17.9), where register writes
 * take effect at them, and for PMU snapshots that are read unsynchronized (RPLPCY).
 */
static void barrier(unsigned cpu, void *udata)
{
	uintptr_t pc = (uintptr_t)udata & ~(uintptr_t)BARRIERS_MASK;
	unsigned which = (uintptr_t)udata & BARRIERS_MASK;
	struct vcpu *vcpu = &vcpus[cpu];

	count_before(vcpu, pc);
	if (vcpu->saved.switch_pc)
		regime_update(vcpu); /* before the barrier forces pending writes */
	if (which == BARRIER_PSB) {
		spemu_spu_psb_csync(vcpu->spu);
	} else if (which == BARRIER_DSB) {
		spemu_spu_dsb(vcpu->spu);
	} else {
		spemu_pe_isb(vcpu->pe);
		snapshot_synchronize(vcpu);
	}
	count_changed(vcpu);
}

/* Return true for an MSR (register) that decides about owner, regime or context: CRn 1 (SCTLR_ELx,
 * HCR_EL2, SCR_EL3, MDCR_ELx), CRn 2 (TCR_ELx, TTBRn_ELx, VTCR_EL2, VTTBR_EL2) and CRn 13 with op2
 * 1 (CONTEXTIDR_ELx). */
static bool is_switch(uint32_t opcode)
{
	unsigned crn = opcode >> 12 & 15, op2 = opcode >> 5 & 7;

	return (opcode & 0xfff80000) == OPCODE_MSR_OP0_3 &&
	       (crn == 1 || crn == 2 || (crn == 13 && op2 == 1));
}

static void call_before(struct qemu_plugin_tb *tb, size_t insn, qemu_plugin_vcpu_udata_cb callback,
                        void *udata)
{
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, insn), callback,
	                                       QEMU_PLUGIN_CB_NO_REGS, udata);
}

static void switch_begins(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];
	uintptr_t pc = (uintptr_t)udata;

	count_before(vcpu, pc);
	regime_switch(vcpu, pc);
}

/* Return the kind of a barrier that the plugin follows, or -1. */
static int barrier_of(uint32_t opcode)
{
	if (opcode == OPCODE_PSB_CSYNC)
		return BARRIER_PSB;
	if ((opcode & CRM_MASK) == OPCODE_DSB && (CRM_OF(opcode) & 3) == 3)
		return BARRIER_DSB;
	return (opcode & CRM_MASK) == OPCODE_ISB ? BARRIER_ISB : -1;
}

/* Add callbacks to barriers and, in strict mode, to context switches, which diagnostics refer
 * to. */
static void follow_insns(struct qemu_plugin_tb *tb, size_t insns)
{
	uint64_t pc = qemu_plugin_tb_vaddr(tb);

	for (size_t i = 0; i < insns; i++, pc += 4) {
		uint32_t opcode = block_opcode_at(tb, i);
		int which = barrier_of(opcode);

		if (which >= 0)
			call_before(tb, i, barrier, (void *)(uintptr_t)(pc | (unsigned)which));
		else if (config.strict && is_switch(opcode))
			call_before(tb, i, switch_begins, (void *)(uintptr_t)pc);
	}
}

static bool is_atomic(uint32_t opcode)
{
	struct spemu_op_kind kind;

	a64_classify(&kind, opcode, 0);
	return kind.type == SPEMU_OP_LOAD_ATOMIC;
}

static void report_memory_accesses(struct qemu_plugin_tb *tb, struct block *block)
{
	for (size_t i = 0; i < block->insns; i++) {
		bool atomic = config.machine && is_atomic(block->opcode[i]);

		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i),
		                                 config.machine ? count_memory_access_timed
		                                                : count_memory_access,
		                                 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
		                                 block_tagged(block, atomic ? i | INSN_ATOMIC : i));
	}
}

/* Report each instruction that counts for itself, before its other callbacks. */
static void report_insns(struct qemu_plugin_tb *tb, struct block *block)
{
	for (size_t i = 0; i < block->insns; i++)
		call_before(tb, i, count_insn_begins, block);
}

/* Make each instruction count for itself. */
static void count_insns(struct qemu_plugin_tb *tb, struct block *block)
{
	for (size_t i = 0; i < block->insns; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		        insn, QEMU_PLUGIN_INLINE_ADD_U64, count_entry(), 1);
		qemu_plugin_register_vcpu_insn_exec_cond_cb(
		        insn, count_insn_expired, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_COND_GE,
		        count_entry(), COUNT_LIMIT, block_tagged(block, i));
	}
}

static void count_whole(struct qemu_plugin_tb *tb, struct block *block)
{
	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
	                                                  count_entry(), block->insns);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, count_block_expired, QEMU_PLUGIN_CB_NO_REGS,
	                                          QEMU_PLUGIN_COND_GE, count_entry(), COUNT_LIMIT,
	                                          block);
	if (present_block_irregular(block))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, present_block_entered,
		                                     QEMU_PLUGIN_CB_NO_REGS, block);
}

static void follow_block(struct qemu_plugin_tb *tb, size_t insns)
{
	struct block *block = NULL;
	bool single;

	if (!vcpu_current())
		events_refuse("a vCPU ran before the plugin made its SPU",
		              "start QEMU without -S, -gdb and thread=single");
	if (insns == 0 || insns > MAX_BLOCK_INSNS)
		return;
	if (counting_on()) /* NULL if memory is exhausted: this code then runs uncounted */
		block = block_make(tb, 0, insns,
		                   config.machine           ? BLOCK_REGISTERS
		                   : config.previous_target ? BLOCK_LAST
		                                            : BLOCK_PLAIN);
	single = block && (insns == 1 || count_variant(block->pc));
	if (single && (insns > 1 || present_block_irregular(block)))
		report_insns(tb, block);
	if (config.barriers)
		follow_insns(tb, insns);
	if (!block)
		return;
	if (config.machine)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, timing_block, QEMU_PLUGIN_CB_NO_REGS,
		                                     block);
	if (config.machine || single)
		report_memory_accesses(tb, block);
	if (single)
		count_insns(tb, block);
	else
		count_whole(tb, block);
}

void instrument_block(struct qemu_plugin_tb *tb)
{
	size_t insns = qemu_plugin_tb_n_insns(tb);

	if (config.serror)
		serror_before_block(tb);
	follow_block(tb, insns);
	if (config.serror)
		serror_before_insns(tb, insns);
	if (config.profiling_exceptions)
		profiling_exception_before_insns(tb, insns);
}
