/* SPDX-License-Identifier: MIT */
/*
 * The SPU's PMU events in counters of the PMU: at each level, with each filter and control, and on
 * overflow. The expected counts follow from the program, because the functions of population.S have
 * known lengths.
 *
 * Arm ARM: DDI 0487 M.a, D13.3 (overflow, interrupt), D13.5 to D13.7 (what counts), D14.3
 * (SAMPLE_POP and the others), D24.5.
 */
#include "runtime.h"

#define SAMPLE_POP 0x4000
#define SAMPLE_FEED 0x4001
#define SAMPLE_FILTRATE 0x4002
#define SAMPLE_BUFFER_FULL 0x8123
#define SAMPLE_FEED_BR 0x812a
#define SAMPLE_FEED_LD 0x812b
#define SAMPLE_FEED_ST 0x812c
#define SAMPLE_FEED_OP 0x812d
#define SW_INCR 0

#define P BIT(31) /* PMEVTYPER<n>_EL0 */
#define U BIT(30)
#define NSK BIT(29)
#define NSU BIT(28)
#define NSH BIT(27)
#define M BIT(26)
#define ALL_FILTERS 64 /* of these six bits */
#define PMCR_E BIT(0)
#define PMCR_P BIT(1)
#define PMCR_LC BIT(6)
#define PMCR_LP BIT(7)
#define MDCR_EL3_SPME BIT(17)
#define MDCR_EL2_HPMD BIT(17)
#define MDCR_EL2_HPME BIT(7)
#define MDCR_EL2_HPMN UINT64_C(31)
#define HCR_IMO BIT(4)
#define COUNTERS 4 /* number of counters that are used */
#define INTERVAL 0x100000
#define RUN (POPULATION_POSITIONS + 2) /* operations of one function and the SMC or SVC after it */
#define FUNCTION ((POPULATION_POSITIONS + 1) * 4)
#define ROUNDS 20000
#define OVERFLOWS (BIT(COUNTERS) - 1)

extern char population_nop[], population_event[], population_overflow[];

static u64 counter(unsigned n)
{
	switch (n) {
	case 0:
		return READ(pmevcntr0_el0);
	case 1:
		return READ(pmevcntr1_el0);
	case 2:
		return READ(pmevcntr2_el0);
	default:
		return READ(pmevcntr3_el0);
	}
}

static void type(unsigned n, u64 value)
{
	switch (n) {
	case 0:
		WRITE(pmevtyper0_el0, value);
		break;
	case 1:
		WRITE(pmevtyper1_el0, value);
		break;
	case 2:
		WRITE(pmevtyper2_el0, value);
		break;
	default:
		WRITE(pmevtyper3_el0, value);
	}
}

/* Set all counters to 0 and enable them at every level that permits it. */
static void program(u64 pmcr)
{
	WRITE(pmcntenclr_el0, ~UINT64_C(0));
	WRITE(pmcr_el0, pmcr | PMCR_P | PMCR_LC);
	WRITE(pmovsclr_el0, ~UINT64_C(0));
	WRITE(pmcntenset_el0, OVERFLOWS);
	ISB();
}

static struct world profiled(unsigned el, enum security security)
{
	struct world world = world_of(el, security);

	if (el == 2)
		world.e2pb = 0;
	return world;
}

/* Return true if the filter counts events at the level of the world (D13.7.1). */
static bool counts(const struct world *world, u64 filter)
{
	bool secure = world->security == SECURE;

	switch (world->el) {
	case 0:
		return secure ? !(filter & U) : !(filter & U) == !(filter & NSU);
	case 1:
		return secure ? !(filter & P) : !(filter & P) == !(filter & NSK);
	default: /* this PMU does not implement PMEVTYPER<n>_EL0.SH */
		return filter & NSH;
	}
}

static void test_filters(const struct world *world)
{
	unsigned wrong = 0;

	for (u64 filters = 0; filters < ALL_FILTERS; filters += COUNTERS) {
		program(PMCR_E);
		for (unsigned n = 0; n < COUNTERS; n++)
			type(n, SAMPLE_POP | (filters + n) << 26);
		run_at(world, (u64)population_nop, 0);
		profile_sync();
		for (unsigned n = 0; n < COUNTERS; n++)
			wrong += counter(n) != (counts(world, (filters + n) << 26) ? RUN : 0);
	}
	check(!wrong, "%s: SAMPLE_POP counts with each filter as it should", world_name(world));
	if (wrong)
		note("%u of %u filters", (u64)wrong, (u64)ALL_FILTERS);
}

/* Return the counts of all four counters under these controls, as four digits to the base 100. */
static u64 counted(const struct world *world, u64 pmcr, u64 mdcr_el2, u64 mdcr_el3, u64 disabled)
{
	u64 kept2 = machine.mdcr_el2, kept3 = machine.mdcr_el3, result = 0;

	machine.mdcr_el2 = mdcr_el2;
	machine.mdcr_el3 = mdcr_el3;
	program(pmcr);
	WRITE(pmcntenclr_el0, disabled);
	for (unsigned n = 0; n < COUNTERS; n++)
		type(n, SAMPLE_POP | NSH);
	run_at(world, (u64)population_nop, 0);
	profile_sync();
	for (unsigned n = COUNTERS; n--;)
		result = result * 100 + counter(n);
	machine.mdcr_el2 = kept2;
	machine.mdcr_el3 = kept3;
	return result;
}

#define FOUR(n3, n2, n1, n0) (((((n3)*UINT64_C(100) + (n2)) * 100 + (n1)) * 100) + (n0))

static void test_controls(const struct world *world)
{
	u64 mdcr2 = machine.mdcr_el2, mdcr3 = machine.mdcr_el3;
	u64 split = (mdcr2 & ~MDCR_EL2_HPMN) | 2;
	u64 all = FOUR(RUN, RUN, RUN, RUN);
	bool at_el2 = world->el == 2, ok;

	check(counted(world, PMCR_E, mdcr2, mdcr3, 0) == all &&
	              counted(world, PMCR_E, mdcr2, mdcr3, 5) == FOUR(RUN, 0, RUN, 0),
	      "%s: PMCNTENSET_EL0 says which counters count", world_name(world));
	check(counted(world, 0, mdcr2, mdcr3, 0) == 0, "%s: none with PMCR_EL0.E 0",
	      world_name(world));
	if (world->security == SECURE)
		check(counted(world, PMCR_E, mdcr2, mdcr3 & ~MDCR_EL3_SPME, 0) == 0,
		      "%s: none with MDCR_EL3.SPME 0", world_name(world));
	if (!machine.has_el2)
		return;
	ok = counted(world, PMCR_E, split, mdcr3, 0) == FOUR(0, 0, RUN, RUN) &&
	     counted(world, PMCR_E, split | MDCR_EL2_HPME, mdcr3, 0) == all &&
	     counted(world, 0, split | MDCR_EL2_HPME, mdcr3, 0) == FOUR(RUN, RUN, 0, 0);
	check(ok, "%s: MDCR_EL2.{HPMN, HPME} divide the counters", world_name(world));
	check(counted(world, PMCR_E, split | MDCR_EL2_HPME | MDCR_EL2_HPMD, mdcr3, 0) ==
	              (at_el2 ? FOUR(RUN, RUN, 0, 0) : all),
	      "%s: MDCR_EL2.HPMD is for EL2 and the first counters", world_name(world));
}

/* Check PMEVCNTR0_EL0 and PMOVSSET_EL0 when they are read in the middle of a block. */
static void test_read_back(const struct world *world)
{
	unsigned wrong = 0, wrong_flag = 0;

	program(PMCR_E);
	type(0, SAMPLE_POP | NSH);
	for (u64 n = 0; n < POPULATION_POSITIONS; n++) {
		WRITE(pmevcntr0_el0, 0);
		wrong += run_at(world, (u64)population_event + n * FUNCTION, 0) != n + 1;
		wrong += READ(pmevcntr0_el0) != RUN;
		/* The ninth operation causes an overflow. */
		WRITE(pmevcntr0_el0, 0xffffffff - 8);
		WRITE(pmovsclr_el0, ~UINT64_C(0));
		wrong_flag += (run_at(world, (u64)population_overflow + n * FUNCTION, 0) & 1) !=
		              (n + 1 >= 9);
		wrong_flag += !(READ(pmovsset_el0) & 1);
	}
	check(!wrong, "%s: PMEVCNTR0_EL0 is exact anywhere in a block", world_name(world));
	check(!wrong_flag, "%s: PMOVSSET_EL0 is exact anywhere in a block", world_name(world));
	if (wrong || wrong_flag)
		note("%u and %u wrong", (u64)wrong, (u64)wrong_flag);
}

static bool overflowed(const struct world *world, u64 pmcr, u64 before, u64 after)
{
	program(PMCR_E | pmcr);
	type(0, SAMPLE_POP | NSH);
	WRITE(pmevcntr0_el0, before);
	run_at(world, (u64)population_nop, 0);
	profile_sync();
	if (READ(pmevcntr0_el0) != after)
		note("PMEVCNTR0_EL0 is %x", READ(pmevcntr0_el0));
	return READ(pmevcntr0_el0) == after && (READ(pmovsset_el0) & 1);
}

static void test_overflow(const struct world *world)
{
	bool wide = ((READ(id_aa64dfr0_el1) >> 8) & 15) >= 6; /* FEAT_PMUv3p5 */
	u64 low = UINT64_C(0x100000000);
	bool ok = overflowed(world, 0, low - RUN, wide ? low : 0) &&
	          !overflowed(world, 0, low - RUN - 1, low - 1);

	if (wide)
		ok = ok && !overflowed(world, PMCR_LP, low - 1, low - 1 + RUN) &&
		     overflowed(world, PMCR_LP, ~UINT64_C(0), RUN - 1);
	check(ok, "%s: SAMPLE_POP overflows at bit 31 or 63, not before", world_name(world));
}

static struct {
	unsigned count, el;
	u64 intid, counter, flags, elr;
} seen;

static void overflow_handler(struct cpu *cpu, unsigned el)
{
	(void)cpu;
	seen.count++;
	seen.el = el;
	seen.intid = READ(S3_0_C12_C12_0); /* ICC_IAR1_EL1 */
	seen.counter = READ(pmevcntr0_el0);
	seen.elr = el == 1 ? READ(elr_el1) : READ(elr_el2);
	seen.flags = READ(pmovsset_el0);
	WRITE(pmovsclr_el0, 1);
	ISB();
	WRITE(S3_0_C12_C12_1, seen.intid); /* ICC_EOIR1_EL1 */
	ISB();
}

/*
 * The interrupt is taken at the end of the block in which the counter overflows. straight() has one
 * block per round. If the handler is profiled, too, it always counts the same number of events
 * before it reads the counter.
 */
static void test_interrupt(struct world world)
{
	struct setup setup = setup_at(world.el, INTERVAL);
	unsigned wrong = 0, routed = world.el == 2 ? 2 : 1;
	u64 handler = 0;
	struct profile p;

	if (world.el == 2)
		world.hcr = HCR_IMO;
	gic_setup(0, world.security);
	world.irq = true;
	this_cpu()->irq = overflow_handler;
	world_set(&world);
	profile_start(&setup);
	for (u64 at = 1; at <= 4 * STRAIGHT_OPERATIONS; at += 7) {
		u64 rest = (STRAIGHT_OPERATIONS - at % STRAIGHT_OPERATIONS) % STRAIGHT_OPERATIONS;

		seen.count = 0;
		program(PMCR_E);
		type(0, SAMPLE_POP | NSH);
		WRITE(pmevcntr0_el0, 0x100000000 - at);
		WRITE(pmintenset_el1, 1);
		run_at(&world, (u64)straight, 20);
		WRITE(pmintenclr_el1, 1);
		seen.counter &= 0xffffffff;
		if (at == 1 && world.el)
			handler = seen.counter - rest;
		if (seen.count == 1 && seen.el == routed && seen.intid == PMU_INTID &&
		    seen.flags == 1 && seen.elr == (u64)straight && handler < 100 &&
		    seen.counter == rest + handler)
			continue;
		if (!wrong++)
			note("at %u: %u interrupts, EL%u, INTID %u, %x, PMOVSSET_EL0 %x", at,
			     (u64)seen.count, (u64)seen.el, seen.intid, seen.counter, seen.flags);
	}
	profile_stop(&p, &setup);
	this_cpu()->irq = NULL;
	check(!wrong, "%s: the overflow's interrupt is taken where it belongs", world_name(&world));
}

/* ---- the other events ------------------------------------------------------------------------ */

static unsigned records_of(u8 class, u8 mask, u8 subclass, const struct profile *p)
{
	unsigned count = 0;

	for (unsigned i = 0; i < p->count; i++)
		count += records[i].type == class && (records[i].subclass & mask) == subclass;
	return count;
}

static bool are(u64 a, u64 b, u64 c, u64 d)
{
	bool same = counter(0) == a && counter(1) == b && counter(2) == c && counter(3) == d;

	if (!same)
		note("%u %u %u %u instead of %u %u %u %u", counter(0), counter(1), counter(2),
		     counter(3), a, b, c, d);
	return same;
}

static struct profile profile_counted(const struct world *world, const struct setup *setup,
                                      const uint16_t events[COUNTERS])
{
	struct profile p;

	program(PMCR_E);
	for (unsigned n = 0; n < COUNTERS; n++)
		type(n, events[n] | NSH);
	p = profile_at(world, setup, (u64)work, ROUNDS);
	return p;
}

static void test_samples(const struct world *world)
{
	static const uint16_t first[] = {SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_FEED_OP};
	static const uint16_t second[] = {SAMPLE_FEED_LD, SAMPLE_FEED_ST, SAMPLE_FEED_BR, SW_INCR};
	static const uint16_t third[] = {SAMPLE_BUFFER_FULL, SAMPLE_POP, SAMPLE_FEED, SW_INCR};
	struct setup setup = setup_at(world->el, 1 << 8);
	/* work() executes five operations before the rounds, two after them, and the SMC or SVC. */
	u64 population = 5 + ROUNDS * WORK_OPERATIONS + 2 + 1, samples = (population + 1) / 257;
	struct profile p = profile_counted(world, &setup, first);
	unsigned loads, stores, branches;

	check(p.count == samples && are(population, samples, samples, 0),
	      "%s: SAMPLE_POP, _FEED, _FILTRATE and _FEED_OP of a program", world_name(world));
	loads = records_of(1, 1, 0, &p);
	stores = records_of(1, 1, 1, &p);
	branches = records_of(2, 0, 0, &p);
	profile_counted(world, &setup, second);
	check(loads && are(loads, stores, branches, 0),
	      "%s: SAMPLE_FEED_LD, _ST and _BR are its records", world_name(world));
	setup.fcr = BIT(1) | BIT(17); /* FT, LD */
	p = profile_counted(world, &setup, first);
	check(p.count == loads && are(population, samples, loads, loads),
	      "%s: with a filter SAMPLE_FILTRATE and _FEED_OP count what is left",
	      world_name(world));
	setup.fcr = 0;
	setup.bytes = PAGE;
	profile_counted(world, &setup, third);
	check(counter(0) == 1, "%s: SAMPLE_BUFFER_FULL", world_name(world));
	if (machine.pmsver < 3)
		return;
	setup.limitr = 2 << 1 | 1; /* FM: Discard */
	setup.fcr = BIT(1) | BIT(17);
	p = profile_counted(world, &setup, first);
	check(p.end == setup.base && are(population, samples, loads, loads),
	      "%s: Discard mode writes nothing, and its events are counted", world_name(world));
}

static void test_world(const struct world *world)
{
	struct setup setup = setup_at(world->el, INTERVAL);
	struct profile p;

	if (!world_exists(world))
		return;
	world_set(world);
	profile_start(&setup);
	test_filters(world);
	test_controls(world);
	test_overflow(world);
	if (world->el && !machine.strict)
		test_read_back(world);
	profile_stop(&p, &setup);
	if (!machine.strict)
		test_interrupt(*world);
	test_samples(world);
}

void test_pmu_events(void)
{
	unsigned pmuver = (READ(id_aa64dfr0_el1) >> 8) & 15;
	u64 kept = machine.mdcr_el3;

	if (pmuver < 4 || pmuver == 15) { /* FEAT_PMUv3p1 */
		skip("the SPU's PMU events", "no FEAT_PMUv3p1");
		return;
	}
	check(((READ(pmceid0_el0) >> 32) & 15) == 15,
	      "PMCEID0_EL0 has SAMPLE_POP, _FEED, _FILTRATE and _COLLISION");
	machine.mdcr_el3 |= MDCR_EL3_SPME;
	for (unsigned el = 0; el < 3; el++) {
		struct world world = profiled(el, NON_SECURE), secure = profiled(el, SECURE);

		test_world(&world);
		test_world(&secure);
	}
	program(0);
	machine.mdcr_el3 = kept;
}
