/* SPDX-License-Identifier: MIT */
/*
 * Compare counters with a second, slow implementation over random states and sequences. It counts
 * one event at a time, with conditions written from D13.5, D13.7 and the register pages. Also test
 * cases that were computed by hand.
 */
#include "base/prng.h"
#include "pmu_fixture.h"

#define B(n) (UINT64_C(1) << (n))
#define CNT(n) SPEMU_SYSREG_PMEVCNTRn_EL0(n)
#define TYPE(n) SPEMU_SYSREG_PMEVTYPERn_EL0(n)

static uint64_t seed;

static uint64_t next(void)
{
	return prng_next(&seed);
}

/* State of the second implementation: the values that software wrote, and the counters. */
struct reference {
	const struct spemu_features *fs;
	uint64_t mdcr3, mdcr2, scr, pmcr, enable, overflow;
	uint64_t counter[33], type[33];
	unsigned counters, el;
	bool debug, streaming, spe;
	unsigned cycles; /* cycles since the last multiple of 64 */
};

static bool has(const struct reference *r, enum spemu_feature f)
{
	return spemu_has(r->fs, f);
}

static bool bit(uint64_t value, unsigned n)
{
	return value >> n & 1;
}

/* Return true if the counter is in the second range. The test gives MDCR_EL2.HPMN only valid
 * values. Without EL2 all counters are in the first range. */
static bool second_range(const struct reference *r, unsigned n)
{
	return n < 31 && has(r, SPEMU_EL2) && n >= (r->mdcr2 & 31);
}

enum { SECURE, NONSECURE, ROOT, REALM };

static unsigned world(const struct reference *r)
{
	bool secure_exists = has(r, SPEMU_SECURE);

	if (r->el == 3)
		return has(r, SPEMU_FEAT_RME) ? ROOT : SECURE;
	if (!has(r, SPEMU_EL3) || !secure_exists)
		return NONSECURE;
	if (has(r, SPEMU_FEAT_RME) && bit(r->scr, 62))
		return REALM;
	return bit(r->scr, 0) ? NONSECURE : SECURE;
}

/*
 * Return true if the filters `f` exclude the state of the PE. D24.5.12 gives the meaning of each
 * pair of bits.
 */
static bool filtered(const struct reference *r, uint64_t f)
{
	bool P = bit(f, 31), U = bit(f, 30), NSK = bit(f, 29), NSU = bit(f, 28), NSH = bit(f, 27);
	bool M = bit(f, 26), SH = bit(f, 24), RLK = bit(f, 22), RLU = bit(f, 21), RLH = bit(f, 20);
	unsigned vs = f >> 56 & 3;

	if (has(r, SPEMU_FEAT_PMUV3_SME) &&
	    ((vs == 1 && r->streaming) || (vs == 2 && !r->streaming)))
		return true;
	if (r->el == 3)
		return M != P;
	if (r->el == 2)
		return world(r) == NONSECURE ? !NSH : world(r) == REALM ? NSH == RLH : NSH == SH;
	if (r->el == 1)
		return world(r) == NONSECURE ? P != NSK : world(r) == REALM ? P != RLK : P;
	return world(r) == NONSECURE ? U != NSU : world(r) == REALM ? U != RLU : U;
}

/* Return true if counting is prohibited for a counter of the second range if `second`, else of the
 * first range (RWVDWZ, RGNGCW, RMMZLZ). */
static bool prohibited(const struct reference *r, bool second)
{
	bool spme = bit(r->mdcr3, 17), mpmx = has(r, SPEMU_FEAT_PMUV3P7) && bit(r->mdcr3, 35);

	if (has(r, SPEMU_EL3)) {
		if (r->el == 3 && has(r, SPEMU_FEAT_PMUV3P7)) {
			if (!(spme && !mpmx) && !(spme && mpmx && second))
				return true;
		} else if (r->el == 3 && !spme) {
			return true;
		}
		if (r->el < 3 && world(r) == SECURE && !spme && !mpmx)
			return true;
	}
	return r->el == 2 && bit(r->mdcr2, 17) && !second;
}

static bool frozen(const struct reference *r, bool second, bool spe_too)
{
	uint64_t of = 0;

	for (unsigned n = 0; n < r->counters; n++)
		if (bit(r->overflow, n) && second_range(r, n) == second)
			of = 1;
	if (!second && has(r, SPEMU_FEAT_PMUV3_ICNTR) && bit(r->overflow, 32))
		of = 1;
	if (of && has(r, SPEMU_FEAT_PMUV3P7) && (second ? bit(r->mdcr2, 29) : bit(r->pmcr, 9)))
		return true;
	return spe_too && r->spe && has(r, SPEMU_FEAT_SPEV1P2) &&
	       (second ? bit(r->mdcr2, 36) : bit(r->pmcr, 32));
}

static bool cycles_count(const struct reference *r)
{
	bool dp = bit(r->pmcr, 5);

	if (!bit(r->pmcr, 0) || !bit(r->enable, 31) || r->debug)
		return false;
	if (dp && (prohibited(r, false) || frozen(r, false, has(r, SPEMU_FEAT_SPE_DPFZS))))
		return false;
	if (has(r, SPEMU_FEAT_PMUV3P5)) {
		if (has(r, SPEMU_EL3) && (r->el == 3 || world(r) == SECURE) && bit(r->mdcr3, 23))
			return false;
		if (r->el == 2 && bit(r->mdcr2, 23))
			return false;
	}
	if (has(r, SPEMU_FEAT_PMUV3P7) && r->el == 3 && bit(r->mdcr3, 34))
		return false;
	return !filtered(r, r->type[31]);
}

static bool counts(const struct reference *r, unsigned n)
{
	bool second = second_range(r, n);

	if (n == 31)
		return cycles_count(r);
	if (n == 32 && !has(r, SPEMU_FEAT_PMUV3_ICNTR))
		return false;
	if (n < 31 && n >= r->counters)
		return false;
	return (second ? bit(r->mdcr2, 7) : bit(r->pmcr, 0)) && bit(r->enable, n) && !r->debug &&
	       !prohibited(r, second) && !frozen(r, second, true) && !filtered(r, r->type[n]);
}

/* Increment a counter. Return true if it overflows at bit 63 if `at_63`, else at bit 31. */
static bool up(uint64_t *counter, bool at_63)
{
	bool overflow = at_63 ? *counter == UINT64_MAX : (*counter & UINT32_MAX) == UINT32_MAX;

	++*counter;
	return overflow;
}

static void count_once(struct reference *r, unsigned n, const bool *may)
{
	bool p5 = has(r, SPEMU_FEAT_PMUV3P5);
	bool at_63 = p5 && (second_range(r, n) ? bit(r->mdcr2, 26) : bit(r->pmcr, 7));

	if (!up(&r->counter[n], at_63))
		return;
	r->overflow |= B(n);
	/* CHAIN: if this counter overflows at bit 31, the next counter counts if it is odd and in
	 * the same range. */
	if (!at_63 && n % 2 == 0 && n + 1 < r->counters &&
	    second_range(r, n) == second_range(r, n + 1) && (r->type[n + 1] & 0xffff) == 0x1e &&
	    may[n + 1])
		count_once(r, n + 1, may);
}

static void event(struct reference *r, unsigned event, unsigned times)
{
	bool may[33];

	for (unsigned n = 0; n < 33; n++)
		may[n] = counts(r, n);
	for (unsigned n = 0; n < r->counters; n++)
		for (unsigned i = 0; i < times && may[n] && (r->type[n] & 0xffff) == event; i++) {
			count_once(r, n, may);
			if (!has(r, SPEMU_FEAT_PMUV3P5))
				for (unsigned k = 0; k < r->counters; k++)
					r->counter[k] &= UINT32_MAX;
		}
	for (unsigned i = 0; i < times && event == 0x11 && may[31]; i++) {
		bool lc = bit(r->pmcr, 6) || !has(r, SPEMU_FEAT_AA32);

		if (!lc && bit(r->pmcr, 3) && ++r->cycles % 64)
			continue;
		if (up(&r->counter[31], lc))
			r->overflow |= B(31);
	}
	for (unsigned i = 0; i < times && event == 0x08 && may[32]; i++)
		if (up(&r->counter[32], true))
			r->overflow |= B(32);
}

static bool interrupt(const struct reference *r, uint64_t enabled)
{
	uint64_t who = r->overflow & enabled;

	for (unsigned n = 0; n < 33; n++)
		if (bit(who, n) && (second_range(r, n) ? bit(r->mdcr2, 7) : bit(r->pmcr, 0)))
			return true;
	return false;
}

static void give(struct pmu_fixture *f, struct reference *r)
{
	uint64_t e2 = has(r, SPEMU_EL2);

	r->scr = (next() & 1 ? B(0) : 0) | (next() & 1 ? B(18) : 0);
	if (has(r, SPEMU_FEAT_RME) && (r->scr & 1) && next() & 1)
		r->scr |= B(62);
	if (has(r, SPEMU_FEAT_RME) && !has(r, SPEMU_FEAT_SEL2))
		r->scr |= 1;
	r->mdcr3 = next() & next() & (B(35) | B(34) | B(23)) ? next() & (B(35) | B(34) | B(23)) : 0;
	r->mdcr3 |= next() & B(17);
	r->mdcr2 = (next() & next() & (B(36) | B(29) | B(26) | B(23) | B(17))) |
	           (next() & 3 ? B(7) : 0);
	r->mdcr2 |= 1 + next() % r->counters;
	r->pmcr = (next() & next() & (B(32) | B(9) | B(7) | B(6) | B(5) | B(3))) |
	          (next() & 7 ? 1 : 0);
	r->enable = next() | next();
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_SCR_EL3, r->scr);
	pmu_set_if(f, SPEMU_EL3, SPEMU_SYSREG_MDCR_EL3, r->mdcr3);
	if (e2)
		pmu_set(f, SPEMU_SYSREG_MDCR_EL2, r->mdcr2);
	pmu_set(f, SPEMU_SYSREG_PMCR_EL0, r->pmcr);
	pmu_set(f, SPEMU_SYSREG_PMCNTENSET_EL0, r->enable);
	/* Read the registers back as the PE stores them, without RES0 bits. */
	r->mdcr2 = pmu_get(f, SPEMU_SYSREG_MDCR_EL2);
	r->mdcr3 = has(r, SPEMU_EL3) ? pmu_get(f, SPEMU_SYSREG_MDCR_EL3) : 0;
	r->scr = has(r, SPEMU_EL3) ? pmu_get(f, SPEMU_SYSREG_SCR_EL3) : 1;
	r->pmcr = pmu_get(f, SPEMU_SYSREG_PMCR_EL0);
}

static void give_counters(struct pmu_fixture *f, struct reference *r)
{
	static const uint16_t events[] = {0x08, 0x11, 0x1e, 0x1e, 0x4000, 0x4001, 0x123};

	for (unsigned n = 0; n < 33; n++) {
		/* Draw filters that let many events through, and values near an overflow. */
		uint64_t type = next() & next() & next() &
		                (B(31) | B(30) | B(29) | B(28) | B(24) | B(22) | B(21) | B(20) |
		                 B(57) | B(56));
		uint64_t value = next() & 1 ? UINT32_MAX - next() % 300 : UINT64_MAX - next() % 300;

		type |= B(27) | (next() & 1 ? B(26) : 0);
		if (next() & 1)
			type |= B(31) | B(29) | B(26) | B(22);
		type |= events[next() % 7];
		if (n >= r->counters && n < 31)
			continue;
		if (n == 32 && !has(r, SPEMU_FEAT_PMUV3_ICNTR))
			continue;
		pmu_set(f,
		        n == 31   ? SPEMU_SYSREG_PMCCFILTR_EL0
		        : n == 32 ? SPEMU_SYSREG_PMICFILTR_EL0
		                  : TYPE(n),
		        type);
		r->type[n] = pmu_get(f, n == 31   ? SPEMU_SYSREG_PMCCFILTR_EL0
		                        : n == 32 ? SPEMU_SYSREG_PMICFILTR_EL0
		                                  : TYPE(n));
		if (n < 31 && !has(r, SPEMU_FEAT_PMUV3P5))
			value &= UINT32_MAX;
		r->counter[n] = value;
		pmu_set(f,
		        n == 31   ? SPEMU_SYSREG_PMCCNTR_EL0
		        : n == 32 ? SPEMU_SYSREG_PMICNTR_EL0
		                  : CNT(n),
		        value);
	}
	r->overflow = 0;
	pmu_set(f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
}

static void compare(const struct pmu_fixture *f, const struct reference *r, uint64_t inten)
{
	for (unsigned n = 0; n < r->counters; n++)
		assert_true(pmu_get(f, CNT(n)) == r->counter[n]);
	assert_true(pmu_get(f, SPEMU_SYSREG_PMCCNTR_EL0) == r->counter[31]);
	if (has(r, SPEMU_FEAT_PMUV3_ICNTR))
		assert_true(pmu_get(f, SPEMU_SYSREG_PMICNTR_EL0) == r->counter[32]);
	assert_true(pmu_get(f, SPEMU_SYSREG_PMOVSSET_EL0) == r->overflow);
	assert_int_equal(spemu_pmu_irq(f->pmu), interrupt(r, inten));
	assert_int_equal(f->irq, spemu_pmu_irq(f->pmu));
	for (unsigned n = 0; n < 33; n++)
		assert_int_equal(spemu_pmu_counts(f->pmu, n), counts(r, n));
}

static void counters_match_the_reference(void **state)
{
	static const char *const sets[] = {"v8.2",
	                                   "v8.4",
	                                   "v8.5",
	                                   "v8.7",
	                                   "v8.9",
	                                   "v9.6",
	                                   "v9.4",
	                                   "v8.4,-EL2",
	                                   "v8.9,-EL3,-Secure",
	                                   "v9.6,-FEAT_AA32",
	                                   "v9.6,+FEAT_SME,+FEAT_PMUv3_SME",
	                                   "v8.7,-FEAT_SPEv1p2,-FEAT_SPE_FnE"};
	unsigned batches = 0, overflows = 0, interrupts = 0;

	(void)state;
	seed = 1234567;
	for (unsigned round = 0; round < 3000; round++) {
		struct spemu_pmu_config config = {.event_counters = (uint8_t)(1 + next() % 8)};
		struct reference r = {.counters = config.event_counters};
		struct pmu_fixture f;
		uint64_t inten = next();

		pmu_start_with(&f, sets[round % 12], &config);
		r.fs = &f.features;
		pmu_set(&f, SPEMU_SYSREG_PMINTENSET_EL1, inten);
		inten = pmu_get(&f, SPEMU_SYSREG_PMINTENSET_EL1);
		give(&f, &r);
		give_counters(&f, &r);
		for (unsigned step = 0; step < 40; step++) {
			static const uint16_t kinds[] = {0x08,   0x11,  0x11, 0x4000,
			                                 0x4001, 0x123, 0x999};
			unsigned times = (unsigned)(next() % (next() & 1 ? 4 : 200));
			uint16_t kind = kinds[next() % 7];

			if (next() % 8 == 0)
				give(&f, &r);
			if (next() % 8 == 0) {
				uint64_t clear = next();

				pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, r.overflow & ~clear);
				r.overflow &= ~clear;
			}
			r.el = (unsigned)(next() & 3);
			if (r.el == 3 && !has(&r, SPEMU_EL3))
				r.el = 1;
			if (r.el == 2 && (!has(&r, SPEMU_EL2) ||
			                  (world(&r) == SECURE &&
			                   !(has(&r, SPEMU_FEAT_SEL2) && bit(r.scr, 18)))))
				r.el = 0;
			r.debug = next() % 16 == 0;
			r.streaming = next() & 1;
			r.spe = next() % 4 == 0;
			spemu_pmu_set_spe_freeze(f.pmu, r.spe);
			pmu_at(&f, (struct spemu_pe_state){.el = (uint8_t)r.el,
			                                   .debug = r.debug,
			                                   .streaming = r.streaming});
			assert_int_equal(spemu_pmu_count(f.pmu, kind, times), SPEMU_OK);
			event(&r, kind, times);
			compare(&f, &r, inten);
			overflows += r.overflow != 0;
			interrupts += f.irq;
			batches++;
		}
		pmu_stop(&f);
	}
	print_message("# %u batches, %u with overflows, %u interrupting\n", batches, overflows,
	              interrupts);
	assert_true(overflows > batches / 8 && interrupts > batches / 40);
}

/* RQZJKS, IFYVTD: counters of 32 bits, counters of 64 bits with both kinds of overflow, and more
 * than one overflow in a batch. */
static void rqzjks_counters_overflow_at_32_or_64_bits(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v8.4");
	pmu_program(&f);
	pmu_set(&f, CNT(0), UINT32_MAX - 1);
	spemu_pmu_count(f.pmu, 0x100, 3);
	assert_int_equal(pmu_get(&f, CNT(0)), 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 1);
	pmu_stop(&f);
	pmu_start(&f, "v8.5");
	pmu_program(&f);
	pmu_set(&f, CNT(0), UINT32_MAX);
	spemu_pmu_count(f.pmu, 0x100, 1);
	assert_true(pmu_get(&f, CNT(0)) == B(32));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 1);
	pmu_set(&f, SPEMU_SYSREG_PMCR_EL0,
	        FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, LC, 1) | FIELD(PMCR_EL0, LP, 1));
	pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	spemu_pmu_count(f.pmu, 0x100, B(33));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 0);
	spemu_pmu_count(f.pmu, 0x100, 0); /* zero events */
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 0);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 0);
	pmu_set(&f, CNT(0), UINT64_MAX);
	spemu_pmu_count(f.pmu, 0x100, 1);
	assert_int_equal(pmu_get(&f, CNT(0)), 0);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 1);
	/* In the second range, MDCR_EL2.HLP selects the overflow. */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 2));
	pmu_set(&f, CNT(2), UINT32_MAX);
	pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	spemu_pmu_count(f.pmu, 0x102, 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 4);
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2,
	        FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HLP, 1) | FIELD(MDCR_EL2, HPMN, 2));
	pmu_set(&f, CNT(2), UINT32_MAX);
	pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	spemu_pmu_count(f.pmu, 0x102, 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 0);
	pmu_stop(&f);
}

/* RNTZHW: PMCR_EL0.{LC, D} select whether the cycle counter overflows at 32 or 64 bits and whether
 * it counts every 64th cycle. RFBGFH: the instruction counter always overflows at 64 bits. */
static void rntzhw_cycle_and_instruction_counters_overflow(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_PMCR_EL0,
	        FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, D, 1)); /* E and D are set, LC is not */
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 63);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0), 0);
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 66);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0), 2);
	pmu_set(&f, SPEMU_SYSREG_PMCCNTR_EL0, UINT32_MAX);
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 63);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0) == B(32));
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0) == B(31));
	/* If LC is set, D is ignored. */
	pmu_set(&f, SPEMU_SYSREG_PMCR_EL0,
	        FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, D, 1) | FIELD(PMCR_EL0, LC, 1));
	pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
	pmu_set(&f, SPEMU_SYSREG_PMCCNTR_EL0, UINT32_MAX);
	spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 2);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0) == B(32) + 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 0);
	pmu_set(&f, SPEMU_SYSREG_PMICNTR_EL0, UINT32_MAX);
	spemu_pmu_count(f.pmu, SPEMU_PMU_INST_RETIRED, 1);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0), 0);
	pmu_set(&f, SPEMU_SYSREG_PMICNTR_EL0, UINT64_MAX);
	spemu_pmu_count(f.pmu, SPEMU_PMU_INST_RETIRED, 1);
	assert_true(pmu_get(&f, SPEMU_SYSREG_PMOVSSET_EL0) == B(32));
	pmu_stop(&f);
	/* Without AArch32, LC is RES1 and D is RES0. */
	pmu_start(&f, "v9.6,-FEAT_AA32");
	pmu_program(&f);
	pmu_msr(&f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, D, 1));
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCR_EL0) & 0x48, 0x40);
	pmu_stop(&f);
}

static void choose(struct pmu_fixture *f, enum spemu_choice choice, unsigned option)
{
	assert_int_equal(spemu_choice_set(f->pe, choice, option), SPEMU_OK);
}

/* D14.3: a counter of CHAIN counts the overflows of the even counter below it. Choices decide some
 * cases. */
static void chain_counts_overflows_of_even_counter(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, TYPE(1), SPEMU_PMU_CHAIN);
	pmu_set(&f, TYPE(2), SPEMU_PMU_CHAIN);
	spemu_pmu_count(f.pmu, 0x100, 3 * B(32) + 5);
	assert_int_equal(pmu_get(&f, CNT(1)), 3);
	assert_int_equal(pmu_get(&f, CNT(2)), 0); /* an even counter does not count CHAIN */
	assert_int_equal(spemu_pmu_count(f.pmu, SPEMU_PMU_CHAIN, 1), SPEMU_OK);
	assert_int_equal(pmu_get(&f, CNT(1)), 3); /* an event CHAIN from the host has no effect */
	/* Counter 1 is in the second range. */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 1));
	pmu_set(&f, CNT(0), UINT32_MAX);
	spemu_pmu_count(f.pmu, 0x100, 1);
	assert_int_equal(pmu_get(&f, CNT(1)), 3);
	choose(&f, SPEMU_CHOICE_CHAIN_ACROSS_RANGES, SPEMU_CHAIN_ACROSS_RANGES_COUNTED);
	pmu_set(&f, CNT(0), UINT32_MAX);
	spemu_pmu_count(f.pmu, 0x100, 1);
	assert_int_equal(pmu_get(&f, CNT(1)), 4);
	/* ITLHSZ: FZO freezes the range in which a counter overflows. */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 6));
	pmu_set(&f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, FZO, 1));
	for (unsigned i = 0; i < 2; i++) {
		choose(&f, SPEMU_CHOICE_CHAIN_AT_FREEZE, i);
		pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
		pmu_set(&f, CNT(1), 0);
		pmu_set(&f, CNT(0), UINT32_MAX);
		spemu_pmu_count(f.pmu, 0x100, 1);
		assert_int_equal(pmu_get(&f, CNT(1)), i == SPEMU_CHAIN_AT_FREEZE_COUNTED);
	}
	pmu_stop(&f);
}

/* RFGSDP: a choice decides whether events at the same time as the overflow count. Later events do
 * not count. */
static void rfgsdp_freeze_on_overflow_stops_counting(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, SPEMU_SYSREG_PMCR_EL0, FIELD(PMCR_EL0, E, 1) | FIELD(PMCR_EL0, FZO, 1));
	for (unsigned n = 0; n < 6; n++)
		pmu_set(&f, TYPE(n), 0x100);
	for (unsigned i = 0; i < 2; i++) {
		bool counted = i == SPEMU_EVENT_AT_OVERFLOW_COUNTED;

		choose(&f, SPEMU_CHOICE_EVENT_AT_OVERFLOW, i);
		pmu_set(&f, SPEMU_SYSREG_PMOVSSET_EL0, 0);
		for (unsigned n = 0; n < 6; n++)
			pmu_set(&f, CNT(n), n == 2 ? UINT32_MAX : 0);
		spemu_pmu_count(f.pmu, 0x100, 4);
		assert_int_equal(pmu_get(&f, CNT(1)), 4);
		assert_int_equal(pmu_get(&f, CNT(3)), counted ? 4 : 0);
		spemu_pmu_count(f.pmu, 0x100, 4);
		assert_int_equal(pmu_get(&f, CNT(1)), 4);
		/* The cycle counter is not affected because DP is 0. */
		spemu_pmu_count(f.pmu, SPEMU_PMU_CPU_CYCLES, 4);
		assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTR_EL0), 4 * (i + 1));
	}
	pmu_stop(&f);
}

/* Each MSR PMSWINC_EL0 increments once each selected counter that counts SW_INCR. */
static void pmswinc_counts_selected_counters(void **state)
{
	struct pmu_fixture f;

	(void)state;
	pmu_start(&f, "v9.6");
	pmu_program(&f);
	pmu_set(&f, TYPE(0), SPEMU_PMU_SW_INCR);
	pmu_set(&f, TYPE(1), SPEMU_PMU_SW_INCR);
	pmu_msr(&f, SPEMU_SYSREG_PMSWINC_EL0, 0xd);
	pmu_msr(&f, SPEMU_SYSREG_PMSWINC_EL0, 0x3);
	assert_int_equal(pmu_get(&f, CNT(0)), 2);
	assert_int_equal(pmu_get(&f, CNT(1)), 1);
	assert_int_equal(pmu_get(&f, CNT(2)), 0);
	/* Counters that EL2 reserves do not count. */
	pmu_set(&f, SPEMU_SYSREG_MDCR_EL2, FIELD(MDCR_EL2, HPME, 1) | FIELD(MDCR_EL2, HPMN, 1));
	pmu_msr(&f, SPEMU_SYSREG_PMSWINC_EL0, 0x3);
	assert_int_equal(pmu_get(&f, CNT(0)), 3);
	assert_int_equal(pmu_get(&f, CNT(1)), 1);
	pmu_stop(&f);
}

/* Counters of a host that has its own PMU, and the set of written ones. */
static uint64_t own[33], written;

static uint64_t own_read(void *ctx, unsigned n)
{
	(void)ctx;
	return own[n];
}

/* With SDER32_EL3.SUNIDEN, counters count in Secure EL0 although MDCR_EL3.SPME is 0, if EL1 is in
 * AArch32 state. */
static void suniden_counts_secure_el0(void **state)
{
	static const struct row {
		struct spemu_pe_state state;
		bool suniden, counts;
	} rows[] = {
	        {{.el = 0, .aarch32 = true, .el_aarch32 = 3}, false, false},
	        {{.el = 0, .aarch32 = true, .el_aarch32 = 3}, true, true},
	        {{.el = 0, .aarch32 = true, .el_aarch32 = 1}, true, false},
	        {{.el = 1, .aarch32 = true, .el_aarch32 = 3}, true, false},
	        {{.el = 0}, true, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pmu_fixture f;

		pmu_start(&f, "v8.6,-FEAT_SEL2");
		pmu_program(&f);
		pmu_set(&f, SPEMU_SYSREG_SCR_EL3, 0);
		pmu_set(&f, SPEMU_SYSREG_MDCR_EL3, 0);
		assert_int_equal(spemu_reg_set(f.pe, SPEMU_REG_SDER32_EL3,
		                               rows[i].suniden ? FIELD(SDER32_EL3, SUNIDEN, 1) : 0),
		                 SPEMU_OK);
		pmu_set(&f, TYPE(0), 0x11b);
		pmu_set(&f, CNT(0), 0);
		pmu_at(&f, rows[i].state);
		assert_int_equal(spemu_pmu_count(f.pmu, 0x11b, 5), SPEMU_OK);
		assert_int_equal(pmu_get(&f, CNT(0)), rows[i].counts ? 5 : 0);
		pmu_stop(&f);
	}
}

static void own_write(void *ctx, unsigned n, uint64_t value)
{
	(void)ctx;
	own[n] = value;
	written |= B(n);
}

static void host_counters_are_read_and_written(void **state)
{
	struct spemu_pmu_config config = {.size = sizeof(config)};
	struct spemu_pmu_host host = {
	        .size = sizeof(host), .counter_read = own_read, .counter_write = own_write};
	struct pmu_fixture f = {0};

	host.ctx = &f;
	host.pmuirq = pmu_fixture_irq;

	(void)state;
	pmu_make(&f, "v9.6", &config, &host);
	pmu_program(&f);
	for (unsigned n = 0; n < 33; n++)
		own[n] = 1000 + n;
	assert_int_equal(spemu_pmu_count(f.pmu, 0x100, 1), SPEMU_ERR_STATE);
	assert_int_equal(spemu_pmu_capture_request(f.pmu), SPEMU_CAPTURE_DONE);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMEVCNTSVRn_EL1(5)), 1005);
	assert_int_equal(pmu_get(&f, SPEMU_SYSREG_PMCCNTSVR_EL1), 1031);
	assert_int_equal(pmu_mrs(&f, CNT(4)), 1004);
	written = 0;
	pmu_msr(&f, SPEMU_SYSREG_PMCR_EL0,
	        FIELD(PMCR_EL0, C, 1) | FIELD(PMCR_EL0, P, 1) | FIELD(PMCR_EL0, E, 1));
	assert_true(written == (B(31) | 0x3f));
	pmu_set(&f, SPEMU_SYSREG_PMINTENSET_EL1, 2);
	assert_false(f.irq);
	assert_int_equal(spemu_pmu_overflow(f.pmu, 2), SPEMU_OK);
	assert_true(spemu_pmu_irq(f.pmu));
	assert_true(f.irq); /* the host has been notified */
	pmu_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counters_match_the_reference),
	        cmocka_unit_test(rqzjks_counters_overflow_at_32_or_64_bits),
	        cmocka_unit_test(rntzhw_cycle_and_instruction_counters_overflow),
	        cmocka_unit_test(chain_counts_overflows_of_even_counter),
	        cmocka_unit_test(rfgsdp_freeze_on_overflow_stops_counting),
	        cmocka_unit_test(pmswinc_counts_selected_counters),
	        cmocka_unit_test(host_counters_are_read_and_written),
	        cmocka_unit_test(suniden_counts_secure_el0),
	};
	return cmocka_run_group_tests_name("pmu_counter", tests, NULL, NULL);
}
