/* SPDX-License-Identifier: MIT */
/*
 * Several PEs at once, exclusives under dense sampling, reset and power.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.9 (exclusive monitors), D24.7 (PMBLIMITR_EL1.E resets to 0).
 */
#include "runtime.h"

extern volatile u32 released;

#define ROUNDS 20000
#define MAGIC UINT64_C(0x5045204b45505421)

/* ---- other PEs ------------------------------------------------------------------------------- */

unsigned processors_release(void)
{
	unsigned count = 1;

	released = 1;
	DSB();
	for (u64 end = READ(cntpct_el0) + READ(cntfrq_el0) / 2; READ(cntpct_el0) < end;) {
		ISB();
		while (count < CPUS && ((volatile struct cpu *)&cpus[count])->index == count)
			count++;
		if (count == machine.cpus || count == CPUS)
			break;
	}
	return count;
}

void processor_call(unsigned index, void (*call)(struct cpu *cpu))
{
	DSB();
	*(void (*volatile *)(struct cpu *)) & cpus[index].call = call;
	DSB();
}

bool processor_wait(unsigned index)
{
	for (u64 end = READ(cntpct_el0) + 20 * READ(cntfrq_el0); READ(cntpct_el0) < end;) {
		ISB();
		if (!*(void (*volatile *)(struct cpu *)) & cpus[index].call) {
			DSB();
			return true;
		}
	}
	return false;
}

/* ---- at the same time ------------------------------------------------------------------------ */

static struct {
	struct profile profile;
	u64 rounds;
	u64 (*function)(u64);
	bool data_of_its_own;
} jobs[CPUS];

static void job(struct cpu *cpu)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	unsigned i = cpu->index;
	u64 argument = jobs[i].rounds | (jobs[i].data_of_its_own ? (u64)i << 56 : 0);

	world_set(&world);
	profile_start(&setup);
	jobs[i].profile.x0 = run_at(&world, (u64)jobs[i].function, argument);
	profile_stop(&jobs[i].profile, &setup);
}

static bool run_jobs(u64 (*function)(u64), u64 rounds, bool data_of_its_own)
{
	bool ok = true;

	for (unsigned i = 0; i < machine.cpus; i++) {
		jobs[i].function = function;
		jobs[i].rounds = rounds;
		jobs[i].data_of_its_own = data_of_its_own;
	}
	for (unsigned i = 1; i < machine.cpus; i++)
		processor_call(i, job);
	job(&cpus[0]);
	for (unsigned i = 1; i < machine.cpus; i++)
		ok = processor_wait(i) && ok;
	return ok;
}

static void test_together(void)
{
	check(run_jobs(work, ROUNDS, true), "all PEs profile at the same time");
	for (unsigned i = 0; i < machine.cpus; i++) {
		struct profile *p = &jobs[i].profile;
		unsigned foreign = 0;

		profile_decode(p, p->begin);
		for (unsigned k = 0; k < p->count; k++)
			foreign += records[k].type == 1 &&
			           (!records[k].has_va || records[k].va != (u64)work_data[i]);
		check(!p->damage && !p->status && p->count == ROUNDS * WORK_OPERATIONS / 257,
		      "PE %u of %u: its samples, all and whole", (u64)i, (u64)machine.cpus);
		if (p->damage || p->status || p->count != ROUNDS * WORK_OPERATIONS / 257)
			note("%u samples, PMBSR_EL1 %x, %s", (u64)p->count, p->status,
			     p->damage ? p->damage : "whole");
		check(!foreign, "PE %u: only its own data", (u64)i);
	}
}

static void fill_small(struct cpu *cpu)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);

	setup.bytes = PAGE;
	jobs[cpu->index].profile = profile_at(&world, &setup, (u64)work, ROUNDS);
}

static void clear_status(struct cpu *cpu)
{
	(void)cpu;
	WR(PMBSR_EL1, 0);
	ISB();
}

/* Check that each PE has its own interrupt. */
static void test_interrupt_of_second(void)
{
	bool came;

	if (machine.cpus < 2)
		return;
	WR(PMBSR_EL1, 0);
	gic_setup(0, NON_SECURE);
	gic_setup(1, NON_SECURE);
	processor_call(1, fill_small);
	came = processor_wait(1);
	check(came && gic_pending(1) && !gic_pending(0),
	      "PE 1's full buffer raises PE 1's PPI alone");
	processor_call(1, clear_status);
	came = processor_wait(1);
	check(came && !gic_pending(1), "PE 1's PPI falls with PE 1's PMBSR_EL1.S");
}

/* ---- D17.7.9 --------------------------------------------------------------------------------- */

static void test_exclusives(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	u64 rounds = 100000, before = exclusives_word, failures = 0;
	struct profile p = profile_at(&world, &setup, (u64)exclusives, rounds);
	unsigned loads = 0, stores = 0;

	for (unsigned i = 0; i < p.count; i++) {
		loads += records[i].pc == (u64)exclusives_ldxr;
		stores += records[i].pc == (u64)exclusives_stxr;
	}
	check(exclusives_word == before + rounds,
	      "LDXR and STXR under dense sampling make progress");
	check(loads > 100 && stores > 100, "LDXR and STXR are sampled");
	check(p.x0 < stores / 10 + 1, "a sampled STXR does not fail for that");
	note("%u samples of LDXR, %u of STXR, %u of %u STXR failed", (u64)loads, (u64)stores, p.x0,
	     rounds);
	before = exclusives_word;
	check(run_jobs(exclusives, rounds, false), "LDXR and STXR of all PEs on one word finish");
	for (unsigned i = 0; i < machine.cpus; i++)
		failures += jobs[i].profile.x0;
	check(exclusives_word == before + rounds * machine.cpus, "their sum is right");
	note("%u of %u STXR failed", failures, rounds * machine.cpus);
	if (!machine.has_lse)
		return;
	before = exclusives_word;
	check(run_jobs(atomics, rounds, false), "LDADD of all PEs on one word finish");
	check(exclusives_word == before + rounds * machine.cpus, "their sum is right, too");
}

void test_processors(void)
{
	machine.cpus = CPUS;
	machine.cpus = processors_release();
	note("%u PEs", (u64)machine.cpus);
	test_together();
	test_interrupt_of_second();
	test_exclusives();
}

/* ---- reset ----------------------------------------------------------------------------------- */

static volatile u64 *kept(void)
{
	return (volatile u64 *)KEPT_BASE;
}

bool after_reset(void)
{
	return *kept() == MAGIC;
}

/* Reset the machine by the Secure GPIO or PSCI, while all PEs are profiled and an event is
 * pending. */
void test_reset(void)
{
	struct setup setup = setup_of(3, 3);

	if (machine.boot_el == 3) {
		struct world world = world_of(1, NON_SECURE);

		world_set(&world);
	}
	/* PE 1 is profiled during the reset. */
	jobs[1].function = work;
	jobs[1].rounds = 0xffffffff;
	if (machine.boot_el == 3 && machine.cpus > 1)
		processor_call(1, job);
	profile_start(&setup);
	WR(PMBSR_EL1, PMBSR_S);
	*kept() = MAGIC;
	DSB();
	ISB();
	if (machine.boot_el == 3) {
		*(volatile u32 *)(0x090b0000 + 0x400) = 2; /* GPIODIR: line 1 is an output */
		*(volatile u32 *)(0x090b0000 + (2 << 2)) = 2;
		for (;;)
			;
	}
	psci(0x84000009, 0, 0); /* SYSTEM_RESET */
	die("no way to reset");
}

/* Check that nothing is written after the reset, although PMSCR_ELx allows profiling. */
void test_after_reset(void)
{
	u64 pointer;

	*kept() = 0;
	check((RD(PMBLIMITR_EL1) & 1) == 0, "reset clears PMBLIMITR_EL1.E");
	WR(PMSCR_EL1, 3);
	if (machine.boot_el >= 2)
		WR(PMSCR_EL2, 3);
	WR(PMBPTR_EL1, BUFFER_BASE);
	WR(PMSIRR_EL1, 1 << 8);
	WR(PMBSR_EL1, 0);
	ISB();
	pointer = RD(PMBPTR_EL1);
	if (machine.boot_el == 3) {
		struct world world = world_of(1, NON_SECURE);

		run_at(&world, (u64)work, 1000);
		gic_setup(0, NON_SECURE);
		check(!gic_pending(0), "no interrupt is stuck after reset");
	} else {
		work(1000);
	}
	check(RD(PMBPTR_EL1) == pointer, "no samples after reset");
	WR(PMSCR_EL1, 0);
	if (machine.boot_el < 3)
		return;
	machine.cpus = CPUS;
	machine.cpus = processors_release();
	test_together();
}
