/* SPDX-License-Identifier: MIT */
/*
 * The PMU as an object: made over a PE of its own or an SPU's, reset, kept up to date.
 *
 * Arm ARM:     DDI 0487 M.a, D13.1, D24.5 "The reset behavior of this field is"
 */
#include <stdalign.h>
#include <string.h>

#include "pe/choice.h"
#include "pmu/pmu.h"

size_t spemu_pmu_size(void)
{
	return sizeof(struct spemu_pmu) + alignof(max_align_t);
}

static struct spemu_pmu *place(void *memory, size_t size)
{
	uintptr_t at = (uintptr_t)memory, up = -at % alignof(max_align_t);

	if (size < up || size - up < sizeof(struct spemu_pmu))
		return NULL;
	return (struct spemu_pmu *)(void *)((char *)memory + up);
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
	if (!spemu_has(features, SPEMU_FEAT_PMUV3) || event_counters(config) > 31 ||
	    spemu_features_check(features, NULL))
		return false;
	return event_counters(config) || !spemu_has(features, SPEMU_EL2) ||
	       spemu_has(features, SPEMU_FEAT_HPMN0);
}

uint64_t spemu__pmu_mask(const struct spemu_pmu *p)
{
	uint64_t mask = BIT64(spemu__pe_pmu_counters(p->pe)) - 1;

	if (pmu_has(p, SPEMU_FEAT_PMUV3_ICNTR))
		mask |= BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	return mask | BIT64(SPEMU_PMU_CYCLE_COUNTER);
}

/* MDCR_EL2.HPMN resets to the number of event counters; the flags have no bits for counters that are not. */
static void reset(struct spemu_pmu *p)
{
	static const enum spemu_reg flags[] = {SPEMU_REG_PMCNTENSET_EL0, SPEMU_REG_PMINTENSET_EL1,
	                                       SPEMU_REG_PMOVSSET_EL0, SPEMU_REG_PMUACR_EL1};
	uint64_t mask;

	REG_FIELD_SET(p->pe, PMCR_EL0, N, p->config.event_counters);
	REG_FIELD_SET(p->pe, MDCR_EL2, HPMN, p->config.event_counters);
	p->pe->reg[SPEMU_REG_MDCR_EL2] &= p->pe->mask[SPEMU_REG_MDCR_EL2];
	mask = spemu__pmu_mask(p);
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
	p->active = true;
	p->sample = (struct pc_sample){.pmpcsr = pmu_random(p)};
	p->recent = p->sample;
}

int spemu_pmu_init(struct spemu_pmu **pmu, void *memory, size_t size,
                   const struct spemu_pmu_config *config, const struct spemu_pmu_host *host)
{
	struct spemu_pmu *p;
	uint64_t prng;

	if (!pmu || !memory || !config || config->size != sizeof(*config) ||
	    (host && host->size != sizeof(*host)))
		return SPEMU_ERR_INVALID;
	if (!config_is_valid(config,
	                     config->spu ? &pe_of(config->spu)->features : &config->features))
		return SPEMU_ERR_INVALID;
	p = place(memory, size);
	if (!p)
		return SPEMU_ERR_NOSPACE;
	memset(p, 0, sizeof(*p));
	p->config = *config;
	if (host)
		p->host = *host;
	if (!p->config.polls)
		p->config.polls = 2;
	p->config.event_counters = (uint8_t)event_counters(config);
	prng = config->seed;
	p->pe = config->spu ? (struct pe *)(void *)config->spu : &p->own;
	if (!config->spu)
		spemu__pe_reset(p->pe, &config->features, &prng);
	p->prng = prng;
	reset(p);
	*pmu = p;
	return SPEMU_OK;
}

void spemu__pmu_changed(struct spemu_pmu *p)
{
	bool level = spemu__pmu_overflow_interrupt(p);

	if (level == p->irq)
		return;
	p->irq = level;
	if (p->host.pmuirq)
		p->host.pmuirq(p->host.ctx, level);
}

void spemu_pmu_update(struct spemu_pmu *p)
{
	spemu__pcsample_state_changed(p);
	spemu__pmu_changed(p);
}

int spemu_pmu_pe_set(struct spemu_pmu *p, const struct spemu_pe_state *state)
{
	if (p->config.spu)
		return SPEMU_ERR_STATE;
	p->pe->state = *state;
	spemu_pmu_update(p);
	return SPEMU_OK;
}

void spemu_pmu_power(struct spemu_pmu *p, bool on)
{
	p->powered = on;
}

int spemu_pmu_choice_set(struct spemu_pmu *p, enum spemu_choice choice, unsigned option)
{
	uint8_t permitted[32];
	unsigned count = 0;

	if (p->config.spu)
		return SPEMU_ERR_STATE;
	for (unsigned i = 0; i < spemu_choice_options(choice); i++)
		if (spemu_choice_permitted(&p->pe->features, choice, i))
			permitted[count++] = (uint8_t)i;
	if (!count || (option != SPEMU_CHOICE_RANDOM && option >= spemu_choice_options(choice)))
		return SPEMU_ERR_INVALID;
	if (option == SPEMU_CHOICE_RANDOM)
		option = permitted[(pmu_random(p) >> 32) % count];
	if (!spemu_choice_permitted(&p->pe->features, choice, option))
		return SPEMU_ERR_NOT_SUPPORTED;
	p->pe->choice[choice] = (uint8_t)option;
	p->pe->generation++;
	spemu_pmu_update(p);
	return SPEMU_OK;
}

int spemu_pmu_choice_get(const struct spemu_pmu *p, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT ? (int)p->pe->choice[choice]
	                                             : SPEMU_ERR_INVALID;
}
