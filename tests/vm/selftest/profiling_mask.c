/* SPDX-License-Identifier: MIT */
/*
 * PSTATE.PM, and its absence without FEAT_SPE_EXC.
 *
 * Arm ARM: DDI 0487 M.a, C5.2.13 (PM), C6.2.287 (MSR (immediate)), D1.4.2 (RWTXBY: exception
 * entry), D1.4.4 (exception returns, also illegal ones), C5.2 (SPSR_ELx.PM), D24.7.5 to D24.7.7
 * (accessibility of PMBSR_ELx).
 */
#include "profiling.h"

extern u64 work_user32(u64 rounds);

enum { MRS_PM, MSR_PM, MSR_PM_0, MSR_PM_1, MRS_PMBSR_EL2, MRS_PMBSR_EL12, MRS_PMBSR_EL3 };
static const char *const stub_names[PM_STUBS] = {"MRS PM",       "MSR PM",        "MSR PM, #0",
                                                 "MSR PM, #1",   "MRS PMBSR_EL2", "MRS PMBSR_EL12",
                                                 "MRS PMBSR_EL3"};
#define EC_TRAP 0x18

static u64 stub(unsigned index)
{
	return (u64)pm_stubs + index * 16;
}

static u64 run(const struct world *world, u64 function, u64 argument)
{
	struct cpu *cpu = this_cpu();
	u64 x0;

	cpu->expecting = true;
	cpu->taken_count = 0;
	if (world->el == 3) {
		world_set(world);
		x0 = ((u64(*)(u64))function)(argument);
	} else {
		x0 = run_at(world, function, argument);
	}
	cpu->expecting = false;
	return x0;
}

/* ---- implemented instructions ---------------------------------------------------------------- */

static bool is_there(unsigned index, unsigned el)
{
	if (!machine.has_exceptions || el == 0)
		return false;
	switch (index) {
	case MRS_PMBSR_EL2:
		return el >= 2;
	case MRS_PMBSR_EL12: /* exists only with E2H */
		return false;
	case MRS_PMBSR_EL3:
		return el == 3;
	default:
		return true;
	}
}

static void test_instructions(void)
{
	for (unsigned index = 0; index < PM_STUBS; index++) {
		unsigned wrong = 0;

		for (unsigned el = 0; el < 4; el++) {
			struct world world = profiling_world(el);
			struct cpu *cpu = this_cpu();
			bool undefined;

			run(&world, stub(index), 0);
			undefined = cpu->taken_count == 1 && TAKEN_EC(&cpu->taken[0]) == 0 &&
			            cpu->taken[0].el == (el ? el : 1) &&
			            cpu->taken[0].elr == stub(index);
			wrong += is_there(index, el) ? cpu->taken_count != 0 : !undefined;
		}
		check(!wrong, "%s: %s", stub_names[index],
		      machine.has_exceptions ? "UNDEFINED where it is to be"
		                             : "UNDEFINED without FEAT_SPE_EXC");
	}
}

/* MDCR_EL3.PMSEE 0b00 traps register accesses from EL2. */
static void test_trapped(void)
{
	struct world world = world_of(2, NON_SECURE);
	struct cpu *cpu = this_cpu();

	run(&world, stub(MRS_PMBSR_EL2), 0);
	check(cpu->taken_count == 1 && cpu->taken[0].el == 3 && TAKEN_EC(&cpu->taken[0]) == EC_TRAP,
	      "PMBSR_EL2 at EL2 traps to EL3 where MDCR_EL3.PMSEE is 0b00");
	world.e2h = true;
	world.mdcr3 = MDCR3_PMSEE(EE_DELEGATED);
	if (!machine.has_vhe)
		return;
	run(&world, stub(MRS_PMBSR_EL12), 0);
	check(cpu->taken_count == 0, "PMBSR_EL12 is there at EL2 with E2H");
}

/* ---- values read back after a write ---------------------------------------------------------- */

static u64 write_and_read(u64 unused)
{
	bool right;

	(void)unused;
	WR(S3_0_C4_C3_1, ~UINT64_C(0));
	right = RD(S3_0_C4_C3_1) == PM_BIT;
	WR(S3_0_C4_C3_1, ~PM_BIT);
	right &= RD(S3_0_C4_C3_1) == 0;
	PM_SET();
	right &= RD(S3_0_C4_C3_1) == PM_BIT;
	PM_CLEAR();
	right &= RD(S3_0_C4_C3_1) == 0;
	return right;
}

static void test_values(void)
{
	for (unsigned el = 1; el < 4; el++) {
		struct world world = profiling_world(el);

		check(run(&world, (u64)write_and_read, 0) == 1, "EL%u: PM reads as it is written",
		      (u64)el);
	}
}

/* ---- masking --------------------------------------------------------------------------------- */

static struct {
	u64 masked, unmasked, before, after;
} seen;

static u64 unmask_at_el1(u64 by_register)
{
	struct cpu *cpu = this_cpu();

	raise_el1(PMBSR_S);
	seen.masked = cpu->taken_count;
	seen.before = RD(S3_0_C4_C3_1);
	if (by_register)
		unmask_register(0);
	else
		unmask_immediate(0);
	seen.unmasked = *(volatile unsigned *)&cpu->taken_count;
	seen.after = RD(S3_0_C4_C3_1);
	return 0;
}

static void set_up(const struct world *world)
{
	world_set(world);
	WR(PMBLIMITR_EL1, 0);
	WR(PMSCR_EL1, PMSCR_EE(EE_ALL) | PMSCR_KE);
	WR(PMSCR_EL2, PMSCR_EE(EE_DELEGATED));
	WR(PMBSR_EL1, 0);
	WR(PMBSR_EL2, 0);
	WR(PMBSR_EL3, 0);
	ISB();
}

static bool is_between(u64 pc, const char *first, const char *last)
{
	return pc >= (u64)first && pc <= (u64)last;
}

static void test_masked(void)
{
	struct world world = profiling_world(1);
	struct cpu *cpu = this_cpu();
	u64 elr[2];

	for (unsigned by_register = 0; by_register < 2; by_register++) {
		const char *name = by_register ? "MSR PM, Xt" : "MSR PM, #0";

		world.pm = true;
		set_up(&world);
		cpu->profiling = profiling_clear;
		run_at(&world, (u64)unmask_at_el1, by_register);
		elr[by_register] = cpu->taken[0].elr;
		check(seen.masked == 0 && seen.before == PM_BIT, "%s: masked before", name);
		check(seen.unmasked == 1 && cpu->taken[0].esr == PROFILING_SYNDROME &&
		              !(cpu->taken[0].spsr & PM_BIT),
		      "%s: taken then", name);
		check(seen.after == 0, "%s: PSTATE.PM is 0 after the return", name);
	}
	check(is_between(elr[0], unmask_immediate_isb, unmask_immediate_after) &&
	              is_between(elr[1], unmask_register_isb, unmask_register_after),
	      "unmasked by software: before the instruction after the ISB completes");
	world.pm = false;
	set_up(&world);
	run_at(&world, (u64)raise_el1, PMBSR_S);
	cpu->profiling = NULL;
	check(cpu->taken_count == 1 &&
	              is_between(cpu->taken[0].elr, raise_el1_isb, raise_el1_after),
	      "raised by software: before the instruction after the ISB completes");
}

/* ---- exception entry and return -------------------------------------------------------------- */

/* Call a function twice. SPSR_ELx of the second exception shows the value that the return from the
 * first one restored. */
static u64 twice(u64 function)
{
	((u64(*)(u64))function)(0);
	((u64(*)(u64))function)(0);
	return 0;
}

/* Test a register access from EL `from` that is taken to EL `to`, because it is UNDEFINED or
 * trapped. */
static void test_entry(unsigned from, unsigned to)
{
	struct cpu *cpu = this_cpu();
	unsigned wrong = 0;

	for (unsigned pm = 0; pm < 2; pm++) {
		struct world world = profiling_world(from);
		unsigned index = from == 2 && to == 2 ? 15 : 0; /* PMSCR_EL12, PMSCR_EL1 */
		bool saved = pm && machine.has_exceptions;

		world.pm = pm;
		if (from == 1 && to == 1)
			index = 14; /* PMSCR_EL2 */
		if (to == 2)
			world.tpms = true;
		if (from == 0 && to == 2)
			world.tge = true;
		if (to == 3)
			world.nspb = 2;
		run(&world, (u64)twice, (u64)access_stubs + index * 32);
		wrong += cpu->taken_count != 2;
		for (unsigned i = 0; i < 2; i++)
			wrong += cpu->taken[i].el != to ||
			         !!(cpu->taken[i].spsr & PM_BIT) != saved ||
			         (cpu->taken[i].spsr >> 2 & 3) != from ||
			         (machine.has_exceptions && !cpu->taken[i].pm);
	}
	check(!wrong, "EL%u to EL%u: %s", (u64)from, (u64)to,
	      machine.has_exceptions ? "PSTATE.PM is saved, set, and restored"
	                             : "SPSR_ELx.PM is 0");
}

static u64 return_illegally(u64 pm)
{
	if (pm)
		PM_CLEAR();
	else
		PM_SET();
	return illegal_return(0x3c9 | (pm ? PM_BIT : 0)); /* to EL2 */
}

/* An illegal return restores PSTATE.PM and sets PSTATE.IL. */
static void test_illegal(void)
{
	struct cpu *cpu = this_cpu();

	for (unsigned pm = 0; pm < 2; pm++) {
		struct world world = profiling_world(1);
		struct taken *t = &cpu->taken[0];
		u64 x0 = run(&world, (u64)return_illegally, pm);

		check(cpu->taken_count == 1 && t->el == 1 && TAKEN_EC(t) == 0x0e &&
		              t->elr == (u64)illegal_return_after && (t->spsr & BIT(20)),
		      "an illegal return, PM %u: an Illegal Execution state exception", (u64)pm);
		check(!!(t->spsr & PM_BIT) == pm && t->pm && x0 == (pm ? PM_BIT : 0),
		      "an illegal return, PM %u: PSTATE.PM is SPSR_EL1's", (u64)pm);
	}
}

/* AArch32 state has no PSTATE.PM, so SPSR_ELx[32] is RES0. Profiling exceptions are taken from
 * EL0. */
static void test_aarch32(void)
{
	struct world world = profiling_world(0);
	struct cpu *cpu = this_cpu();

	if (!machine.el0_aarch32)
		return;
	world.aarch32 = true;
	set_up(&world);
	WR(PMBSR_EL1, PMBSR_S);
	ISB();
	PM_SET();
	cpu->profiling = profiling_clear;
	run_at(&world, (u64)work_user32, 10);
	cpu->profiling = NULL;
	check(cpu->taken_count == 1 && cpu->taken[0].el == 1 && cpu->taken[0].vector == 12 &&
	              cpu->taken[0].elr == (u64)work_user32,
	      "EL0 in AArch32: taken to EL1");
	check(!(cpu->taken[0].spsr & PM_BIT) && (cpu->taken[0].spsr & BIT(4)) && cpu->taken[0].pm,
	      "EL0 in AArch32: SPSR_EL1 has no PM");
}

/* ---- without the feature --------------------------------------------------------------------- */

static void test_without(void)
{
	struct world world = profiling_world(1);
	u64 scr1;

	world_set(&world);
	WR(PMSCR_EL1, PMSCR_EE(EE_ALL) | PMSCR_KE);
	scr1 = RD(PMSCR_EL1);
	WR(PMBSR_EL1, PMBSR_S);
	ISB();
	check(scr1 == 0, "PMSCR_EL1.{KE, EE} are RES0 without FEAT_SPE_EXC");
	gic_setup(0, NON_SECURE);
	run(&world, (u64)work, 1);
	check(this_cpu()->taken_count == 0 && gic_pending(0),
	      "PMBSR_EL1.S is PMBIRQ without FEAT_SPE_EXC");
	WR(PMBSR_EL1, 0);
	ISB();
}

void test_profiling_mask(void)
{
	test_instructions();
	for (unsigned from = 0; from < 3; from++)
		for (unsigned to = from ? from : 1; to < 4; to++)
			if (from || to < 3) /* no register access from EL0 is trapped to EL3 */
				test_entry(from, to);
	if (!machine.has_exceptions) {
		test_without();
		return;
	}
	test_trapped();
	test_values();
	test_masked();
	test_illegal();
	test_aarch32();
}
