/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiling exceptions and PSTATE.PM; see profiling_exception.h.
 *
 * PM is accessible with FEAT_SPE_EXC, though its page names FEAT_EBEP alone:
 * docs/explanation/design.md.
 */
#include <spemu/sysreg.h>

#include "block.h"
#include "config.h"
#include "profiling_exception.h"
#include "regime.h"
#include "registers.h"
#include "restart_block.h"
#include "timing.h"
#include "vcpu_count.h"

#define SYSREG_PM SPEMU_SYSREG(3u, 0u, 4u, 3u, 1u)

#define PM_BIT (UINT64_C(1) << 32) /* in the register PM, and in SPSR_ELx for AArch64 */

#define EC_PROFILING UINT64_C(0x3d)
#define SYNDROME (EC_PROFILING << 26 | UINT64_C(1) << 25 | SPEMU_PROFILING_EXCEPTION_ISS)

#define OPCODE_WFI 0xd503207fu
#define OPCODE_MSR_PM 0xd501421fu /* MSR PM, #0; the immediate is CRm[0] */
#define IMMEDIATE 0x100u

static struct qemu_plugin_u64 entry(void)
{
	return generated_entry(offsetof(struct generated, exception_target));
}

void profiling_exception_pend(void *vcpu, unsigned target_el)
{
	((struct vcpu *)vcpu)->generated->exception_target = target_el;
}

/* ---- taking it ------------------------------------------------------------------------------- */

/* Return true if the pending exception can be taken now. An exception to an Exception level in
 * AArch32 state stays pending. */
static bool is_taken(const struct vcpu *vcpu)
{
	bool aarch32 = vcpu->generated->exception_target == 1 && (vcpu->state.el_aarch32 & 2);

	return !aarch32 && restart_block_allowed(vcpu->cpu) && vcpu->arming == NO_BLOCK;
}

/*
 * Take a pending exception before the first instruction of a block that has already counted. A PSB
 * CSYNC and a Context synchronization event before the block may end an operation in flight, whose
 * record then causes an exception. That exception has to be taken here (RNXPMV). Profiling is
 * stopped while an exception is pending, so the count has no further use. Only the instructions
 * that do not execute matter, and count_left() subtracts them.
 */
static void block_begins(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];

	(void)udata;
	if (!is_taken(vcpu))
		return;
	count_left(vcpu, private_pc(vcpu->env), false);
	timing_forget(vcpu);
	private_raise(vcpu->env, SYNDROME, (unsigned)vcpu->generated->exception_target,
	              (uintptr_t)__builtin_return_address(0));
}

/* Skip WFI if an unmasked exception is pending, as IWNMSV recommends. */
static void wait_for_interrupt(unsigned cpu, void *udata)
{
	struct vcpu *vcpu = &vcpus[cpu];

	(void)udata;
	if (!private_aarch32(vcpu->env) && is_taken(vcpu))
		private_skip(vcpu->cpu, (uintptr_t)__builtin_return_address(0));
}

/* ---- PSTATE.PM ------------------------------------------------------------------------------- */

static void set_mask(struct vcpu *vcpu, bool pm)
{
	vcpu->exception.pm = pm;
	regime_update_controls(vcpu);
}

/* Carry out MSR PM, #imm. At EL0 and with PSTATE.IL, QEMU takes the exception that the instruction
 * generates. */
static void write_immediate(unsigned cpu, void *imm)
{
	struct vcpu *vcpu = &vcpus[cpu];

	if (private_aarch32(vcpu->env) || private_el(vcpu->env) == 0 ||
	    private_illegal_state(vcpu->env) || !restart_block_allowed(vcpu->cpu))
		return;
	set_mask(vcpu, (uintptr_t)imm);
	private_skip(vcpu->cpu, (uintptr_t)__builtin_return_address(0));
}

void profiling_exception_before_insns(struct qemu_plugin_tb *tb, size_t insns)
{
	for (size_t i = 0; i < insns; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t opcode = block_opcode_at(tb, i);

		if (i == 0)
			qemu_plugin_register_vcpu_insn_exec_cond_cb(
			        insn, block_begins, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_GE,
			        entry(), 1, NULL);
		if (opcode == OPCODE_WFI)
			qemu_plugin_register_vcpu_insn_exec_cond_cb(
			        insn, wait_for_interrupt, QEMU_PLUGIN_CB_R_REGS,
			        QEMU_PLUGIN_COND_GE, entry(), 1, NULL);
		else if ((opcode & ~IMMEDIATE) == OPCODE_MSR_PM)
			qemu_plugin_register_vcpu_insn_exec_cb(
			        insn, write_immediate, QEMU_PLUGIN_CB_R_REGS,
			        (void *)(uintptr_t) !!(opcode & IMMEDIATE));
	}
}

static uint64_t read_mask(struct CPUArchState *env, const struct private_reg *reg)
{
	(void)reg;
	return vcpu_of(env)->exception.pm ? PM_BIT : 0;
}

static void write_mask(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	(void)reg;
	set_mask(vcpu_of(env), value & PM_BIT);
}

void profiling_exception_define(struct vcpu *vcpu)
{
	struct private_reg reg;

	registers_describe(&reg, "PM", SYSREG_PM);
	reg.readfn = read_mask;
	reg.writefn = write_mask;
	private_reg_define(vcpu->cpu, &reg);
	for (unsigned el = 1; el <= 3; el++)
		vcpu->exception.spsr[el] =
		        private_reg_offset(vcpu->env, sysreg_of_el(el, 4, 0, 0)); /* SPSR_ELx */
}

/* Reset PSTATE.PM to an UNKNOWN value. */
void profiling_exception_reset(struct vcpu *vcpu)
{
	vcpu->exception.pm = vcpu->pe_config.seed * UINT64_C(0x9e3779b97f4a7c15) >> 63;
	vcpu->exception.illegal = false;
	vcpu->generated->exception_target = 0;
}

static bool is_saved(const struct vcpu *vcpu, unsigned el)
{
	return private_value_at(vcpu->env, vcpu->exception.spsr[el]) & PM_BIT;
}

static void save(struct vcpu *vcpu, unsigned el)
{
	ptrdiff_t at = vcpu->exception.spsr[el];

	private_put_at(vcpu->env, at,
	               (private_value_at(vcpu->env, at) & ~PM_BIT) |
	                       (vcpu->exception.pm ? PM_BIT : 0));
}

/*
 * Note the state before the change. QEMU does not report an illegal exception return, which
 * restores PSTATE.PM and sets PSTATE.IL. With PSTATE.IL an exception follows at once, so SPSR_ELx
 * still has the restored value.
 */
void profiling_exception_before_el_change(struct vcpu *vcpu)
{
	unsigned el = private_el(vcpu->env);

	vcpu->exception.entry = private_takes_exception(vcpu->cpu);
	vcpu->exception.from_aarch64 = !private_aarch32(vcpu->env);
	if (!vcpu->exception.from_aarch64 || el == 0)
		return;
	if (!vcpu->exception.entry)
		vcpu->exception.restored = is_saved(vcpu, el);
	else if (private_illegal_state(vcpu->env) && !vcpu->exception.illegal)
		vcpu->exception.pm = is_saved(vcpu, el);
}

/* Update PSTATE.PM. AArch32 does not have it: an exception from AArch32 saves 0, and a return to
 * AArch32 leaves PSTATE.PM unchanged (SetPSTATEFromPSR()). */
void profiling_exception_after_el_change(struct vcpu *vcpu)
{
	vcpu->exception.illegal = private_illegal_state(vcpu->env);
	if (private_aarch32(vcpu->env))
		return;
	if (vcpu->exception.entry) {
		if (vcpu->exception.from_aarch64)
			save(vcpu, private_el(vcpu->env));
		vcpu->exception.pm = true;
	} else if (vcpu->exception.from_aarch64) {
		vcpu->exception.pm = vcpu->exception.restored;
	}
}
