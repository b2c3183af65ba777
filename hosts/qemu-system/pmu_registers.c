/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks into the registers of QEMU's PMU, for the events of pmu_events.c.
 *
 * The population is counted in batches (vcpu_count.h). The count catches up with all executed
 * operations before an access to a register that depends on the population or configures the
 * counters. A read in the middle of a block does not count the instructions after it.
 *
 * Arm ARM: DDI 0487 M.a, D14.3 (events), D24.5.
 */
#include <spemu/pmu.h>
#include <spemu/sysreg.h>

#include "id_registers.h"
#include "pmu_events.h"
#include "pmu_registers.h"
#include "vcpu_count.h"

#define FIRST_EXTENDED 0x4000 /* PMCEIDn_EL0[63:32] shows events 0x4000 to 0x403f */
/* PMCEID2 of AArch32, p15 0 c9 c14 4, in QEMU's encoding for Non-secure state (ENCODE_CP_REG). */
#define CP_REG_PMCEID2 (1u << 29 | 15u << 16 | 9u << 11 | 14u << 7 | 4u)

#define PMXEVTYPER_EL0 SPEMU_SYSREG(3u, 3u, 9u, 13u, 1u)
#define PMXEVCNTR_EL0 SPEMU_SYSREG(3u, 3u, 9u, 13u, 2u)

/* QEMU's own functions of the followed registers, which are the same for every vCPU. */
#define FOLLOWED 128
static int (*allowed[FOLLOWED])(struct CPUArchState *, const struct private_reg *, bool);
static void (*write[FOLLOWED])(struct CPUArchState *, const struct private_reg *, uint64_t);

/* Return the index of a followed register. CRn is 14 for PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0, and
 * 9 for the others. */
static unsigned index_of(const struct private_reg *reg)
{
	return (reg->crn == 14 ? 0u : 64u) | (reg->crm & 7u) << 3 | (reg->op2 & 7u);
}

/* Let the count catch up before the register access, so that a read includes all earlier operations
 * and a write affects only later ones. */
static int check_register_access(struct CPUArchState *env, const struct private_reg *reg,
                                 bool is_read)
{
	struct vcpu *vcpu = vcpu_of(env);
	int outcome = allowed[index_of(reg)](env, reg, is_read);

	if (outcome == PRIVATE_ACCESS_OK && (vcpu->watched || !is_read))
		count_up_to(vcpu, private_pc(env), is_read);
	return outcome;
}

static void written(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_of(env);

	write[index_of(reg)](env, reg, value);
	pmu_events_refresh(vcpu);
	if (vcpu->can_sample)
		count_to_overflow(vcpu);
}

static void follow(struct vcpu *vcpu, uint32_t encoding)
{
	struct private_reg *reg = private_reg_find(vcpu->env, encoding);

	if (!reg || !reg->accessfn || reg->accessfn == check_register_access)
		return;
	allowed[index_of(reg)] = reg->accessfn;
	reg->accessfn = check_register_access;
	if (!reg->writefn)
		return;
	write[index_of(reg)] = reg->writefn;
	reg->writefn = written;
}

static void show(struct private_reg *reg, uint64_t events)
{
	if (reg)
		id_register_show(reg, reg->resetvalue | events);
}

void pmu_registers_follow(struct vcpu *vcpu)
{
	static const uint32_t registers[] = {
	        SPEMU_SYSREG_PMCR_EL0,
	        SPEMU_SYSREG_PMCNTENSET_EL0,
	        SPEMU_SYSREG_PMCNTENCLR_EL0,
	        SPEMU_SYSREG_PMOVSSET_EL0,
	        SPEMU_SYSREG_PMOVSCLR_EL0,
	        PMXEVTYPER_EL0,
	        PMXEVCNTR_EL0,
	};
	/* The four common events of the SPU, which PMCEID0_EL0 shows. */
	const uint64_t events = 1u << (SPEMU_PMU_SAMPLE_POP - FIRST_EXTENDED) |
	                        1u << (SPEMU_PMU_SAMPLE_FEED - FIRST_EXTENDED) |
	                        1u << (SPEMU_PMU_SAMPLE_FILTRATE - FIRST_EXTENDED) |
	                        1u << (SPEMU_PMU_SAMPLE_COLLISION - FIRST_EXTENDED);

	if (!vcpu->pmu.pmu)
		return;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		follow(vcpu, registers[i]);
	for (unsigned n = 0; n < vcpu->pmu.counters; n++) {
		follow(vcpu, SPEMU_SYSREG_PMEVCNTRn_EL0(n));
		follow(vcpu, SPEMU_SYSREG_PMEVTYPERn_EL0(n));
	}
	show(private_reg_find(vcpu->env, SPEMU_SYSREG_PMCEID0_EL0), events << 32);
	show(private_reg_find_aarch32(vcpu->env, CP_REG_PMCEID2), events);
}
