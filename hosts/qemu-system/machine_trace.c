/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace lines about the PE around its SPU; see machine_trace.h.
 *
 * Arm ARM: DDI 0487 M.a, D1.3.1 (exception entry and the offsets of vectors), D24.2 (the
 * registers).
 */
#include <spemu/sysreg.h>

#include "config.h"
#include "events.h"
#include "machine_trace.h"

static bool is_enabled(const struct vcpu *vcpu)
{
	uint64_t limit;

	if (vcpu->can_sample)
		return true;
	return !spemu_reg_get(vcpu->pe, &limit, SPEMU_REG_PMBLIMITR_EL1) &&
	       (limit >> SPEMU_PMBLIMITR_EL1_E_LSB & 1);
}

bool machine_trace_before_write(struct vcpu *vcpu, bool always)
{
	vcpu->control_reported = false;
	return config.trace && (always || is_enabled(vcpu));
}

void machine_trace_after_write(struct vcpu *vcpu, uint64_t pc, const char *name, uint64_t value,
                               bool reported)
{
	/* With HCR_EL2.E2H the EL1 name writes the EL2 register, whose write function has reported
	 * the write. */
	if (config.trace && !vcpu->control_reported && (reported || is_enabled(vcpu)))
		events_control(vcpu, pc, name, value);
	vcpu->control_reported = true;
}

void machine_trace_before_el_change(struct vcpu *vcpu)
{
	vcpu->before_el = (uint8_t)private_el(vcpu->env);
	vcpu->before_entry = private_takes_exception(vcpu->cpu);
}

void machine_trace_after_el_change(struct vcpu *vcpu)
{
	static const char *const kinds[] = {"synchronous", "IRQ", "FIQ", "SError"};
	struct change_of_el change = {.entry = vcpu->before_entry,
	                              .from = vcpu->before_el,
	                              .to = private_el(vcpu->env),
	                              .pc = vcpu->before_pc,
	                              .target = private_pc(vcpu->env)};

	if (!config.trace || !is_enabled(vcpu))
		return;
	if (change.entry && change.to > 0) {
		unsigned vector = change.target >> 7 & 3;

		change.kind = kinds[vector];
		change.has_syndrome = vector == 0 || vector == 3;
		/* ESR_ELx of the Exception level to which the exception was taken. */
		change.syndrome = private_sysreg(vcpu->env, sysreg_of_el(change.to, 5, 2, 0));
	}
	events_change_of_el(vcpu, &change);
}
