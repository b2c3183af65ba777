/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SPU's PMU events, and PMU_SNAPSHOT, counted by QEMU's event counters.
 *
 * QEMU keeps the counter of an unknown event as a plain number that does not change. The model
 * decides when such a counter counts (RKYBQW and the other rules of spemu_pmu_counts()). This file
 * adds the counts. It reports an overflow in PMOVSSET_EL0, for which QEMU raises the interrupt.
 * Counters of all other events are untouched.
 *
 * Like the distance to the next sample, the distance to the next overflow of SAMPLE_POP limits the
 * count (vcpu_count.h).
 *
 * The model's PMU has its own PE, with the features of QEMU's CPU. The PE gets the state only when
 * there is something to count, so a guest without such a counter pays nothing.
 *
 * Arm ARM: DDI 0487 M.a, D13.3 (overflow), D13.5 to D13.7 (when counters count), D14.3 (events),
 * D24.5.
 */
#include <spemu/pmu.h>
#include <spemu/sysreg.h>

#include "buffer_memory.h"
#include "events.h"
#include "pmu_events.h"

#define EVENT_FIELD UINT64_C(0xffff) /* PMEVTYPER<n>_EL0.evtCount */

static bool is_counted(uint64_t event)
{
	static const uint16_t counted[] = {
	        SPEMU_PMU_SAMPLE_POP,       SPEMU_PMU_SAMPLE_FEED,    SPEMU_PMU_SAMPLE_FILTRATE,
	        SPEMU_PMU_SAMPLE_COLLISION, SPEMU_PMU_SAMPLE_FEED_DS, SPEMU_PMU_SAMPLE_BUFFER_FULL,
	        SPEMU_PMU_SNAPSHOT,         SPEMU_PMU_SAMPLE_FEED_BR, SPEMU_PMU_SAMPLE_FEED_LD,
	        SPEMU_PMU_SAMPLE_FEED_ST,   SPEMU_PMU_SAMPLE_FEED_OP, SPEMU_PMU_SAMPLE_FEED_EVENT,
	        SPEMU_PMU_SAMPLE_FEED_LAT,  SPEMU_PMU_SAMPLE_FEED_FP, SPEMU_PMU_SAMPLE_FEED_SIMD};

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (counted[i] == event)
			return true;
	return false;
}

static uint64_t value_of(const struct vcpu *vcpu, uint32_t encoding)
{
	const struct private_reg *reg = private_reg_find(vcpu->env, encoding);

	return reg ? private_reg_read(vcpu->env, reg) : 0;
}

/* Find the counters of such events, and give the model the PMU's registers. */
void pmu_events_refresh(struct vcpu *vcpu)
{
	uint32_t counters = 0;

	if (!vcpu->pmu.pmu)
		return;
	for (unsigned n = 0; n < vcpu->pmu.counters; n++) {
		uint64_t type = value_of(vcpu, SPEMU_SYSREG_PMEVTYPERn_EL0(n));

		vcpu->event[n] = (uint16_t)(type & EVENT_FIELD);
		if (!is_counted(type & EVENT_FIELD))
			continue;
		counters |= 1u << n;
		spemu_pmu_reg_set(vcpu->pmu.pmu, SPEMU_SYSREG_PMEVTYPERn_EL0(n), type);
	}
	vcpu->watched = counters;
	if (!counters)
		return;
	spemu_reg_set(vcpu->pmu.pe, SPEMU_REG_PMCR_EL0,
	              private_sysreg(vcpu->env, SPEMU_SYSREG_PMCR_EL0));
	spemu_reg_set(vcpu->pmu.pe, SPEMU_REG_PMCNTENSET_EL0,
	              private_sysreg(vcpu->env, SPEMU_SYSREG_PMCNTENSET_EL0));
}

/* Give the PMU's PE the state of the SPU's PE. At an exception it is the state before the
 * exception. */
static void update_state(const struct vcpu *vcpu)
{
	spemu_pe_set(vcpu->pmu.pe, &vcpu->state);
	for (unsigned i = 0; i < vcpu->controls; i++)
		spemu_reg_set(vcpu->pmu.pe, vcpu->shared[i].reg, vcpu->shared[i].value);
}

/* Return true if the counter overflows at bit 63, false for bit 31: PMCR_EL0.LP and MDCR_EL2.HLP
 * (RBFGFH). */
static bool overflows_at_63(const struct vcpu *vcpu, unsigned n)
{
	const struct spemu_features *features = &vcpu->pe_config.features;
	uint64_t mdcr = 0, hpmn = vcpu->pmu.counters;

	if (!spemu_has(features, SPEMU_FEAT_PMUV3P5))
		return false;
	if (spemu_has(features, SPEMU_EL2)) {
		spemu_reg_get(vcpu->pmu.pe, &mdcr, SPEMU_REG_MDCR_EL2);
		hpmn = mdcr & 31;
	}
	return n < hpmn
	               ? private_sysreg(vcpu->env, SPEMU_SYSREG_PMCR_EL0) >> SPEMU_PMCR_EL0_LP_LSB &
	                         1
	               : mdcr >> SPEMU_MDCR_EL2_HLP_LSB & 1;
}

/* Return the events until the counter overflows; 0 stands for 2^64. */
static uint64_t distance(const struct vcpu *vcpu, unsigned n, uint64_t value)
{
	return overflows_at_63(vcpu, n) ? 0 - value : (UINT64_C(1) << 32) - (uint32_t)value;
}

static void add(struct vcpu *vcpu, unsigned n, uint64_t count)
{
	struct CPUArchState *env = vcpu->env;
	const struct private_reg *reg = private_reg_find(env, SPEMU_SYSREG_PMEVCNTRn_EL0(n)),
	                         *overflow = private_reg_find(env, SPEMU_SYSREG_PMOVSSET_EL0);
	uint64_t value = private_reg_read(env, reg), left = distance(vcpu, n, value);
	bool locked;

	private_reg_write(env, reg, value + count);
	if (!left || count < left || !overflow)
		return;
	locked = private_lock();
	private_reg_write(env, overflow, UINT64_C(1) << n);
	private_unlock(locked);
}

void pmu_events_count(struct vcpu *vcpu, uint16_t event, uint64_t count)
{
	bool updated = false;

	for (unsigned n = 0; vcpu->watched >> n && n < vcpu->pmu.counters; n++) {
		if (!(vcpu->watched >> n & 1) || vcpu->event[n] != event)
			continue;
		if (!updated)
			update_state(vcpu);
		updated = true;
		if (spemu_pmu_counts(vcpu->pmu.pmu, n))
			add(vcpu, n, count);
	}
}

uint64_t pmu_events_until_overflow(const struct vcpu *vcpu)
{
	uint64_t least = UINT64_MAX;

	for (unsigned n = 0; vcpu->watched >> n && n < vcpu->pmu.counters; n++) {
		uint64_t left;

		if (!(vcpu->watched >> n & 1) || vcpu->event[n] != SPEMU_PMU_SAMPLE_POP)
			continue;
		update_state(vcpu);
		if (!spemu_pmu_counts(vcpu->pmu.pmu, n))
			continue;
		left = distance(vcpu, n, value_of(vcpu, SPEMU_SYSREG_PMEVCNTRn_EL0(n)));
		if (left && left < least)
			least = left;
	}
	return least;
}

bool model_pmu_init(struct model_pmu *model, const struct vcpu *vcpu,
                    const struct spemu_pe_config *pe, const struct spemu_pmu_host *host)
{
	struct spemu_pmu_config pmu = {
	        .size = sizeof(pmu),
	        .event_counters = (uint8_t)model->counters,
	        .seed = vcpu->pe_config.seed,
	};

	return spemu_pe_init(&model->pe, model->pe, spemu_pe_size(), pe) == SPEMU_OK &&
	       spemu_pmu_init(&model->pmu, model->pmu, spemu_pmu_size(), model->pe, &pmu, host) ==
	               SPEMU_OK;
}

void model_pmu_start(struct model_pmu *model, const struct vcpu *vcpu, enum spemu_feature needed)
{
	if (!spemu_has(&vcpu->pe_config.features, needed))
		return;
	model->counters =
	        private_sysreg(vcpu->env, SPEMU_SYSREG_PMCR_EL0) >> SPEMU_PMCR_EL0_N_LSB & 31;
	if (!model->counters)
		return;
	model->pmu = memory_alloc(spemu_pmu_size());
	model->pe = memory_alloc(spemu_pe_size());
}

void pmu_events_reset(struct vcpu *vcpu)
{
	if (!vcpu->pmu.pmu)
		return;
	if (!model_pmu_init(&vcpu->pmu, vcpu, &vcpu->pe_config, NULL))
		events_refuse("this CPU's PMU cannot count the SPU's events", "use -cpu max");
	pmu_events_refresh(vcpu);
}

/* Require FEAT_PMUv3p1: before it PMEVTYPER<n>_EL0.evtCount has 10 bits, into which none of these
 * events fits. */
void pmu_events_start(struct vcpu *vcpu)
{
	model_pmu_start(&vcpu->pmu, vcpu, SPEMU_FEAT_PMUV3P1);
}
