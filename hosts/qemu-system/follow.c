/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks into QEMU's PE; see follow.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.4 (where profiling is enabled), D17.7.8 (TLB maintenance).
 */
#include <spemu/strict.h>
#include <spemu/sysreg.h>

#include "buffer_memory.h"
#include "config.h"
#include "counting.h"
#include "follow.h"
#include "machine_trace.h"
#include "pmu_events.h"
#include "pmu_snapshot.h"
#include "profiling_exception.h"
#include "vcpu_previous.h"
#include "regime.h"
#include "serror.h"
#include "timing.h"
#include "timing_pages.h"
#include "vcpu_count.h"

/* QEMU's own write functions of followed registers; the same for every vCPU. */
static void (*write_control[4])(struct CPUArchState *, const struct private_reg *, uint64_t);
static void (*write_tlbi[1 << 11])(struct CPUArchState *, const struct private_reg *, uint64_t);

static void before_el_change(struct CPUState *cpu, void *opaque)
{
	struct vcpu *vcpu = opaque;

	vcpu->before_pc = private_pc(vcpu->env);
	vcpu->before_fault = private_faulted(cpu);
	machine_trace_before_el_change(vcpu);
	if (config.profiling_exceptions)
		profiling_exception_before_el_change(vcpu);
	if (vcpu->can_sample)
		count_catch_up_exception(vcpu, vcpu->before_pc, vcpu->before_fault);
}

static void after_el_change(struct CPUState *cpu, void *opaque)
{
	struct vcpu *vcpu = opaque;

	(void)cpu;
	machine_trace_after_el_change(vcpu);
	timing_break(vcpu);
	count_finish_exception(vcpu);
	serror_taken(vcpu);
	if (config.profiling_exceptions)
		profiling_exception_after_el_change(vcpu);
	if (vcpu->state.aarch32)
		pmu_events_refresh(vcpu);
	previous_target_exception(vcpu);
	if (vcpu->can_sample || config.strict || config.profiling_exceptions) {
		vcpu->pc = private_pc(vcpu->env);
		regime_update_controls(vcpu);
		spemu_pe_isb(vcpu->pe);
		count_load(vcpu);
	}
	if (config.barriers)
		snapshot_synchronize(vcpu);
	counting_drop_unneeded();
}

static unsigned control_index(const struct private_reg *reg)
{
	return (reg->op1 == 4 ? 2u : 0u) |
	       (reg->crm == 3 || (reg->op1 == 4 && reg->op2 == 1) ? 1u : 0u);
}

static void control_written(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_current();

	if (vcpu)
		count_catch_up(vcpu, private_pc(env));
	write_control[control_index(reg)](env, reg, value);
	if (!vcpu)
		return;
	vcpu->pc = private_pc(env);
	regime_update_controls(vcpu);
	count_changed(vcpu);
}

static unsigned tlbi_index(const struct private_reg *reg)
{
	return (unsigned)reg->op1 << 7 | (reg->crn & 1u) << 6 | (reg->crm & 7u) << 3 | reg->op2;
}

static void tlbi_written(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_current();

	write_tlbi[tlbi_index(reg)](env, reg, value);
	memory_tlbi();
	if (vcpu)
		timing_pages_tlbi(vcpu, reg, value);
}

static void follow_control(struct vcpu *vcpu, uint32_t encoding)
{
	struct private_reg *reg = private_reg_find(vcpu->env, encoding);

	if (!reg || !reg->writefn || reg->writefn == control_written)
		return;
	write_control[control_index(reg)] = reg->writefn;
	reg->writefn = control_written;
}

/* Follow each TLBI: op0 1, CRn 8, or 9 for the nXS variants. No two TLBIs differ in CRm bit 3
 * alone. */
static void follow_tlbi(struct vcpu *vcpu)
{
	for (uint32_t i = 0; i < 8 * 2 * 16 * 8; i++) {
		struct private_reg *reg = private_reg_find(
		        vcpu->env, SPEMU_SYSREG(1u, i >> 8, 8 + (i >> 7 & 1), i >> 3 & 15, i & 7));

		if (!reg || !reg->writefn || reg->writefn == tlbi_written)
			continue;
		write_tlbi[tlbi_index(reg)] = reg->writefn;
		reg->writefn = tlbi_written;
	}
}

void follow_start(struct vcpu *vcpu)
{
	follow_control(vcpu, SPEMU_SYSREG_SCR_EL3);
	follow_control(vcpu, SPEMU_SYSREG_MDCR_EL3);
	follow_control(vcpu, SPEMU_SYSREG_HCR_EL2);
	follow_control(vcpu, SPEMU_SYSREG_MDCR_EL2);
	machine_trace_start(vcpu);
	follow_tlbi(vcpu);
	arm_register_pre_el_change_hook(vcpu->cpu, before_el_change, vcpu);
	arm_register_el_change_hook(vcpu->cpu, after_el_change, vcpu);
}
