/* SPDX-License-Identifier: MIT */
/*
 * Effects of overflow flags, which freeze counters and request interrupts; and freezes by an SPE
 * event.
 *
 * Arm ARM:     DDI 0487 M.a, D13.3.1, D13.5.2
 * Implements:  RFGSDP RBHFSF RHSGZX
 * Pseudocode:  ShouldPMUFreeze(), SPEFreezeOnEvent(), CheckPMUOverflowCondition()
 */
#include "pmu/pmu_object.h"

/* Return a bit set of the event counters in a range. */
static uint64_t event_counters(const struct spemu_pmu *p, enum pmu_range range)
{
	uint64_t all = BIT64(spemu__pe_pmu_counters(p->pe)) - 1;
	uint64_t first = BIT64(spemu__pe_pmu_hpmn(p->pe)) - 1;

	return range == RANGE_FIRST ? first : all & ~first;
}

static uint64_t overflowed(const struct spemu_pmu *p)
{
	return p->pe->reg[SPEMU_REG_PMOVSSET_EL0] & pmu_mask(p);
}

/* Return true if an overflow flag freezes the counters of a range. The flag of the cycle counter
 * freezes none. The flag of the instruction counter freezes the first range. */
bool spemu__pmu_frozen_by_overflow(const struct spemu_pmu *p, enum pmu_range range)
{
	uint64_t flags = overflowed(p) & event_counters(p, range);

	if (!pmu_has(p, SPEMU_FEAT_PMUV3P7))
		return false;
	if (range == RANGE_SECOND)
		return flags && REG_FIELD(p->pe, MDCR_EL2, HPMFZO);
	flags |= overflowed(p) & BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	return flags && REG_FIELD(p->pe, PMCR_EL0, FZO);
}

bool spemu__pmu_spe_freeze(const struct spemu_pmu *p)
{
	return p->host.spe_freeze ? p->host.spe_freeze(p->host.ctx) : p->pe->spe_freeze;
}

bool spemu__pmu_frozen_by_spe(const struct spemu_pmu *p, unsigned n)
{
	bool fz = pmu_range_of(p->pe, n) == RANGE_FIRST ? REG_FIELD(p->pe, PMCR_EL0, FZS)
	                                                : REG_FIELD(p->pe, MDCR_EL2, HPMFZS);

	if (!fz || !pmu_has(p, SPEMU_FEAT_SPEV1P2))
		return false;
	if (n == SPEMU_PMU_CYCLE_COUNTER && !pmu_has(p, SPEMU_FEAT_SPE_DPFZS))
		return false;
	return spemu__pmu_spe_freeze(p);
}

bool spemu_pmu_irq(const struct spemu_pmu *p)
{
	uint64_t requests = overflowed(p) & p->pe->reg[SPEMU_REG_PMINTENSET_EL1];
	uint64_t enabled = 0;

	if (!requests)
		return false;
	if (REG_FIELD(p->pe, PMCR_EL0, E))
		enabled |= event_counters(p, RANGE_FIRST) | BIT64(SPEMU_PMU_CYCLE_COUNTER) |
		           BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	if (REG_FIELD(p->pe, MDCR_EL2, HPME))
		enabled |= event_counters(p, RANGE_SECOND);
	return requests & enabled;
}

void spemu_pmu_set_spe_freeze(struct spemu_pmu *p, bool freeze)
{
	if (!p->pe->unit[PE_UNIT_SPU].calls)
		p->pe->spe_freeze = freeze;
}
