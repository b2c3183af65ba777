/* SPDX-License-Identifier: MIT */
/*
 * The plain model: it calls the stages in order, and every effect is immediate, which D17.9
 * permits. strict.c has the functions of the host.
 *
 * Arm ARM:     DDI 0487 M.a, D17
 * Implements:  IWKZFN (the life of a sample), IBRTKK (nothing is written while disabled or
 *              stopped), RQWTQB IQYCRM (samples in flight), D17.2 (SAMPLE_POP), D17.5.5 (Discard
 *              mode) RSXWCP RVCYWL RQJWVQ ILSYJL
 * Pseudocode:  SPEStartSample(), SPECompleteSample()
 * Choices:     disabled-in-flight, security-mismatch, reserved-nspb-write, pointer-restriction
 *
 * A change of a register, a choice or the PE's state goes through these states (enum change):
 *
 *   state            next             cause
 *   CHANGE_REPORTED  CHANGE_NOTED     a stage that writes a register; new rules, a loaded image
 *   CHANGE_NOTED     CHANGE_DERIVED   derive(): before a stage that reads derived values, and at
 *                                     the end of each call
 *   CHANGE_DERIVED   CHANGE_NOTED     a stage that writes a register, in the same call
 *   CHANGE_DERIVED   CHANGE_REPORTED  spemu__spu_update(), at the end of the host's call, which
 *                                     reports the change to the other units of the PE;
 *                                     reported(), if the PE itself reports it to all units
 */
#include "spu/spu_object.h"

/* Derive all values that depend on registers, choices and the PE's state. */
static void derive(struct spemu_spu *s)
{
	bool was_enabled = s->enabled || s->pe->loaded;

	s->change = CHANGE_DERIVED;
	s->stopped = spemu__spu_stopped(s->pe);
	s->buffer_enabled = spemu__spu_buffer_enabled(s->pe);
	s->discard_mode = spemu__buffer_discard_mode(s->pe);
	s->enabled = spemu__spu_enabled_at(s->pe, s->pe->state.el);
	spemu__address_prepare(s);
	spemu__collect_prepare(s);
	spemu__interval_prepare(s);
	if (s->enabled && s->restart_check_due && !s->discard_mode) {
		s->restart_check_due = false;
		spemu__restart_check(s);
	}
	if (s->violations && !s->discard_mode &&
	    pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION) ==
	            SPEMU_POINTER_RESTRICTION_AS_DISABLED)
		s->enabled = false;
	s->pe->loaded = false;
	if (s->enabled && !was_enabled)
		spemu__interval_enable(s);
	spemu__interval_refresh(s);
	spemu__signal_update(s);
}

/* Derive values that are out of date, before a stage that reads them, and at the end of a call. */
static ALWAYS_INLINE void refresh(struct spemu_spu *s)
{
	if (s->change == CHANGE_NOTED)
		derive(s);
}

void spemu__spu_refresh(struct spemu_spu *s)
{
	refresh(s);
}

void spemu__spu_update(struct spemu_spu *s)
{
	refresh(s);
	if (s->change != CHANGE_DERIVED)
		return;
	s->change = CHANGE_REPORTED;
	spemu__pe_changed(s->pe, PE_UNIT_SPU);
}

/*
 * Return true if a record is written although the buffer is not enabled. IBRTKK permits no choice
 * once profiling is stopped.
 */
static bool write_while_disabled(struct spemu_spu *s)
{
	unsigned current = spemu__pe_scr_nse(s->pe) << 1 | spemu__pe_scr_ns(s->pe);
	unsigned option;

	if (s->stopped)
		return false;
	if (s->access.security == current) {
		option = pe_choice(s->pe, SPEMU_CHOICE_DISABLED_IN_FLIGHT);
		if (option == SPEMU_DISABLED_IN_FLIGHT_ACCESS_NOT_ALLOWED)
			spemu__manage_not_allowed(s);
		return option == SPEMU_DISABLED_IN_FLIGHT_WRITE;
	}
	option = pe_choice(s->pe, SPEMU_CHOICE_SECURITY_MISMATCH);
	if (option == SPEMU_SECURITY_MISMATCH_ACCESS_NOT_ALLOWED)
		spemu__manage_not_allowed(s);
	if (option == SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT)
		s->access.security = (uint8_t)current; /* derive() restores the member */
	return option == SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT ||
	       option == SPEMU_SECURITY_MISMATCH_WRITE_AS_OWNER;
}

/* Return true if the record of a reserved owner is written for the Security state that the choice
 * reserved-nspb gives (RQJWVQ). */
static bool write_for_reserved_owner(struct spemu_spu *s)
{
	unsigned option;

	if (!s->facts.reserved_owner)
		return true;
	option = pe_choice(s->pe, SPEMU_CHOICE_RESERVED_NSPB_WRITE);
	if (option == SPEMU_RESERVED_NSPB_WRITE_ACCESS_NOT_ALLOWED)
		spemu__manage_not_allowed(s);
	return option == SPEMU_RESERVED_NSPB_WRITE_WRITTEN;
}

/* Record the events of a write that has ended: the events in *w, then the asynchronous abort, which
 * comes last. */
static OUT_OF_LINE void manage(struct spemu_spu *s, const struct write *w)
{
	for (unsigned i = 0; i < w->causes; i++)
		spemu__manage(s, &w->cause[i]);
	spemu__manage_asynchronous_abort(s); /* IXQRTS: independent of other events */
	refresh(s);
	if (w->full && !s->stopped)
		spemu__manage_buffer_full(s);
}

static int write_to_buffer(struct spemu_spu *s, struct spemu_sample_result *result, unsigned size)
{
	static const uint8_t outcome[] = {[WRITE_DONE] = SPEMU_SAMPLE_RECORDED,
	                                  [WRITE_STOPPED] = SPEMU_SAMPLE_LOST,
	                                  [WRITE_DISCARDED] = SPEMU_SAMPLE_DISCARDED};
	struct write w;

	/* RWVKFM: an event is pending, so the end of this sample is pending too. */
	if (s->late_fault.kind) {
		spemu__manage_late_fault(s);
		return SPEMU_OK;
	}
	spemu__buffer_write_record(s, &w, size);
	if (w.causes || w.full)
		manage(s, &w);
	result->outcome = w.end < 0 ? SPEMU_SAMPLE_LOST : outcome[w.end];
	result->written = w.end == WRITE_DONE ? (uint16_t)size : 0;
	return w.end < 0 ? w.end : SPEMU_OK;
}

/* Return true if the record is to be written. If not, the event that prevents it has been
 * recorded. */
static ALWAYS_INLINE bool choose_destination(struct spemu_spu *s)
{
	return (s->buffer_enabled || write_while_disabled(s)) && write_for_reserved_owner(s);
}

/* Derive members after the write of a record has ended. was_stopped says whether profiling was
 * stopped before it. */
static void conclude(struct spemu_spu *s, struct spemu_sample_result *result, bool was_stopped)
{
	if (!s->buffer_enabled)
		s->change = CHANGE_NOTED; /* s->access may belong to another state */
	refresh(s);
	result->management_event = !was_stopped && s->stopped;
	if (result->management_event && result->outcome == SPEMU_SAMPLE_DISCARDED)
		result->outcome = SPEMU_SAMPLE_LOST;
}

int spemu__spu_write_record(struct spemu_spu *s, struct spemu_sample_result *result, unsigned size)
{
	bool was_stopped = s->stopped;
	int status = SPEMU_OK;

	result->outcome = SPEMU_SAMPLE_DISCARDED;
	if (s->discard_mode)
		return SPEMU_OK;
	if (choose_destination(s))
		status = write_to_buffer(s, result, size);
	conclude(s, result, was_stopped);
	return status;
}

/* Record a late event before the write pointer changes, because it belongs to the old pointer
 * (RMYXZK). */
void spemu__spu_before_write(struct spemu_spu *s, enum spemu_reg reg)
{
	if (reg == SPEMU_REG_PMBPTR_EL1)
		spemu__manage_late_fault(s);
}

void spemu__spu_write(struct spemu_spu *s, enum spemu_reg reg, uint64_t value)
{
	spemu__spu_before_write(s, reg);
	spemu__register_write(s, reg, value);
}

void spemu__spu_synchronize(struct spemu_spu *s, bool isb)
{
	if (isb)
		spemu__prev_branch_synchronize(s);
}

/* Note that the PE itself reports the change to the other units. */
static void reported(struct spemu_spu *s)
{
	if (s->change == CHANGE_DERIVED)
		s->change = CHANGE_REPORTED;
}

void spemu__spu_synchronized(struct spemu_spu *s, const struct spemu_pe_state *before)
{
	if (before || s->change == CHANGE_NOTED) /* an ISB changes nothing in plain mode */
		derive(s);
	reported(s);
}

void spemu__spu_changed(struct spemu_spu *s)
{
	derive(s);
	reported(s);
}

void spemu__spu_init(struct spemu_spu *s, struct spemu_pe *pe,
                     const struct spemu_spu_config *config, const struct spemu_spu_host *host,
                     const struct pe_unit_calls *calls)
{
	s->pe = pe;
	s->config = *config;
	s->host = *host;
	s->inject_prng = ~pe->seed; /* a separate generator: injections do not change other
	                               random values */
	s->restart_check_due = true;
	spemu__pe_attach(pe, PE_UNIT_SPU, calls, s);
	spemu__interval_init(s);
	derive(s);
}

void spemu__spu_psb(struct spemu_spu *s)
{
	if (!s->asynchronous_abort) /* RWVKFM: the event of an earlier sample has been recorded
	                               by now */
		spemu__manage_late_fault(s);
}

uint64_t spemu_spu_ops_until_sample(const struct spemu_spu *spu)
{
	return spu->until_sample;
}

int spemu__spu_ops(struct spemu_spu *spu, uint64_t count)
{
	if (!spu->enabled || !count)
		return SPEMU_OK;
	if (count >= spu->until_sample)
		return SPEMU_ERR_INVALID;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, count);
	interval_advance(spu, count);
	return SPEMU_OK;
}

int spemu__spu_begin(struct spemu_spu *spu, unsigned *slot, uint64_t pc)
{
	unsigned i = 0;
	bool collided;

	*slot = SPEMU_IN_FLIGHT_MAX;
	if (spu->until_sample != 1) /* the distance is UINT64_MAX while profiling is disabled */
		return SPEMU_ERR_STATE;
	while (i < spu->config.samples_in_flight && spu->sample[i].in_flight)
		i++;
	collided = i == spu->config.samples_in_flight;
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, 1);
	spemu__interval_advance(spu, 1);
	if (collided) {
		spemu__manage_collision(spu);
		return SPEMU_SAMPLE_COLLIDED;
	}
	spemu__collect_begin(spu, &spu->sample[i], pc);
	*slot = i;
	return SPEMU_SAMPLE_STARTED;
}

unsigned spemu_spu_samples_in_flight(const struct spemu_spu *spu)
{
	unsigned count = 0;

	for (unsigned i = 0; i < spu->config.samples_in_flight; i++)
		count += spu->sample[i].in_flight;
	return count;
}

static ALWAYS_INLINE unsigned make_record(struct spemu_spu *s, const struct collected *sample,
                                          const struct spemu_op *op, uint64_t events)
{
	const struct shown shown = {
	        .whole = spemu__operation_is_shown_whole(s, op),
	        .previous_target = spemu__prev_branch_is_shown(s, sample, op),
	        .timestamp = sample->has_timestamp ? spemu__collect_end(s, sample) : 0,
	};

	return spemu__record_make(s, sample, op, events, &shown);
}

/* Filter an operation, make its record and write it, as SPECompleteSample() does. */
static int complete(struct spemu_spu *spu, const struct collected *sample,
                    const struct spemu_op *op, struct spemu_sample_result *result, unsigned *held)
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
	if (held || choose_destination(spu)) {
		unsigned size = make_record(spu, sample, op, events);

		if (held) {
			*held = size;
			return SPEMU_OK;
		}
		status = write_to_buffer(spu, result, size);
	}
	conclude(spu, result, was_stopped);
	return status;
}

int spemu__spu_end(struct spemu_spu *spu, struct spemu_sample_result *result, unsigned slot,
                   const struct spemu_op *op, unsigned *held)
{
	const struct collected *sample = &spu->sample[slot];
	struct spemu_op normalized;

	if (!spemu__operation_is_normal(spu, op)) {
		normalized = *op;
		spemu__operation_normalize(spu, sample, &normalized);
		op = &normalized;
	}
	return complete(spu, sample, op, result, held); /* a single call, so that the compiler
	                                                   inlines complete() */
}
