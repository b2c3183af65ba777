/* SPDX-License-Identifier: MIT */
/*
 * Code that programs the SPU at its own Exception level, and samples of transitions between levels.
 *
 * Arm ARM: DDI 0487 M.a, D17.3.5 (the counter while profiling is disabled), D17.6.3 (exception
 * returns), D17.6.7 (exceptions), D17.9 (PSB CSYNC).
 */
#include "runtime.h"

#define ROUNDS 20000
#define EXPECTED (ROUNDS * WORK_OPERATIONS / 257)

static u64 buffer(void)
{
	return BUFFER_BASE + this_cpu()->index * BUFFER_BYTES;
}

static void program(void)
{
	WR(PMBSR_EL1, 0);
	WR(PMBPTR_EL1, buffer());
	WR(PMBLIMITR_EL1, (buffer() + BUFFER_BYTES) | 1);
	WR(PMSFCR_EL1, 0);
	WR(PMSICR_EL1, 0);
	WR(PMSIRR_EL1, 1 << 8);
	ISB();
}

static u64 drain(void)
{
	PSB();
	DSB();
	WR(PMBLIMITR_EL1, 0);
	ISB();
	return RD(PMBPTR_EL1);
}

/* Program the SPU by names of EL1. This works at EL1, and at EL2 with HCR_EL2.E2H, where PMSCR_EL1
 * means PMSCR_EL2. */
static u64 by_el1_names(u64 rounds)
{
	program();
	WR(PMSCR_EL1, PMSCR_E1SPE | PMSCR_TS);
	ISB();
	work(rounds);
	WR(PMSCR_EL1, 0);
	ISB();
	return drain();
}

static u64 by_el2_names(u64 rounds)
{
	program();
	WR(PMSCR_EL2, PMSCR_E2SPE | PMSCR_TS);
	ISB();
	work(rounds);
	WR(PMSCR_EL2, 0);
	ISB();
	return drain();
}

static void test_own(enum security security, unsigned el, bool e2h)
{
	struct world world = world_of(el, security);
	struct profile p = {.begin = buffer()};
	unsigned wrong = 0;

	world.e2h = e2h;
	if (el == 2)
		world.e2pb = 0;
	if (!world_exists(&world))
		return;
	world_set(&world);
	WR(PMSCR_EL1, 0);
	WR(PMSCR_EL2, 0);
	p.end = run_at(&world, (u64)(el == 2 && !e2h ? by_el2_names : by_el1_names), ROUNDS);
	profile_decode(&p, p.begin);
	for (unsigned i = 0; i < p.count; i++)
		wrong += records[i].pc_el != el || records[i].pc_ns != (security & 1) ||
		         records[i].pc_nse != security >> 1 ||
		         (i && records[i].timestamp < records[i - 1].timestamp);
	check(!p.damage && !wrong && (p.count == EXPECTED || p.count == EXPECTED + 1),
	      "%s%s: programs the SPU and profiles itself", world_name(&world),
	      e2h ? " with E2H" : "");
	if (p.damage || wrong || p.count < EXPECTED || p.count > EXPECTED + 1)
		note("%u samples, %u wrong, %s", (u64)p.count, (u64)wrong,
		     p.damage ? p.damage : "whole");
}

/* ---- the counter ----------------------------------------------------------------------------- */

/* PMSICR_EL1 does not change while profiling is disabled, and continues from its value
 * afterwards. */
static void test_counter(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	struct profile p;
	u64 first, second;

	setup.interval = 16 << 8; /* 4096 */
	world_set(&world);
	profile_start(&setup);
	run_at(&world, (u64)work, 100);
	profile_sync();
	first = RD(PMSICR_EL1);
	work(100); /* at EL3: disabled */
	profile_sync();
	second = RD(PMSICR_EL1);
	/* 800 of 4096 operations, and fewer than a dozen for entry and exit */
	check(first <= 4096 - 800 && first > 4096 - 812, "PMSICR_EL1 counts operations");
	check(first == second, "PMSICR_EL1 stands still where profiling is disabled");
	run_at(&world, (u64)work, 100);
	profile_sync();
	second = RD(PMSICR_EL1);
	check(second <= first - 800 && second > first - 812, "PMSICR_EL1 goes on where it was");
	/* After another 4097 - 1600 operations, there is a sample. */
	run_at(&world, (u64)work, 400);
	profile_stop(&p, &setup);
	profile_decode(&p, p.begin);
	check(p.count == 1, "a sample when PMSICR_EL1 reaches 0");
}

/* ---- between levels -------------------------------------------------------------------------- */

/* SVC at EL0, its handler at EL1, and ERET. The samples of both levels are 257 operations apart. */
static void test_exceptions(void)
{
	struct world world = world_of(0, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
	unsigned at_el0 = 0, at_el1 = 0, wrong = 0, svcs = 0, taken = 0, erets = 0, back = 0;
	struct profile p;

	this_cpu()->expecting = true;
	p = profile_at(&world, &setup, (u64)calls, 4000);
	this_cpu()->expecting = false;
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];
		bool inside = r->pc >= (u64)calls_svc && r->pc < (u64)calls_end;

		if (!r->has_pc)
			continue;
		at_el0 += r->pc_el == 0;
		at_el1 += r->pc_el == 1;
		/* leave_el0(), which executes the last SVC, also runs at EL0. */
		wrong += inside ? r->pc_el != 0 : r->pc_el != 1 && r->pc != (u64)leave_el0;
		if (r->pc == (u64)calls_svc) {
			svcs++;
			taken += r->events & 1; /* E[0]: the operation generated an exception */
		}
		if (r->pc == (u64)eret_el1) {
			erets++;
			back += r->type == 2 && r->has_target && r->target_el == 0 &&
			        r->target == (u64)calls_svc + 8;
		}
	}
	check(!p.damage && at_el0 > 20 && at_el1 > 400 && !wrong,
	      "EL0 and the handler at EL1: each sample is of its level");
	check(svcs > 3 && taken == svcs, "a sampled SVC generated an exception");
	check(erets > 3 && back == erets, "a sampled ERET is a branch back to EL0");
	note("%u samples, %u of EL0, %u of EL1, %u of SVC, %u of ERET", (u64)p.count, (u64)at_el0,
	     (u64)at_el1, (u64)svcs, (u64)erets);
}

/* ---- controls that change -------------------------------------------------------------------- */

/* At EL2, which owns the buffer: give it to EL1, so that EL2 is no longer sampled, and then take it
 * back. */
static u64 give_and_take(u64 rounds)
{
	u64 mdcr = READ(mdcr_el2);

	work(rounds);
	profile_sync();
	WRITE(mdcr_el2, mdcr | UINT64_C(3) << 12);
	ISB();
	work(rounds);
	WRITE(mdcr_el2, mdcr);
	ISB();
	return work(rounds);
}

/* At EL2 with E2H, clear and set TGE. EL2 is sampled all the time. */
static u64 toggle_tge(u64 rounds)
{
	u64 hcr = READ(hcr_el2);

	work(rounds);
	profile_sync();
	WRITE(hcr_el2, hcr ^ BIT(27));
	ISB();
	work(rounds);
	profile_sync();
	WRITE(hcr_el2, hcr);
	ISB();
	return work(rounds);
}

static void expect_samples(const char *name, const struct profile *p, u64 expected)
{
	bool ok = !p->damage && !p->status && (p->count == expected || p->count == expected + 1);

	check(ok, "%s", name);
	if (!ok)
		note("%u samples instead of %u, PMBSR_EL1 %x", (u64)p->count, expected, p->status);
}

enum control_register { SCR_EL3, MDCR_EL3, HCR_EL2, MDCR_EL2 };

static u64 read_control(enum control_register which)
{
	return which == SCR_EL3    ? READ(scr_el3)
	       : which == MDCR_EL3 ? READ(mdcr_el3)
	       : which == HCR_EL2  ? READ(hcr_el2)
	                           : READ(mdcr_el2);
}

static void write_control(enum control_register which, u64 value)
{
	if (which == SCR_EL3)
		WRITE(scr_el3, value);
	else if (which == MDCR_EL3)
		WRITE(mdcr_el3, value);
	else if (which == HCR_EL2)
		WRITE(hcr_el2, value);
	else
		WRITE(mdcr_el2, value);
	ISB();
}

/* Program the SPU in a world where it samples nothing. Then change one register, which enables
 * profiling. */
static void from_world(const char *name, const struct world *before, enum control_register which,
                       const struct world *world)
{
	struct setup setup = world->el == 2 ? setup_of(0, PMSCR_E2SPE) : setup_of(PMSCR_E1SPE, 0);
	struct world beside = *before;
	struct profile p;
	u64 value;

	world_set(world);
	value = read_control(which);
	/* While EL1 owns the buffer, the enables of PMSCR_EL2 are RES0. If EL2 owns it, they are
	 * kept. */
	beside.e2pb = world->e2pb;
	world_set(&beside);
	profile_start(&setup);
	world_set(before);
	profile_sync();
	write_control(which, value);
	p.x0 = run_here(world, (u64)work, ROUNDS);
	profile_stop(&p, &setup);
	profile_decode(&p, p.begin);
	expect_samples(name, &p, EXPECTED);
}

static void test_changes(void)
{
	struct world el1 = world_of(1, NON_SECURE), el2 = world_of(2, NON_SECURE), before;
	struct setup setup = setup_of(0, PMSCR_E2SPE);
	struct profile p;

	el2.e2pb = 0;
	before = el1;
	before.nspb = 1;
	from_world("MDCR_EL3.NSPB given to Non-secure state", &before, MDCR_EL3, &el1);
	before = el1;
	before.security = SECURE;
	from_world("SCR_EL3.NS set", &before, SCR_EL3, &el1);
	before = el1;
	before.tge = true;
	from_world("HCR_EL2.TGE cleared", &before, HCR_EL2, &el1);
	before = el2;
	before.e2pb = 3;
	from_world("MDCR_EL2.E2PB given to EL2", &before, MDCR_EL2, &el2);
	p = profile_at(&el2, &setup, (u64)give_and_take, ROUNDS);
	expect_samples("EL2 gives the buffer to EL1 and takes it back", &p, 2 * EXPECTED);
	el2.e2h = true;
	if (!machine.has_vhe)
		return;
	p = profile_at(&el2, &setup, (u64)toggle_tge, ROUNDS);
	expect_samples("EL2 toggles HCR_EL2.TGE", &p, 3 * ROUNDS * WORK_OPERATIONS / 257);
}

void test_self(void)
{
	for (unsigned security = 0; security < 4; security++) {
		if (security == ROOT)
			continue;
		test_own(security, 1, false);
		test_own(security, 2, false);
		test_own(security, 2, true);
	}
	test_counter();
	test_exceptions();
	test_changes();
}
