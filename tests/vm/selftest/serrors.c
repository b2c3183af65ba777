/* SPDX-License-Identifier: MIT */
/*
 * SError exceptions caused by External aborts of the SPU: target, vector, syndrome, masking,
 * ISR_EL1, ESB and WFI. The buffer is on a page whose physical address is not backed by a device.
 *
 * Arm ARM: DDI 0487 M.a, D17.8.4.2 (IZGGXW), D1.3 (routing and masking), D24.2 (ISR_EL1, DISR_EL1,
 * ESR_ELx).
 */
#include "runtime.h"

#define ROUNDS 1000
#define EXPECTED (ROUNDS * WORK_OPERATIONS / 257)
#define BUFFER_PAGE 40 /* page of the test window */
#define BUFFER_PAGES 4
#define NOWHERE UINT64_C(0x50000000) /* after the end of memory */
#define SCR_EA BIT(3)
#define HCR_AMO BIT(5)
#define PSTATE_A BIT(8) /* in ISR_EL1 and SPSR_ELx */
#define DISR_A BIT(31)
#define DISR_EL1 S3_0_C12_C1_1
#define VECTOR_SERROR 3
#define VECTOR_SAME_LEVEL 4
#define VECTOR_LOWER_LEVEL 8

static u64 syndrome(void)
{
	bool ras = READ(id_aa64pfr0_el1) >> 28 & 15;

	return UINT64_C(0xbe000000) | (ras ? 0x11 : 0);
}

static struct setup setup_nowhere(u64 scr1, u64 scr2)
{
	struct setup setup = setup_of(scr1, scr2);

	for (unsigned i = 0; i < BUFFER_PAGES; i++)
		window_map(BUFFER_PAGE + i, window_page(NOWHERE + i * PAGE));
	setup.base = WINDOW_BASE + BUFFER_PAGE * PAGE;
	setup.bytes = BUFFER_PAGES * PAGE;
	return setup;
}

static u64 profile(const struct world *world, const struct setup *setup, u64 function, u64 argument)
{
	struct profile p;
	u64 x0;

	world_set(world);
	profile_start(setup);
	this_cpu()->serrors = true;
	x0 = run_at(world, function, argument);
	profile_stop(&p, setup);
	return x0;
}

/* Return true if all exceptions were SErrors of the SPU, taken from level `from` to level `to`. */
static bool are_right(unsigned from, unsigned to)
{
	const struct cpu *cpu = this_cpu();

	for (unsigned i = 0; i < cpu->taken_count && i < COUNT(cpu->taken); i++) {
		const struct taken *t = &cpu->taken[i];
		unsigned vector =
		        (from == to ? VECTOR_SAME_LEVEL : VECTOR_LOWER_LEVEL) + VECTOR_SERROR;

		if (t->el != to || t->vector != vector || t->esr != syndrome() ||
		    (t->spsr & 15) != (from << 2 | (from != 0))) {
			note("to EL%u, vector %u, ESR %x, SPSR %x", (u64)t->el, (u64)t->vector,
			     t->esr, t->spsr);
			return false;
		}
	}
	return true;
}

/* SErrors are taken if they are unmasked, or if their target is a higher level. */
static void test_taken(const char *name, struct world world, unsigned to, bool exactly)
{
	u64 el1 = world.el == 0 ? PMSCR_E0SPE : PMSCR_E1SPE,
	    el2 = world.el == 0 ? PMSCR_E0HSPE : PMSCR_E2SPE;
	bool owned = world.e2pb == 0;
	struct setup setup = setup_nowhere(owned ? 0 : el1, owned ? el2 : 0);
	u64 before = work_data[0][0], count;
	bool right;

	profile(&world, &setup, (u64)work, ROUNDS);
	count = this_cpu()->taken_count;
	right = are_right(world.el, to);
	check(right && count >= EXPECTED - 4 &&
	              (!exactly || count == EXPECTED || count == EXPECTED + 1),
	      "SError: %s", name);
	check(work_data[0][0] - before == ROUNDS, "SError: %s, each goes on where it was taken",
	      name);
	note("%u taken", count);
}

/* ---- at EL1 and EL2, with PSTATE.A set or unchanged ------------------------------------------ */

static struct {
	u64 isr, disr, masked, unmasked;
} seen;

static void unmask(void)
{
	__asm__ volatile("msr daifclr, #4" : : : "memory");
	ISB();
	work(1);
	seen.unmasked = this_cpu()->taken_count;
	__asm__ volatile("msr daifset, #4" : : : "memory");
}

static u64 masked(u64 rounds)
{
	work(rounds);
	seen.isr = READ(isr_el1);
	seen.masked = this_cpu()->taken_count;
	unmask();
	return 0;
}

static u64 deferred(u64 rounds)
{
	work(rounds);
	__asm__ volatile("hint #16" : : : "memory"); /* ESB */
	seen.isr = READ(isr_el1);
	seen.disr = RD(DISR_EL1);
	WR(DISR_EL1, 0);
	WR(PMSCR_EL1, 0);
	ISB();
	seen.masked = this_cpu()->taken_count;
	unmask();
	return 0;
}

static u64 waits(u64 rounds)
{
	work(rounds);
	__asm__ volatile("wfi" : : : "memory");
	seen.masked = this_cpu()->taken_count;
	return 1;
}

/* At EL2, in a state in which the SError cannot be taken. */
static u64 held(u64 rounds)
{
	work(rounds);
	seen.isr = READ(isr_el1);
	unmask();
	return 0;
}

static void test_masked(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_nowhere(PMSCR_E1SPE, 0);

	profile(&world, &setup, (u64)masked, ROUNDS);
	check(seen.isr & PSTATE_A, "SError: ISR_EL1.A is 1 while it is pending");
	check(seen.masked == 0, "SError: PSTATE.A masks it at EL1");
	check(seen.unmasked >= 1 && are_right(1, 1), "SError: taken when PSTATE.A is cleared");
	world.hcr = 0;
	if (READ(id_aa64pfr0_el1) >> 28 & 15) {
		profile(&world, &setup, (u64)deferred, ROUNDS);
		check(seen.disr == (DISR_A | 0x11) && !(seen.isr & PSTATE_A),
		      "SError: ESB defers one that is masked to DISR_EL1");
		check(seen.masked == 0 && seen.unmasked == 0, "SError: then it is not taken");
	}
	check(profile(&world, &setup, (u64)waits, ROUNDS) == 1 && seen.masked == 0,
	      "SError: WFI does not wait while one is pending and masked");
	world.serror = true; /* take the SError that is still pending */
	run_at(&world, (u64)work, 1);
	check(this_cpu()->taken_count == 1 && are_right(1, 1),
	      "SError: an exception return unmasks it");
}

static void test_held(void)
{
	struct world world = world_of(2, NON_SECURE), el1 = world_of(1, NON_SECURE);
	struct setup setup = setup_nowhere(0, PMSCR_E2SPE);

	world.e2pb = 0;
	profile(&world, &setup, (u64)held, ROUNDS);
	check((seen.isr & PSTATE_A) && seen.unmasked == 0,
	      "SError: not taken at EL2 without AMO and TGE");
	el1.serror = true;
	run_at(&el1, (u64)work, 1);
	check(this_cpu()->taken_count == 1 && are_right(1, 1), "SError: taken at EL1 after EL2");
}

void test_serrors(void)
{
	struct world world = world_of(1, NON_SECURE);

	world.serror = true;
	test_taken("at EL1", world, 1, false);
	world.el = 0;
	test_taken("from EL0 to EL1", world, 1, true);
	world.serror = false;
	world.hcr = HCR_AMO;
	test_taken("from EL0 to EL2 by HCR_EL2.AMO, PSTATE.A or not", world, 2, true);
	world.el = 1;
	test_taken("from EL1 to EL2 by HCR_EL2.AMO, PSTATE.A or not", world, 2, true);
	world.scr = SCR_EA;
	test_taken("from EL1 to EL3 by SCR_EL3.EA, PSTATE.A or not", world, 3, true);
	world = world_of(2, NON_SECURE);
	world.e2pb = 0;
	world.scr = SCR_EA;
	test_taken("from EL2 to EL3", world, 3, true);
	world.scr = 0;
	world.hcr = HCR_AMO;
	world.serror = true;
	test_taken("at EL2 by HCR_EL2.AMO", world, 2, false);
	test_masked();
	test_held();
}
