/* SPDX-License-Identifier: MIT */
/*
 * Code that programs the SPU at its own Exception level, and what is sampled on the way between levels.
 *
 * Arm ARM: DDI 0487 M.a, D17.3.5 (the counter while profiling is disabled), D17.6.3 (exception returns),
 * D17.6.7 (exceptions), D17.9 (PSB CSYNC).
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

/* At EL1, and at EL2 with HCR_EL2.E2H, where the name is PMSCR_EL2's. */
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

/* ---- the counter ------------------------------------------------------------------------------------- */

/* PMSICR_EL1 goes on where it was when profiling is enabled again, and stands still in between. */
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
	/* 800 operations of 4096, and less than a dozen on the way in and out */
	check(first <= 4096 - 800 && first > 4096 - 812, "PMSICR_EL1 counts operations");
	check(first == second, "PMSICR_EL1 stands still where profiling is disabled");
	run_at(&world, (u64)work, 100);
	profile_sync();
	second = RD(PMSICR_EL1);
	check(second <= first - 800 && second > first - 812, "PMSICR_EL1 goes on where it was");
	/* 4097 - 1600 more make a sample. */
	run_at(&world, (u64)work, 400);
	profile_stop(&p, &setup);
	profile_decode(&p, p.begin);
	check(p.count == 1, "a sample when PMSICR_EL1 reaches 0");
}

/* ---- between levels ------------------------------------------------------------------------------------ */

/* SVC at EL0, its handler at EL1, and ERET: the samples of both levels, 257 operations apart. */
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
		/* leave_el0() is EL0's, too: the last SVC. */
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
}
