/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following the PE's state; see regime.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.4 (where profiling is enabled), D17.7.8 (TLB maintenance).
 */
#include <string.h>
#include <time.h>

#include <spemu/sysreg.h>

#include "config.h"
#include "vcpu_count.h"
#include "regime.h"
#include "timing.h"
#include "instrument.h"
#include "pmu_snapshot.h"

#define SVCR_SM 1
#define SCR_RW (UINT64_C(1) << 10)
#define HCR_RW (UINT64_C(1) << 31)
#define HCR_TGE (UINT64_C(1) << 27)
#define HCR_E2H (UINT64_C(1) << 34)

unsigned tlbi_epoch;

/* What QEMU did itself on writes that are followed; the same functions for every vCPU. */
static void (*write_control[4])(struct CPUArchState *, const struct private_reg *, uint64_t);
static void (*write_tlbi[1 << 11])(struct CPUArchState *, const struct private_reg *, uint64_t);

static void fetch(struct vcpu *vcpu, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		struct shared_register *s = &vcpu->shared[i];
		uint64_t value;

		memcpy(&value, (const char *)vcpu->env + s->offset, sizeof(value));
		if (value == s->value)
			continue;
		s->value = value;
		spemu_reg_set(vcpu->pe, s->reg, value);
	}
}

static uint64_t shared_value(const struct vcpu *vcpu, enum spemu_reg reg, uint64_t absent)
{
	for (unsigned i = 0; i < vcpu->controls; i++)
		if (vcpu->shared[i].reg == reg)
			return vcpu->shared[i].value;
	return absent;
}

/* ELUsingAArch32() of EL0 (now) and EL1; EL2 and EL3 are AArch64. */
static uint8_t aarch32_levels(const struct vcpu *vcpu, unsigned el, bool aarch32)
{
	bool el2_aarch64 = shared_value(vcpu, SPEMU_REG_SCR_EL3, SCR_RW) & SCR_RW;
	uint64_t hcr = shared_value(vcpu, SPEMU_REG_HCR_EL2, HCR_RW);
	bool in_host = (hcr & (HCR_TGE | HCR_E2H)) == (HCR_TGE | HCR_E2H);
	bool el1 = aarch32 && el == 1;

	if (!el2_aarch64 || (!(hcr & HCR_RW) && !in_host && el != 2 && aarch32))
		el1 = true;
	return (uint8_t)((aarch32 && el == 0) | el1 << 1);
}

static void tell_state(struct vcpu *vcpu)
{
	struct spemu_pe_state state = {0};

	state.el = (uint8_t)private_el(vcpu->env);
	state.aarch32 = private_aarch32(vcpu->env);
	if (__builtin_expect(state.aarch32, 0))
		state.el_aarch32 = aarch32_levels(vcpu, state.el, true);
	if (memcmp(&state, &vcpu->state, sizeof(state)) == 0)
		return;
	vcpu->state = state;
	spemu_pe_set(vcpu->pe, &state);
}

void regime_update_controls(struct vcpu *vcpu)
{
	fetch(vcpu, 0, vcpu->controls);
	tell_state(vcpu);
}

void regime_update(struct vcpu *vcpu)
{
	fetch(vcpu, 0, vcpu->shareds);
	tell_state(vcpu);
}

void regime_reset(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < vcpu->shareds; i++) {
		struct shared_register *s = &vcpu->shared[i];

		memcpy(&s->value, (const char *)vcpu->env + s->offset, sizeof(s->value));
		spemu_reg_set(vcpu->pe, s->reg, s->value);
	}
	spemu_pe_get(vcpu->pe, &vcpu->state);
	tell_state(vcpu);
}

static void before_el_change(struct CPUState *cpu, void *opaque)
{
	struct vcpu *vcpu = opaque;

	vcpu->before_pc = private_pc(vcpu->env);
	vcpu->before_fault = private_faulted(cpu);
	if (vcpu->can_sample)
		count_settle_exception(vcpu, vcpu->before_pc, vcpu->before_fault);
}

static void after_el_change(struct CPUState *cpu, void *opaque)
{
	struct vcpu *vcpu = opaque;

	(void)cpu;
	timing_break(vcpu);
	count_finish_exception(vcpu);
	if (vcpu->can_sample || config.strict) {
		vcpu->pc = private_pc(vcpu->env);
		regime_update_controls(vcpu);
		spemu_isb(vcpu->pe);
		count_load(vcpu);
	}
	if (config.barriers)
		snapshot_synchronize(vcpu);
	instrument_settle();
}

static unsigned control_index(const struct private_reg *reg)
{
	return (reg->op1 == 4) << 1 | (reg->crm == 3 || (reg->op1 == 4 && reg->op2 == 1));
}

static void control_written(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_current();

	if (vcpu)
		count_settle(vcpu, private_pc(env));
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
	write_tlbi[tlbi_index(reg)](env, reg, value);
	__atomic_add_fetch(&tlbi_epoch, 1, __ATOMIC_RELEASE);
}

static void follow_control(struct vcpu *vcpu, uint32_t encoding)
{
	struct private_reg *reg = private_reg_find(vcpu->env, encoding);

	if (!reg || !reg->writefn || reg->writefn == control_written)
		return;
	write_control[control_index(reg)] = reg->writefn;
	reg->writefn = control_written;
}

/* TLBI: op0 1, CRn 8, or 9 for the nXS variants. CRm bit 3 is not used by any two at a time. */
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

void regime_follow(struct vcpu *vcpu)
{
	follow_control(vcpu, SPEMU_SYSREG_SCR_EL3);
	follow_control(vcpu, SPEMU_SYSREG_MDCR_EL3);
	follow_control(vcpu, SPEMU_SYSREG_HCR_EL2);
	follow_control(vcpu, SPEMU_SYSREG_MDCR_EL2);
	follow_tlbi(vcpu);
	private_hook_el_change(vcpu->cpu, before_el_change, after_el_change, vcpu);
}
