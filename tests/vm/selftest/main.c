/* SPDX-License-Identifier: MIT */
/* Detect the machine's features and run the tests in order. */
#include "runtime.h"

struct machine machine;
volatile u32 released __attribute__((section(".data"))) = 0;

void primary_main(u64 el);
void secondary_main(u64 index, u64 el);

static void identify(unsigned el)
{
	u64 pfr0 = READ(id_aa64pfr0_el1);
	u64 mmfr0 = READ(id_aa64mmfr0_el1), mmfr2 = READ(id_aa64mmfr2_el1);

	machine.boot_el = el;
	machine.has_el2 = (pfr0 >> 8) & 15;
	machine.has_el3 = (pfr0 >> 12) & 15;
	machine.has_sel2 = (pfr0 >> 36) & 15;
	machine.has_rme = (pfr0 >> 52) & 15;
	machine.el0_aarch32 = (pfr0 & 15) == 2;
	machine.el1_aarch32 = ((pfr0 >> 4) & 15) == 2;
	machine.has_vhe = (READ(id_aa64mmfr1_el1) >> 8) & 15;
	machine.has_ecv = (mmfr0 >> 60) & 15;
	machine.has_lse = (READ(id_aa64isar0_el1) >> 20) & 15;
	machine.has_fgt = (mmfr0 >> 56) & 15;
	machine.has_nv2 = ((mmfr2 >> 24) & 15) >= 2;
	machine.pmsver = (READ(id_aa64dfr0_el1) >> 32) & 15;
	machine.has_exceptions = (READ(S3_0_C0_C5_2) >> 16) & 15; /* ID_AA64DFR2_EL1.SPE_EXC */
	if (el == 3) /* clear NSPB, NSPBE, and the traps of registers of extensions */
		machine.mdcr_el3 = (READ(mdcr_el3) & ~(BIT(13) | BIT(12) | BIT(11))) | ENPMSN |
		                   ENPMS3 | ENPMS4;
	if (el >= 2 && machine.has_el2)
		machine.mdcr_el2 = READ(mdcr_el2) & ~(BIT(14) | BIT(13) | BIT(12));
}

/* Read the identification registers of the SPU. Called at a higher level, or at the level of
 * boot. */
static void identify_spu(void)
{
	if (!machine.pmsver)
		return;
	if (machine.boot_el == 2)
		WRITE(mdcr_el2, machine.mdcr_el2);
	ISB();
	machine.pmsidr = RD(PMSIDR_EL1);
	machine.pmbidr = RD(PMBIDR_EL1);
}

static void test_all(void)
{
	test_identification();
	test_access();
	test_enabling();
	test_owner();
	test_records();
	test_self();
	test_operations();
	test_previous_targets();
	test_streaming();
	test_population();
	test_pmu_events();
	test_buffer();
	test_memory();
	test_interrupts();
	test_profiling_exceptions();
	if (machine.strict)
		test_switches();
	test_processors();
	test_reset();
}

void primary_main(u64 el)
{
	cpus[0].index = 0;
	identify((unsigned)el);
	memory_setup();
	memory_enable((unsigned)el);
	machine.cpus = 1;
	machine.strict = told("strict");
	print("# EL%u, PMSVer %u%s\n", el, (u64)machine.pmsver, machine.strict ? ", strict" : "");
	identify_spu();
	if (told("captures"))
		after_reset() ? test_snapshots_after_reset() : test_snapshots();
	else if (told("barriers"))
		test_snapshots_strict();
	else if (told("stale"))
		test_snapshots_old();
	else if (told("absent"))
		test_no_snapshots();
	else if (told("resumed"))
		test_resumed();
	else if (told("serrors"))
		test_serrors();
	else if (machine.pmsver && after_reset())
		test_after_reset();
	else if (el == 3)
		test_all();
	else
		test_lower_boot();
	finish();
}

void secondary_main(u64 index, u64 el)
{
	struct cpu *cpu = &cpus[index];

	memory_enable((unsigned)el);
	cpu->index = (unsigned)index;
	for (;;) {
		void (*call)(struct cpu * cpu) = *(void (*volatile *)(struct cpu *)) & cpu->call;

		if (!call)
			continue;
		DSB();
		call(cpu);
		DSB();
		*(void (*volatile *)(struct cpu *)) & cpu->call = NULL;
	}
}
