/* SPDX-License-Identifier: MIT */
/*
 * The PMU object: its attachment to a PE, reset, and updates after changes.
 *
 * Arm ARM:     DDI 0487 M.a, D13.1, D13.3.1, D24.5 "The reset behavior of this field is", H7.1
 */
#include <string.h>

#include "base/take.h"
#include "pmu/pmu_object.h"

size_t spemu_pmu_size(void)
{
	return sizeof(struct spemu_pmu);
}

static unsigned event_counters(const struct spemu_pmu_config *config)
{
	if (config->event_counters == SPEMU_PMU_NO_EVENT_COUNTERS)
		return 0;
	return config->event_counters ? config->event_counters : 6;
}

static bool config_is_valid(const struct spemu_pmu_config *config,
                            const struct spemu_features *features)
{
	if (!spemu_has(features, SPEMU_FEAT_PMUV3) || event_counters(config) > 31)
		return false;
	return event_counters(config) || !spemu_has(features, SPEMU_EL2) ||
	       spemu_has(features, SPEMU_FEAT_HPMN0);
}

/* Reset the PMU. MDCR_EL2.HPMN resets to the number of event counters. Registers of flags have no
 * bits for counters that are not implemented. */
static void reset(struct spemu_pmu *p)
{
	static const enum spemu_reg flags[] = {SPEMU_REG_PMCNTENSET_EL0, SPEMU_REG_PMINTENSET_EL1,
	                                       SPEMU_REG_PMOVSSET_EL0, SPEMU_REG_PMUACR_EL1};
	uint64_t mask;

	REG_FIELD_SET(p->pe, PMCR_EL0, N, p->config.event_counters);
	REG_FIELD_SET(p->pe, MDCR_EL2, HPMN, p->config.event_counters);
	mask = pmu_mask(p);
	for (unsigned i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		p->pe->reg[flags[i]] &= mask;
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++) {
		if (!bit_is_set(mask, n))
			continue;
		p->type[n] = pmu_random(p) & spemu__pmu_type_mask(p, n);
		p->counter[n] = pmu_random(p);
		if (n < SPEMU_PMU_CYCLE_COUNTER && !pmu_has(p, SPEMU_FEAT_PMUV3P5))
			p->counter[n] &= UINT32_MAX;
		p->saved[n] = p->visible[n] = pmu_random(p);
	}
	p->powered = true;
	p->sample = (struct pc_sample){.pmpcsr = pmu_random(p)};
	p->recent = p->sample;
}

void spemu__pmu_changed(struct spemu_pmu *p)
{
	bool level = spemu_pmu_irq(p);

	if (level == p->irq)
		return;
	p->irq = level;
	if (p->host.pmuirq)
		p->host.pmuirq(p->host.ctx, level);
}

void spemu__pmu_update(void *object)
{
	spemu__pcsample_state_changed(object);
	spemu__pmu_changed(object);
}

static void narrow_masks(void *object)
{
	(void)object;
}

static void synchronized(void *object, const struct spemu_pe_state *before)
{
	(void)before;
	spemu__pmu_update(object);
}

static const struct pe_unit_calls calls = {
        narrow_masks,      spemu__pmu_capture_synchronize, synchronized,
        spemu__pmu_update, spemu__pmu_pe_reg_get,          spemu__pmu_pe_reg_set,
};

int spemu_pmu_init(struct spemu_pmu **pmu, void *memory, size_t size, struct spemu_pe *pe,
                   const struct spemu_pmu_config *config, const struct spemu_pmu_host *host)
{
	struct spemu_pmu *p = memory;
	struct spemu_pmu_config c;
	struct spemu_pmu_host h = {0};

	if (pmu)
		*pmu = NULL;
	if (!pmu || !memory || !pe || !take_struct(&c, sizeof(c), config) ||
	    (host && !take_struct(&h, sizeof(h), host)) || !config_is_valid(&c, &pe->features))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*p))
		return SPEMU_ERR_NOSPACE;
	memset(p, 0, sizeof(*p));
	p->config = c;
	p->host = h;
	if (!p->config.polls)
		p->config.polls = 2;
	p->config.event_counters = (uint8_t)event_counters(&c);
	p->prng = c.seed;
	p->pe = pe;
	reset(p);
	spemu__pe_attach(pe, PE_UNIT_PMU, &calls, p);
	spemu__pcsample_state_changed(p); /* PC sampling starts in the suspended state */
	*pmu = p;
	return SPEMU_OK;
}

void spemu_pmu_power(struct spemu_pmu *p, bool on)
{
	p->powered = on;
}
