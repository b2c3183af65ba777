/* SPDX-License-Identifier: MIT */
/*
 * The sample population, counted exactly. It consists of architecture instructions, each counted
 * once, including those that generate an exception. The counts must not depend on how the emulator
 * executes them.
 *
 * Arm ARM: DDI 0487 M.a, D17.2 (population, FEAT_SPE_ArchInst), D17.3 (PMSICR_EL1), D24.7.14
 * (PMSIDR_EL1.ArchInst).
 */
#include "runtime.h"

#define INTERVAL 0x100000 /* more operations than any test here executes */
#define FUNCTION ((POPULATION_POSITIONS + 1) * 4)
#define PMSIDR_ARCHINST BIT(3)
#define MDCR_EL3_TPM BIT(6)
#define TRACE 64
#define POPULATION_ROUNDS 20000

extern char population_nop[], population_load[], population_pair[], population_mrs[],
        population_udf[], population_brk[], population_counter[], population_rounds[],
        population_begin[], population_fault[], population_trap[], population_undefined[],
        population_end[], population_vectors_el1[], population_vectors_el2[];

struct kind {
	const char *name;
	char *functions;
	u64 argument;
	bool faults; /* the exception is taken at its own level, not at EL3 */
};

/* Use the short handlers for the tested level, and trap register accesses to the PMU to EL3. */
static void short_handlers(bool on)
{
	WRITE(vbar_el1, on ? population_vectors_el1 : vectors_el1);
	if (machine.has_el2)
		WRITE(vbar_el2, on ? population_vectors_el2 : vectors_el2);
	machine.mdcr_el3 = on ? machine.mdcr_el3 | MDCR_EL3_TPM : machine.mdcr_el3 & ~MDCR_EL3_TPM;
	window_map((POPULATION_HOLE - WINDOW_BASE) / PAGE,
	           on ? 0 : window_page(POPULATION_HOLE & ~(u64)(PAGE - 1)));
	this_cpu()->expecting = on;
	ISB();
}

static struct world profiled(unsigned el, enum security security)
{
	struct world world = world_of(el, security);

	if (el == 2)
		world.e2pb = 0;
	return world;
}

/* Return the number of operations that one run of the function counts. All of them execute in the
 * world. */
static u64 counted(const struct world *world, u64 function, u64 argument)
{
	u64 before = RD(PMSICR_EL1);

	run_at(world, function, argument);
	profile_sync();
	return before - RD(PMSICR_EL1);
}

static void test_positions(const struct world *world, const struct kind *kind)
{
	/* The function, and the SMC or SVC after it. */
	u64 expected = POPULATION_POSITIONS + 2, wrong = 0, first = 0, got = 0;

	if (kind->faults && world->el != 0)
		expected += POPULATION_HANDLER;
	for (u64 n = 0; n < POPULATION_POSITIONS; n++) {
		u64 count = counted(world, (u64)kind->functions + n * FUNCTION, kind->argument);

		if (count == expected)
			continue;
		if (!wrong++) {
			first = n;
			got = count;
		}
	}
	check(!wrong, "%s: the population is exact with %s anywhere in a block", world_name(world),
	      kind->name);
	if (wrong)
		note("%u wrong, at %u first: %u instead of %u", wrong, first, got, expected);
}

/* A read of PMSICR_EL1 in the middle of a block counts all operations before it and the MRS
 * itself. */
static void test_read_back(const struct world *world)
{
	u64 wrong = 0;

	for (u64 n = 0; n < POPULATION_POSITIONS; n++) {
		u64 before = RD(PMSICR_EL1);

		wrong += before - run_at(world, (u64)population_counter + n * FUNCTION, 0) != n + 1;
		profile_sync();
		wrong += before - RD(PMSICR_EL1) != POPULATION_POSITIONS + 2;
	}
	check(!wrong, "%s: PMSICR_EL1 is exact anywhere in a block", world_name(world));
}

/* Store the addresses of one round in order. Return their number. */
static unsigned trace_of(u64 trace[TRACE], unsigned el)
{
	u64 handler = (u64)(el == 1 ? population_vectors_el1 : population_vectors_el2) + 0x200;
	unsigned count = 0;

	for (u64 pc = (u64)population_begin; pc < (u64)population_end; pc += 4) {
		trace[count++] = pc;
		if (el == 0 || (pc != (u64)population_fault && pc != (u64)population_undefined))
			continue;
		for (u64 i = 0; i < POPULATION_HANDLER; i++)
			trace[count++] = handler + 4 * i;
	}
	return count;
}

/* Return true if the operation at `pc` goes to a level where profiling is disabled. */
static bool goes_off(u64 pc, unsigned el)
{
	return pc == (u64)population_trap ||
	       (el == 0 && (pc == (u64)population_fault || pc == (u64)population_undefined));
}

/*
 * Check which operations are sampled. The first sample is the 256th operation. Each later sample is
 * the 257th after the previous one, because the counter is 0 in between. When profiling becomes
 * enabled, the counter is reloaded (D17.3.3), and the 256th operation is sampled.
 */
static void test_turns(const struct world *world)
{
	struct setup setup = setup_at(world->el, 1 << 8);
	u64 trace[TRACE], before = ((u64)population_begin - (u64)population_rounds) / 4;
	unsigned period = trace_of(trace, world->el), wrong = 0, first = 0;
	u64 turn = 255 - before, end = (u64)period * POPULATION_ROUNDS;
	struct profile p = profile_at(world, &setup, (u64)population_rounds, POPULATION_ROUNDS);

	for (unsigned i = 0; i < p.count; i++) {
		u64 pc = trace[turn % period];

		if (turn < end && records[i].pc != pc && !wrong++)
			first = i;
		turn += goes_off(pc, world->el) ? 256 : 257;
	}
	/* RET and the SMC or SVC follow the rounds. */
	check(!p.damage && !wrong && p.count > 900 && turn >= end + 2 && turn < end + 2 + 257,
	      "%s: each sample is the operation whose turn it is", world_name(world));
	if (p.damage || wrong)
		note("%u of %u wrong, %u first: %x", (u64)wrong, (u64)p.count, (u64)first,
		     records[first].pc);
}

static void test_world(const struct world *world)
{
	const struct kind kinds[] = {
	        {"a NOP", population_nop, 0, false},
	        {"a load that faults", population_load, POPULATION_HOLE, true},
	        {"a pair of loads that faults", population_pair, POPULATION_HOLE, true},
	        {"a load from a device", population_load, UART + UART_FLAGS, false},
	        {"a pair of loads from a device", population_pair, UART + UART_FLAGS, false},
	        {"an MRS that is trapped", population_mrs, 0, false},
	        {"an undefined instruction", population_udf, 0, true},
	        {"a breakpoint instruction", population_brk, 0, true},
	};
	struct setup setup = setup_at(world->el, INTERVAL);
	struct profile p;

	if (!world_exists(world))
		return;
	short_handlers(true);
	world_set(world);
	profile_start(&setup);
	run_at(world, (u64)population_nop, 0); /* load the counter */
	profile_sync();
	for (unsigned i = 0; i < COUNT(kinds); i++)
		test_positions(world, &kinds[i]);
	if (world->el && !machine.strict) /* in strict mode, PSB CSYNC would be needed (D17.9) */
		test_read_back(world);
	profile_stop(&p, &setup);
	test_turns(world);
	short_handlers(false);
}

void test_population(void)
{
	check(machine.pmsidr & PMSIDR_ARCHINST, "PMSIDR_EL1.ArchInst: instructions are sampled");
	for (unsigned el = 0; el < 3; el++) {
		struct world world = profiled(el, NON_SECURE), secure = profiled(el, SECURE);

		test_world(&world);
		test_world(&secure);
	}
}
