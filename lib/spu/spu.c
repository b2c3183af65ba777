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
 *
 * A change of a register, a choice or the PE's state goes through these states (enum change):
 *
 *   state            next             by
 *   CHANGE_TOLD      CHANGE_NOTED     a stage that writes a register; new rules, a loaded image
 *   CHANGE_NOTED     CHANGE_DERIVED   derive(): before a stage that reads what is derived, and at the end of each call
 *   CHANGE_DERIVED   CHANGE_NOTED     a stage that writes a register, in the same call
 *   CHANGE_DERIVED   CHANGE_TOLD      settle(), at the end of the host's call, which tells what else is attached to the PE;
 *                                     told(), where the PE itself tells all
 */
#include "base/take.h"
#include "pe/choose.h"
#include "spu/spu_object.h"

size_t spemu_spu_size(void)
{
	return sizeof(struct spemu_spu);
}

/* What follows from registers, choices and the PE's state. */
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

/* Before a stage that reads what is derived, and at the end of a public call. */
static ALWAYS_INLINE void refresh(struct spemu_spu *s)
{
	if (s->change == CHANGE_NOTED)
		derive(s);
}

/* The end of a public call: what changed is derived, and what else is attached to the PE learns of it. */
static void settle(struct spemu_spu *s)
{
	refresh(s);
	if (s->change != CHANGE_DERIVED)
		return;
	s->change = CHANGE_TOLD;
	spemu__pe_changed(s->pe, PE_UNIT_SPU);
}

/*
 * The buffer is not enabled when a record is about to be written. True: it is written all the same.
 * IBRTKK leaves no choice once profiling is stopped.
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
		s->access.security = (uint8_t)current; /* derive() puts it back */
	return option == SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT ||
	       option == SPEMU_SECURITY_MISMATCH_WRITE_AS_OWNER;
}

/* RQJWVQ: a reserved owner. True: the record goes to the state that reserved-nspb takes. */
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

/* The events of a write that has ended: those that it left, then what is told last of all. */
static OUT_OF_LINE void manage(struct spemu_spu *s, const struct write *w)
{
	for (unsigned i = 0; i < w->causes; i++)
		spemu__manage(s, &w->cause[i]);
	spemu__manage_asynchronous_abort(s); /* IXQRTS: whatever else has happened */
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

	if (s->late_fault
	            .kind) { /* RWVKFM: an event is on its way, and so is the end of this sample */
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

/* Whether the record is to be written; an event that keeps it from that has happened then. */
static ALWAYS_INLINE bool choose_destination(struct spemu_spu *s)
{
	return (s->buffer_enabled || write_while_disabled(s)) && write_for_reserved_owner(s);
}

/* What the registers say once the write of a record has ended; was_stopped: before. */
static void conclude(struct spemu_spu *s, struct spemu_sample_result *result, bool was_stopped)
{
	if (!s->buffer_enabled)
		s->change = CHANGE_NOTED; /* s->access may be that of another state */
	refresh(s);
	result->management_event = !was_stopped && s->stopped;
	if (result->management_event && result->outcome == SPEMU_SAMPLE_DISCARDED)
		result->outcome = SPEMU_SAMPLE_LOST;
}

/* Strict mode: the record in s->record, whose sample has ended before. */
static int write_held(struct spemu_spu *s, struct spemu_sample_result *result, unsigned size)
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

/* Strict mode: the count oldest records that are made and not written. */
static void deliver(struct spemu_spu *s, unsigned count)
{
	struct held record;

	while (count-- && spemu__strict_take(s, &record)) {
		uint64_t pointer = s->pe->reg[SPEMU_REG_PMBPTR_EL1];
		struct spemu_sample_result result = {0};
		struct syndromes before;
		int status;

		spemu__check_delivery(s, &record);
		spemu__strict_before_write(s, &before);
		status = write_held(s, &result, record.size);
		spemu__strict_after_write(s, &before, record.stage);
		if (status)
			s->strict.status = status;
		if (result.outcome == SPEMU_SAMPLE_RECORDED)
			spemu__strict_written(s, &record, pointer);
		if (result.management_event)
			spemu__check_event(s);
		if (s->host.sample_done)
			s->host.sample_done(s->host.ctx, &result);
	}
}

/* RMYXZK: an event that is still to come is about the write pointer as it is before software's is seen. */
static void before_write(struct spemu_spu *s, enum spemu_reg reg)
{
	if (reg == SPEMU_REG_PMBPTR_EL1)
		spemu__manage_late_fault(s);
}

/* Strict mode: the direct writes in which become visible. */
static void expose(struct spemu_spu *s, uint32_t which)
{
	if (which >> spemu__strict_place(SPEMU_REG_PMBPTR_EL1) & 1)
		before_write(s, SPEMU_REG_PMBPTR_EL1);
	spemu__strict_expose(s, which);
}

/* Strict mode: direct writes become visible. IMLGHW: a write after a PSB does not affect what that PSB has
 * synchronized. */
static void make_visible(struct spemu_spu *s, uint32_t which)
{
	if (!which)
		return;
	deliver(s, spemu__strict_forced(s));
	expose(s, which);
	refresh(s);
	spemu__check_enabled(s);
}

/* Strict mode: something that was late happens now, or not. */
static void tick(struct spemu_spu *s)
{
	make_visible(s, spemu__strict_due(s));
	if (spemu__strict_record_is_due(s))
		deliver(s, 1);
}

/* Strict mode: the record in s->record waits; the oldest make room for it. */
static void hold(struct spemu_spu *s, struct spemu_sample_result *result, unsigned size,
                 uint8_t stage)
{
	while (!spemu__strict_has_room(s, size)) {
		uint8_t kept[SPEMU_RECORD_MAX];

		memcpy(kept, s->record, size);
		deliver(s, 1);
		memcpy(s->record, kept, size);
	}
	spemu__strict_put(s, size, stage);
	if (stage == STAGE_FORCED) /* the PSB has waited for it */
		deliver(s, spemu__strict_forced(s));
	result->outcome = SPEMU_SAMPLE_PENDING;
}

/* The PE's calls (struct pe_unit_calls). */
static void narrow_masks(void *object)
{
	spemu__identify_masks(object);
}

static void synchronize(void *object, bool isb)
{
	struct spemu_spu *s = object;

	if (isb)
		spemu__prev_branch_synchronize(s);
	if (!s->strict_on)
		return;
	deliver(s, spemu__strict_forced(s));
	spemu__strict_synchronize(s);
	expose(s, s->strict.pending);
}

/* The PE tells all that is attached to it. */
static void told(struct spemu_spu *s)
{
	if (s->change == CHANGE_DERIVED)
		s->change = CHANGE_TOLD;
}

static void synchronized(void *object, const struct spemu_pe_state *before)
{
	struct spemu_spu *s = object;

	if (before || s->change == CHANGE_NOTED) /* an ISB changes nothing in plain mode */
		derive(s);
	told(s);
	if (!s->strict_on)
		return;
	spemu__check_synchronized(s);
	spemu__check_enabled(s);
	if (before)
		spemu__check_return(s, before->el, s->pe->state.el);
}

static void changed(void *object)
{
	struct spemu_spu *s = object;

	derive(s);
	told(s);
	if (s->strict_on)
		spemu__check_enabled(s);
}

static bool reg_get(const void *object, uint64_t *value, enum spemu_reg reg)
{
	*value = spemu__register_shows(object, reg, spemu__strict_direct(object, reg));
	return true;
}

static bool reg_set(void *object, enum spemu_reg reg, uint64_t value)
{
	struct spemu_spu *s = object;

	if (s->strict_on) {
		deliver(s, spemu__strict_forced(s)); /* IMLGHW: of the translation regime's too */
		spemu__check_set(s, reg, value);
	}
	before_write(s, reg);
	if (s->strict_on)
		spemu__strict_set(s, reg, value);
	else
		spemu__register_write(s, reg, value);
	return true;
}

static const struct pe_unit_calls calls = {narrow_masks, synchronize, synchronized,
                                           changed,      reg_get,     reg_set};

int spemu_spu_init(struct spemu_spu **spu, void *memory, size_t size, struct spemu_pe *pe,
                   const struct spemu_spu_config *config, const struct spemu_spu_host *host)
{
	struct spemu_spu *s = memory;
	struct spemu_spu_config c;
	struct spemu_spu_host h;
	int status;

	if (spu)
		*spu = NULL;
	if (!spu || !memory || !pe || !take_struct(&c, sizeof(c), config) ||
	    !take_struct(&h, sizeof(h), host))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*s))
		return SPEMU_ERR_NOSPACE;
	status = spemu__config_resolve(&c, &pe->features);
	if (status)
		return status;
	memset(s, 0, sizeof(*s));
	s->pe = pe;
	s->config = c;
	s->host = h;
	s->inject_prng = ~pe->seed; /* injections do not change what else is drawn */
	s->restart_check_due = true;
	spemu__pe_attach(pe, PE_UNIT_SPU, &calls, s);
	spemu__interval_init(s);
	derive(s);
	*spu = s;
	return SPEMU_OK;
}

struct spemu_pe *spemu_spu_pe(const struct spemu_spu *spu)
{
	return spu->pe;
}

/* The end of an MSR or MRS, whatever became of it. */
static void end_access(struct spemu_spu *s)
{
	settle(s);
	pe_choices_used(s->pe);
}

static void write_by_software(struct spemu_spu *s, enum spemu_reg reg, uint64_t value)
{
	if (s->vm.ignore_writes_while_enabled && spemu__vm_ignores(s, reg, value)) {
		if (s->strict_on)
			spemu__spu_diagnose_register(s, DIAGNOSE_VM_IGNORED, reg, value);
	} else if (s->strict_on) {
		tick(s);
		if (spemu__strict_is_syndrome(
		            reg)) /* whether an External abort may come after it */
			deliver(s, spemu__strict_forced(s));
		spemu__check_write(s, reg, value);
		make_visible(s, spemu__strict_msr(s, reg, value));
	} else {
		before_write(s, reg);
		s->pe->unwritten[reg] = false;
		spemu__register_write(s, reg, value);
	}
}

static uint64_t read_by_software(struct spemu_spu *s, enum spemu_reg reg)
{
	if (!s->strict_on)
		return spemu__register_shows(s, reg, s->pe->reg[reg]);
	tick(s);
	return spemu__strict_mrs(s, reg);
}

int spemu_spu_access_check(const struct spemu_spu *spu, struct spemu_access_result *result,
                           uint32_t encoding, bool write)
{
	const struct sysreg_desc *desc = spemu__sysreg_by_encoding(encoding);

	*result = (struct spemu_access_result){0};
	if (!spemu__register_is_ours(desc))
		return SPEMU_ERR_NOT_SUPPORTED;
	spemu__pe_access(spu->pe, result, desc, write);
	return SPEMU_OK;
}

static bool is_permitted(const struct spemu_access_result *access)
{
	return access->outcome == SPEMU_ACCESS_OK && access->reg < SPEMU_REG_COUNT &&
	       spemu__register_is_ours(spemu__sysreg_desc_of((enum spemu_reg)access->reg));
}

int spemu_spu_msr_permitted(struct spemu_spu *spu, const struct spemu_access_result *access,
                            uint64_t value)
{
	if (!is_permitted(access))
		return SPEMU_ERR_INVALID;
	write_by_software(spu, (enum spemu_reg)access->reg, value);
	end_access(spu);
	return SPEMU_OK;
}

int spemu_spu_mrs_permitted(struct spemu_spu *spu, uint64_t *value,
                            const struct spemu_access_result *access)
{
	*value = 0;
	if (!is_permitted(access))
		return SPEMU_ERR_INVALID;
	*value = read_by_software(spu, (enum spemu_reg)access->reg);
	end_access(spu);
	return SPEMU_OK;
}

int spemu_spu_msr(struct spemu_spu *spu, struct spemu_access_result *result, uint32_t encoding,
                  uint64_t value)
{
	int status = spemu_spu_access_check(spu, result, encoding, true);

	if (status)
		return status;
	if (result->outcome == SPEMU_ACCESS_OK)
		write_by_software(spu, (enum spemu_reg)result->reg, value);
	end_access(spu);
	return SPEMU_OK;
}

int spemu_spu_mrs(struct spemu_spu *spu, struct spemu_access_result *result, uint64_t *value,
                  uint32_t encoding)
{
	int status = spemu_spu_access_check(spu, result, encoding, false);

	*value = 0;
	if (status)
		return status;
	if (result->outcome == SPEMU_ACCESS_OK)
		*value = read_by_software(spu, (enum spemu_reg)result->reg);
	end_access(spu);
	return SPEMU_OK;
}

/*
 * Barriers. In plain mode every effect is at once, which D17.9 permits, so there is nothing to wait for: a
 * sampled operation in flight is finished by its host, before it executes a barrier. In strict mode they
 * are what everything waits for.
 */
void spemu_spu_psb_csync(struct spemu_spu *spu)
{
	if (!spu->asynchronous_abort) /* RWVKFM: the event of an earlier sample is recorded by now */
		spemu__manage_late_fault(spu);
	if (spu->strict_on) {
		refresh(spu);
		tick(spu);
		spemu__strict_psb(spu);
	}
	settle(spu);
}

void spemu_spu_dsb(struct spemu_spu *spu)
{
	if (!spu->strict_on)
		return;
	tick(spu);
	deliver(spu, spemu__strict_forced(spu));
	spemu__strict_dsb(spu);
	settle(spu);
}

int spemu_spu_set_strict(struct spemu_spu *spu, bool on, uint64_t seed)
{
	if (!spu)
		return SPEMU_ERR_INVALID;
	if (spu->strict_on) {
		deliver(spu, spu->strict.queued);
		make_visible(spu, spu->strict.pending);
	}
	spemu__strict_start(spu, on, seed);
	settle(spu);
	return SPEMU_OK;
}

void spemu_spu_drain(struct spemu_spu *spu)
{
	if (spu->strict_on)
		deliver(spu, spu->strict.queued);
	settle(spu);
}

void spemu_spu_buffer_read(struct spemu_spu *spu, uint64_t address, uint64_t size)
{
	if (!spu->strict_on || !size)
		return;
	tick(spu);
	spemu__strict_buffer_read(spu, address, size);
	settle(spu);
}

void spemu_spu_translation_changed(struct spemu_spu *spu, uint64_t address, uint64_t size)
{
	if (!spu->strict_on || !size)
		return;
	tick(spu);
	spemu__strict_translation_changed(spu, address, size);
	settle(spu);
}

int spemu_spu_set_vm_rules(struct spemu_spu *spu, const struct spemu_vm_rules *rules)
{
	struct spemu_vm_rules taken = {0};

	if (!spu || (rules && !take_struct(&taken, sizeof(taken), rules)) ||
	    taken.max_buff_size >> 14)
		return SPEMU_ERR_INVALID;
	spu->vm = taken;
	spu->pe->generation++;
	spu->change = CHANGE_NOTED;
	settle(spu);
	return SPEMU_OK;
}

int spemu_spu_load(struct spemu_spu *spu, const void *buffer, size_t size)
{
	int status;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	status = spemu__state_load(spu, buffer, size);
	if (status)
		return status;
	spu->change = CHANGE_NOTED;
	settle(spu);
	return SPEMU_OK;
}

uint64_t spemu_spu_ops_until_sample(const struct spemu_spu *spu)
{
	return spu->until_sample;
}

int spemu_spu_ops(struct spemu_spu *spu, uint64_t count)
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

int spemu_spu_sample_begin_slot(struct spemu_spu *spu, unsigned *slot, uint64_t pc)
{
	unsigned i = 0;
	bool collided;

	if (slot)
		*slot = SPEMU_IN_FLIGHT_MAX;
	if (spu->until_sample != 1) /* UINT64_MAX while disabled */
		return SPEMU_ERR_STATE;
	while (i < spu->config.samples_in_flight && spu->sample[i].in_flight)
		i++;
	collided = i == spu->config.samples_in_flight;
	if (spu->strict_on)
		spemu__strict_note(spu, BY_COUNTING | (collided ? BY_COLLISION : BY_RECORDS));
	spu_pmu_event(spu, SPEMU_PMU_SAMPLE_POP, 1);
	spemu__interval_advance(spu, 1);
	if (collided) {
		enum spemu_reg reg = spemu__manage_collision(spu);

		if (spu->strict_on)
			spemu__strict_collided(spu, reg);
		return SPEMU_SAMPLE_COLLIDED;
	}
	spemu__collect_begin(spu, &spu->sample[i], pc);
	if (slot)
		*slot = i;
	return SPEMU_SAMPLE_STARTED;
}

int spemu_spu_sample_begin(struct spemu_spu *spu, uint64_t pc)
{
	return spemu_spu_sample_begin_slot(spu, NULL, pc);
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

/* Filter, record, write: what SPECompleteSample() does. */
static int complete(struct spemu_spu *spu, const struct collected *sample,
                    const struct spemu_op *op, struct spemu_sample_result *result)
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
	if (spu->strict_on || choose_destination(spu)) {
		unsigned size = make_record(spu, sample, op, events);

		if (spu->strict_on) {
			hold(spu, result, size, sample->stage);
			return SPEMU_OK;
		}
		status = write_to_buffer(spu, result, size);
	}
	conclude(spu, result, was_stopped);
	return status;
}

int spemu_spu_sample_end_slot(struct spemu_spu *spu, struct spemu_sample_result *result,
                              unsigned slot, const struct spemu_op *op)
{
	struct spemu_sample_result unwanted;
	int status;

	result = result ? result : &unwanted;
	*result = (struct spemu_sample_result){0};
	if (!op || slot >= spu->config.samples_in_flight)
		return SPEMU_ERR_INVALID;
	if (!spu->sample[slot].in_flight)
		return SPEMU_ERR_STATE;
	if (spemu__operation_is_settled(spu, op)) {
		status = complete(spu, &spu->sample[slot], op, result);
	} else {
		struct spemu_op settled = *op;

		spemu__operation_settle(spu, &spu->sample[slot], &settled);
		status = complete(spu, &spu->sample[slot], &settled, result);
	}
	spu->sample[slot].in_flight = false;
	if (spu->strict_on) {
		tick(spu);
		status = status ? status : spu->strict.status;
		spu->strict.status = SPEMU_OK;
	}
	settle(spu);
	pe_choices_used(spu->pe);
	return status;
}

int spemu_spu_sample_end(struct spemu_spu *spu, struct spemu_sample_result *result,
                         const struct spemu_op *op)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < spu->config.samples_in_flight; i++) {
		const struct collected *a = &spu->sample[oldest], *b = &spu->sample[i];

		if (b->in_flight && (!a->in_flight || b->serial < a->serial))
			oldest = i;
	}
	return spemu_spu_sample_end_slot(spu, result, oldest, op);
}
