/* SPDX-License-Identifier: MIT */
/*
 * The interrupt of a Profiling Buffer management event: it is asserted while PMBSR_EL1.S is set.
 *
 * Arm ARM: DDI 0487 M.a, D17.8 (Table D17-8: PMBIRQ), D17.8.2.
 */
#include "runtime.h"

#define ROUNDS 20000
#define BYTES 4096

static struct {
	unsigned count, el;
	u64 intid, status, expected;
	bool wrong;
	bool again; /* continue in the same buffer */
	u64 records;
} seen;

static void acknowledge(unsigned el)
{
	seen.count++;
	seen.el = el;
	seen.intid = READ(S3_0_C12_C12_0); /* ICC_IAR1_EL1 */
}

/* Handle the interrupt like a driver: read the status, stop profiling, clear the interrupt, and
 * continue if more buffers follow. */
static void handler(struct cpu *cpu, unsigned el)
{
	struct profile profile = {.begin = BUFFER_BASE + cpu->index * BUFFER_BYTES};

	acknowledge(el);
	PSB();
	DSB();
	ISB();
	seen.status = RD(PMBSR_EL1);
	if (seen.intid != SPE_INTID || (seen.status & ~PMBSR_DL) != seen.expected)
		seen.wrong = true;
	profile.end = RD(PMBPTR_EL1);
	if (PMBSR_EC(seen.status) == 0)
		profile_decode(&profile, profile.begin);
	if (profile.damage)
		seen.wrong = true;
	seen.records += profile.count;
	WR(PMBLIMITR_EL1, 0);
	ISB();
	WR(PMBPTR_EL1, profile.begin);
	if (seen.again)
		WR(PMBLIMITR_EL1, (profile.begin + BYTES) | 1);
	WR(PMBSR_EL1, 0);
	ISB();
	WRITE(S3_0_C12_C12_1, seen.intid); /* ICC_EOIR1_EL1 */
	ISB();
}

static struct setup small(u64 scr1, u64 scr2)
{
	struct setup setup = setup_of(scr1, scr2);

	setup.bytes = BYTES;
	return setup;
}

/* While the interrupt is masked, its level is visible at the redistributor. */
static void test_level(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = small(PMSCR_E1SPE, 0);
	struct profile profile;

	gic_setup(0, NON_SECURE);
	WR(PMBSR_EL1, 0);
	ISB();
	check(!gic_pending(0), "PPI 21 is low before");
	profile = profile_at(&world, &setup, (u64)work, ROUNDS);
	check((profile.status & PMBSR_S) && gic_pending(0), "a full buffer raises PPI 21");
	WR(PMSCR_EL1, PMSCR_E1SPE);
	ISB();
	check(gic_pending(0), "PPI 21 stays while PMBSR_EL1.S is set");
	WR(PMBSR_EL1, profile.status & ~PMBSR_S);
	ISB();
	check(!gic_pending(0), "PPI 21 falls when PMBSR_EL1.S is cleared");
	WR(PMBSR_EL1, PMBSR_S);
	ISB();
	check(gic_pending(0), "PPI 21 rises when software sets PMBSR_EL1.S");
	WR(PMBSR_EL1, 0);
	ISB();
	check(!gic_pending(0), "PPI 21 falls again");
}

static void test_taken(struct world world, struct setup setup, unsigned el)
{
	seen.count = 0;
	seen.expected = PMBSR_S | 1;
	seen.wrong = seen.again = false;
	gic_setup(0, world.security);
	world.irq = true;
	this_cpu()->irq = handler;
	profile_at(&world, &setup, (u64)work, ROUNDS);
	this_cpu()->irq = NULL;
	check(seen.count == 1 && seen.el == el && !seen.wrong,
	      "%s: one interrupt, taken to EL%u, INTID 21, buffer full", world_name(&world),
	      (u64)el);
	if (seen.count != 1 || seen.el != el || seen.wrong)
		note("%u interrupts, the last to EL%u, INTID %u, PMBSR_EL1 %x", (u64)seen.count,
		     (u64)seen.el, seen.intid, seen.status);
	check(!gic_pending(0), "%s: PPI 21 is low after the handler", world_name(&world));
}

/* Fill buffer after buffer, like a driver without double buffering. Each buffer causes an
 * interrupt. */
static void test_many(void)
{
	struct world world = world_of(0, NON_SECURE);
	struct setup setup = small(PMSCR_E0SPE, 0);
	struct profile profile;
	u64 expected = 5 * ROUNDS * WORK_OPERATIONS / 257;

	seen.count = 0;
	seen.expected = PMBSR_S | 1;
	seen.records = 0;
	seen.wrong = false;
	seen.again = true;
	gic_setup(0, NON_SECURE);
	world.irq = true;
	this_cpu()->irq = handler;
	profile = profile_at(&world, &setup, (u64)work, 5 * ROUNDS);
	this_cpu()->irq = NULL;
	seen.records += profile.count;
	check(!seen.wrong && !profile.damage && seen.count > 10,
	      "buffer after buffer, each with its interrupt and whole records");
	/*
	 * Profiling is stopped from the event until the handler runs. At most one sample is lost
	 * each time. In strict mode, the interrupt is late.
	 */
	check(seen.records <= expected &&
	              seen.records + seen.count * (machine.strict ? 32 : 1) >= expected,
	      "buffer after buffer holds all samples");
	note("%u interrupts, %u of %u samples", (u64)seen.count, seen.records, expected);
}

/*
 * A stage 2 fault of EL1's buffer. The hypervisor handles the interrupt (HCR_EL2.IMO), so it is
 * taken from EL1 to EL2, where PMBSR_EL1 has the status.
 */
static void test_stage2(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);

	seen.count = 0;
	seen.expected = (u64)STAGE_2_FAULT << 26 | PMBSR_S | 7; /* Translation fault, level 3 */
	seen.wrong = seen.again = false;
	setup.base = WINDOW_BASE;
	setup.bytes = BYTES;
	world.hcr = BIT(0) | BIT(4); /* VM, IMO */
	stage2_enable(true);
	stage2_map(0, 0);
	gic_setup(0, NON_SECURE);
	this_cpu()->irq = handler;
	profile_at(&world, &setup, (u64)work, ROUNDS);
	this_cpu()->irq = NULL;
	stage2_map(0, stage2_page(WINDOW_BASE));
	stage2_enable(false);
	check(seen.count == 1 && seen.el == 2 && !seen.wrong,
	      "a stage 2 fault interrupts EL1 for EL2, PMBSR_EL1.EC 0x25");
	if (seen.count != 1 || seen.el != 2 || seen.wrong)
		note("%u interrupts, the last to EL%u, INTID %u, PMBSR_EL1 %x", (u64)seen.count,
		     (u64)seen.el, seen.intid, seen.status);
}

/* A sampled WFI wakes up and has a record. */
static void test_sleep(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	u64 expected = 4000 * 8 / 257;
	unsigned asleep = 0;
	struct profile p;

	gic_setup(0, NON_SECURE);
	gic_timer(0, true);
	p = profile_at(&world, &setup, (u64)sleep, 4000);
	gic_timer(0, false);
	for (unsigned i = 0; i < p.count; i++)
		asleep += records[i].pc == (u64)sleep_wfi;
	check(!p.damage && p.count == expected && asleep > 10, "WFI, WFE and hints are sampled");
	if (p.damage || p.count != expected || asleep <= 10)
		note("%u samples of %u, %u of WFI", (u64)p.count, expected, (u64)asleep);
}

void test_interrupts(void)
{
	struct world el2 = world_of(2, NON_SECURE), secure = world_of(1, SECURE);

	test_level();
	test_taken(world_of(1, NON_SECURE), small(PMSCR_E1SPE, 0), 1);
	test_taken(world_of(0, NON_SECURE), small(PMSCR_E0SPE, 0), 1);
	el2.e2pb = 0;
	el2.hcr = BIT(4); /* IMO */
	test_taken(el2, small(0, PMSCR_E2SPE), 2);
	el2.e2h = true;
	el2.tge = true;
	if (machine.has_vhe)
		test_taken(el2, small(0, PMSCR_E2SPE), 2);
	secure.eel2 = false;
	test_taken(secure, small(PMSCR_E1SPE, 0), 1);
	test_many();
	test_stage2();
	test_sleep();
}
