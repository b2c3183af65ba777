/* SPDX-License-Identifier: MIT */
/*
 * The SPU as its host sees it: the stages called in order.
 *
 * Arm ARM:     DDI 0487 M.a, D17
 * Implements:  IWKZFN (the way of a sample), IBRTKK (nothing is written while disabled or stopped),
 *              RQWTQB IQYCRM (samples in flight), D17.2 (SAMPLE_POP), D17.5.5 (Discard mode)
 *              RSXWCP RVCYWL RQJWVQ ILSYJL
 * Pseudocode:  SPEStartSample(), SPECompleteSample()
 * Choices:     disabled-in-flight, security-mismatch, reserved-nspb-write, pointer-restriction
 */
#include "base/take.h"
#include "spu/spu.h"

size_t spemu_size(void)
{
	return sizeof(struct spemu);
}

void spemu__spu_update(struct spemu *s)
{
	s->stopped = spemu__spu_stopped(s->pe);
	s->buffer_enabled = spemu__spu_buffer_enabled(s->pe);
	s->discard_mode = spemu__buffer_discard_mode(s);
	s->enabled = spemu__spu_enabled_at(s->pe, s->pe->state.el);
	spemu__address_prepare(s);
	spemu__collect_prepare(s);
	spemu__interval_prepare(s);
	if (s->enabled && s->unchecked && !s->discard_mode) {
		s->unchecked = false;
		spemu__restart_check(s);
	}
	if (s->restricted && pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION) ==
	                             SPEMU_POINTER_RESTRICTION_AS_DISABLED)
		s->enabled = false;
	spemu__interval_refresh(s);
	spemu__signal_update(s);
}

/* PMSIDR_EL1.ALTCLK: nonzero with FEAT_SPE_ALTCLK alone; the SMCU's clock needs FEAT_SPE_SME
 * (IPXWXV). */
static bool alternate_clock_is_good(const struct spemu_config *c,
                                    const struct spemu_features *features)
{
	if (!spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		return c->alternate_clock == 0;
	return c->alternate_clock == SPEMU_ALTCLK_IMPDEF ||
	       (c->alternate_clock == SPEMU_ALTCLK_SMCU && spemu_has(features, SPEMU_FEAT_SPE_SME));
}

/* Defaults, then what no implementation can be, or this version is not. */
static int resolve_config(struct spemu_config *c, const struct spemu_features *features)
{
	unsigned words[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	bool interval_ok = false;

	c->max_size_log2 = c->max_size_log2 ? c->max_size_log2 : 6;
	c->counter_bits = c->counter_bits ? c->counter_bits : 12;
	c->min_interval = c->min_interval ? c->min_interval : 256;
	c->data_source_size = c->data_source_size ? c->data_source_size : 1;
	c->samples_in_flight = c->samples_in_flight ? c->samples_in_flight : 1;
	if (!c->events_size)
		c->events_size = spemu_has(features, SPEMU_FEAT_SPEV1P4) ||
		                                 spemu_has(features, SPEMU_FEAT_SVE)
		                         ? 4
		                         : 2;
	if (!c->alternate_clock && spemu_has(features, SPEMU_FEAT_SPE_ALTCLK))
		c->alternate_clock = spemu_has(features, SPEMU_FEAT_SPE_SME) ? SPEMU_ALTCLK_SMCU
		                                                             : SPEMU_ALTCLK_IMPDEF;
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		interval_ok |= c->min_interval == words[i];
	if (!interval_ok || c->max_size_log2 < 6 || c->max_size_log2 > 11 ||
	    c->layout.align_log2 > c->max_size_log2 ||
	    (c->counter_bits != 12 && c->counter_bits != 16) ||
	    (c->data_source_size != 1 && c->data_source_size != 2) ||
	    c->samples_in_flight > SPEMU_IN_FLIGHT_MAX || !alternate_clock_is_good(c, features) ||
	    (c->missing_events & ~SPEMU_OPTIONAL_EVENTS) ||
	    (c->events_size != 1 && c->events_size != 2 && c->events_size != 4 &&
	     c->events_size != 8) ||
	    !spemu_has(features, SPEMU_FEAT_SPE))
		return SPEMU_ERR_INVALID;
	return SPEMU_OK;
}

/* The PE's calls (struct pe_unit_calls). */
static void narrow_masks(void *object)
{
	spemu__identify_masks(object);
}

static void synchronize(void *object, bool isb)
{
	struct spemu *s = object;

	if (isb)
		spemu__prev_branch_synchronize(s);
	if (s->strict_on)
		spemu__strict_synchronize(s);
}

static void synchronized(void *object, const struct spemu_pe_state *before)
{
	struct spemu *s = object;

	if (before || s->strict_on) /* an ISB changes nothing in plain mode */
		spemu__spu_update(s);
	if (s->strict_on)
		spemu__strict_synchronized(s, before);
}

static void changed(void *object)
{
	struct spemu *s = object;

	spemu__spu_update(s);
	if (s->strict_on)
		spemu__check_enabled(s);
}

static bool reg_get(const void *object, uint64_t *value, enum spemu_reg reg)
{
	return spemu__register_get(object, value, reg);
}

static bool reg_set(void *object, enum spemu_reg reg, uint64_t value)
{
	return spemu__register_set(object, reg, value);
}

static const struct pe_unit_calls calls = {narrow_masks, synchronize, synchronized,
                                           changed,      reg_get,     reg_set};

int spemu_init(struct spemu **spu, void *memory, size_t size, struct spemu_pe *pe,
               const struct spemu_config *config, const struct spemu_host *host)
{
	struct spemu *s = memory;
	struct spemu_config c;
	struct spemu_host h;
	int status;

	if (!spu || !memory || !pe || !take_struct(&c, sizeof(c), config) ||
	    !take_struct(&h, sizeof(h), host))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*s))
		return SPEMU_ERR_NOSPACE;
	status = resolve_config(&c, &pe->features);
	if (status)
		return status;
	memset(s, 0, sizeof(*s));
	s->pe = pe;
	s->config = c;
	s->host = h;
	s->inject_prng = ~pe->seed; /* injections do not change what else is drawn */
	s->unchecked = true;
	spemu__pe_attach(pe, PE_UNIT_SPU, &calls, s);
	spemu__interval_init(s);
	spemu__spu_update(s);
	*spu = s;
	return SPEMU_OK;
}

struct spemu_pe *spemu_pe_of(const struct spemu *spu)
{
	return spu->pe;
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
	if (spu->strict_on)
		spemu__strict_note(spu, BY_COUNTING);
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, count);
	spemu__interval_advance(spu, count);
	return SPEMU_OK;
}

int spemu_sample_begin_slot(struct spemu *spu, unsigned *slot, uint64_t pc)
{
	unsigned i = 0;

	if (spu->until_sample != 1) /* UINT64_MAX while disabled */
		return SPEMU_ERR_STATE;
	if (spu->strict_on)
		spemu__strict_note(spu, BY_COUNTING | BY_RECORDS);
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, 1);
	spemu__interval_advance(spu, 1);
	while (i < spu->config.samples_in_flight && spu->sample[i].in_flight)
		i++;
	if (i == spu->config.samples_in_flight) {
		spemu__manage_collision(spu);
		return SPEMU_SAMPLE_COLLIDED;
	}
	spemu__collect_begin(spu, &spu->sample[i], pc);
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

/*
 * The buffer is not enabled when a record is about to be written. True: it is written all the same.
 * IBRTKK leaves no choice once profiling is stopped.
 */
static bool write_while_disabled(struct spemu *s)
{
	unsigned current = spemu__pe_scr_nse(s->pe) << 1 | spemu__pe_scr_ns(s->pe);
	unsigned option;

	if (s->stopped)
		return false;
	if (s->access.security == current) {
		option = pe_choice(s->pe, SPEMU_CHOICE_DISABLED_IN_FLIGHT);
		if (option == SPEMU_DISABLED_IN_FLIGHT_ACCESS_NOT_ALLOWED)
			spemu__manage_other(s, BSC_NOT_ALLOWED);
		return option == SPEMU_DISABLED_IN_FLIGHT_WRITE;
	}
	option = pe_choice(s->pe, SPEMU_CHOICE_SECURITY_MISMATCH);
	if (option == SPEMU_SECURITY_MISMATCH_ACCESS_NOT_ALLOWED)
		spemu__manage_other(s, BSC_NOT_ALLOWED);
	if (option == SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT)
		s->access.security = (uint8_t)current; /* spemu__spu_update() puts it back */
	return option == SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT ||
	       option == SPEMU_SECURITY_MISMATCH_WRITE_AS_OWNER;
}

/* RQJWVQ: a reserved owner. True: the record goes to the state that reserved-nspb takes. */
static bool write_for_reserved_owner(struct spemu *s)
{
	unsigned option;

	if (!s->facts.reserved_owner)
		return true;
	option = pe_choice(s->pe, SPEMU_CHOICE_RESERVED_NSPB_WRITE);
	if (option == SPEMU_RESERVED_NSPB_WRITE_ACCESS_NOT_ALLOWED)
		spemu__manage_other(s, BSC_NOT_ALLOWED);
	return option == SPEMU_RESERVED_NSPB_WRITE_WRITTEN;
}

static int write_to_buffer(struct spemu *s, struct spemu_sample_result *result, unsigned size)
{
	static const uint8_t outcome[] = {[WRITE_DONE] = SPEMU_SAMPLE_RECORDED,
	                                  [WRITE_STOPPED] = SPEMU_SAMPLE_LOST,
	                                  [WRITE_DISCARDED] = SPEMU_SAMPLE_DISCARDED};
	int end = spemu__buffer_write_record(s, size);

	result->outcome = end < 0 ? SPEMU_SAMPLE_LOST : outcome[end];
	result->written = end == WRITE_DONE ? (uint16_t)size : 0;
	return end < 0 ? end : SPEMU_OK;
}

static ALWAYS_INLINE bool is_written(struct spemu *s)
{
	return (s->buffer_enabled || write_while_disabled(s)) && write_for_reserved_owner(s);
}

/* What the registers say once the write of a record has ended; was_stopped: before. */
static void conclude(struct spemu *s, struct spemu_sample_result *result, bool was_stopped)
{
	if (!s->buffer_enabled)
		spemu__spu_update(s);
	result->management_event = !was_stopped && s->stopped;
	if (result->management_event && result->outcome == SPEMU_SAMPLE_DISCARDED)
		result->outcome = SPEMU_SAMPLE_LOST;
}

int spemu__spu_write_held(struct spemu *s, struct spemu_sample_result *result, unsigned size)
{
	bool was_stopped = s->stopped;
	int status = SPEMU_OK;

	result->outcome = SPEMU_SAMPLE_DISCARDED;
	if (s->discard_mode)
		return SPEMU_OK;
	if (is_written(s))
		status = write_to_buffer(s, result, size);
	conclude(s, result, was_stopped);
	return status;
}

/* Filter, record, write: what SPECompleteSample() does. */
static int complete(struct spemu *spu, const struct collected *sample, const struct spemu_op *op,
                    struct spemu_sample_result *result)
{
	uint64_t events = spemu__operation_events(spu, sample, op);
	bool was_stopped = spu->stopped;
	int status = SPEMU_OK;

	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_FEED, 1);
	result->filters = (uint8_t)spemu__filter_sample(spu, op, events);
	result->outcome = SPEMU_SAMPLE_FILTERED;
	if (result->filters)
		return SPEMU_OK;
	result->outcome = SPEMU_SAMPLE_DISCARDED;
	if (!spemu__operation_is_captured(spu, op)) /* D17.2.1: SAMPLE_FILTRATE does not count it */
		return SPEMU_OK;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_FILTRATE, 1);
	if (spu->discard_mode)
		return SPEMU_OK;
	if (spu->strict_on) {
		spemu__strict_hold(spu, result, spemu__record_make(spu, sample, op, events));
		return SPEMU_OK;
	}
	if (is_written(spu))
		status = write_to_buffer(spu, result, spemu__record_make(spu, sample, op, events));
	conclude(spu, result, was_stopped);
	return status;
}

int spemu_sample_end_slot(struct spemu *spu, unsigned slot, const struct spemu_op *op,
                          struct spemu_sample_result *result)
{
	struct spemu_sample_result unwanted;
	int status;

	if (!op || slot >= spu->config.samples_in_flight)
		return SPEMU_ERR_INVALID;
	if (!spu->sample[slot].in_flight)
		return SPEMU_ERR_STATE;
	result = result ? result : &unwanted;
	*result = (struct spemu_sample_result){0};
	if (spemu__operation_is_settled(spu, op)) {
		status = complete(spu, &spu->sample[slot], op, result);
	} else {
		struct spemu_op settled = *op;

		spemu__operation_settle(spu, &spu->sample[slot], &settled);
		status = complete(spu, &spu->sample[slot], &settled, result);
	}
	spu->sample[slot].in_flight = false;
	if (spu->strict_on) {
		spemu__strict_tick(spu);
		status = status ? status : spu->strict.status;
		spu->strict.status = SPEMU_OK;
	}
	pe_choices_used(spu->pe);
	return status;
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
