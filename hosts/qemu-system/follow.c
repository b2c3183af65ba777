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
#include "registers.h"
#include "serror.h"
#include "timing.h"
#include "timing_pages.h"
#include "vcpu_count.h"

/* Control registers. The model reads some of them; the others are followed only for the trace. */
static const struct {
	uint32_t encoding;
	bool modeled, always_traced;
} controls[] = {
        {SPEMU_SYSREG_MDCR_EL3, true, true},
        {SPEMU_SYSREG_MDCR_EL2, true, true},
        {SPEMU_SYSREG_SCR_EL3, true, false},
        {SPEMU_SYSREG_HCR_EL2, true, false},
        {SPEMU_SYSREG(3u, 0u, 13u, 0u, 1u), false, false}, /* CONTEXTIDR_EL1 */
        {SPEMU_SYSREG(3u, 4u, 13u, 0u, 1u), false, false}, /* CONTEXTIDR_EL2 */
        {SPEMU_SYSREG(3u, 4u, 2u, 1u, 0u), false, false},  /* VTTBR_EL2 */
};
#define CONTROLS (sizeof(controls) / sizeof(controls[0]))

/* QEMU's own write functions of followed registers; the same for every vCPU. */
static void (*write_control[CONTROLS])(struct CPUArchState *, const struct private_reg *, uint64_t);
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

static void control_written(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_current();
	uint64_t pc = private_pc(env);
	bool reported;
	size_t i = 0;

	while (i < CONTROLS - 1 && controls[i].encoding != registers_encoding(reg))
		i++;
	if (vcpu)
		reported = machine_trace_before_write(vcpu, controls[i].always_traced);
	if (vcpu && controls[i].modeled)
		count_catch_up(vcpu, pc);
	if (write_control[i])
		write_control[i](env, reg, value);
	else
		private_reg_write_raw(env, reg, value);
	if (!vcpu)
		return;
	if (controls[i].modeled) {
		vcpu->pc = pc;
		regime_update_controls(vcpu);
		count_changed(vcpu);
	}
	machine_trace_after_write(vcpu, pc, reg->name, value, reported);
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

/* Permit every register access. QEMU knows the PC of a register access only if there is an access
 * function. */
static int permit(struct CPUArchState *env, const struct private_reg *reg, bool is_read)
{
	(void)env;
	(void)reg;
	(void)is_read;
	return PRIVATE_ACCESS_OK;
}

static void follow_controls(struct vcpu *vcpu)
{
	for (size_t i = 0; i < CONTROLS; i++) {
		struct private_reg *reg = private_reg_find(vcpu->env, controls[i].encoding);

		if (!reg || reg->type & PRIVATE_REG_CONST || reg->writefn == control_written ||
		    !(config.trace || (controls[i].modeled && reg->writefn)))
			continue;
		write_control[i] = reg->writefn;
		reg->writefn = control_written;
		if (config.trace && !reg->accessfn)
			reg->accessfn = permit;
	}
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
	follow_controls(vcpu);
	follow_tlbi(vcpu);
	arm_register_pre_el_change_hook(vcpu->cpu, before_el_change, vcpu);
	arm_register_el_change_hook(vcpu->cpu, after_el_change, vcpu);
}
