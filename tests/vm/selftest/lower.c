/* SPDX-License-Identifier: MIT */
/*
 * A machine without EL3, or without EL3 and EL2: the Effective values of the missing controls, and
 * PSCI, which QEMU itself implements on these machines.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.5 (RWWFKZ, RKFMHR: EL3 or EL2 not implemented), D24.3.
 */
#include "runtime.h"

#define ROUNDS 20000
#define EXPECTED (ROUNDS * WORK_OPERATIONS / 257)
#define CPU_OFF 0x84000002
#define CPU_ON 0xc4000003
#define AFFINITY_INFO 0xc4000004

/* Profile the code at the boot level itself. The code that stops profiling may add one sample. */
static struct profile profile_here(u64 scr1, u64 scr2)
{
	struct setup setup = setup_of(scr1, scr2);
	struct profile profile;

	profile_start(&setup);
	work(ROUNDS);
	profile_stop(&profile, &setup);
	return profile;
}

static void test_here(void)
{
	bool el2 = machine.boot_el == 2;
	struct profile p = profile_here(el2 ? 0 : PMSCR_E1SPE, PMSCR_E2SPE);
	unsigned wrong = 0;

	profile_decode(&p, p.begin);
	check(!p.damage && !p.status && (p.count == EXPECTED || p.count == EXPECTED + 1),
	      "boot at EL%u: %u samples", (u64)machine.boot_el, (u64)EXPECTED);
	if (p.damage || p.status || p.count < EXPECTED || p.count > EXPECTED + 1)
		note("%u samples, PMBSR_EL1 %x, %s", (u64)p.count, p.status,
		     p.damage ? p.damage : "whole");
	for (unsigned i = 0; i < p.count; i++)
		wrong += records[i].pc_el != machine.boot_el || !records[i].pc_ns ||
		         records[i].pc_nse;
	check(!wrong, "boot at EL%u: records of this level, Non-secure", (u64)machine.boot_el);
	check(!(machine.pmbidr & BIT(4)), "boot at EL%u: PMBIDR_EL1.P is 0", (u64)machine.boot_el);
	p = profile_here(el2 ? PMSCR_E1SPE : 0, el2 ? PMSCR_E0HSPE : PMSCR_E2SPE);
	check(p.end == p.begin, "boot at EL%u: no samples without its bit", (u64)machine.boot_el);
	if (el2) {
		WRITE(mdcr_el2, machine.mdcr_el2 | UINT64_C(3) << 12);
		ISB();
		p = profile_here(3, 3);
		check(p.end == p.begin, "boot at EL2: no samples at EL2 where EL1 owns");
		WRITE(mdcr_el2, machine.mdcr_el2);
		ISB();
	} else {
		struct cpu *cpu = this_cpu();

		cpu->expecting = true;
		cpu->taken_count = 0;
		((void (*)(void))(access_stubs + 14 * 32))(); /* MRS PMSCR_EL2 */
		cpu->expecting = false;
		check(cpu->taken_count == 1 && TAKEN_EC(&cpu->taken[0]) == 0 &&
		              cpu->taken[0].el == 1,
		      "boot at EL1: PMSCR_EL2 is UNDEFINED");
	}
}

/* ---- PSCI ------------------------------------------------------------------------------------ */

static struct {
	u64 limitr; /* PMBLIMITR_EL1 when the PE started */
	struct profile profile;
} second;

static void look_and_profile(struct cpu *cpu)
{
	(void)cpu;
	second.limitr = RD(PMBLIMITR_EL1);
	if (machine.boot_el == 2)
		WRITE(mdcr_el2, machine.mdcr_el2);
	ISB();
	second.profile = profile_here(3, 3);
}

/* Power off during profiling, with an event pending. */
static void go_off(struct cpu *cpu)
{
	struct setup setup = setup_of(3, 3);

	profile_start(&setup);
	work(1000);
	WR(PMBSR_EL1, PMBSR_S);
	ISB();
	cpu->index = 0;
	cpu->call = NULL;
	DSB();
	psci(CPU_OFF, 0, 0);
	die("CPU_OFF came back");
}

static bool on(void)
{
	int64_t status = (int64_t)psci(CPU_ON, 1, (u64)psci_entry);

	if (status == 0 && processors_release() > 1)
		return true;
	note("CPU_ON: %d", status);
	return false;
}

static bool is_off(void)
{
	for (u64 end = READ(cntpct_el0) + 5 * READ(cntfrq_el0); READ(cntpct_el0) < end;) {
		ISB();
		if (psci(AFFINITY_INFO, 1, 0) == 1)
			return true;
	}
	return false;
}

static bool second_profiles(const char *when)
{
	struct profile *p = &second.profile;

	processor_call(1, look_and_profile);
	if (!processor_wait(1)) {
		check(false, "PE 1 %s: profiles", when);
		return false;
	}
	profile_decode(p, p->begin);
	check((second.limitr & 1) == 0, "PE 1 %s: PMBLIMITR_EL1.E is 0", when);
	check(!p->damage && !p->status && p->count >= EXPECTED && p->count <= EXPECTED + 1,
	      "PE 1 %s: profiles", when);
	if (p->count != EXPECTED)
		note("%u samples, %s", (u64)p->count, p->damage ? p->damage : "whole");
	return true;
}

static void test_psci(void)
{
	machine.cpus = 2;
	check(on(), "CPU_ON");
	if (!second_profiles("after CPU_ON"))
		return;
	processor_call(1, go_off);
	check(processor_wait(1) && is_off(), "CPU_OFF while profiling");
	check(on(), "CPU_ON again");
	second_profiles("after CPU_OFF and CPU_ON");
}

void test_lower_boot(void)
{
	if (!machine.pmsver)
		die("no SPE: nothing to test");
	test_here();
	test_profiling_exceptions_here();
	test_psci();
	test_reset();
}
