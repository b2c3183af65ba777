/* SPDX-License-Identifier: MIT */
/*
 * Profiling exceptions (FEAT_SPE_EXC): their conditions, target levels and syndromes.
 *
 * Arm ARM: DDI 0487 M.a, D17.8 (RYZJQX, RYMRRB, RNXPMV, RTSJRP, Tables D17-8 to D17-10), D24.2
 * (ESR_ELx: ISS encoding for a Profiling exception), D1.4.2 (exception entry),
 * TakeProfilingException() (the vector).
 */
#include "profiling.h"
#include "tables.h"
#include "exception1_rows.h"
#include "exception2_rows.h"
#include "exception3_rows.h"

#define ROUNDS 20000
#define BYTES 4096
#define CONTROLS (1U << 10)

/* ---- Tables D17-8 to D17-10 ------------------------------------------------------------------ */

struct controls {
	unsigned pmsee, ee2, ke2, tge, ee1, ke1, pm;
};

static struct controls controls_of(unsigned n)
{
	return (struct controls){n & 3,      n >> 2 & 3, n >> 4 & 1, n >> 5 & 1,
	                         n >> 6 & 3, n >> 8 & 1, n >> 9 & 1};
}

static bool row_has(const struct exception_row *row, const struct controls *c)
{
	return control_is(row->pmsee, c->pmsee) && control_is(row->ee2, c->ee2) &&
	       control_is(row->ke2, c->ke2) && control_is(row->tge, c->tge) &&
	       control_is(row->ee1, c->ee1) && control_is(row->ke1, c->ke1) &&
	       control_is(row->pm, c->pm);
}

static const struct exception_row *row_of(unsigned status_el, const struct controls *c)
{
	static const struct {
		const struct exception_row *rows;
		size_t count;
	} tables[] = {{exception1_rows, COUNT(exception1_rows)},
	              {exception2_rows, COUNT(exception2_rows)},
	              {exception3_rows, COUNT(exception3_rows)}};

	for (size_t i = 0; i < tables[status_el - 1].count; i++)
		if (row_has(&tables[status_el - 1].rows[i], c))
			return &tables[status_el - 1].rows[i];
	die("no row");
}

void profiling_clear(struct cpu *cpu, unsigned el)
{
	(void)cpu;
	if (el == 3)
		WR(PMBSR_EL3, 0);
	if (el >= 2)
		WR(PMBSR_EL2, 0);
	WR(PMBSR_EL1, 0);
	ISB();
}

static u64 nothing(u64 argument)
{
	return argument + 1;
}

/* At EL3, write an event to PMBSR_ELx, and write the controls of Profiling exceptions. */
static void set_up(const struct world *world, const struct controls *c, unsigned status_el)
{
	world_set(world);
	WR(PMBLIMITR_EL1, 0);
	WR(PMSCR_EL1, PMSCR_EE(c->ee1) | (c->ke1 ? PMSCR_KE : 0));
	WR(PMSCR_EL2, PMSCR_EE(c->ee2) | (c->ke2 ? PMSCR_KE : 0));
	WR(PMBSR_EL1, status_el == 1 ? PMBSR_S : 0);
	WR(PMBSR_EL2, status_el == 2 ? PMBSR_S : 0);
	WR(PMBSR_EL3, status_el == 3 ? PMBSR_S : 0);
	ISB();
}

/* Execute a function without effect in the world. Return the number of exceptions that were
 * taken. */
static unsigned run_nothing(const struct world *world)
{
	struct cpu *cpu = this_cpu();

	cpu->profiling = profiling_clear;
	if (world->el < 3) {
		run_at(world, (u64)nothing, 0);
	} else {
		cpu->taken_count = 0;
		if (world->pm)
			PM_SET();
		else
			PM_CLEAR();
		ISB();
		nothing(0);
	}
	cpu->profiling = NULL;
	return cpu->taken_count;
}

static bool is_as_row(const struct exception_row *row, unsigned el, unsigned taken)
{
	const struct cpu *cpu = this_cpu();
	unsigned to = row->cell[el];

	if (to == EXCEPTION_NONE || to == EXCEPTION_MASKED)
		return taken == 0;
	return taken == 1 && cpu->taken[0].el == to;
}

static void test_table(unsigned status_el, unsigned el)
{
	unsigned tried = 0, wrong = 0, wrong_irq = 0;

	for (unsigned n = 0; n < CONTROLS; n++) {
		struct controls c = controls_of(n);
		const struct exception_row *row = row_of(status_el, &c);
		struct world world = world_of(el, NON_SECURE);
		unsigned taken;

		world.tge = c.tge;
		world.pm = c.pm;
		world.mdcr3 = MDCR3_PMSEE(c.pmsee);
		if (row->cell[el] == EXCEPTION_NOT_APPLICABLE)
			continue;
		set_up(&world, &c, status_el);
		tried++;
		wrong_irq += gic_pending(0) != row->irq;
		taken = run_nothing(&world);
		if (is_as_row(row, el, taken) || wrong++)
			continue;
		note("PMSEE %u EE2 %u KE2 %u TGE %u EE1 %u KE1 %u PM %u: %u exceptions, the first "
		     "to EL%u",
		     (u64)c.pmsee, (u64)c.ee2, (u64)c.ke2, (u64)c.tge, (u64)c.ee1, (u64)c.ke1,
		     (u64)c.pm, (u64)taken, (u64)this_cpu()->taken[0].el);
		note("expected EL%u", (u64)row->cell[el]);
	}
	check(!wrong && tried, "PMBSR_EL%u.S at EL%u: taken as the tables say", (u64)status_el,
	      (u64)el);
	check(!wrong_irq, "PMBSR_EL%u.S at EL%u: PMBIRQ as the tables say", (u64)status_el,
	      (u64)el);
	if (wrong || wrong_irq)
		note("%u of %u wrong, PMBIRQ %u", (u64)wrong, (u64)tried, (u64)wrong_irq);
}

/* ---- the observed exception ------------------------------------------------------------------ */

struct world profiling_world(unsigned el)
{
	struct world world = world_of(el, NON_SECURE);

	world.mdcr3 = MDCR3_PMSEE(EE_DELEGATED);
	return world;
}

static void test_taken(unsigned from, unsigned to)
{
	struct controls c = {EE_DELEGATED, EE_DELEGATED, 1, 0, EE_ALL, 1, 0};
	struct world world = world_of(from, NON_SECURE);
	struct cpu *cpu = this_cpu();
	struct taken *t = &cpu->taken[0];
	u64 x0;

	if (to == 2)
		c.ee2 = EE_ALL;
	if (to == 3)
		c.pmsee = EE_ALL;
	world.mdcr3 = MDCR3_PMSEE(c.pmsee);
	set_up(&world, &c, to);
	cpu->profiling = profiling_clear;
	x0 = run_at(&world, (u64)nothing, 1);
	cpu->profiling = NULL;
	check(cpu->taken_count == 1 && t->el == to &&
	              t->vector == (from == to ? VECTOR_SAME_LEVEL : VECTOR_LOWER_LEVEL),
	      "from EL%u to EL%u: once, to the vector of synchronous exceptions", (u64)from,
	      (u64)to);
	check(t->esr == PROFILING_SYNDROME, "from EL%u to EL%u: the syndrome", (u64)from, (u64)to);
	/* An event by a direct write and a Context synchronization event precede this instruction.
	 * The exception is taken before it completes. */
	check(t->elr == (u64)nothing, "from EL%u to EL%u: before an instruction completes",
	      (u64)from, (u64)to);
	check((t->spsr & (0x3cf | BIT(20) | PM_BIT)) == (0x3c0 | from << 2 | (from != 0)) && t->pm,
	      "from EL%u to EL%u: SPSR_ELx has PSTATE, and PSTATE.PM is 1", (u64)from, (u64)to);
	check(x0 == 2, "from EL%u to EL%u: the program goes on", (u64)from, (u64)to);
	note("%u taken, the first to EL%u, vector %u ESR %x ELR %x SPSR %x", (u64)cpu->taken_count,
	     (u64)t->el, (u64)t->vector, t->esr, t->elr, t->spsr);
}

/* If the event belongs to another Security state, only an exception to EL3 is taken. */
static void test_owner_elsewhere(void)
{
	struct controls c = {EE_ALL, EE_ALL, 1, 0, EE_ALL, 1, 0};
	struct world world = world_of(1, NON_SECURE);
	unsigned taken[4] = {0};

	world.nspb = 1; /* Secure state's */
	world.mdcr3 = MDCR3_PMSEE(c.pmsee);
	for (unsigned status_el = 1; status_el < 4; status_el++) {
		set_up(&world, &c, status_el);
		taken[status_el] = run_nothing(&world);
	}
	check(taken[1] == 0 && taken[2] == 0,
	      "not taken to EL1 and EL2 outside of the owning Security state");
	check(taken[3] == 1, "taken to EL3 outside of the owning Security state");
	world.nspb = 3;
	set_up(&world, &c, 1);
	check(run_nothing(&world) == 1, "taken in the owning Security state");
}

/* Test Realm and Secure state. */
static void test_state(enum security security)
{
	struct controls c = {EE_DELEGATED, EE_ALL, 1, 0, EE_ALL, 1, 0};
	struct world world = world_of(1, security);

	world.mdcr3 = MDCR3_PMSEE(c.pmsee);
	if (!world_exists(&world))
		return;
	set_up(&world, &c, 2);
	check(run_nothing(&world) == 1 && this_cpu()->taken[0].el == 2, "%s: taken to EL2",
	      world_name(&world));
	set_up(&world, &c, 1);
	check(run_nothing(&world) == 1 && this_cpu()->taken[0].el == 1, "%s: taken to EL1",
	      world_name(&world));
}

/* In EL2&0, the name PMBSR_EL1 means PMBSR_EL2, unless PMSCR_EL2.EE is 0b00 (D24.7.5). */
static u64 read_in_host(u64 unused)
{
	(void)unused;
	return RD(PMBSR_EL1) | RD(PMBSR_EL12) << 32;
}

static void clear_in_host(struct cpu *cpu, unsigned el)
{
	(void)cpu;
	if (el == 3)
		return;
	WR(PMBSR_EL1, 0);
	WR(PMBSR_EL12, 0);
	ISB();
}

static void test_host(void)
{
	struct controls c = {EE_DELEGATED, EE_ALL, 1, 1, EE_ALL, 1, 0};
	struct world world = world_of(2, NON_SECURE);
	struct cpu *cpu = this_cpu();

	if (!machine.has_vhe)
		return;
	world.e2h = world.tge = true;
	world.mdcr3 = MDCR3_PMSEE(c.pmsee);
	set_up(&world, &c, 2);
	cpu->profiling = clear_in_host;
	run_at(&world, (u64)nothing, 0);
	check(cpu->taken_count == 1 && cpu->taken[0].el == 2,
	      "EL2 with E2H: taken, cleared by the name PMBSR_EL1");
	world.pm = true;
	set_up(&world, &c, 2);
	check(run_at(&world, (u64)read_in_host, 0) == PMBSR_S,
	      "EL2 with E2H: PMBSR_EL1 is PMBSR_EL2");
	set_up(&world, &c, 1);
	check(run_at(&world, (u64)read_in_host, 0) == PMBSR_S << 32,
	      "EL2 with E2H: PMBSR_EL12 is PMBSR_EL1");
	c.ee2 = EE_DISABLED;
	set_up(&world, &c, 1);
	check((u32)run_at(&world, (u64)read_in_host, 0) == PMBSR_S,
	      "EL2 with E2H: PMBSR_EL1 is itself where PMSCR_EL2.EE is 0b00");
	c.ee2 = EE_ALL;
	world.el = 0;
	world.pm = false;
	set_up(&world, &c, 1);
	run_at(&world, (u64)nothing, 0);
	cpu->profiling = NULL;
	check(cpu->taken_count == 1 && cpu->taken[0].el == 2,
	      "EL0 with TGE: PMBSR_EL1's is taken to EL2");
}

/* ---- events of profiling---------------------------------------------------------------------- */

static struct {
	unsigned count, el;
	bool wrong;
	u64 status, records;
} seen;

static u64 status_of(unsigned el)
{
	return el == 3 ? RD(PMBSR_EL3) : el == 2 ? RD(PMBSR_EL2) : RD(PMBSR_EL1);
}

/* Handle the event like a driver: process the records, and continue in the same buffer. */
static void drain(struct cpu *cpu, unsigned el)
{
	struct profile profile = {.begin = BUFFER_BASE + cpu->index * BUFFER_BYTES};

	seen.count++;
	seen.el = el;
	PSB();
	DSB();
	ISB();
	seen.status = status_of(el);
	profile.end = RD(PMBPTR_EL1);
	profile_decode(&profile, profile.begin);
	seen.wrong |= (seen.status & ~PMBSR_DL) != (PMBSR_S | 1) || profile.damage;
	seen.records += profile.count;
	WR(PMBLIMITR_EL1, 0);
	ISB();
	WR(PMBPTR_EL1, profile.begin);
	WR(PMBLIMITR_EL1, (profile.begin + BYTES) | 1);
	ISB();
	profiling_clear(cpu, el);
}

/* Fill buffer after buffer. Each one causes an exception, but no interrupt. */
static void test_profiled(unsigned from, unsigned to)
{
	u64 ee1 = PMSCR_EE(EE_ALL) | PMSCR_KE,
	    ee2 = PMSCR_EE(to == 2 ? EE_ALL : EE_DELEGATED) | PMSCR_KE;
	struct setup setup = setup_of((from == 0 ? PMSCR_E0SPE : PMSCR_E1SPE) | ee1, ee2);
	u64 expected = 5 * ROUNDS * WORK_OPERATIONS / 257;
	struct world world = world_of(from, NON_SECURE);
	struct profile profile;

	seen.count = 0;
	seen.records = 0;
	seen.wrong = false;
	setup.bytes = BYTES;
	world.irq = true;
	world.mdcr3 = MDCR3_PMSEE(to == 3 ? EE_ALL : EE_DELEGATED);
	gic_setup(0, NON_SECURE);
	world_set(&world);
	WR(PMBSR_EL2, 0);
	WR(PMBSR_EL3, 0);
	this_cpu()->profiling = drain;
	profile = profile_at(&world, &setup, (u64)work, 5 * ROUNDS);
	this_cpu()->profiling = NULL;
	seen.records += profile.count;
	check(seen.count > 10 && seen.el == to && !seen.wrong && !profile.damage,
	      "EL%u: a full buffer is an exception to EL%u, with its status there", (u64)from,
	      (u64)to);
	/* A handler at the profiled level is itself sampled after it lets profiling continue. */
	check(seen.records <= expected + 1 + (from == to ? seen.count : 0) &&
	              seen.records + seen.count * (machine.strict ? 32 : 2) >= expected,
	      "EL%u to EL%u: buffer after buffer holds all samples", (u64)from, (u64)to);
	note("%u exceptions to EL%u, status %x, %u of %u samples", (u64)seen.count, (u64)seen.el,
	     seen.status, seen.records, expected);
}

static void stop(struct cpu *cpu, unsigned el)
{
	WR(PMBLIMITR_EL1, 0);
	profile_sync();
	profiling_clear(cpu, el);
}

/* Fill the buffer with an operation that PSB CSYNC waits for. The exception is taken before the
 * instruction after the ISB (RNXPMV). */
static void test_drained(u64 function, char *after, const char *name)
{
	u64 largest = BIT(machine.pmsidr >> 12 & 15);
	struct world world = profiling_world(1);
	unsigned taken = 0, late = 0;
	struct cpu *cpu = this_cpu();

	for (unsigned count = 1; count <= 20; count++) {
		struct setup setup =
		        setup_of(PMSCR_E1SPE | PMSCR_EE(EE_ALL) | PMSCR_KE, PMSCR_EE(EE_DELEGATED));
		struct profile p;

		setup.interval = 0xffff00;
		setup.bytes = BYTES;
		world_set(&world);
		profile_start(&setup);
		WR(PMBPTR_EL1, setup.base + setup.bytes - largest);
		WR(PMSICR_EL1, count);
		ISB();
		cpu->profiling = stop;
		run_at(&world, function, 0);
		cpu->profiling = NULL;
		profile_stop(&p, &setup);
		taken += cpu->taken_count == 1;
		late += cpu->taken_count &&
		        (cpu->taken[0].elr < function || cpu->taken[0].elr > (u64)after);
	}
	check(taken == 20 && !late, "taken before the instruction after %s", name);
	if (taken != 20 || late)
		note("%u of 20 taken, %u late", (u64)taken, (u64)late);
}

void test_profiling_exceptions(void)
{
	test_profiling_mask();
	if (!machine.has_exceptions)
		return;
	gic_setup(0, NON_SECURE);
	WRITE(S3_0_C4_C6_0, 0); /* ICC_PMR_EL1: mask PMBIRQ, which TGE would route to EL2 */
	for (unsigned status_el = 1; status_el < 4; status_el++)
		for (unsigned el = 0; el < 4; el++)
			test_table(status_el, el);
	for (unsigned from = 0; from < 3; from++)
		for (unsigned to = from ? from : 1; to < 4; to++)
			test_taken(from, to);
	test_owner_elsewhere();
	test_state(SECURE);
	test_state(REALM);
	test_host();
	test_profiled(0, 1);
	test_profiled(1, 1);
	test_profiled(0, 2);
	test_profiled(1, 2);
	test_profiled(1, 3);
	test_drained((u64)drained, drained_after, "ISB, PSB CSYNC and ISB");
	if (!machine.strict) /* in strict mode, PSB CSYNC need not wait */
		test_drained((u64)drained_at_once, drained_at_once_after, "PSB CSYNC and ISB");
}

/* Test the level of boot, EL2 or EL1, without a higher level. Its control resets to 0b00. */
void test_profiling_exceptions_here(void)
{
	struct cpu *cpu = this_cpu();
	unsigned el = machine.boot_el;
	u64 control = el == 2 ? RD(PMSCR_EL2) : RD(PMSCR_EL1), masked;

	if (!machine.has_exceptions)
		return;
	check(!(control & PMSCR_EE(3)), "boot at EL%u: PMSCR_ELx.EE is 0b00", (u64)el);
	PM_SET();
	cpu->profiling = profiling_clear;
	cpu->taken_count = 0;
	if (el == 2) {
		WR(PMSCR_EL2, PMSCR_EE(EE_ALL) | PMSCR_KE);
		WR(PMBSR_EL2, PMBSR_S);
	} else {
		WR(PMSCR_EL1, PMSCR_EE(EE_ALL) | PMSCR_KE);
		WR(PMBSR_EL1, PMBSR_S);
	}
	ISB();
	masked = cpu->taken_count;
	PM_CLEAR();
	ISB();
	check(masked == 0, "boot at EL%u: PSTATE.PM masks", (u64)el);
	check(*(volatile unsigned *)&cpu->taken_count == 1 && cpu->taken[0].el == el &&
	              cpu->taken[0].esr == PROFILING_SYNDROME &&
	              cpu->taken[0].vector == VECTOR_SAME_LEVEL,
	      "boot at EL%u: taken to this level", (u64)el);
	cpu->profiling = NULL;
	if (el == 2)
		WR(PMSCR_EL2, 0);
	else
		WR(PMSCR_EL1, 0);
	ISB();
}
