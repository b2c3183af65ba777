/* SPDX-License-Identifier: MIT */
/*
 * The PE's functions for its host: init, state and registers. Each change is reported to the
 * attached units.
 *
 * Arm ARM:     DDI 0487 M.a, D1 (Exception levels, Context synchronization), D24
 */
#include "base/take.h"
#include "pe/choose.h"

size_t spemu_pe_size(void)
{
	return sizeof(struct spemu_pe);
}

/* Return true if pa_bits is a size of Table D8-5 that the features permit. The two largest sizes
 * are separate features. */
static bool pa_size_is_valid(const struct spemu_pe_config *c)
{
	static const uint8_t sizes[] = {0, 32, 36, 40, 42, 44, 48};

	if (c->pa_bits == 52)
		return spemu_has(&c->features, SPEMU_FEAT_LPA) ||
		       spemu_has(&c->features, SPEMU_FEAT_LPA2);
	if (c->pa_bits == 56)
		return spemu_has(&c->features, SPEMU_FEAT_D128);
	return memchr(sizes, c->pa_bits, sizeof(sizes)) != NULL;
}

int spemu_pe_init(struct spemu_pe **pe, void *memory, size_t size,
                  const struct spemu_pe_config *config)
{
	struct spemu_pe *p = memory;
	struct spemu_pe_config c;

	if (pe)
		*pe = NULL;
	if (!pe || !memory || !take_struct(&c, sizeof(c), config) || !pa_size_is_valid(&c) ||
	    spemu_features_check(&c.features, NULL))
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*p))
		return SPEMU_ERR_NOSPACE;
	memset(p, 0, sizeof(*p));
	p->features = c.features;
	p->pa_bits = c.pa_bits;
	p->seed = p->prng = c.seed;
	spemu__pe_reset(p);
	*pe = p;
	return SPEMU_OK;
}

const struct spemu_features *spemu_pe_features(const struct spemu_pe *pe)
{
	return &pe->features;
}

static void synchronize(struct spemu_pe *pe, bool isb)
{
	for (unsigned i = PE_UNITS; i-- > 0;)
		if (pe->unit[i].calls)
			pe->unit[i].calls->synchronize(pe->unit[i].object, isb);
}

static void synchronized(struct spemu_pe *pe, const struct spemu_pe_state *before)
{
	for (unsigned i = PE_UNITS; i-- > 0;)
		if (pe->unit[i].calls)
			pe->unit[i].calls->synchronized(pe->unit[i].object, before);
}

int spemu_pe_set(struct spemu_pe *pe, const struct spemu_pe_state *state)
{
	struct spemu_pe_state before = pe->state;

	if (!spemu__pe_has_el(pe, state->el))
		return SPEMU_ERR_INVALID;
	if (before.el == state->el && before.aarch32 == state->aarch32 &&
	    before.debug == state->debug) {
		pe->state = *state;
		spemu__pe_changed(pe, PE_UNITS);
		return SPEMU_OK;
	}
	/* The change is an exception, its return, or entry to or exit from Debug state. */
	synchronize(pe, false);
	pe->state = *state;
	synchronized(pe, &before);
	return SPEMU_OK;
}

void spemu_pe_get(const struct spemu_pe *pe, struct spemu_pe_state *state)
{
	*state = pe->state;
}

void spemu_pe_isb(struct spemu_pe *pe)
{
	synchronize(pe, true);
	synchronized(pe, NULL);
}

int spemu_reg_get(const struct spemu_pe *pe, uint64_t *value, enum spemu_reg reg)
{
	*value = 0;
	if ((unsigned)reg >= SPEMU_REG_COUNT)
		return SPEMU_ERR_INVALID;
	for (unsigned i = 0; i < PE_UNITS; i++)
		if (pe->unit[i].calls && pe->unit[i].calls->reg_get(pe->unit[i].object, value, reg))
			return SPEMU_OK;
	*value = pe->reg[reg] & pe->mask[reg];
	return SPEMU_OK;
}

int spemu_reg_set(struct spemu_pe *pe, enum spemu_reg reg, uint64_t value)
{
	bool done = false;

	if ((unsigned)reg >= SPEMU_REG_COUNT)
		return SPEMU_ERR_INVALID;
	pe->unwritten[reg] = false;
	for (unsigned i = 0; !done && i < PE_UNITS; i++)
		done = pe->unit[i].calls &&
		       pe->unit[i].calls->reg_set(pe->unit[i].object, reg, value);
	if (!done && !spemu__sysreg_desc_of(reg)->readonly) {
		pe->reg[reg] = (pe->reg[reg] & ~pe->mask[reg]) | (value & pe->mask[reg]);
		pe->generation++;
	}
	spemu__pe_changed(pe, PE_UNITS);
	pe_choices_used(pe);
	return SPEMU_OK;
}
