/* SPDX-License-Identifier: MIT */
/*
 * The SPU as its host sees it: the stages called in order.
 *
 * Arm ARM:     DDI 0487 M.a, D17
 * Implements:  IWKZFN (the way of a sample), IBRTKK (nothing is written while disabled or stopped),
 *              D17.5.5 (Discard mode)
 * Pseudocode:  SPEStartSample(), SPECompleteSample()
 * Choices:     disabled-in-flight (RSXWCP)
 */
#include <string.h>

#include "spu/spu.h"

size_t spemu_size(void)
{
	return sizeof(struct spemu);
}

void spu_update(struct spemu *s)
{
	bool irq = signal_irq_level(&s->pe);

	s->enabled = spu_enabled_at(&s->pe, s->pe.state.el);
	interval_refresh(s);
	if (irq == s->irq)
		return;
	s->irq = irq;
	if (s->host.pmbirq)
		s->host.pmbirq(s->host.ctx, irq);
}

/* Table D8-5; the two largest sizes are features of their own. */
static bool pa_size_is_valid(const struct spemu_config *c)
{
	static const uint8_t sizes[] = {0, 32, 36, 40, 42, 44, 48};

	if (c->pa_bits == 52)
		return spemu_has(&c->features, SPEMU_FEAT_LPA) ||
		       spemu_has(&c->features, SPEMU_FEAT_LPA2);
	if (c->pa_bits == 56)
		return spemu_has(&c->features, SPEMU_FEAT_D128);
	return memchr(sizes, c->pa_bits, sizeof(sizes)) != NULL;
}

/* PMSIDR_EL1.ALTCLK: nonzero with FEAT_SPE_ALTCLK alone; the SMCU's clock needs FEAT_SPE_SME
 * (IPXWXV). */
static bool alternate_clock_is_good(const struct spemu_config *c)
{
	if (!spemu_has(&c->features, SPEMU_FEAT_SPE_ALTCLK))
		return c->alternate_clock == 0;
	return c->alternate_clock == SPEMU_ALTCLK_IMPDEF ||
	       (c->alternate_clock == SPEMU_ALTCLK_SMCU &&
	        spemu_has(&c->features, SPEMU_FEAT_SPE_SME));
}

/* Defaults, then what no implementation can be, or this version is not. */
static int resolve_config(struct spemu_config *c)
{
	unsigned words[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	bool interval_ok = false;

	c->max_size_log2 = c->max_size_log2 ? c->max_size_log2 : 6;
	c->counter_bits = c->counter_bits ? c->counter_bits : 12;
	c->min_interval = c->min_interval ? c->min_interval : 256;
	c->data_source_size = c->data_source_size ? c->data_source_size : 1;
	c->samples_in_flight = c->samples_in_flight ? c->samples_in_flight : 1;
	if (!c->events_size)
		c->events_size = spemu_has(&c->features, SPEMU_FEAT_SPEV1P4) ||
		                                 spemu_has(&c->features, SPEMU_FEAT_SVE)
		                         ? 4
		                         : 2;
	if (!c->alternate_clock && spemu_has(&c->features, SPEMU_FEAT_SPE_ALTCLK))
		c->alternate_clock = spemu_has(&c->features, SPEMU_FEAT_SPE_SME)
		                             ? SPEMU_ALTCLK_SMCU
		                             : SPEMU_ALTCLK_IMPDEF;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		interval_ok |= c->min_interval == words[i];
	if (!interval_ok || c->max_size_log2 < 6 || c->max_size_log2 > 11 ||
	    c->layout.align_log2 > c->max_size_log2 ||
	    (c->counter_bits != 12 && c->counter_bits != 16) ||
	    (c->data_source_size != 1 && c->data_source_size != 2) ||
	    c->samples_in_flight > SPEMU_IN_FLIGHT_MAX || !alternate_clock_is_good(c) ||
	    (c->missing_events & ~SPEMU_OPTIONAL_EVENTS) ||
	    (c->events_size != 1 && c->events_size != 2 && c->events_size != 4 &&
	     c->events_size != 8) ||
	    !spemu_has(&c->features, SPEMU_FEAT_SPE) || !pa_size_is_valid(c))
		return SPEMU_ERR_INVALID;
	return spemu_features_check(&c->features, NULL);
}

int spemu_init(struct spemu **spu, void *memory, size_t size, const struct spemu_config *config,
               const struct spemu_host *host)
{
	struct spemu *s = memory;
	struct spemu_config resolved;
	int status;

	if (!spu || !memory || !config || !host || config->size != sizeof(*config) ||
	    host->size != sizeof(*host))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*s))
		return SPEMU_ERR_NOSPACE;
	resolved = *config;
	status = resolve_config(&resolved);
	if (status)
		return status;
	memset(s, 0, sizeof(*s));
	s->config = resolved;
	s->host = *host;
	s->prng = resolved.seed;
	s->pe.pa_bits = resolved.pa_bits;
	pe_reset(&s->pe, &resolved.features, &s->prng);
	identify_masks(s);
	interval_init(s);
	spu_update(s);
	*spu = s;
	return SPEMU_OK;
}

void spemu_pe_set(struct spemu *spu, const struct spemu_pe_state *state)
{
	spu->pe.state = *state;
	spu_update(spu);
}

void spemu_pe_get(const struct spemu *spu, struct spemu_pe_state *state)
{
	*state = spu->pe.state;
}

uint64_t spemu_ops_until_sample(const struct spemu *spu)
{
	return spu->until_sample;
}

int spemu_ops(struct spemu *spu, uint64_t count)
{
	if (!spu->enabled || !count)
		return SPEMU_OK;
	if (count >= spu->until_sample)
		return SPEMU_ERR_INVALID;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, count);
	interval_advance(spu, count);
	return SPEMU_OK;
}

int spemu_sample_begin_slot(struct spemu *spu, unsigned *slot, uint64_t pc)
{
	unsigned i = 0;

	if (spu->until_sample != 1) /* UINT64_MAX while disabled */
		return SPEMU_ERR_STATE;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, 1);
	interval_advance(spu, 1);
	while (i < spu->config.samples_in_flight && spu->sample[i].in_flight)
		i++;
	if (i == spu->config.samples_in_flight) {
		manage_collision(spu);
		return SPEMU_SAMPLE_COLLIDED;
	}
	collect_begin(spu, &spu->sample[i], pc);
	if (slot)
		*slot = i;
	return SPEMU_SAMPLE_STARTED;
}

int spemu_sample_begin(struct spemu *spu, uint64_t pc)
{
	return spemu_sample_begin_slot(spu, NULL, pc);
}

unsigned spemu_samples_in_flight(const struct spemu *spu)
{
	unsigned count = 0;

	for (unsigned i = 0; i < spu->config.samples_in_flight; i++)
		count += spu->sample[i].in_flight;
	return count;
}

/* Filter, record, write: what SPECompleteSample() does. */
static void complete(struct spemu *spu, const struct collected *sample,
                     const struct spemu_op *executed, struct spemu_sample_result *result)
{
	struct spemu_op op = operation_as_sampled(spu, sample, executed);
	uint64_t events = operation_events(spu, sample, &op);
	bool was_stopped = spu_stopped(&spu->pe);
	unsigned size;

	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_FEED, 1);
	result->filters = (uint8_t)filter_sample(spu, &op, events);
	result->outcome = SPEMU_SAMPLE_FILTERED;
	if (result->filters)
		return;
	result->outcome = SPEMU_SAMPLE_DISCARDED;
	if (!operation_is_captured(spu, &op)) /* D17.2.1: SAMPLE_FILTRATE does not count it */
		return;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_FILTRATE, 1);
	/* RSXWCP: the buffer was disabled meanwhile; of the permitted ends, discarded silently. */
	if (buffer_discard_mode(spu) || !spu_buffer_enabled(&spu->pe))
		return;
	size = record_make(spu, sample, &op, events);
	result->outcome = buffer_write_record(spu, size);
	result->written = result->outcome == SPEMU_SAMPLE_RECORDED ? (uint16_t)size : 0;
	result->management_event = !was_stopped && spu_stopped(&spu->pe);
}

int spemu_sample_end_slot(struct spemu *spu, unsigned slot, const struct spemu_op *op,
                          struct spemu_sample_result *result)
{
	struct spemu_sample_result local = {0};

	if (!op || slot >= spu->config.samples_in_flight)
		return SPEMU_ERR_INVALID;
	if (!spu->sample[slot].in_flight)
		return SPEMU_ERR_STATE;
	complete(spu, &spu->sample[slot], op, &local);
	spu->sample[slot].in_flight = false;
	spu_update(spu);
	choose_used(spu);
	if (result)
		*result = local;
	return SPEMU_OK;
}

int spemu_sample_end(struct spemu *spu, const struct spemu_op *op,
                     struct spemu_sample_result *result)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < spu->config.samples_in_flight; i++) {
		const struct collected *a = &spu->sample[oldest], *b = &spu->sample[i];

		if (b->in_flight && (!a->in_flight || b->serial < a->serial))
			oldest = i;
	}
	return spemu_sample_end_slot(spu, oldest, op, result);
}
