/* SPDX-License-Identifier: MIT */
/*
 * Counters: counting of events, overflow, CHAIN, and the divider of the cycle counter.
 *
 * Arm ARM:     DDI 0487 M.a, D13.3, D13.5, D14.3 (SW_INCR, CHAIN, PMU_SNAPSHOT)
 * Implements:  RQZJKS RFBGFH RNTZHW RHTPDY IFYVTD ITLHSZ RMZPBW
 * Pseudocode:  PMUEvent(), AArch64.IncrementEventCounter(), AArch64.IncrementCycleCounter(),
 *              IncrementInstructionCounter(), PMUSwIncrement()
 * Choices:     chain-across-ranges, chain-at-freeze, event-at-overflow
 */
#include <string.h>

#include "pmu/pmu_object.h"

static void set_overflow(struct spemu_pmu *p, unsigned n)
{
	p->pe->reg[SPEMU_REG_PMOVSSET_EL0] |= BIT64(n);
}

/* Return true if the counter overflows at bit 63 instead of bit 31: PMCR_EL0.LP and
 * MDCR_EL2.HLP. */
static bool overflows_at_63(const struct spemu_pmu *p, unsigned n)
{
	if (!pmu_has(p, SPEMU_FEAT_PMUV3P5))
		return false;
	return pmu_range_of(p->pe, n) == RANGE_FIRST ? REG_FIELD(p->pe, PMCR_EL0, LP)
	                                             : REG_FIELD(p->pe, MDCR_EL2, HLP);
}

/* Add count to a 64-bit counter. Return the number of overflows of bits 31:0 (up to 2^32), or with
 * at_63 of bits 63:0 (at most one). */
static uint64_t add(uint64_t *counter, uint64_t count, bool at_63)
{
	uint64_t low = (*counter & UINT32_MAX) + (count & UINT32_MAX);
	uint64_t before = *counter;

	*counter += count;
	return at_63 ? *counter < before : (count >> 32) + (low >> 32);
}

static bool chains(const struct spemu_pmu *p, unsigned n)
{
	const struct spemu_pe *pe = p->pe;
	enum pmu_range range = pmu_range_of(pe, n);
	bool fz = range == RANGE_FIRST ? REG_FIELD(pe, PMCR_EL0, FZO)
	                               : REG_FIELD(pe, MDCR_EL2, HPMFZO);

	if (n % 2 || n + 1 >= spemu__pe_pmu_counters(pe) ||
	    (p->type[n + 1] & 0xffff) != SPEMU_PMU_CHAIN)
		return false;
	if (range != pmu_range_of(pe, n + 1) && pe_choice(pe, SPEMU_CHOICE_CHAIN_ACROSS_RANGES) ==
	                                                SPEMU_CHAIN_ACROSS_RANGES_NOT_COUNTED)
		return false;
	return !fz || !pmu_has(p, SPEMU_FEAT_PMUV3P7) ||
	       pe_choice(pe, SPEMU_CHOICE_CHAIN_AT_FREEZE) == SPEMU_CHAIN_AT_FREEZE_COUNTED;
}

/* Increment an event counter. may has the counters that may count the CHAIN event: those that
 * counted before the event, or those that count now. */
static void increment(struct spemu_pmu *p, unsigned n, uint64_t count, uint64_t may)
{
	bool at_63 = overflows_at_63(p, n);
	bool chained = !at_63 && chains(p, n) && bit_is_set(may, n + 1);
	uint64_t overflows = add(&p->counter[n], count, at_63);

	if (!pmu_has(p, SPEMU_FEAT_PMUV3P5))
		p->counter[n] &= UINT32_MAX;
	if (!overflows)
		return;
	set_overflow(p, n);
	if (chained)
		increment(p, n + 1, overflows, may);
}

/* Return a bit set of the counters that count in the current state. */
static uint64_t counting(struct spemu_pmu *p)
{
	struct pmu_counting_cache *c = &p->cache;
	const struct spemu_pe *pe = p->pe;
	bool spe_freeze = spemu__pmu_spe_freeze(p);

	if (c->valid && c->generation == pe->generation &&
	    c->overflow == pe->reg[SPEMU_REG_PMOVSSET_EL0] && c->spe_freeze == spe_freeze &&
	    memcmp(&c->state, &pe->state, sizeof(c->state)) == 0)
		return c->counts;
	*c = (struct pmu_counting_cache){.valid = true,
	                                 .spe_freeze = spe_freeze,
	                                 .generation = pe->generation,
	                                 .overflow = pe->reg[SPEMU_REG_PMOVSSET_EL0],
	                                 .state = pe->state};
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		if (bit_is_set(pe->reg[SPEMU_REG_PMCNTENSET_EL0], n) && spemu_pmu_counts(p, n))
			c->counts |= BIT64(n);
	return c->counts;
}

static void count_cycles(struct spemu_pmu *p, uint64_t count)
{
	bool long_cycles = !pmu_has(p, SPEMU_FEAT_AA32) || REG_FIELD(p->pe, PMCR_EL0, LC);

	if (!long_cycles && REG_FIELD(p->pe, PMCR_EL0, D)) {
		uint64_t rest = p->clock + count % 64;

		p->clock = rest % 64;
		count = count / 64 + rest / 64;
	}
	if (count && add(&p->counter[SPEMU_PMU_CYCLE_COUNTER], count, long_cycles))
		set_overflow(p, SPEMU_PMU_CYCLE_COUNTER);
}

void spemu__pmu_count_for(struct spemu_pmu *p, uint16_t event, uint64_t count, uint64_t counters)
{
	uint64_t counted = 0, now, may;
	bool at_once =
	        pe_choice(p->pe, SPEMU_CHOICE_EVENT_AT_OVERFLOW) == SPEMU_EVENT_AT_OVERFLOW_COUNTED;

	if (event == SPEMU_PMU_CPU_CYCLES)
		counted |= BIT64(SPEMU_PMU_CYCLE_COUNTER);
	if (event == SPEMU_PMU_INST_RETIRED)
		counted |= BIT64(SPEMU_PMU_INSTRUCTION_COUNTER);
	for (unsigned n = 0; n < spemu__pe_pmu_counters(p->pe); n++)
		if ((p->type[n] & 0xffff) == event)
			counted |= BIT64(n);
	now = counted & counters;
	if (!now)
		return;
	may = counting(p);
	for (unsigned n = 0; now >> n; n++) {
		if (!at_once)
			may = counting(p); /* an overflow has frozen the other counters */
		if (!bit_is_set(now & may, n))
			continue;
		if (n == SPEMU_PMU_CYCLE_COUNTER)
			count_cycles(p, count);
		else if (n == SPEMU_PMU_INSTRUCTION_COUNTER) {
			if (add(&p->counter[n], count, true))
				set_overflow(p, n);
		} else
			increment(p, n, count, may);
	}
}

int spemu_pmu_count(struct spemu_pmu *p, uint16_t event, uint64_t count)
{
	if (p->host.counter_read)
		return SPEMU_ERR_STATE;
	/* CHAIN is not an event of the PE: counters generate it. */
	if (count && event != SPEMU_PMU_CHAIN) {
		spemu__pmu_count_for(p, event, count, ~UINT64_C(0));
		spemu__pmu_changed(p);
	}
	return SPEMU_OK;
}

int spemu_pmu_overflow(struct spemu_pmu *p, uint64_t counters)
{
	if (!p->host.counter_read)
		return SPEMU_ERR_STATE;
	p->pe->reg[SPEMU_REG_PMOVSSET_EL0] |= counters & pmu_mask(p);
	spemu__pmu_changed(p);
	return SPEMU_OK;
}

/* Count an event that the PMU generates, and report it to the host. */
void spemu__pmu_generate(struct spemu_pmu *p, uint16_t event)
{
	if (!p->host.counter_read)
		spemu__pmu_count_for(p, event, 1, ~UINT64_C(0));
	if (p->host.event)
		p->host.event(p->host.ctx, event, 1);
}

void spemu__pmu_software_increment(struct spemu_pmu *p, uint64_t value)
{
	if (!p->host.counter_read)
		spemu__pmu_count_for(p, SPEMU_PMU_SW_INCR, 1, value & BITMASK(30, 0));
	if (p->host.event && value)
		p->host.event(p->host.ctx, SPEMU_PMU_SW_INCR, 1);
}

uint64_t spemu__pmu_counter_read(const struct spemu_pmu *p, unsigned n)
{
	uint64_t value =
	        p->host.counter_read ? p->host.counter_read(p->host.ctx, n) : p->counter[n];

	return n < SPEMU_PMU_CYCLE_COUNTER && !pmu_has(p, SPEMU_FEAT_PMUV3P5) ? value & UINT32_MAX
	                                                                      : value;
}

void spemu__pmu_counter_write(struct spemu_pmu *p, unsigned n, uint64_t value)
{
	if (n < SPEMU_PMU_CYCLE_COUNTER && !pmu_has(p, SPEMU_FEAT_PMUV3P5))
		value &= UINT32_MAX;
	if (!p->host.counter_read)
		p->counter[n] = value;
	else if (p->host.counter_write)
		p->host.counter_write(p->host.ctx, n, value);
}
