/* SPDX-License-Identifier: MIT */
/*
 * Injected events: the choice of the record that gets an event.
 *
 * Arm ARM:     DDI 0487 M.a, D17.8
 */
#include "base/prng.h"
#include "base/take.h"
#include "spu/spu_object.h"

/* Return true if spemu_fsc() can return this FSC value. */
static bool fsc_exists(unsigned fsc)
{
	for (int type = SPEMU_FT_ADDRESS_SIZE; type <= SPEMU_FT_EXTERNAL_ASYNC; type++)
		for (int level = -2; level <= 3; level++)
			if (spemu_fsc((enum spemu_fault_type)type, level) == (int)fsc)
				return true;
	return false;
}

bool spemu__fault_is_valid(const struct spemu_fault *fault)
{
	switch (fault->kind) {
	case SPEMU_FAULT_STAGE1:
	case SPEMU_FAULT_STAGE2:
		return fsc_exists(fault->fsc);
	case SPEMU_FAULT_GPC:
	case SPEMU_FAULT_EXTERNAL:
		return true;
	default:
		return false;
	}
}

bool spemu__injection_is_valid(const struct spemu_injection *i)
{
	if (i->size != sizeof(*i) || i->kind > SPEMU_INJECT_COLLISION || i->mss2 >> 24)
		return false;
	if (i->kind == SPEMU_INJECT_FAULT && !spemu__fault_is_valid(&i->fault))
		return false;
	switch (i->when) {
	case SPEMU_INJECT_NTH:
		return i->nth > 0;
	case SPEMU_INJECT_ADDRESS:
		return i->first <= i->last;
	case SPEMU_INJECT_RATE:
		return i->rate > 0;
	default:
		return false;
	}
}

int spemu_spu_inject(struct spemu_spu *spu, unsigned *index,
                     const struct spemu_injection *injection)
{
	struct spemu_injection rule;

	if (index)
		*index = SPEMU_INJECTIONS_MAX;
	if (!take_struct(&rule, sizeof(rule), injection) || !spemu__injection_is_valid(&rule))
		return SPEMU_ERR_INVALID;
	if (spu->injections == SPEMU_INJECTIONS_MAX)
		return SPEMU_ERR_NOSPACE;
	if (index)
		*index = spu->injections;
	spu->injection[spu->injections++] = (struct injection){.rule = rule, .countdown = rule.nth};
	return SPEMU_OK;
}

int spemu_spu_injected(const struct spemu_spu *spu, uint64_t *count, unsigned index)
{
	*count = 0;
	if (index >= spu->injections)
		return SPEMU_ERR_INVALID;
	*count = spu->injection[index].happened;
	return SPEMU_OK;
}

void spemu_spu_inject_clear(struct spemu_spu *spu)
{
	spu->injections = 0;
}

static bool touches(const struct spemu_injection *rule, uint64_t address, unsigned size)
{
	return address <= rule->last && address + (size - 1) >= rule->first;
}

/* Return true if an injection is due. Every record advances every injection, so injections do
 * not depend on each other. */
static bool due(struct spemu_spu *s, struct injection *i, uint64_t address, unsigned size)
{
	bool hit = false;

	switch (i->rule.when) {
	case SPEMU_INJECT_NTH:
		hit = --i->countdown == 0;
		if (hit)
			i->countdown = i->rule.nth;
		break;
	case SPEMU_INJECT_ADDRESS:
		hit = touches(&i->rule, address, size);
		break;
	default:
		hit = prng_next(&s->inject_prng) % i->rule.rate == 0;
		break;
	}
	return hit && (!i->rule.times || i->happened < i->rule.times);
}

const struct spemu_injection *spemu__inject_due(struct spemu_spu *s, unsigned *offset,
                                                uint64_t address, unsigned size)
{
	struct injection *chosen = NULL;

	for (unsigned n = 0; n < s->injections; n++)
		if (due(s, &s->injection[n], address, size) && !chosen)
			chosen = &s->injection[n];
	if (!chosen)
		return NULL;
	chosen->happened++;
	*offset = chosen->rule.fault.written < size ? chosen->rule.fault.written : size - 1;
	if (chosen->rule.when == SPEMU_INJECT_ADDRESS)
		*offset =
		        chosen->rule.first > address ? (unsigned)(chosen->rule.first - address) : 0;
	return &chosen->rule;
}
