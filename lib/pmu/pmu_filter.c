/* SPDX-License-Identifier: MIT */
/*
 * Filtering: the counters that count their events in the current state.
 *
 * Arm ARM:     DDI 0487 M.a, D13.1.1, D13.5, D13.7, D13.10
 * Implements:  RKYBQW RWVDWZ RGNGCW RMMZLZ RCSRMB RYWWSV DXWVNH
 * Pseudocode:  CountPMUEvents(), GetPMUCounterRange()
 */
#include "pmu/pmu_object.h"

static bool cycle(const struct clause_context *c)
{
	return c->index == SPEMU_PMU_CYCLE_COUNTER;
}

/* Return true for the cycle counter with PMCR_EL0.DP 0, which counts even if event counting is
 * prohibited or frozen. */
static bool not_disabled_with_events(const struct clause_context *c)
{
	return cycle(c) && !REG_FIELD(c->pe, PMCR_EL0, DP);
}

static bool globally_enabled(const struct clause_context *c)
{
	return pmu_range_of(c->pe, c->index) == RANGE_FIRST ? REG_FIELD(c->pe, PMCR_EL0, E)
	                                                    : REG_FIELD(c->pe, MDCR_EL2, HPME);
}

static bool secure_or_el3(const struct spemu_pe *pe)
{
	return pe_has(pe, SPEMU_EL3) &&
	       (pe->state.el == 3 || spemu__pe_security_at(pe, pe->state.el) == SPEMU_SS_SECURE);
}

/* Return true if SDER32_EL3.SUNIDEN permits counting at Secure EL0 under an EL1 in AArch32. */
static bool secure_user_noninvasive(const struct spemu_pe *pe)
{
	return pe->state.el == 0 && (pe->state.el_aarch32 & 1u << 1) &&
	       REG_FIELD(pe, SDER32_EL3, SUNIDEN);
}

static bool secure_allowed(const struct clause_context *c)
{
	const struct spemu_pe *pe = c->pe;

	return !secure_or_el3(pe) || REG_FIELD(pe, MDCR_EL3, SPME) ||
	       (pe_has(pe, SPEMU_FEAT_PMUV3P7) && REG_FIELD(pe, MDCR_EL3, MPMX)) ||
	       secure_user_noninvasive(pe) || not_disabled_with_events(c);
}

/* Return true if the counter may count at EL3. With MPMX 1, only counters that EL2 reserves
 * count, and only if SPME is 1 (RGNGCW, RCSRMB). */
static bool el3_allowed(const struct clause_context *c)
{
	const struct spemu_pe *pe = c->pe;

	if (!pe_has(pe, SPEMU_FEAT_PMUV3P7) || pe->state.el != 3 || !REG_FIELD(pe, MDCR_EL3, MPMX))
		return true;
	return (REG_FIELD(pe, MDCR_EL3, SPME) && pmu_range_of(pe, c->index) == RANGE_SECOND) ||
	       not_disabled_with_events(c);
}

static bool el2_allowed(const struct clause_context *c)
{
	const struct spemu_pe *pe = c->pe;

	return pe->state.el != 2 || !pe_has(pe, SPEMU_FEAT_PMUV3P1) ||
	       !REG_FIELD(pe, MDCR_EL2, HPMD) || pmu_range_of(pe, c->index) == RANGE_SECOND ||
	       not_disabled_with_events(c);
}

static bool not_frozen_by_overflow(const struct clause_context *c)
{
	return !spemu__pmu_frozen_by_overflow(c->pmu, pmu_range_of(c->pe, c->index)) ||
	       not_disabled_with_events(c);
}

static bool not_frozen_by_spe(const struct clause_context *c)
{
	return !spemu__pmu_frozen_by_spe(c->pmu, c->index) || not_disabled_with_events(c);
}

static bool cycles_allowed(const struct clause_context *c)
{
	const struct spemu_pe *pe = c->pe;

	if (!cycle(c))
		return true;
	if (secure_or_el3(pe) && REG_FIELD(pe, MDCR_EL3, SCCD))
		return false;
	if (pe->state.el == 2 && REG_FIELD(pe, MDCR_EL2, HCCD))
		return false;
	return pe->state.el != 3 || !REG_FIELD(pe, MDCR_EL3, MCCD);
}

/* Return a filter bit. It has the same position in all three kinds of register. */
static unsigned filter(const struct clause_context *c, unsigned bit)
{
	return bit_is_set(c->pmu->type[c->index], bit);
}

static bool not_filtered(const struct clause_context *c)
{
	unsigned security = spemu__pe_security_at(c->pe, c->pe->state.el);
	unsigned p = filter(c, SPEMU_PMCCFILTR_EL0_P_LSB), u = filter(c, SPEMU_PMCCFILTR_EL0_U_LSB);
	unsigned nsh = filter(c, SPEMU_PMCCFILTR_EL0_NSH_LSB);

	switch (c->pe->state.el) {
	case 0:
		if (security == SPEMU_SS_NON_SECURE)
			return u == filter(c, SPEMU_PMCCFILTR_EL0_NSU_LSB);
		if (security == SPEMU_SS_REALM)
			return u == filter(c, SPEMU_PMCCFILTR_EL0_RLU_LSB);
		return !u;
	case 1:
		if (security == SPEMU_SS_NON_SECURE)
			return p == filter(c, SPEMU_PMCCFILTR_EL0_NSK_LSB);
		if (security == SPEMU_SS_REALM)
			return p == filter(c, SPEMU_PMCCFILTR_EL0_RLK_LSB);
		return !p;
	case 2:
		if (security == SPEMU_SS_SECURE)
			return nsh != filter(c, SPEMU_PMCCFILTR_EL0_SH_LSB);
		if (security == SPEMU_SS_REALM)
			return nsh != filter(c, SPEMU_PMCCFILTR_EL0_RLH_LSB);
		return nsh;
	}
	return p == filter(c, SPEMU_PMCCFILTR_EL0_M_LSB);
}

static bool not_filtered_by_streaming(const struct clause_context *c)
{
	unsigned vs = filter(c, SPEMU_PMCCFILTR_EL0_VS_LSB) |
	              filter(c, SPEMU_PMCCFILTR_EL0_VS_LSB + 1) << 1;

	return !(vs & (c->pe->state.streaming ? 1u : 2u)) ||
	       vs == 3; /* 0b11 is reserved and counts as 0b00 */
}

#include "pmu/counting_clauses.h"

const struct decision spemu__pmu_counting = DECISION(FOLD_ALL, counting_clauses);

bool spemu_pmu_counts(const struct spemu_pmu *p, unsigned n)
{
	struct clause_context c = {.pe = p->pe, .pmu = p, .index = n};

	return n < SPEMU_PMU_COUNTERS && pmu_has_counter(p, n) && decide(&spemu__pmu_counting, &c);
}
