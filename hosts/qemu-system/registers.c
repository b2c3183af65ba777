/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MSR and MRS of the SPU's registers, and the registers that the model shares with QEMU.
 *
 * The walk of an MSR (an MRS ends in spemu_spu_mrs_permitted() instead):
 *
 *   translation   QEMU: a name of a higher Exception level is UNDEFINED, or trapped to EL2 by HCR_EL2.NV; NV2 redirects it
 *   accessfn      access_check(): catch up; spemu_spu_access_check() walks the model's clauses;
 *                 QEMU raises UNDEFINED or a trap, with the syndrome of the instruction
 *   writefn       write_register(): spemu_spu_msr_permitted() writes the checked register
 *
 * QEMU calls writefn or readfn directly after accessfn, in the same instruction, so the vCPU keeps
 * the check's result.
 *
 * Arm ARM: DDI 0487 M.a, D24.7 (registers), D24.2 (ID registers), D8.13 (nested virtualization).
 */
#include <string.h>

#include <spemu/strict.h>
#include <spemu/sysreg.h>

#include "events.h"
#include "id_registers.h"
#include "regime.h"
#include "registers.h"
#include "unmet_filter.h"
#include "vcpu_count.h"

uint32_t registers_encoding(const struct private_reg *reg)
{
	return SPEMU_SYSREG((uint32_t)reg->op0, (uint32_t)reg->op1, (uint32_t)reg->crn,
	                    (uint32_t)reg->crm, (uint32_t)reg->op2);
}

static void enter(struct vcpu *vcpu)
{
	vcpu->pc = private_pc(vcpu->env);
	spemu_spu_set_pc(vcpu->spu, vcpu->pc);
	regime_update(vcpu);
	count_catch_up(vcpu, vcpu->pc);
}

int registers_outcome(const struct spemu_access_result *result)
{
	static const int outcomes[] = {
	        [SPEMU_ACCESS_OK] = PRIVATE_ACCESS_OK,
	        [SPEMU_ACCESS_UNDEFINED] = PRIVATE_ACCESS_UNDEFINED,
	        [SPEMU_ACCESS_TRAP_EL1] = PRIVATE_ACCESS_TRAP_EL1,
	        [SPEMU_ACCESS_TRAP_EL2] = PRIVATE_ACCESS_TRAP_EL2,
	        [SPEMU_ACCESS_TRAP_EL3] = PRIVATE_ACCESS_TRAP_EL3,
	        [SPEMU_ACCESS_NVMEM] = PRIVATE_ACCESS_OK, /* QEMU redirects the access itself */
	};

	return outcomes[result->outcome];
}

static int access_check(struct CPUArchState *env, const struct private_reg *reg, bool is_read)
{
	struct vcpu *vcpu = vcpu_of(env);
	struct spemu_access_result *access = &vcpu->register_access;

	if (is_read && registers_encoding(reg) == SPEMU_SYSREG_PMSICR_EL1)
		count_alone(vcpu, private_pc(env));
	enter(vcpu);
	spemu_spu_access_check(vcpu->spu, access, registers_encoding(reg), !is_read);
	if (access->outcome != SPEMU_ACCESS_OK) {
		events_register_access(vcpu, reg->name, !is_read, 0, access);
		count_load(vcpu);
	}
	return registers_outcome(access);
}

static uint64_t read_register(struct CPUArchState *env, const struct private_reg *reg)
{
	struct vcpu *vcpu = vcpu_of(env);
	uint64_t value;

	spemu_spu_mrs_permitted(vcpu->spu, &value, &vcpu->register_access);
	events_register_access(vcpu, reg->name, false, value, &vcpu->register_access);
	count_load(vcpu);
	return value;
}

static void write_register(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_of(env);

	events_register_access(vcpu, reg->name, true, value, &vcpu->register_access);
	spemu_spu_msr_permitted(vcpu->spu, &vcpu->register_access, value);
	count_changed(vcpu);
	unmet_filter_check(vcpu);
}

static void (*reset_spu)(struct vcpu *vcpu);

static void reset_register(struct CPUArchState *env, const struct private_reg *reg)
{
	struct vcpu *vcpu = vcpu_of(env);

	(void)reg;
	reset_spu(vcpu);
	events_reset(vcpu);
}

/* Return the offset from VNCR_EL2, with the value of HCR_EL2.NV1 for which it applies (D8.13.6). */
static uint32_t redirect_offset(const struct spemu_features *features, uint32_t encoding)
{
	uint16_t offset;
	int nv1;

	if (spemu_reg_nvmem(&offset, &nv1, features, encoding))
		return 0;
	return offset | (nv1 == 1 ? PRIVATE_NV2_IF_NV1 : nv1 == 0 ? PRIVATE_NV2_IF_NOT_NV1 : 0);
}

/* Return true for PMS* and PMB*: op0 3, CRn 9, CRm 9 or 10, any op1. */
static bool is_spu(uint32_t encoding)
{
	return encoding >> 14 == 3 && (encoding >> 7 & 15) == 9 &&
	       ((encoding >> 3 & 15) == 9 || (encoding >> 3 & 15) == 10);
}

void registers_describe(struct private_reg *reg, const char *name, uint32_t encoding)
{
	memset(reg, 0, sizeof(*reg));
	reg->name = name;
	reg->op0 = encoding >> 14 & 3;
	reg->op1 = encoding >> 11 & 7;
	reg->crn = encoding >> 7 & 15;
	reg->crm = encoding >> 3 & 15;
	reg->op2 = encoding & 7;
	reg->state = PRIVATE_STATE_AA64;
	reg->type = PRIVATE_REG_NO_RAW | PRIVATE_REG_NO_GDB;
	reg->access = reg->op1 == 6   ? PRIVATE_RW_FROM_EL3
	              : reg->op1 >= 4 ? PRIVATE_RW_FROM_EL2
	                              : PRIVATE_RW_FROM_EL1;
}

static void describe(struct private_reg *reg, const struct spemu_features *features,
                     const char *name, uint32_t encoding)
{
	registers_describe(reg, name, encoding);
	reg->nv2_redirect_offset = redirect_offset(features, encoding);
	reg->accessfn = access_check;
	reg->readfn = read_register;
	reg->writefn = write_register;
	if (encoding == SPEMU_SYSREG_PMBLIMITR_EL1)
		reg->resetfn = reset_register; /* resets all registers */
}

/* Show fields of the model in an ID register of QEMU. */
static void show_in_id(struct vcpu *vcpu, enum spemu_reg reg, uint32_t encoding)
{
	struct private_reg *id = private_reg_find(vcpu->env, encoding);
	const char *name;
	unsigned hi, lo;
	uint64_t value;

	if (!id || spemu_reg_get(vcpu->pe, &value, reg))
		return;
	for (unsigned i = 0; spemu_reg_field(reg, i, &name, &hi, &lo) == SPEMU_OK; i++) {
		uint64_t mask = (UINT64_MAX >> (63 - (hi - lo))) << lo;

		id_register_show(id, (id->resetvalue & ~mask) | (value & mask));
	}
}

/* Return true if QEMU has the register as it is defined here. */
static bool is_defined(const struct vcpu *vcpu, const struct private_reg *reg)
{
	const struct private_reg *found = private_reg_find(vcpu->env, registers_encoding(reg));

	return found && strcmp(found->name, reg->name) == 0 && found->readfn == read_register &&
	       found->writefn == write_register;
}

bool registers_define(struct vcpu *vcpu, void (*reset)(struct vcpu *vcpu))
{
	struct spemu_reg_description d;
	struct private_reg reg;

	reset_spu = reset;
	for (unsigned i = 0; spemu_reg_describe(&d, i) == SPEMU_OK; i++) {
		if (!is_spu(d.encoding))
			continue;
		describe(&reg, &vcpu->pe_config.features, d.name, d.encoding);
		private_reg_define(vcpu->cpu, &reg);
		if (!is_defined(vcpu, &reg))
			return false;
	}
	show_in_id(vcpu, SPEMU_REG_ID_AA64DFR0_EL1, SPEMU_SYSREG_ID_AA64DFR0_EL1);
	show_in_id(vcpu, SPEMU_REG_ID_AA64DFR1_EL1, SPEMU_SYSREG_ID_AA64DFR1_EL1);
	show_in_id(vcpu, SPEMU_REG_ID_AA64DFR2_EL1, SPEMU_SYSREG_ID_AA64DFR2_EL1);
	return true;
}

static void share(struct vcpu *vcpu, enum spemu_reg reg, uint32_t encoding)
{
	const struct private_reg *found = private_reg_find(vcpu->env, encoding);
	struct shared_register *shared = &vcpu->shared[vcpu->shareds];

	if (!found || vcpu->shareds == MAX_SHARED)
		return;
	for (unsigned i = 0; i < vcpu->shareds; i++)
		if (vcpu->shared[i].reg == reg)
			return;
	shared->reg = reg;
	shared->offset = found->type & PRIVATE_REG_CONST ? 0 : found->fieldoffset;
	if (!shared->offset)
		return;
	vcpu->shareds++;
}

void registers_share(struct vcpu *vcpu)
{
	static const struct {
		enum spemu_reg reg;
		uint32_t encoding;
	} controls[] = {
	        {SPEMU_REG_SCR_EL3, SPEMU_SYSREG_SCR_EL3},
	        {SPEMU_REG_MDCR_EL3, SPEMU_SYSREG_MDCR_EL3},
	        {SPEMU_REG_HCR_EL2, SPEMU_SYSREG_HCR_EL2},
	        {SPEMU_REG_MDCR_EL2, SPEMU_SYSREG_MDCR_EL2},
	};
	struct spemu_reg_description d;

	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		share(vcpu, controls[i].reg, controls[i].encoding);
	vcpu->controls = vcpu->shareds;
	for (unsigned i = 0; spemu_reg_describe(&d, i) == SPEMU_OK; i++)
		if (!is_spu(d.encoding) && !d.alias && !d.readonly && d.reg < SPEMU_REG_COUNT)
			share(vcpu, d.reg, d.encoding);
}
