/* SPDX-License-Identifier: MIT */
/*
 * The choice of operations: the sample interval counters, which count many operations at a time.
 *
 * Arm ARM:     DDI 0487 M.a, D17.3.1 to D17.3.5
 * Implements:  D17.3.1 D17.3.2 D17.3.3 D17.3.4 D17.3.5: intervals of INTERVAL * 256 + 1 (RND 0),
 *              the random low byte (RND 1), the secondary counter ECOUNT (FEAT_SPE_ERnd)
 * Pseudocode:  SPEToCollectSample(), SPEResetSampleCounter()
 * Choices:     zero-interval, counters-end-together
 *
 * A PMSICR_EL1 that is zero when profiling becomes enabled is loaded then (D17.3.3), so the first
 * chosen operation is the one that counts it down to 0. While profiling is enabled, the reload
 * takes place at the operation after the chosen one, as in the pseudocode, and the counter reads 0
 * in between. So the interval between two chosen operations is one longer than the counter.
 *
 * struct spemu_spu keeps the distance to the next chosen operation, so counting operations between
 * two chosen ones takes two subtractions. spemu__interval_refresh() computes the distance again
 * when registers or the PE's state change.
 */
#include "base/prng.h"
#include "spu/spu_object.h"

/* Return the interval for PMSIRR_EL1.INTERVAL 0, which is UNKNOWN. */
static uint64_t zero_interval(const struct spemu_pe *pe)
{
	static const uint32_t value[] = {
	        [SPEMU_ZERO_INTERVAL_256] = 256,
	        [SPEMU_ZERO_INTERVAL_1] = 1,
	        [SPEMU_ZERO_INTERVAL_512] = 512,
	        [SPEMU_ZERO_INTERVAL_1024] = 1024,
	        [SPEMU_ZERO_INTERVAL_4096] = 4096,
	        [SPEMU_ZERO_INTERVAL_65536] = 65536,
	        [SPEMU_ZERO_INTERVAL_1048576] = 1048576,
	        [SPEMU_ZERO_INTERVAL_4294967040] = 4294967040,
	};

	return value[pe_choice(pe, SPEMU_CHOICE_ZERO_INTERVAL)];
}

void spemu__interval_prepare(struct spemu_spu *s)
{
	uint64_t interval = REG_FIELD(s->pe, PMSIRR_EL1, INTERVAL) << 8;

	s->facts.jitter = REG_FIELD(s->pe, PMSIRR_EL1, RND);
	s->facts.secondary = s->facts.jitter && spu_has(s, SPEMU_FEAT_SPE_ERND);
	s->facts.reload = interval ? interval : zero_interval(s->pe);
}

static bool secondary(const struct spemu_spu *s)
{
	return s->facts.secondary;
}

/* Return the value for loading the counter, with the next random byte. */
static uint64_t reload_value(const struct spemu_spu *s)
{
	bool random = s->facts.jitter && !s->facts.secondary;

	return s->facts.reload | (random ? s->next_random : 0);
}

static void draw(struct spemu_spu *s)
{
	s->next_random = (uint8_t)(prng_next(&s->pe->prng) >> 32);
}

/* Return true if ECOUNT, which is not 0, reaches zero before or together with COUNT. */
static bool secondary_ends(const struct spemu_spu *s, uint64_t count, uint64_t ecount)
{
	if (ecount == count)
		return pe_choice(s->pe, SPEMU_CHOICE_COUNTERS_END_TOGETHER) ==
		       SPEMU_COUNTERS_END_TOGETHER_SELECTED;
	return ecount < count;
}

/* Compute, from the registers, the number of operations up to and including the next chosen one. */
static uint64_t distance(const struct spemu_spu *s)
{
	uint64_t count = REG_FIELD(s->pe, PMSICR_EL1, COUNT);
	uint64_t ecount = REG_FIELD(s->pe, PMSICR_EL1, ECOUNT);
	uint64_t reload = 0;

	if (count == 0) { /* the reload takes one operation */
		reload = 1;
		count = reload_value(s);
		if (secondary(s) && ecount == 1)
			return 1;
		ecount = secondary(s) && ecount ? ecount - 1 : ecount;
	}
	if (!secondary(s))
		return reload + count;
	if (ecount && secondary_ends(s, count, ecount))
		return reload + ecount;
	return reload + count + s->next_random;
}

void spemu__interval_refresh(struct spemu_spu *s)
{
	s->until_sample = s->enabled ? distance(s) : UINT64_MAX;
}

void spemu__interval_enable(struct spemu_spu *s)
{
	if (s->pe->reg[SPEMU_REG_PMSICR_EL1])
		return;
	if (s->observer)
		s->observer->counter_loads(s);
	REG_FIELD_SET(s->pe, PMSICR_EL1, COUNT, reload_value(s));
	if (s->facts.jitter && !secondary(s))
		draw(s);
}

/* Count operations that reload a counter, or that run while ECOUNT is not 0. */
static OUT_OF_LINE void advance_slowly(struct spemu_spu *s, uint64_t n)
{
	uint64_t count = REG_FIELD(s->pe, PMSICR_EL1, COUNT);
	uint64_t ecount = REG_FIELD(s->pe, PMSICR_EL1, ECOUNT);

	while (n) {
		uint64_t step;

		if (count == 0) {
			count = reload_value(s);
			if (!secondary(s))
				draw(s);
			if (secondary(s) && ecount)
				ecount--;
			n--;
			continue;
		}
		step = n < count ? n : count;
		if (secondary(s) && ecount && ecount < step)
			step = ecount;
		count -= step;
		n -= step;
		if (count == 0 && secondary(s)) {
			ecount = s->next_random;
			draw(s);
		} else if (secondary(s) && ecount) {
			ecount -= step;
		}
	}
	REG_FIELD_SET(s->pe, PMSICR_EL1, COUNT, count);
	if (spu_has(s, SPEMU_FEAT_SPE_ERND))
		REG_FIELD_SET(s->pe, PMSICR_EL1, ECOUNT, ecount);
	spemu__interval_refresh(s);
}

/* Count operations without the secondary counter, with ECOUNT 0. This is the common path through
 * consecutive intervals. */
static void advance_count(struct spemu_spu *s, uint64_t *counter, uint64_t n)
{
	if (*counter == 0) {
		*counter = reload_value(s);
		if (s->facts.jitter)
			draw(s);
		n--;
	}
	*counter -= n;
	s->until_sample = *counter ? *counter : 1 + reload_value(s);
}

void spemu__interval_advance(struct spemu_spu *s, uint64_t n)
{
	uint64_t *counter = &s->pe->reg[SPEMU_REG_PMSICR_EL1];

	/* n is at most until_sample, so there is at most one reload, and COUNT reaches 0 only at
	 * the end. */
	if (n && *counter <= UINT32_MAX && !secondary(s)) {
		advance_count(s, counter, n);
		return;
	}
	advance_slowly(s, n);
}

void spemu__interval_init(struct spemu_spu *s)
{
	draw(s);
}
