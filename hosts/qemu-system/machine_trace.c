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
#include "registers.h"

static const struct {
	uint32_t encoding;
	bool always;
} followed[] = {
        {SPEMU_SYSREG_MDCR_EL3, true},
        {SPEMU_SYSREG_MDCR_EL2, true},
        {SPEMU_SYSREG_SCR_EL3, false},
        {SPEMU_SYSREG_HCR_EL2, false},
        {SPEMU_SYSREG(3u, 0u, 13u, 0u, 1u), false}, /* CONTEXTIDR_EL1 */
        {SPEMU_SYSREG(3u, 4u, 13u, 0u, 1u), false}, /* CONTEXTIDR_EL2 */
        {SPEMU_SYSREG(3u, 4u, 2u, 1u, 0u), false},  /* VTTBR_EL2 */
};
#define FOLLOWED (sizeof(followed) / sizeof(followed[0]))

/* QEMU's own write functions of these registers; the same for every vCPU. */
static void (*write_followed[FOLLOWED])(struct CPUArchState *, const struct private_reg *,
                                        uint64_t);

static bool is_enabled(const struct vcpu *vcpu)
{
	uint64_t limit;

	if (vcpu->can_sample)
		return true;
	return !spemu_reg_get(vcpu->pe, &limit, SPEMU_REG_PMBLIMITR_EL1) &&
	       (limit >> SPEMU_PMBLIMITR_EL1_E_LSB & 1);
}

static size_t index_of(uint32_t encoding)
{
	size_t i = 0;

	while (i < FOLLOWED - 1 && followed[i].encoding != encoding)
		i++;
	return i;
}

static void followed_written(struct CPUArchState *env, const struct private_reg *reg,
                             uint64_t value)
{
	size_t i = index_of(registers_encoding(reg));
	struct vcpu *vcpu = vcpu_current();
	uint64_t pc = private_pc(env);
	bool reported;

	if (vcpu) {
		reported = followed[i].always || is_enabled(vcpu);
		vcpu->control_reported = false;
	}
	if (write_followed[i])
		write_followed[i](env, reg, value);
	else
		private_reg_write_raw(env, reg, value);
	if (!vcpu)
		return;
	/* With HCR_EL2.E2H the EL1 name writes the EL2 register, whose write function has reported
	 * the write. */
	if (!vcpu->control_reported && (reported || is_enabled(vcpu)))
		events_control(vcpu, pc, reg->name, value);
	vcpu->control_reported = true;
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

void machine_trace_start(struct vcpu *vcpu)
{
	for (size_t i = 0; config.trace && i < FOLLOWED; i++) {
		struct private_reg *reg = private_reg_find(vcpu->env, followed[i].encoding);

		if (!reg || reg->type & PRIVATE_REG_CONST || reg->writefn == followed_written)
			continue;
		write_followed[i] = reg->writefn;
		reg->writefn = followed_written;
		if (!reg->accessfn)
			reg->accessfn = permit;
	}
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
