/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a sample; see vcpu_sample.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.3 (interval), D17.6 (collection), D18.2.6 (events).
 */
#include <spemu/strict.h>
#include <spemu/sysreg.h>

#include "block_op.h"
#include "events.h"
#include "vcpu_previous.h"
#include "regime.h"
#include "streaming.h"
#include "timing.h"
#include "vcpu_sample.h"

/* ESR_ELx.EC of a Data Abort from a lower and from the same Exception level. FAR_ELx is valid
 * unless FnV is set. */
#define ESR_EC(esr) ((esr) >> 26 & 0x3f)
#define EC_DATA_ABORT_LOWER 0x24
#define EC_DATA_ABORT_SAME 0x25
#define ESR_FNV (1u << 10)

bool sample_needs_pa(const struct vcpu *vcpu)
{
	struct spemu_owner owner;
	uint64_t pmscr;

	spemu_spu_buffer_owner(vcpu->spu, &owner);
	return spemu_reg_get(vcpu->pe, &pmscr,
	                     owner.el == 2 ? SPEMU_REG_PMSCR_EL2 : SPEMU_REG_PMSCR_EL1) ||
	       (pmscr >> SPEMU_PMSCR_EL1_PA_LSB & 1);
}

void sample_describe(struct vcpu *vcpu, struct block_insn insn)
{
	streaming_note(vcpu, insn_opcode(insn));
	vcpu->flight.insn = insn;
	block_op_describe(&vcpu->flight.op, insn_pc(insn), insn_opcode(insn),
	                  vcpu->flight.vector_bits);
	memset(&vcpu->flight.timing, 0, sizeof(vcpu->flight.timing));
}

void sample_begin(struct vcpu *vcpu)
{
	uint64_t pc = vcpu->flight.op.pc;
	int started;

	vcpu->pc = pc;
	spemu_spu_set_pc(vcpu->spu, pc);
	regime_update(vcpu);
	previous_target_report(vcpu);
	vcpu->saved.total.samples++;
	started = spemu_spu_sample_begin(vcpu->spu, pc);
	vcpu->flight.active = started == SPEMU_SAMPLE_STARTED;
	if (!vcpu->flight.active) {
		if (started == SPEMU_SAMPLE_COLLIDED) {
			vcpu->saved.total.collided++;
			events_collision(vcpu);
		}
		return;
	}
	vcpu->flight.accesses = 0;
	vcpu->flight.begun = true;
	vcpu->flight.behind = 0;
}

void sample_memory_access(struct vcpu *vcpu, uint64_t va, uint32_t size, bool has_pa, uint64_t pa)
{
	struct spemu_op *op = &vcpu->flight.op;

	vcpu->flight.accesses++;
	op->va = va;
	op->valid |= SPEMU_OPV_VA;
	if (has_pa) {
		op->pa = pa;
		op->valid |= SPEMU_OPV_PA;
	}
	if (!op->kind.access_size && size)
		op->kind.access_size = (uint16_t)size;
}

/* Count and report the injections that have happened since the last call. */
static void count_injections(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < config.injections; i++) {
		uint64_t count;

		if (spemu_spu_injected(vcpu->spu, &count, i) || count == vcpu->saved.injected[i])
			continue;
		vcpu->saved.total.injected += count - vcpu->saved.injected[i];
		vcpu->saved.injected[i] = count;
		events_injection(vcpu, i);
	}
}

void sample_count(void *ctx, const struct spemu_sample_result *result)
{
	struct vcpu *vcpu = ctx;

	vcpu->saved.total.previous_missing +=
	        vcpu->saved.previous_missing && result->outcome == SPEMU_SAMPLE_RECORDED;
	vcpu->saved.total.recorded += result->outcome == SPEMU_SAMPLE_RECORDED;
	vcpu->saved.total.filtered += result->outcome == SPEMU_SAMPLE_FILTERED;
	vcpu->saved.total.discarded += result->outcome == SPEMU_SAMPLE_DISCARDED;
	vcpu->saved.total.lost += result->outcome == SPEMU_SAMPLE_LOST;
	vcpu->saved.total.events += result->management_event;
	count_injections(vcpu);
	if (result->management_event) {
		static const enum spemu_reg status[] = {SPEMU_REG_PMBSR_EL1, SPEMU_REG_PMBSR_EL2,
		                                        SPEMU_REG_PMBSR_EL3};

		for (size_t i = 0; i < 3; i++) {
			uint64_t value;

			if (!spemu_reg_get(vcpu->pe, &value, status[i]) &&
			    value >> SPEMU_PMBSR_EL1_S_LSB & 1)
				events_management(vcpu, spemu_reg_name(status[i]), value);
		}
	}
}

/* Return true for MSR, TLBI and the like, whose effects apply to their own record (D17.9). */
static bool is_system(uint32_t opcode)
{
	return opcode >> 22 == 0x354;
}

static void end(struct vcpu *vcpu)
{
	struct spemu_sample_result result;

	timing_complete(vcpu);
	streaming_complete(vcpu);
	vcpu->flight.active = false;
	if (spemu_spu_sample_end(vcpu->spu, &result, &vcpu->flight.op) == SPEMU_OK &&
	    result.outcome != SPEMU_SAMPLE_PENDING)
		sample_count(vcpu, &result);
}

void sample_finish(struct vcpu *vcpu, uint64_t next_pc)
{
	if (is_system(insn_opcode(vcpu->flight.insn)))
		regime_update(vcpu);
	if (vcpu->flight.op.kind.type == SPEMU_OP_BRANCH)
		block_op_decide_branch(&vcpu->flight.op, next_pc);
	end(vcpu);
}

/* Take the accessed address from the syndrome of a fault. */
static void learn_from_fault(struct vcpu *vcpu)
{
	unsigned el = private_el(vcpu->env);
	uint64_t esr;

	if (el == 0 || vcpu->flight.accesses)
		return;
	esr = private_sysreg(vcpu->env, sysreg_of_el(el, 5, 2, 0));
	if ((ESR_EC(esr) == EC_DATA_ABORT_LOWER || ESR_EC(esr) == EC_DATA_ABORT_SAME) &&
	    !(esr & ESR_FNV)) /* FAR_ELx */
		sample_memory_access(vcpu, private_sysreg(vcpu->env, sysreg_of_el(el, 6, 0, 0)), 0,
		                     false, 0);
}

void sample_finish_at_el_change(struct vcpu *vcpu)
{
	struct spemu_op *op = &vcpu->flight.op;
	uint64_t next_pc = vcpu->before_pc;
	bool branch = op->kind.type == SPEMU_OP_BRANCH;

	if (op->kind.flags & SPEMU_OPF_ERET) {
		next_pc = private_pc(vcpu->env);
		op->target_el = (uint8_t)private_el(vcpu->env);
		op->target_security = (uint8_t)private_security(vcpu->env);
		op->valid |= SPEMU_OPV_TARGET_CONTEXT;
	} else if ((op->kind.flags & SPEMU_OPF_EXCEPTION) ||
	           (next_pc == op->pc && !(branch && op->kind.branch_offset == 0))) {
		op->exception = true;
		learn_from_fault(vcpu);
	}
	if (branch && !op->exception)
		block_op_decide_branch(op, next_pc);
	end(vcpu);
}
