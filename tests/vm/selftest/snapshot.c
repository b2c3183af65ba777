/* SPDX-License-Identifier: MIT */
/*
 * PMU snapshots of the PMU's own counters: the conditions of a Capture, and its values.
 *
 * Arm ARM: DDI 0487 M.a, D13.9 (RSCLCQ, RMFJWS, Table D13-10, RVPZHN, RPLPCY, RMPZSB), D24.5.
 */
#include "runtime.h"

#define PMSSCR_EL1 S3_0_C9_C13_3
#define PMECR_EL1 S3_0_C9_C14_5
#define PMCCNTSVR_EL1 S2_0_C14_C11_7
#define PMEVCNTSVR0_EL1 S2_0_C14_C8_0
#define PMEVCNTSVR1_EL1 S2_0_C14_C8_1
#define PMEVCNTSVR2_EL1 S2_0_C14_C8_2
#define PMEVCNTSVR3_EL1 S2_0_C14_C8_3
#define PMEVCNTSVR4_EL1 S2_0_C14_C8_4

#define SS BIT(0)
#define NC BIT(32)
#define SSE(n) ((u64)(n) << 3)
#define PMSSE(n) ((u64)(n) << 30) /* MDCR_EL2, MDCR_EL3 */
#define MDCR_EL3_ENPMSS BIT(44)
#define MDCR_EL3_SPME BIT(17)
#define MDCR_EL3_ENPM2 BIT(7)
#define PMCR_E BIT(0)
#define PMCR_P BIT(1)
#define PMCR_C BIT(2)
#define PMCR_LC BIT(6)
#define PMCR_LP BIT(7)
#define SW_INCR 0x0000
#define CPU_CYCLES 0x0011
#define PMU_SNAPSHOT 0x8127
/* Bits of PMEVTYPER<n>_EL0: NSH counts at EL2. P prevents counting at EL1, and at EL3 with NSK and
 * M 0. */
#define NSH BIT(27)
#define P BIT(31)
#define ENABLED (BIT(31) | 0xf)
#define REPEATS 200

enum { DISABLED, PROHIBITED, ALLOWED };

static unsigned pmuver, counters;

/* Make a Capture and wait until it is complete and synchronized (Example D13-8). */
static u64 capture(void)
{
	u64 value;

	WR(PMSSCR_EL1, SS);
	do {
		value = RD(PMSSCR_EL1);
		ISB();
	} while (value & SS);
	return value;
}

static void os_lock(bool locked)
{
	WRITE(oslar_el1, locked);
	ISB();
}

/* Allow Captures at every level that can decide, and let the counters run at the tested levels. */
static void allow(void)
{
	if (machine.boot_el == 3) {
		machine.mdcr_el3 = (machine.mdcr_el3 & ~PMSSE(3)) | MDCR_EL3_ENPMSS |
		                   MDCR_EL3_ENPM2 | MDCR_EL3_SPME | PMSSE(1);
		WRITE(mdcr_el3, machine.mdcr_el3);
	}
	if (machine.boot_el >= 2) {
		machine.mdcr_el2 = (machine.mdcr_el2 & ~PMSSE(3)) | PMSSE(1);
		WRITE(mdcr_el2, machine.mdcr_el2);
	}
	WR(PMECR_EL1, SSE(3));
	os_lock(false);
}

/* ---- Table D13-10 ---------------------------------------------------------------------------- */

/* Return the expected outcome by Table D13-10. The reserved value 0b01 of PMECR_EL1.SSE is not
 * tested. */
static unsigned expected_capture(unsigned el3, unsigned el2, unsigned el1, bool locked)
{
	unsigned decides = machine.boot_el == 3 && el3 != 1   ? el3
	                   : machine.boot_el >= 2 && el2 != 1 ? el2
	                                                      : el1;

	if (decides == 0)
		return DISABLED;
	return decides == 3 && !locked ? ALLOWED : PROHIBITED;
}

static bool try_controls(unsigned el3, unsigned el2, unsigned el1, bool locked, u64 before)
{
	static u64 tag = UINT64_C(0x1000);
	unsigned expected = expected_capture(el3, el2, el1, locked);
	u64 old = tag++, new = tag, status, saved;

	allow();
	WRITE(pmevcntr0_el0, old);
	capture();
	if (before) { /* NC set: a prohibited Capture */
		os_lock(true);
		capture();
		os_lock(false);
	}
	WRITE(pmevcntr0_el0, new);
	if (machine.boot_el == 3)
		WRITE(mdcr_el3, (machine.mdcr_el3 & ~PMSSE(3)) | PMSSE(el3));
	if (machine.boot_el >= 2)
		WRITE(mdcr_el2, (machine.mdcr_el2 & ~PMSSE(3)) | PMSSE(el2));
	WR(PMECR_EL1, SSE(el1));
	os_lock(locked);
	WR(PMSSCR_EL1, 0); /* this write is ignored */
	ISB();
	if (RD(PMSSCR_EL1) != before || RD(PMEVCNTSVR0_EL1) != old)
		return false;
	status = capture();
	saved = RD(PMEVCNTSVR0_EL1);
	allow();
	if (expected == DISABLED)
		return status == before && saved == old;
	return expected == PROHIBITED ? status == NC && saved == old : status == 0 && saved == new;
}

static void test_table(void)
{
	unsigned wrong = 0, tried = 0;

	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevtyper0_el0, SW_INCR);
	for (unsigned n = 0; n < 4 * 4 * 4 * 2 * 2; n++) {
		unsigned el3 = n & 3, el2 = (n >> 2) & 3, el1 = (n >> 4) & 3;
		bool locked = (n >> 6) & 1;

		if (el1 == 1 || (machine.boot_el < 3 && el3) || (machine.boot_el < 2 && el2))
			continue;
		tried++;
		if (try_controls(el3, el2, el1, locked, n >> 7 ? NC : 0) || wrong++)
			continue;
		note("MDCR_EL3.PMSSE %u MDCR_EL2.PMSSE %u PMECR_EL1.SSE %u OS Lock %u NC %u",
		     (u64)el3, (u64)el2, (u64)el1, (u64)locked, (u64)(n >> 7));
	}
	check(!wrong && tried, "Table D13-10 and the OS Lock: %u states", (u64)tried);
}

/* ---- captured values ------------------------------------------------------------------------- */

static void program(void)
{
	WRITE(pmcntenclr_el0, ~UINT64_C(0));
	WRITE(pmcr_el0, PMCR_E | PMCR_P | PMCR_C | PMCR_LC);
	WRITE(pmevtyper0_el0, SW_INCR | NSH);
	WRITE(pmevtyper1_el0, CPU_CYCLES | NSH);
	WRITE(pmevtyper2_el0, CPU_CYCLES | NSH);
	WRITE(pmevtyper3_el0, PMU_SNAPSHOT | NSH);
	WRITE(pmccfiltr_el0, NSH);
	WRITE(pmevcntr2_el0, 0x40000000);
	WRITE(pmovsclr_el0, ~UINT64_C(0));
	WRITE(pmcntenset_el0, ENABLED);
	ISB();
}

static struct seen {
	unsigned bad_status, outside, apart, moving, increments, snapshots;
	u64 between; /* change of the counter between two direct reads */
} seen_by[CPUS];

/* At the current level, make Captures between direct reads of the counters. */
static u64 take_captures(u64 argument)
{
	struct seen *seen = &seen_by[this_cpu()->index];
	u64 apart = 0;

	memset(seen, 0, sizeof(*seen));
	for (unsigned i = 0; i < REPEATS; i++) {
		u64 status, before, after, cycles_before, cycles_after, one, two, cycles;

		WRITE(pmswinc_el0, 1);
		before = READ(pmevcntr1_el0);
		cycles_before = READ(pmccntr_el0);
		status = capture();
		one = RD(PMEVCNTSVR1_EL1);
		two = RD(PMEVCNTSVR2_EL1);
		cycles = RD(PMCCNTSVR_EL1);
		after = READ(pmevcntr1_el0);
		cycles_after = READ(pmccntr_el0);
		seen->between += READ(pmevcntr1_el0) - after;
		seen->bad_status += status != 0;
		seen->outside += one < before || one > after || cycles < cycles_before ||
		                 cycles > cycles_after;
		/* At any instant, counters of the same event differ by a constant. */
		if (i == 0)
			apart = (two - one) ^ (cycles - one);
		seen->apart += apart != ((two - one) ^ (cycles - one));
		seen->moving += RD(PMEVCNTSVR1_EL1) != one || RD(PMCCNTSVR_EL1) != cycles;
		seen->increments += RD(PMEVCNTSVR0_EL1) != i + 1;
		/* The event follows the Capture (RMPZSB). */
		seen->snapshots += RD(PMEVCNTSVR3_EL1) != i || READ(pmevcntr3_el0) != i + 1;
	}
	return argument;
}

static void test_captured(const struct world *world)
{
	const char *where = world ? world_name(world) : "the level of boot";
	const struct seen *seen = &seen_by[0];
	bool lower = world && world->el < machine.boot_el;

	allow();
	if (world && !lower)
		world_set(world);
	program();
	if (lower)
		run_at(world, (u64)take_captures, 0);
	else
		take_captures(0);
	check(!seen->bad_status, "at %s: %u Captures are complete", where, (u64)REPEATS);
	check(!seen->outside, "at %s: counters lie between direct reads around the Capture", where);
	check(!seen->apart, "at %s: all counters are captured at one instant", where);
	check(!seen->moving, "at %s: snapshot registers hold still", where);
	check(!seen->increments, "at %s: software increments are captured", where);
	check(!seen->snapshots, "at %s: PMU_SNAPSHOT counts each Capture after it", where);
	check(seen->between > 0, "at %s: meanwhile the counters count", where);
	if (seen->outside || seen->apart || seen->snapshots)
		note("of %u: %u outside, %u apart, %u PMU_SNAPSHOT", (u64)REPEATS,
		     (u64)seen->outside, (u64)seen->apart, (u64)seen->snapshots);
	note("direct reads lie %u cycles apart", seen->between / REPEATS);
}

/* While all counters are stopped, a Capture copies exactly their values, including the upper
 * halves. */
static void test_stopped(void)
{
	static const u64 value = UINT64_C(0x123456789abcdef0);
	bool wide = pmuver >= 6; /* FEAT_PMUv3p5 */
	u64 direct, saved;

	allow();
	program();
	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevcntr4_el0, value);
	WRITE(pmccntr_el0, value + 1);
	ISB();
	check(capture() == 0, "PMCR_EL0.E is 0: a Capture completes");
	direct = READ(pmevcntr4_el0);
	saved = RD(PMEVCNTSVR4_EL1);
	check(saved == direct && saved == (wide ? value : value & 0xffffffff),
	      "PMCR_EL0.E is 0: PMEVCNTSVR4_EL1 is PMEVCNTR4_EL0, of %u bits",
	      (u64)(wide ? 64 : 32));
	check(RD(PMCCNTSVR_EL1) == value + 1, "PMCR_EL0.E is 0: PMCCNTSVR_EL1 is PMCCNTR_EL0");
	check(RD(PMEVCNTSVR1_EL1) == READ(pmevcntr1_el0) && READ(pmevcntr3_el0) == 0,
	      "PMCR_EL0.E is 0: nothing counts, PMU_SNAPSHOT neither");
}

/* A prohibited Capture does not count as an event. Otherwise the event obeys the same controls as
 * the others. */
static void test_snapshot_event(void)
{
	bool wide = pmuver >= 6;

	allow();
	program();
	os_lock(true);
	check(capture() == NC && READ(pmevcntr3_el0) == 0,
	      "a prohibited Capture does not count as PMU_SNAPSHOT");
	os_lock(false);
	WRITE(pmevtyper3_el0, PMU_SNAPSHOT | (machine.boot_el == 2 ? 0 : P));
	capture();
	check(READ(pmevcntr3_el0) == 0, "the filter of the Exception level is PMU_SNAPSHOT's too");
	WRITE(pmevtyper3_el0, PMU_SNAPSHOT | NSH);
	WRITE(pmevcntr3_el0, 0xffffffff);
	WRITE(pmovsclr_el0, ~UINT64_C(0));
	capture();
	check((READ(pmovsset_el0) & 8) && READ(pmevcntr3_el0) == (wide ? BIT(32) : 0) &&
	              RD(PMEVCNTSVR3_EL1) == 0xffffffff,
	      "PMU_SNAPSHOT overflows at bit 31");
	check(READ(pmevtyper3_el0) == (PMU_SNAPSHOT | NSH),
	      "and PMEVTYPER3_EL0 is what was written");
	if (!wide)
		return;
	WRITE(pmcr_el0, PMCR_E | PMCR_LC | PMCR_LP);
	WRITE(pmevcntr3_el0, 0xffffffff);
	WRITE(pmovsclr_el0, ~UINT64_C(0));
	capture();
	check(!(READ(pmovsset_el0) & 8), "with PMCR_EL0.LP not at bit 31");
	WRITE(pmevcntr3_el0, ~UINT64_C(0));
	capture();
	check((READ(pmovsset_el0) & 8) && READ(pmevcntr3_el0) == 0, "but at bit 63");
}

/* ---- while profiling, on two PEs at once ----------------------------------------------------- */

static struct profile profiled[CPUS];

static void capture_profiled(struct cpu *cpu)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);

	allow();
	program();
	world_set(&world);
	profile_start(&setup);
	run_at(&world, (u64)take_captures, 0);
	profile_stop(&profiled[cpu->index], &setup);
}

/* A Capture may be the sampled operation, while another PE executes a Capture. */
static void test_profiled(void)
{
	bool waited;

	processor_call(1, capture_profiled);
	capture_profiled(this_cpu());
	waited = processor_wait(1);
	for (unsigned i = 0; i < 2 && waited; i++) {
		const struct seen *seen = &seen_by[i];
		struct profile *p = &profiled[i];

		profile_decode(p, p->begin);
		check(!seen->bad_status && !seen->outside && !seen->apart && !seen->moving &&
		              !seen->increments && !seen->snapshots && seen->between,
		      "PE %u: Captures while both PEs are profiled", (u64)i);
		/* A Capture takes more than ten instructions, and one in 256 or 257 is sampled. */
		check(!p->damage && !p->status && p->count >= REPEATS * 10 / 257,
		      "PE %u: and it is sampled", (u64)i);
		note("%u samples, PMBSR_EL1 %x, %s; %u outside, %u apart", (u64)p->count, p->status,
		     p->damage ? p->damage : "whole", (u64)seen->outside, (u64)seen->apart);
	}
	check(waited, "the second PE comes back");
}

/* ---- another PE, reset ----------------------------------------------------------------------- */

static u64 other_status, other_saved;

static void capture_elsewhere(struct cpu *cpu)
{
	(void)cpu;
	allow();
	other_status = RD(PMSSCR_EL1);
	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevcntr0_el0, 77);
	ISB();
	other_status |= capture() << 1;
	other_saved = RD(PMEVCNTSVR0_EL1);
}

static void test_other_pe(void)
{
	u64 status;

	if (machine.boot_el < 3)
		return; /* the other PE waits for PSCI */
	machine.cpus = 2;
	check(processors_release() == 2, "a second PE");
	allow();
	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevcntr0_el0, 55);
	ISB();
	capture();
	os_lock(true);
	status = capture();
	processor_call(1, capture_elsewhere);
	check(processor_wait(1) && other_status == NC && other_saved == 77,
	      "the second PE captures its own counters");
	check(status == NC && RD(PMSSCR_EL1) == NC && RD(PMEVCNTSVR0_EL1) == 55,
	      "and changes nothing of the first one's");
	test_profiled();
	os_lock(true);
	capture();
}

/* D24.5.23: {NC, SS} resets to {1, 0}; Captures are disabled then (MDCR_ELx.PMSSE). */
static void test_as_reset(const char *when)
{
	u64 status = RD(PMSSCR_EL1);

	check(status == NC, "%s: PMSSCR_EL1.{NC, SS} is {1, 0}", when);
	if (machine.boot_el == 1)
		check(RD(PMECR_EL1) == 0, "%s: PMECR_EL1.SSE is 0b00 without EL2 and EL3", when);
	os_lock(false);
	check(capture() == NC, "%s: Captures are disabled", when);
	check(READ(oslsr_el1) == BIT(3), "%s: the OS Lock is unlocked by OSLAR_EL1", when);
}

static void identify(void)
{
	u64 dfr0 = READ(id_aa64dfr0_el1);

	pmuver = (dfr0 >> 8) & 15;
	counters = (READ(pmcr_el0) >> 11) & 31;
	note("PMUVer %u, %u event counters", (u64)pmuver, (u64)counters);
	check(((dfr0 >> 16) & 15) == 1, "ID_AA64DFR0_EL1.PMSS is 1");
	check(((READ(id_aa64dfr1_el1) >> 36) & 15) == 0, "ID_AA64DFR1_EL1.PMICNTR is 0");
	if (((dfr0 >> 16) & 15) != 1)
		die("no snapshots");
	if (machine.boot_el == 3)
		WRITE(mdcr_el3, machine.mdcr_el3 | MDCR_EL3_ENPMSS | MDCR_EL3_ENPM2);
	ISB();
}

void test_snapshots(void)
{
	struct world world;

	identify();
	test_as_reset("cold reset");
	test_table();
	if (machine.boot_el == 3) {
		/* QEMU's event counters do not count unless EL2 is enabled. */
		static const struct {
			u8 el, security;
		} levels[] = {{1, NON_SECURE},
		              {2, NON_SECURE},
		              {1, SECURE},
		              {2, SECURE},
		              {3, NON_SECURE}};

		test_snapshot_access();
		for (unsigned i = 0; i < COUNT(levels); i++) {
			world = world_of(levels[i].el, levels[i].security);
			test_captured(&world);
		}
	} else {
		test_captured(NULL);
	}
	test_stopped();
	test_snapshot_event();
	test_other_pe();
	check(capture() == (machine.boot_el < 3 ? 0 : NC), "before reset");
	test_reset();
}

void test_snapshots_after_reset(void)
{
	*(volatile u64 *)KEPT_BASE = 0;
	identify();
	test_as_reset("after reset");
}

/* ---- synchronization: the plugin with "strict yes" ------------------------------------------- */

enum { STUB_PMSSCR = 0, STUB_PMEVCNTSVR0 = 3, STUB_PMICNTSVR = 10 };

static u64 stub(unsigned index, bool write)
{
	return (u64)snapshot_stubs + index * 32 + write * 16;
}

static u64 get(unsigned index)
{
	return ((u64(*)(u64))stub(index, false))(0);
}

/* The runner expects these diagnostics, in this order. */
static void expect_diagnostic(const char *name, u64 pc)
{
	print("diagnostic %s %x\n", name, pc);
}

static u64 request_and_poll(void)
{
	u64 polls = 0;

	((u64(*)(u64))stub(STUB_PMSSCR, true))(1);
	while (get(STUB_PMSSCR) & SS)
		polls++;
	return polls;
}

void test_snapshots_strict(void)
{
	u64 read = stub(STUB_PMEVCNTSVR0, false), write = stub(STUB_PMSSCR, true) + 4;

	identify();
	allow();
	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevcntr0_el0, 1);
	check(request_and_poll() > 0, "SS reads 1 until the Capture is complete");
	ISB();
	check(get(STUB_PMEVCNTSVR0) == 1, "polled and synchronized: the snapshot is read");

	WRITE(pmevcntr0_el0, 2);
	request_and_poll();
	get(STUB_PMEVCNTSVR0);
	expect_diagnostic("unsynchronized-snapshot", read);
	ISB();
	check(get(STUB_PMEVCNTSVR0) == 2, "synchronized later: the snapshot is read");

	((u64(*)(u64))stub(STUB_PMSSCR, true))(1);
	get(STUB_PMEVCNTSVR0);
	expect_diagnostic("unsynchronized-snapshot", read);
	((u64(*)(u64))stub(STUB_PMSSCR, true))(1);
	expect_diagnostic("write-during-capture", write);
	while (get(STUB_PMSSCR) & SS)
		;
	ISB();

	WRITE(pmevcntr0_el0, 3);
	request_and_poll();
	this_cpu()->expecting = true;
	get(STUB_PMICNTSVR); /* UNDEFINED, without an ISB before it */
	this_cpu()->expecting = false;
	check(get(STUB_PMEVCNTSVR0) == 3, "an exception synchronizes too");
}

/* The plugin with "choose unsynchronized-snapshot=old". */
void test_snapshots_old(void)
{
	identify();
	allow();
	WRITE(pmcr_el0, PMCR_LC);
	WRITE(pmevcntr0_el0, 1);
	capture();
	check(RD(PMEVCNTSVR0_EL1) == 1, "synchronized: the snapshot is read");
	WRITE(pmevcntr0_el0, 2);
	request_and_poll();
	check(RD(PMEVCNTSVR0_EL1) == 1, "without ISB: the one before is read");
	expect_diagnostic("unsynchronized-snapshot", 0);
	ISB();
	check(RD(PMEVCNTSVR0_EL1) == 2, "and after the ISB the new one");
}
