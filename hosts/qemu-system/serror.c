/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SError exceptions; see serror.h.
 *
 * The syndrome reports an Uncontainable error (AET 0b000, EA 0), because nothing is known about the
 * error. Without FEAT_RAS there is no syndrome. An SError is edge-triggered
 * (IsSErrorEdgeTriggered(), IMPLEMENTATION DEFINED): taking it clears the pending one.
 */
#include <spemu/sysreg.h>

#include "block.h"
#include "restart_block.h"
#include "serror.h"
#include "vcpu_count.h"

#define SYSREG_DAIF SPEMU_SYSREG(3u, 3u, 4u, 2u, 1u)
#define SYSREG_ISR_EL1 SPEMU_SYSREG(3u, 0u, 12u, 1u, 0u)
#define SYSREG_DISR_EL1 SPEMU_SYSREG(3u, 0u, 12u, 1u, 1u)
#define SYSREG_VSESR_EL2 SPEMU_SYSREG(3u, 4u, 5u, 2u, 3u)

#define PSTATE_A UINT64_C(0x100) /* DAIF.A and ISR_EL1.A */
#define SCR_EA (UINT64_C(1) << 3)
#define SCR_NMEA (UINT64_C(1) << 20)
#define HCR_AMO (UINT64_C(1) << 5)
#define HCR_TGE (UINT64_C(1) << 27)
#define DISR_A (UINT64_C(1) << 31)
#define DFSC_SERROR 0x11u

#define OPCODE_WFI 0xd503207fu
#define OPCODE_ESB 0xd503221fu

static uint64_t (*read_isr)(struct CPUArchState *env, const struct private_reg *reg);

static struct qemu_plugin_u64 pending_entry(void)
{
	return generated_entry(offsetof(struct generated, serror));
}

/* Return PhysicalSErrorTarget(), or 0 if the SError is masked. EL2 and EL3 use AArch64. */
static unsigned target_of(const struct vcpu *vcpu)
{
	uint64_t scr = private_value_at(vcpu->env, vcpu->serror.scr),
	         hcr = arm_hcr_el2_eff(vcpu->env);
	bool a = private_value_at(vcpu->env, vcpu->serror.daif) & PSTATE_A, ea = scr & SCR_EA;
	bool amo = hcr & HCR_AMO;
	bool in_host = private_in_host(hcr);

	switch (private_el(vcpu->env)) {
	case 3:
		return (ea && !a) || (scr & SCR_NMEA) ? 3 : 0;
	case 2:
		if (ea)
			return 3;
		return a || !(hcr & (HCR_TGE | HCR_AMO)) ? 0 : 2;
	case 1:
		in_host = false;
		/* fall through */
	default:
		if (ea)
			return 3;
		if (amo)
			return 2;
		return a ? 0 : in_host ? 2 : 1;
	}
}

static bool is_taken(const struct vcpu *vcpu)
{
	return target_of(vcpu) && restart_block_allowed(vcpu->cpu) && vcpu->arming == NO_BLOCK;
}

/* Take the SError before the instruction in whose host code ra lies. */
static _Noreturn void take(struct vcpu *vcpu, uintptr_t ra)
{
	unsigned target = target_of(vcpu);

	vcpu->generated->serror = 0;
	vcpu->serror.taking = true;
	vcpu->serror.kept = private_value_at(vcpu->env, vcpu->serror.vsesr);
	private_put_at(vcpu->env, vcpu->serror.vsesr, DFSC_SERROR);
	private_raise_serror(vcpu->env, target, ra);
}

void serror_taken(struct vcpu *vcpu)
{
	if (!vcpu->serror.taking)
		return;
	vcpu->serror.taking = false;
	private_put_at(vcpu->env, vcpu->serror.vsesr, vcpu->serror.kept);
}

static void block_begins(unsigned cpu, void *udata)
{
	(void)udata;
	if (is_taken(&vcpus[cpu]))
		take(&vcpus[cpu], (uintptr_t)__builtin_return_address(0));
}

/* Carry out the ESB at pc, in a block that has counted. With FEAT_RAS, ESB defers a masked
 * SError. */
static void synchronize(unsigned cpu, void *pc)
{
	struct vcpu *vcpu = &vcpus[cpu];

	if (!vcpu->serror.disr || private_aarch32(vcpu->env))
		return;
	if (is_taken(vcpu)) {
		count_left(vcpu, (uintptr_t)pc, false);
		take(vcpu, (uintptr_t)__builtin_return_address(0));
	}
	if (target_of(vcpu))
		return;
	vcpu->generated->serror = 0;
	private_put_at(vcpu->env, vcpu->serror.disr, DISR_A | DFSC_SERROR);
}

/* Skip WFI: a pending SError ends the wait at once, masked or not. */
static void wait_for_interrupt(unsigned cpu, void *udata)
{
	(void)udata;
	if (!private_aarch32(vcpus[cpu].env) && restart_block_allowed(vcpus[cpu].cpu))
		private_skip(vcpus[cpu].cpu, (uintptr_t)__builtin_return_address(0));
}

static void call_if_pending(struct qemu_plugin_tb *tb, size_t i, qemu_plugin_vcpu_udata_cb callback)
{
	uint64_t pc = qemu_plugin_tb_vaddr(tb) + 4 * i;

	qemu_plugin_register_vcpu_insn_exec_cond_cb(qemu_plugin_tb_get_insn(tb, i), callback,
	                                            QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_GE,
	                                            pending_entry(), 1, (void *)(uintptr_t)pc);
}

void serror_before_block(struct qemu_plugin_tb *tb)
{
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, block_begins, QEMU_PLUGIN_CB_R_REGS,
	                                          QEMU_PLUGIN_COND_GE, pending_entry(), 1, NULL);
}

void serror_before_insns(struct qemu_plugin_tb *tb, size_t insns)
{
	for (size_t i = 0; i < insns; i++) {
		uint32_t opcode = block_opcode_at(tb, i);

		if (opcode == OPCODE_ESB)
			call_if_pending(tb, i, synchronize);
		else if (opcode == OPCODE_WFI)
			call_if_pending(tb, i, wait_for_interrupt);
	}
}

/* Read ISR_EL1; with HCR_EL2.AMO EL1 sees only a virtual SError. */
static uint64_t isr_read(struct CPUArchState *env, const struct private_reg *reg)
{
	const struct vcpu *vcpu = vcpu_of(env);
	bool hidden = private_el(env) == 1 && (arm_hcr_el2_eff(env) & HCR_AMO);

	return read_isr(env, reg) | (vcpu->generated->serror && !hidden ? PSTATE_A : 0);
}

void serror_define(struct vcpu *vcpu)
{
	struct private_reg *isr = private_reg_find(vcpu->env, SYSREG_ISR_EL1);

	vcpu->serror.daif = private_reg_offset(vcpu->env, SYSREG_DAIF);
	vcpu->serror.scr = private_reg_offset(vcpu->env, SPEMU_SYSREG_SCR_EL3);
	vcpu->serror.disr = private_reg_offset(vcpu->env, SYSREG_DISR_EL1);
	vcpu->serror.vsesr = private_reg_offset(vcpu->env, SYSREG_VSESR_EL2);
	if (!isr || !isr->readfn || isr->readfn == isr_read)
		return;
	read_isr = isr->readfn;
	isr->readfn = isr_read;
}

void serror_reset(struct vcpu *vcpu)
{
	vcpu->generated->serror = 0;
	vcpu->serror.taking = false;
}

bool serror_pending(const struct vcpu *vcpu)
{
	return vcpu->generated->serror;
}

void serror_pend(void *vcpu)
{
	((struct vcpu *)vcpu)->generated->serror = 1;
}
