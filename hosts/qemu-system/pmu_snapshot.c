/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PMU snapshots (FEAT_PMUv3_SS) of QEMU's counters; see pmu_snapshot.h.
 *
 * QEMU's PMU counts. The model has the registers of snapshots. It decides who may access them,
 * whether a Capture is disabled, prohibited or allowed, when it completes and what software sees of
 * it. In a Capture the model requests the counters, which the plugin reads as MRS does. The virtual
 * clock is stopped meanwhile, so all values are from one instant.
 *
 * The model's PMU has its own PE. At each register access that PE gets the registers of QEMU's PE
 * that it needs. It has FEAT_PMUv3p9 and FEAT_FGT2, on which FEAT_PMUv3_SS depends (A2.2). The
 * guest gets only the registers of snapshots, and QEMU's ID registers show no more. Captures and
 * accesses to these registers need nothing else of FEAT_PMUv3p9 (D13.9, D24.5). The SPU's PE also
 * keeps QEMU's features. Otherwise PMBLIMITR_EL1.PMFZ, for example, would promise a freeze that
 * QEMU's counters do not implement.
 *
 * Arm ARM: DDI 0487 M.a, A2.2, D13.9, D14.3 (PMU_SNAPSHOT), D24.2.80, D24.5.
 */
#include <stdio.h>
#include <string.h>

#include <spemu/pmu.h>
#include <spemu/sysreg.h>

#include "config.h"
#include "events.h"
#include "id_registers.h"
#include "pmu_events.h"
#include "pmu_snapshot.h"
#include "regime.h"
#include "registers.h"
#include "vcpu_count.h"

#define PMSS_LSB 16 /* ID_AA64DFR0_EL1.PMSS */
#define PMSS_IMPLEMENTED 1

/* Registers of QEMU that the model reads. */
#define FOLLOWED(name)                                \
	{                                             \
		SPEMU_SYSREG_##name, SPEMU_REG_##name \
	}
static const struct {
	uint32_t encoding;
	enum spemu_reg reg;
} followed[] = {
        FOLLOWED(SCR_EL3),      FOLLOWED(MDCR_EL3),     FOLLOWED(HCR_EL2),   FOLLOWED(MDCR_EL2),
        FOLLOWED(HDFGRTR2_EL2), FOLLOWED(HDFGWTR2_EL2), FOLLOWED(OSLSR_EL1), FOLLOWED(PMCR_EL0),
};

/* Return true if QEMU does not have FEAT_FGT2, so that the model's fine-grained traps must not
 * trap. */
static bool assumes_fgt2(const struct vcpu *vcpu)
{
	return !spemu_has(&vcpu->pe_config.features, SPEMU_FEAT_FGT2);
}

static uint64_t assumed(const struct vcpu *vcpu, enum spemu_reg reg)
{
	return reg == SPEMU_REG_SCR_EL3 && assumes_fgt2(vcpu)
	               ? UINT64_C(1) << SPEMU_SCR_EL3_FGTEn2_LSB
	               : 0;
}

static void follow(struct vcpu *vcpu)
{
	vcpu->pc = private_pc(vcpu->env);
	regime_update_controls(vcpu);
	spemu_pe_set(vcpu->snapshot.pe, &vcpu->state);
	for (size_t i = 0; i < sizeof(followed) / sizeof(followed[0]); i++) {
		const struct private_reg *reg = private_reg_find(vcpu->env, followed[i].encoding);

		if (reg)
			spemu_reg_set(vcpu->snapshot.pe, followed[i].reg,
			              private_reg_value(vcpu->env, reg) |
			                      assumed(vcpu, followed[i].reg));
	}
}

static uint64_t counter(void *ctx, unsigned n)
{
	const struct vcpu *vcpu = ctx;
	const struct private_reg *reg = private_reg_find(
	        vcpu->env, n == SPEMU_PMU_CYCLE_COUNTER ? SPEMU_SYSREG_PMCCNTR_EL0
	                                                : SPEMU_SYSREG_PMEVCNTRn_EL0(n));

	return reg ? private_reg_read(vcpu->env, reg) : 0;
}

/* Note Captures. PMU_SNAPSHOT is the only event that the model generates here, because QEMU
 * implements PMSWINC_EL0. */
static void captured(void *ctx, uint16_t event, uint64_t count)
{
	struct vcpu *vcpu = ctx;

	(void)event;
	vcpu->saved.to_count += (unsigned)count;
	vcpu->saved.total.captures += count;
}

static void diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	struct vcpu *vcpu = ctx;
	struct spemu_diagnostic with_pc = *d;

	with_pc.has_pc = true;
	with_pc.pc = vcpu->pc;
	events_diagnostic(vcpu, &with_pc);
}

/* Count PMU_SNAPSHOT in the event counters that are programmed for it. */
static void count_event(struct vcpu *vcpu)
{
	if (vcpu->saved.to_count)
		pmu_events_count(vcpu, SPEMU_PMU_SNAPSHOT, vcpu->saved.to_count);
	vcpu->saved.to_count = 0;
}

static int access_check(struct CPUArchState *env, const struct private_reg *reg, bool is_read)
{
	struct vcpu *vcpu = vcpu_of(env);
	struct spemu_access_result *access = &vcpu->register_access;

	follow(vcpu);
	if (is_read && !config.barriers) /* assume the ISB that software has to execute */
		spemu_pe_isb(vcpu->snapshot.pe);
	spemu_pmu_access_check(vcpu->snapshot.pmu, access, registers_encoding(reg), !is_read);
	if (access->outcome != SPEMU_ACCESS_OK)
		events_register_access(vcpu, reg->name, !is_read, 0, access);
	else if (vcpu->watched)
		count_up_to(vcpu, vcpu->pc, is_read);
	return registers_outcome(access);
}

/* Because of PRIVATE_REG_IO, QEMU calls these two functions with its lock held and the virtual
 * clock readable. */
static uint64_t read_register(struct CPUArchState *env, const struct private_reg *reg)
{
	struct vcpu *vcpu = vcpu_of(env);
	uint64_t value;

	private_clock_stop();
	spemu_pmu_mrs_permitted(vcpu->snapshot.pmu, &value, &vcpu->register_access,
	                        registers_encoding(reg));
	private_clock_start();
	count_event(vcpu);
	events_register_access(vcpu, reg->name, false, value, &vcpu->register_access);
	return value;
}

static void write_register(struct CPUArchState *env, const struct private_reg *reg, uint64_t value)
{
	struct vcpu *vcpu = vcpu_of(env);

	events_register_access(vcpu, reg->name, true, value, &vcpu->register_access);
	private_clock_stop();
	spemu_pmu_msr_permitted(vcpu->snapshot.pmu, &vcpu->register_access, registers_encoding(reg),
	                        value);
	private_clock_start();
	count_event(vcpu);
}

/* Make the features of QEMU's PE, without SPE and with the features that FEAT_PMUv3_SS requires. */
static void features(struct spemu_features *set, const struct vcpu *vcpu)
{
	static const enum spemu_feature with[] = {
	        SPEMU_FEAT_PMUV3P1, SPEMU_FEAT_PMUV3P4, SPEMU_FEAT_PMUV3P5, SPEMU_FEAT_PMUV3P7,
	        SPEMU_FEAT_PMUV3P8, SPEMU_FEAT_PMUV3P9, SPEMU_FEAT_PMUV3_SS};

	*set = vcpu->pe_config.features;
	for (unsigned i = 0; i < SPEMU_FEATURE_COUNT; i++)
		if (strncmp(spemu_feature_name((enum spemu_feature)i), "FEAT_SPE", 8) == 0)
			spemu_features_put(set, (enum spemu_feature)i, false);
	spemu_features_put(set, SPEMU_FEAT_GCS, false); /* requires FEAT_SPE_CRR (A2.2) */
	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		spemu_features_put(set, with[i], true);
	if (spemu_has(set, SPEMU_EL2)) {
		spemu_features_put(set, SPEMU_FEAT_FGT, true);
		spemu_features_put(set, SPEMU_FEAT_FGT2, true);
	}
}

static void choose(struct spemu_pe *pe)
{
	/* In strict mode SS stays 1 until software has polled, as in `spemu run --strict`. */
	if (config.strict)
		spemu_choice_set(pe, SPEMU_CHOICE_CAPTURE_COMPLETION,
		                 SPEMU_CAPTURE_COMPLETION_DELAYED);
	for (size_t i = 0; i < config.choices; i++) {
		bool all = config.choose[i].choice == SPEMU_CHOICE_COUNT;

		/* A choice of SPE may need a feature that this PE does not have. */
		for (unsigned c = 0; c < SPEMU_CHOICE_COUNT; c++)
			if (all || c == (unsigned)config.choose[i].choice)
				spemu_choice_set(pe, (enum spemu_choice)c, config.choose[i].option);
	}
}

void snapshot_reset(struct vcpu *vcpu)
{
	struct spemu_pe_config pe = {.size = sizeof(pe), .seed = vcpu->pe_config.seed};
	struct spemu_pmu_host host = {
	        .size = sizeof(host),
	        .ctx = vcpu,
	        .counter_read = counter,
	        .event = captured,
	        .diagnostic = diagnostic,
	};

	if (!vcpu->snapshot.pmu)
		return;
	features(&pe.features, vcpu);
	if (!model_pmu_init(&vcpu->snapshot, vcpu, &pe, &host))
		events_refuse("the registers of PMU snapshots cannot be made",
		              "use pmu-snapshot no");
	if (assumes_fgt2(vcpu)) {
		spemu_reg_set(vcpu->snapshot.pe, SPEMU_REG_HDFGRTR2_EL2, UINT64_MAX);
		spemu_reg_set(vcpu->snapshot.pe, SPEMU_REG_HDFGWTR2_EL2, UINT64_MAX);
	}
	choose(vcpu->snapshot.pe);
}

void snapshot_start(struct vcpu *vcpu)
{
	if (config.pmu_snapshot == SNAPSHOT_NO)
		return;
	model_pmu_start(&vcpu->snapshot, vcpu, SPEMU_FEAT_PMUV3);
	if (!vcpu->snapshot.pmu && config.pmu_snapshot == SNAPSHOT_YES)
		events_refuse("the CPU has no PMU", "run spemu vm without --pmu-snapshot");
}

void snapshot_synchronize(struct vcpu *vcpu)
{
	if (vcpu->snapshot.pmu)
		spemu_pe_isb(vcpu->snapshot.pe);
}

static void define(struct vcpu *vcpu, const char *name, uint32_t encoding)
{
	struct private_reg reg;

	registers_describe(&reg, name, encoding);
	reg.type |= PRIVATE_REG_IO;
	reg.accessfn = access_check;
	reg.readfn = read_register;
	reg.writefn = write_register;
	private_reg_define(vcpu->cpu, &reg);
}

/* Define all registers except PMICNTSVR_EL1: QEMU does not have the instruction counter
 * (FEAT_PMUv3_ICNTR). */
void snapshot_define(struct vcpu *vcpu)
{
	struct private_reg *id = private_reg_find(vcpu->env, SPEMU_SYSREG_ID_AA64DFR0_EL1);
	char name[32];

	if (!vcpu->snapshot.pmu)
		return;
	define(vcpu, "PMSSCR_EL1", SPEMU_SYSREG_PMSSCR_EL1);
	define(vcpu, "PMECR_EL1", SPEMU_SYSREG_PMECR_EL1);
	define(vcpu, "PMCCNTSVR_EL1", SPEMU_SYSREG_PMCCNTSVR_EL1);
	for (unsigned n = 0; n < vcpu->snapshot.counters; n++) {
		snprintf(name, sizeof(name), "PMEVCNTSVR%u_EL1", n);
		define(vcpu, name, SPEMU_SYSREG_PMEVCNTSVRn_EL1(n));
	}
	if (id)
		id_register_show(id, (id->resetvalue & ~(UINT64_C(15) << PMSS_LSB)) |
		                             (uint64_t)PMSS_IMPLEMENTED << PMSS_LSB);
}
