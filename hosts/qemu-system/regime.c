/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The transfer of the PE's state to the model; see regime.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.4 (where profiling is enabled).
 */
#include <string.h>

#include <spemu/strict.h>
#include <spemu/sysreg.h>

#include "regime.h"

#define SCR_RW (UINT64_C(1) << 10)
#define HCR_RW (UINT64_C(1) << 31)

static void fetch_all(struct vcpu *vcpu, unsigned end)
{
	for (unsigned i = 0; i < end; i++) {
		struct shared_register *s = &vcpu->shared[i];
		uint64_t value;

		memcpy(&value, (const char *)vcpu->env + s->offset, sizeof(value));
		if (value == s->value)
			continue;
		s->value = value;
		spemu_reg_set(vcpu->pe, s->reg, value);
	}
}

/* Fetch registers. Diagnostics of a change refer to the latest MSR that may have made it. */
static void fetch(struct vcpu *vcpu, unsigned end)
{
	if (__builtin_expect(!vcpu->saved.switch_pc, 1)) {
		fetch_all(vcpu, end);
		return;
	}
	spemu_spu_set_pc(vcpu->spu, vcpu->saved.switch_pc);
	fetch_all(vcpu, end);
	spemu_spu_set_pc(vcpu->spu, vcpu->pc);
}

static uint64_t shared_value(const struct vcpu *vcpu, enum spemu_reg reg, uint64_t absent)
{
	for (unsigned i = 0; i < vcpu->controls; i++)
		if (vcpu->shared[i].reg == reg)
			return vcpu->shared[i].value;
	return absent;
}

/* Return ELUsingAArch32() of EL0 (in the present state) and EL1. EL2 and EL3 use AArch64. */
static uint8_t aarch32_levels(const struct vcpu *vcpu, unsigned el, bool aarch32)
{
	bool el2_aarch64 = shared_value(vcpu, SPEMU_REG_SCR_EL3, SCR_RW) & SCR_RW;
	uint64_t hcr = shared_value(vcpu, SPEMU_REG_HCR_EL2, HCR_RW);
	bool in_host = private_in_host(hcr);
	bool el1 = aarch32 && el == 1;

	if (!el2_aarch64 || (!(hcr & HCR_RW) && !in_host && el != 2 && aarch32))
		el1 = true;
	return (uint8_t)((aarch32 && el == 0) | el1 << 1);
}

static void update_state(struct vcpu *vcpu)
{
	struct spemu_pe_state state = {0};

	state.el = (uint8_t)private_el(vcpu->env);
	state.aarch32 = private_aarch32(vcpu->env);
	state.pm = vcpu->exception.pm;
	state.streaming = vcpu->flight.streaming; /* only records show it */
	if (__builtin_expect(state.aarch32, 0))
		state.el_aarch32 = aarch32_levels(vcpu, state.el, true);
	if (memcmp(&state, &vcpu->state, sizeof(state)) == 0)
		return;
	vcpu->state = state;
	spemu_pe_set(vcpu->pe, &state);
}

void regime_update_controls(struct vcpu *vcpu)
{
	fetch(vcpu, vcpu->controls);
	update_state(vcpu);
}

void regime_update(struct vcpu *vcpu)
{
	fetch(vcpu, vcpu->shareds);
	vcpu->saved.switch_pc = 0;
	update_state(vcpu);
}

void regime_switch(struct vcpu *vcpu, uint64_t pc)
{
	regime_update(vcpu);
	vcpu->saved.switch_pc = pc;
}

void regime_reset(struct vcpu *vcpu)
{
	for (unsigned i = 0; i < vcpu->shareds; i++) {
		struct shared_register *s = &vcpu->shared[i];

		s->value = private_value_at(vcpu->env, s->offset);
		spemu_reg_set(vcpu->pe, s->reg, s->value);
	}
	spemu_pe_get(vcpu->pe, &vcpu->state);
	update_state(vcpu);
}
