/* SPDX-License-Identifier: MIT */
/*
 * The functions of the SPU for the host and for the PE. In plain mode each of them calls the plain
 * model (spu.c). In strict mode, effects are as late as D17.9 permits:
 *
 *   call                             in strict mode
 *   an MSR                           tick; check it; keep the value in direct[] until it becomes
 *                                    visible (strict_view.c)
 *   an MRS                           tick; return the value in direct[], or an older one
 *   ops, the begin of a sample       record what the profiling operation is about to write
 *   the end of a sample              queue the record (strict_queue.c); tick
 *   a PSB, a DSB                     tick; advance pending effects to their next stage (enum
 *                                    stage); a DSB writes forced records
 *   a Context synchronization event  write forced records; make all direct writes visible; check
 *
 * A tick makes some of the direct writes visible, and writes the oldest record or not, as the seed
 * decides.
 *
 * Arm ARM:     DDI 0487 M.a, D17.9, D17.9.1
 * Implements:  IMLGHW
 */
#include "base/take.h"
#include "pe/choose.h"
#include "spu/strict_state.h"

/* Write the `count` oldest records in the queue. */
static void deliver(struct strict *strict, unsigned count)
{
	struct spemu_spu *s = strict->spu;
	struct held record;

	while (count-- && spemu__strict_take(strict, &record)) {
		uint64_t pointer = s->pe->reg[SPEMU_REG_PMBPTR_EL1];
		struct spemu_sample_result result = {0};
		struct syndromes before;
		int status;

		spemu__check_delivery(strict, &record);
		spemu__strict_before_write(strict, &before);
		status = spemu__spu_write_record(s, &result, record.size);
		spemu__strict_after_write(strict, &before, record.stage);
		if (status)
			strict->status = status;
		if (result.outcome == SPEMU_SAMPLE_RECORDED)
			spemu__strict_written(strict, &record, pointer);
		if (result.management_event)
			spemu__check_event(strict);
		if (s->host.sample_done)
			s->host.sample_done(s->host.ctx, &result);
	}
}

static void deliver_forced(struct strict *strict)
{
	deliver(strict, spemu__strict_forced(strict));
}

/* Make the direct writes in the bit set `which` visible. A write after a PSB does not affect
 * what that PSB has synchronized (IMLGHW). */
static void make_visible(struct strict *strict, uint32_t which)
{
	if (!which)
		return;
	deliver_forced(strict);
	spemu__strict_expose(strict, which);
	spemu__spu_refresh(strict->spu);
	spemu__check_enabled(strict);
}

/* Make some pending effects happen now, or none, as the seed decides. */
static void tick(struct strict *strict)
{
	make_visible(strict, spemu__strict_due(strict));
	if (spemu__strict_record_is_due(strict))
		deliver(strict, 1);
}

/* Make the record in s->record pending. The oldest records are written to make room for it. */
static void hold(struct strict *strict, unsigned size, uint8_t stage)
{
	struct spemu_spu *s = strict->spu;

	while (!spemu__strict_has_room(strict, size)) {
		uint8_t kept[SPEMU_RECORD_MAX];

		memcpy(kept, s->record, size);
		deliver(strict, 1);
		memcpy(s->record, kept, size);
	}
	spemu__strict_put(strict, size, stage);
	if (stage == STAGE_FORCED) /* the PSB covers this record */
		deliver_forced(strict);
}

/* Functions that the PE calls (struct pe_unit_calls). */
static void narrow_masks(void *object)
{
	spemu__identify_masks(object);
}

static void synchronize(void *object, bool isb)
{
	struct spemu_spu *s = object;
	struct strict *strict = strict_of(s);

	spemu__spu_synchronize(s, isb);
	if (!s->observer)
		return;
	deliver_forced(strict);
	spemu__strict_synchronize(strict);
	spemu__strict_expose(strict, strict->pending);
}

static void synchronized(void *object, const struct spemu_pe_state *before)
{
	struct spemu_spu *s = object;
	struct strict *strict = strict_of(s);

	spemu__spu_synchronized(s, before);
	if (!s->observer)
		return;
	spemu__check_synchronized(strict);
	spemu__check_enabled(strict);
	if (before)
		spemu__check_return(strict, before->el, s->pe->state.el);
}

static void changed(void *object)
{
	struct spemu_spu *s = object;

	spemu__spu_changed(s);
	if (s->observer)
		spemu__check_enabled(strict_of(s));
}

static bool reg_get(const void *object, uint64_t *value, enum spemu_reg reg)
{
	const struct spemu_spu *s = object;

	*value = spemu__register_shows(s, reg, spemu__strict_direct(strict_of_const(s), reg));
	return true;
}

static bool reg_set(void *object, enum spemu_reg reg, uint64_t value)
{
	struct spemu_spu *s = object;
	struct strict *strict = strict_of(s);

	if (!s->observer) {
		spemu__spu_write(s, reg, value);
		return true;
	}
	deliver_forced(strict); /* IMLGHW: also before changes of the translation regime */
	spemu__check_set(strict, reg, value);
	spemu__strict_set(strict, reg, value);
	return true;
}

static const struct pe_unit_calls calls = {narrow_masks, synchronize, synchronized,
                                           changed,      reg_get,     reg_set};

size_t spemu_spu_size(void)
{
	return sizeof(struct spu_memory);
}

int spemu_spu_init(struct spemu_spu **spu, void *memory, size_t size, struct spemu_pe *pe,
                   const struct spemu_spu_config *config, const struct spemu_spu_host *host)
{
	struct spu_memory *m = memory;
	struct spemu_spu_config c;
	struct spemu_spu_host h;
	int status;

	if (spu)
		*spu = NULL;
	if (!spu || !memory || !pe || !take_struct(&c, sizeof(c), config) ||
	    !take_struct(&h, sizeof(h), host))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*m))
		return SPEMU_ERR_NOSPACE;
	status = spemu__config_resolve(&c, &pe->features);
	if (status)
		return status;
	memset(m, 0, sizeof(*m));
	m->strict.spu = &m->spu;
	spemu__spu_init(&m->spu, pe, &c, &h, &calls);
	*spu = &m->spu;
	return SPEMU_OK;
}

static void write_strictly(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	tick(strict);
	if (spemu__strict_is_syndrome(reg)) /* the check needs to know whether an External abort
	                                       may follow */
		deliver_forced(strict);
	spemu__check_write(strict, reg, value);
	make_visible(strict, spemu__strict_msr(strict, reg, value));
}

static void write_by_software(struct spemu_spu *s, enum spemu_reg reg, uint64_t value)
{
	struct strict *strict = strict_of(s);

	if (s->vm.ignore_writes_while_enabled &&
	    spemu__vm_ignores(reg, value, spemu__strict_direct(strict, SPEMU_REG_PMBLIMITR_EL1))) {
		spemu__spu_diagnose_register(s, DIAGNOSE_VM_IGNORED, reg, value);
	} else if (s->observer) {
		write_strictly(strict, reg, value);
	} else {
		s->pe->unwritten[reg] = false;
		spemu__spu_write(s, reg, value);
	}
}

static uint64_t read_by_software(struct spemu_spu *s, enum spemu_reg reg)
{
	struct strict *strict = strict_of(s);

	if (!s->observer)
		return spemu__register_shows(s, reg, s->pe->reg[reg]);
	tick(strict);
	return spemu__strict_mrs(strict, reg);
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

/* Execute an MSR that has been checked, or ignore it if the restrictions of a hypervisor say so. */
static void msr(struct spemu_spu *s, const struct spemu_access_result *access, uint64_t value)
{
	if (access->outcome == SPEMU_ACCESS_OK)
		write_by_software(s, (enum spemu_reg)access->reg, value);
	spemu__spu_update(s);
	pe_choices_used(s->pe);
}

/* Execute an MRS that has been checked. Return the value, or 0 if there is none. */
static uint64_t mrs(struct spemu_spu *s, const struct spemu_access_result *access)
{
	uint64_t value = 0;

	if (access->outcome == SPEMU_ACCESS_OK)
		value = read_by_software(s, (enum spemu_reg)access->reg);
	spemu__spu_update(s);
	pe_choices_used(s->pe);
	return value;
}

int spemu_spu_msr(struct spemu_spu *spu, struct spemu_access_result *result, uint32_t encoding,
                  uint64_t value)
{
	int status = spemu_spu_access_check(spu, result, encoding, true);

	if (status == SPEMU_OK)
		msr(spu, result, value);
	return status;
}

int spemu_spu_mrs(struct spemu_spu *spu, struct spemu_access_result *result, uint64_t *value,
                  uint32_t encoding)
{
	int status = spemu_spu_access_check(spu, result, encoding, false);

	*value = status == SPEMU_OK ? mrs(spu, result) : 0;
	return status;
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
	msr(spu, access, value);
	return SPEMU_OK;
}

int spemu_spu_mrs_permitted(struct spemu_spu *spu, uint64_t *value,
                            const struct spemu_access_result *access)
{
	bool permitted = is_permitted(access);

	*value = permitted ? mrs(spu, access) : 0;
	return permitted ? SPEMU_OK : SPEMU_ERR_INVALID;
}

/* Execute a barrier. In plain mode every effect is immediate, so there is nothing to wait for:
 * the host finishes a sampled operation in flight before it executes a barrier. */
void spemu_spu_psb_csync(struct spemu_spu *spu)
{
	spemu__spu_psb(spu);
	if (spu->observer) {
		spemu__spu_refresh(spu);
		tick(strict_of(spu));
		spemu__strict_psb(strict_of(spu));
	}
	spemu__spu_update(spu);
}

void spemu_spu_dsb(struct spemu_spu *spu)
{
	struct strict *strict = strict_of(spu);

	if (!spu->observer)
		return;
	tick(strict);
	deliver_forced(strict);
	spemu__strict_dsb(strict);
	spemu__spu_update(spu);
}

void spemu_spu_dsb_st(struct spemu_spu *spu)
{
	strict_of(spu)->incomplete_stores = 0;
}

bool spemu_spu_strict(const struct spemu_spu *spu)
{
	return spu->observer != NULL;
}

int spemu_spu_set_strict(struct spemu_spu *spu, bool on, uint64_t seed)
{
	struct strict *strict;

	if (!spu)
		return SPEMU_ERR_INVALID;
	strict = strict_of(spu);
	if (spu->observer) {
		deliver(strict, strict->queued);
		make_visible(strict, strict->pending);
	}
	spu->observer = on ? &spemu__strict_observer : NULL;
	memset(spu->diagnosing.seen, 0, sizeof(spu->diagnosing.seen));
	*strict = (struct strict){.spu = spu, .prng = seed, .checked = UINT64_MAX};
	spemu__check_synchronized(strict);
	spemu__spu_update(spu);
	return SPEMU_OK;
}

void spemu_spu_drain(struct spemu_spu *spu)
{
	if (spu->observer)
		deliver(strict_of(spu), strict_of(spu)->queued);
	spemu__spu_update(spu);
}

void spemu_spu_report_memory(struct spemu_spu *spu, enum spemu_memory_report what, uint64_t address,
                             uint64_t size)
{
	struct strict *strict = strict_of(spu);

	if (!spu->observer || !size)
		return;
	switch (what) {
	case SPEMU_SOFTWARE_READS:
		tick(strict);
		spemu__strict_buffer_read(strict, address, size);
		break;
	case SPEMU_SOFTWARE_WRITES:
		spemu__strict_buffer_written(strict, address, size);
		break;
	case SPEMU_TRANSLATION_CHANGED:
		tick(strict);
		spemu__strict_translation_changed(strict, address, size);
		break;
	case SPEMU_TRANSLATION_MAINTAINED:
		spemu__strict_translation_maintained(strict, address, size);
		break;
	}
	spemu__spu_update(spu);
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
	spemu__spu_update(spu);
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
	spemu__spu_update(spu);
	return SPEMU_OK;
}

/*
 * Functions of a sample. The code of strict mode is out of line, so that plain mode only pays for
 * one test in each call.
 */
static __attribute__((noinline)) void note_ops(struct spemu_spu *s, uint64_t count)
{
	if (s->enabled && count && count < s->until_sample)
		spemu__strict_note(strict_of(s), BY_COUNTING);
}

int spemu_spu_ops(struct spemu_spu *spu, uint64_t count)
{
	if (spu->observer)
		note_ops(spu, count);
	return spemu__spu_ops(spu, count);
}

static __attribute__((noinline)) void note_begin(struct spemu_spu *s)
{
	bool collided = spemu_spu_samples_in_flight(s) == s->config.samples_in_flight;

	if (s->until_sample == 1)
		spemu__strict_note(strict_of(s),
		                   BY_COUNTING | (collided ? BY_COLLISION : BY_RECORDS));
}

static __attribute__((noinline)) void note_begun(struct spemu_spu *s, int status, unsigned slot)
{
	if (status == SPEMU_SAMPLE_COLLIDED)
		spemu__strict_collided(strict_of(s), spemu__manage_collision_register(s->pe));
	else if (status == SPEMU_SAMPLE_STARTED)
		strict_of(s)->slot_stage[slot] = STAGE_OPEN;
}

int spemu_spu_sample_begin_slot(struct spemu_spu *spu, unsigned *slot, uint64_t pc)
{
	unsigned begun;
	int status;

	if (spu->observer)
		note_begin(spu);
	status = spemu__spu_begin(spu, &begun, pc);
	if (spu->observer)
		note_begun(spu, status, begun);
	if (slot)
		*slot = begun;
	return status;
}

int spemu_spu_sample_begin(struct spemu_spu *spu, uint64_t pc)
{
	return spemu_spu_sample_begin_slot(spu, NULL, pc);
}

/* End a sample in strict mode. Its record, if any, becomes pending. */
static __attribute__((noinline)) int end_strictly(struct strict *strict,
                                                  struct spemu_sample_result *result, unsigned slot,
                                                  const struct spemu_op *op)
{
	unsigned held = 0;
	int status;

	spemu__spu_end(strict->spu, result, slot, op, &held);
	if (held) {
		hold(strict, held, strict->slot_stage[slot]);
		result->outcome = SPEMU_SAMPLE_PENDING;
	}
	strict->spu->sample[slot].in_flight = false;
	tick(strict);
	status = strict->status;
	strict->status = SPEMU_OK;
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
	if (spu->observer) {
		status = end_strictly(strict_of(spu), result, slot, op);
	} else {
		status = spemu__spu_end(spu, result, slot, op, NULL);
		spu->sample[slot].in_flight = false;
	}
	spemu__spu_update(spu);
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
