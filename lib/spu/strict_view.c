/* SPDX-License-Identifier: MIT */
/*
 * Strict mode: two views of each control register, one of software and one of the profiling
 * operation; and the progress of software in synchronizing the writes of the profiling operation.
 *
 * Arm ARM:     DDI 0487 M.a, D17.3.7, D17.9, D17.9.1
 * Implements:  IRRBSZ IWZSLB INDWCG RTRDTK IMLGHW IVKDVF RPVRNK RLTMKQ
 *
 * pe.reg[] keeps the view of the profiling operation, so the stages do not depend on strict mode.
 * direct[] has the values that software wrote and that are not visible yet. E1SPE, E0SPE, E2SPE and
 * E0HSPE are read as by the instruction itself (IWZSLB), which also needs a Context synchronization
 * event, so they are not an exception.
 */
#include "base/prng.h"
#include "spu/strict_state.h"

#define COLL BIT64(SPEMU_PMBSR_EL1_COLL_LSB)

/* Registers that the SPU also writes come first. */
const enum spemu_reg spemu__strict_register[STRICT_REGISTERS] = {
        SPEMU_REG_PMBPTR_EL1,  SPEMU_REG_PMBSR_EL1,     SPEMU_REG_PMBSR_EL2,
        SPEMU_REG_PMBSR_EL3,   SPEMU_REG_PMSICR_EL1,    SPEMU_REG_PMSCR_EL1,
        SPEMU_REG_PMSCR_EL2,   SPEMU_REG_PMSNEVFR_EL1,  SPEMU_REG_PMSIRR_EL1,
        SPEMU_REG_PMSFCR_EL1,  SPEMU_REG_PMSEVFR_EL1,   SPEMU_REG_PMSLATFR_EL1,
        SPEMU_REG_PMSDSFR_EL1, SPEMU_REG_PMBLIMITR_EL1, SPEMU_REG_PMBMAR_EL1,
        SPEMU_REG_MDCR_EL2,    SPEMU_REG_MDCR_EL3,
};

int spemu__strict_place(enum spemu_reg reg)
{
	for (int i = 0; i < STRICT_REGISTERS; i++)
		if (spemu__strict_register[i] == reg)
			return i;
	return -1;
}

static bool is_syndrome(int place)
{
	return place >= STRICT_SYNDROME && place < STRICT_SYNDROME + STRICT_SYNDROMES;
}

bool spemu__strict_is_syndrome(enum spemu_reg reg)
{
	return is_syndrome(spemu__strict_place(reg));
}

/* Return the BY_* bits of the operations that write spemu__strict_register[place]. */
static unsigned written_by(int place)
{
	return place < 0 || place >= STRICT_INDIRECT                   ? 0
	       : spemu__strict_register[place] == SPEMU_REG_PMSICR_EL1 ? BY_COUNTING
	       : is_syndrome(place) ? BY_RECORDS | BY_COLLISION | BY_ABORT
	                            : BY_RECORDS;
}

uint64_t spemu__strict_direct(const struct strict *strict, enum spemu_reg reg)
{
	int place = spemu__strict_place(reg);

	return place >= 0 && strict->pending >> place & 1 ? strict->direct[place]
	                                                  : strict->spu->pe->reg[reg];
}

static unsigned outstanding(const struct strict *strict)
{
	return strict->outstanding[STAGE_OPEN] | strict->outstanding[STAGE_ORDERED] |
	       strict->outstanding[STAGE_FORCED];
}

/* Return true with probability 1/4. */
static bool roll(struct strict *strict)
{
	return prng_next(&strict->prng) >> 62 == 0;
}

uint32_t spemu__strict_due(struct strict *strict)
{
	uint32_t which = 0;

	for (int i = 0; strict->pending >> i; i++)
		if (strict->pending >> i & 1 && roll(strict))
			which |= 1u << i;
	return which;
}

bool spemu__strict_record_is_due(struct strict *strict)
{
	return strict->queued && roll(strict);
}

void spemu__strict_expose(struct strict *strict, uint32_t which)
{
	for (int i = 0; i < STRICT_REGISTERS; i++)
		if (which >> i & 1)
			spemu__spu_write(strict->spu, spemu__strict_register[i], strict->direct[i]);
	strict->pending &= ~which;
}

void spemu__strict_note(struct strict *strict, unsigned by)
{
	unsigned before = outstanding(strict);

	for (int i = 0; i < STRICT_INDIRECT; i++)
		if ((by & written_by(i)) && !(before & written_by(i)))
			strict->old[i] = spemu__strict_direct(strict, spemu__strict_register[i]);
	for (int i = 0; i < STRICT_INDIRECT; i++)
		if (by & written_by(i))
			strict->overwritten &= (uint8_t) ~(1u << i);
	strict->outstanding[STAGE_OPEN] |= (uint8_t)by;
}

/* Set COLL in a pending direct write too. RLTMKQ does not depend on earlier writes of software, so
 * a write that is not visible yet does not undo COLL. */
void spemu__strict_collided(struct strict *strict, enum spemu_reg reg)
{
	int place = spemu__strict_place(reg);

	if (strict->pending >> place & 1)
		strict->direct[place] |= COLL;
}

void spemu__strict_before_write(const struct strict *strict, struct syndromes *before)
{
	for (int i = 0; i < STRICT_SYNDROMES; i++)
		before->value[i] =
		        strict->spu->pe->reg[spemu__strict_register[STRICT_SYNDROME + i]];
}

/* Return true for an External abort on the write itself. An abort on a walk is an MMU fault,
 * which a PSB completes. */
static bool is_abort_on_write(uint64_t syndrome, uint64_t before)
{
	unsigned fsc = syndrome & 0x3f;

	return (syndrome & ~before & BIT64(SPEMU_PMBSR_EL1_EA_LSB)) &&
	       ((before &
	         BIT64(SPEMU_PMBSR_EL1_S_LSB)) || /* the code belongs to the previous event */
	        fsc == (unsigned)spemu_fsc(SPEMU_FT_EXTERNAL, 0) ||
	        fsc == (unsigned)spemu_fsc(SPEMU_FT_EXTERNAL_ASYNC, 0));
}

void spemu__strict_after_write(struct strict *strict, const struct syndromes *before,
                               enum stage stage)
{
	for (int i = 0; i < STRICT_SYNDROMES; i++) {
		int place = STRICT_SYNDROME + i;
		uint64_t now = strict->spu->pe->reg[spemu__strict_register[place]];

		if (now & ~before->value[i] & COLL)
			spemu__strict_note(strict, BY_COLLISION);
		if (is_abort_on_write(now, before->value[i])) {
			strict->outstanding[stage] |= BY_ABORT;
			strict->overwritten &= (uint8_t) ~(1u << place);
		}
	}
}

uint32_t spemu__strict_msr(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	int place = spemu__strict_place(reg);
	uint64_t mask = spemu__register_writable(strict->spu, reg);

	if (place < 0) {
		spemu__spu_write(strict->spu, reg, value);
		return 0;
	}
	strict->direct[place] = (spemu__strict_direct(strict, reg) & ~mask) | (value & mask);
	strict->pending |= 1u << place;
	strict->unsynchronized |= 1u << place;
	if (place < STRICT_INDIRECT) {
		strict->old[place] = strict->direct[place];
		strict->overwritten |= (uint8_t)(1u << place);
	}
	return roll(strict) ? 1u << place : 0;
}

static bool is_stop(enum spemu_reg reg, uint64_t value)
{
	return spemu__strict_is_syndrome(reg) && value >> SPEMU_PMBSR_EL1_S_LSB & 1;
}

uint64_t spemu__strict_mrs(struct strict *strict, enum spemu_reg reg)
{
	int place = spemu__strict_place(reg);
	uint64_t value;

	value = spemu__strict_direct(strict, reg);
	if ((outstanding(strict) & written_by(place)) && !(strict->overwritten >> place & 1)) {
		/* A Context synchronization event completes a collision, so software may read
		 * it. */
		if (!is_syndrome(place) || !(strict->old[place] & value & COLL))
			spemu__spu_diagnose_register(strict->spu, DIAGNOSE_READ_EARLY, reg, value);
		if (prng_next(&strict->prng) >> 63)
			value = strict->old[place];
	}
	strict->stop_was_read |= is_stop(reg, value);
	return spemu__register_shows(strict->spu, reg, value);
}

void spemu__strict_set(struct strict *strict, enum spemu_reg reg, uint64_t value)
{
	int place = spemu__strict_place(reg);

	spemu__spu_before_write(strict->spu, reg);
	if (place >= 0) {
		if (strict->pending >> place & 1)
			strict->spu->pe->reg[reg] = strict->direct[place];
		strict->pending &= ~(1u << place);
	}
	spemu__spu_write(strict->spu, reg, value);
	if (reg == SPEMU_REG_PMBLIMITR_EL1)
		strict->buffer_was_on = REG_FIELD(strict->spu->pe, PMBLIMITR_EL1, E);
	if (place >= 0 && place < STRICT_INDIRECT) {
		strict->old[place] = strict->spu->pe->reg[reg];
		strict->overwritten |= (uint8_t)(1u << place);
	}
}

void spemu__strict_synchronize(struct strict *strict)
{
	unsigned all = outstanding(strict), forced = strict->outstanding[STAGE_FORCED];

	for (int i = 0; i < STRICT_INDIRECT; i++) {
		enum spemu_reg reg = spemu__strict_register[i];

		if (strict->overwritten >> i & 1)
			continue;
		if ((forced & written_by(i)) && !(all & written_by(i) & BY_ABORT))
			strict->old[i] = strict->spu->pe->reg[reg];
		if (all & written_by(i) & BY_COLLISION)
			strict->old[i] |= spemu__strict_direct(strict, reg) & COLL;
	}
	strict->outstanding[STAGE_FORCED] &= BY_ABORT;
	spemu__strict_advance(strict, STAGE_OPEN, STAGE_ORDERED);
}

void spemu__strict_psb(struct strict *strict)
{
	if (strict->outstanding[STAGE_OPEN] & BY_RECORDS)
		spemu__spu_diagnose(strict->spu, DIAGNOSE_PSB_UNORDERED);
	spemu__strict_advance(strict, STAGE_ORDERED, STAGE_FORCED);
	/* IVKDVF: the PSB may or may not cover later operations. They are covered in the order of
	 * the queue. */
	if (roll(strict))
		spemu__strict_advance(strict, STAGE_OPEN, STAGE_FORCED);
}

void spemu__strict_dsb(struct strict *strict)
{
	unsigned kept = 0;

	strict->incomplete_stores = 0;
	if (strict->outstanding[STAGE_FORCED] &
	    BY_ABORT) { /* the write is complete, so its abort is now like other events */
		strict->outstanding[STAGE_FORCED] &= (uint8_t)~BY_ABORT;
		strict->outstanding[STAGE_FORCED] |= BY_RECORDS;
	}
	for (unsigned i = 0; i < strict->ranges; i++)
		if (strict->range[i].stage != STAGE_FORCED)
			strict->range[kept++] = strict->range[i];
	strict->ranges = kept;
}

static void counter_loads(struct spemu_spu *s)
{
	spemu__strict_note(strict_of(s), BY_COUNTING);
}

const struct spu_observer spemu__strict_observer = {.counter_loads = counter_loads};
