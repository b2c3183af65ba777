/* SPDX-License-Identifier: MIT */
/*
 * Register accesses to the PMU snapshot registers: for each, whether it succeeds, is UNDEFINED or
 * is trapped, and with which syndrome. No machine here has FEAT_FGT2.
 *
 * Arm ARM: DDI 0487 M.a, D24.5.5, D24.5.9, D24.5.11, D24.5.16, D24.5.23 (accessibility), D24.3
 * (MDCR_EL2.{TPM, HPMN}, MDCR_EL3.{EnPMSS, EnPM2, TPM}), D24.2.40 (ISS of MSR and MRS).
 */
#include "runtime.h"

#define MDCR_EL3_ENPMSS BIT(44)
#define MDCR_EL3_ENPM2 BIT(7)
#define MDCR_EL3_TPM BIT(6)
#define MDCR_EL2_TPM BIT(6)
#define MDCR_EL2_HPMN UINT64_C(31)

static const struct snapshot_register {
	const char *name;
	u8 op0, crn, crm, op2;
} registers[] = {
#define X(name, op0, crn, crm, op2) {#name, op0, crn, crm, op2},
        SNAPSHOT_REGISTERS(X)
#undef X
};
enum { PMSSCR, PMECR, PMCCNTSVR, PMEVCNTSVR, PMICNTSVR = COUNT(registers) - 1 };

struct controls {
	bool enpmss, enpm2, tpm3, tpm2;
	unsigned hpmn;
};

static unsigned counters; /* PMCR_EL0.N */

/* Return the number of the event counter that the register belongs to, or -1. */
static int event_counter(unsigned index)
{
	return index >= PMEVCNTSVR && index < PMICNTSVR ? (int)(index - PMEVCNTSVR) : -1;
}

struct outcome {
	u8 el; /* target of the exception, or 0 if there is none */
	u8 ec; /* 0: UNDEFINED, 0x18: trapped */
};

static struct outcome expect(unsigned index, bool write, const struct world *world,
                             const struct controls *controls)
{
	bool el2 = world->security != SECURE || world->eel2;
	int n = event_counter(index);
	struct outcome undefined = {world->el ? world->el : world->tge && el2 ? 2 : 1, 0};
	struct outcome carried_out = {0, 0}, to_el2 = {2, 0x18}, to_el3 = {3, 0x18};

	if (world->el == 0 || index == PMICNTSVR || n >= (int)counters ||
	    (write && index != PMSSCR && index != PMECR))
		return undefined;
	if (world->el == 1 && el2 &&
	    ((index == PMECR && controls->tpm2) || n >= (int)controls->hpmn))
		return to_el2;
	if (world->el < 3 &&
	    (index == PMECR ? !controls->enpm2 || controls->tpm3 : !controls->enpmss))
		return to_el3;
	return carried_out;
}

static u64 syndrome(unsigned index, bool write)
{
	const struct snapshot_register *r = &registers[index];

	return (u64)r->op0 << 20 | (u64)r->op2 << 17 | (u64)r->crn << 10 | 3 << 5 |
	       (u64)r->crm << 1 | !write;
}

static void access(const struct world *world, unsigned index, bool write)
{
	u64 stub = (u64)snapshot_stubs + index * 32 + write * 16;
	struct cpu *cpu = this_cpu();

	cpu->expecting = true;
	cpu->taken_count = 0;
	if (world->el < 3) {
		run_at(world, stub, 0);
	} else {
		world_set(world);
		((u64(*)(u64))stub)(0);
	}
	cpu->expecting = false;
}

static bool as_expected(unsigned index, bool write, const struct world *world,
                        struct outcome expected)
{
	const struct cpu *cpu = this_cpu();
	const struct taken *taken = &cpu->taken[0];

	if (!expected.el)
		return cpu->taken_count == 0;
	return cpu->taken_count == 1 && taken->el == expected.el &&
	       TAKEN_EC(taken) == expected.ec && ((taken->spsr >> 2) & 3) == world->el &&
	       (taken->esr & 0x1ffffff) == (expected.ec ? syndrome(index, write) : 0);
}

static bool world_of_number(struct world *world, struct controls *controls, unsigned el, unsigned n)
{
	static const enum security states[4] = {SECURE, NON_SECURE, ROOT, REALM};

	*world = world_of(el, states[n & 3]);
	world->eel2 = (n >> 2) & 1;
	world->e2h = (n >> 3) & 1;
	world->tge = el == 0 && world->e2h;
	*controls = (struct controls){.enpmss = (n >> 4) & 1,
	                              .enpm2 = (n >> 5) & 1,
	                              .tpm3 = (n >> 6) & 1,
	                              .tpm2 = (n >> 7) & 1,
	                              .hpmn = (n >> 8) & 1 ? counters : 2};
	return world->security != ROOT && world_exists(world);
}
#define WORLDS (1U << 9)

static void try_register(unsigned index, unsigned el)
{
	u64 mdcr_el3 = machine.mdcr_el3, mdcr_el2 = machine.mdcr_el2;
	unsigned tried = 0, wrong = 0;
	struct controls c;
	struct world world;

	for (unsigned n = 0; n < 2 * WORLDS; n++) {
		bool write = n >= WORLDS;
		struct outcome expected;

		if (!world_of_number(&world, &c, el, n % WORLDS))
			continue;
		machine.mdcr_el3 = (mdcr_el3 & ~(MDCR_EL3_ENPMSS | MDCR_EL3_ENPM2 | MDCR_EL3_TPM)) |
		                   (c.enpmss ? MDCR_EL3_ENPMSS : 0) |
		                   (c.enpm2 ? MDCR_EL3_ENPM2 : 0) | (c.tpm3 ? MDCR_EL3_TPM : 0);
		machine.mdcr_el2 = (mdcr_el2 & ~(MDCR_EL2_TPM | MDCR_EL2_HPMN)) |
		                   (c.tpm2 ? MDCR_EL2_TPM : 0) | c.hpmn;
		expected = expect(index, write, &world, &c);
		access(&world, index, write);
		tried++;
		if (as_expected(index, write, &world, expected) || wrong++)
			continue;
		note("%s %s at %s EEL2 %u TGE %u EnPMSS %u EnPM2 %u TPM %u %u HPMN %u",
		     write ? "MSR" : "MRS", registers[index].name, world_name(&world),
		     (u64)world.eel2, (u64)world.tge, (u64)c.enpmss, (u64)c.enpm2, (u64)c.tpm3,
		     (u64)c.tpm2, (u64)c.hpmn);
		note("expected EL%u EC %x; %u exceptions, the first to EL%u ESR %x",
		     (u64)expected.el, (u64)expected.ec, (u64)this_cpu()->taken_count,
		     (u64)this_cpu()->taken[0].el, this_cpu()->taken[0].esr);
	}
	machine.mdcr_el3 = mdcr_el3;
	machine.mdcr_el2 = mdcr_el2;
	check(!wrong && tried, "%s at EL%u: every access ends as the controls say",
	      registers[index].name, (u64)el);
	if (wrong)
		note("%u of %u accesses wrong", (u64)wrong, (u64)tried);
}

void test_snapshot_access(void)
{
	counters = (READ(pmcr_el0) >> 11) & 31;
	for (unsigned i = 0; i < COUNT(registers); i++)
		for (unsigned el = 0; el < 4; el++)
			try_register(i, el);
}

/* Check a machine without PMU snapshots: the registers are UNDEFINED, and the ID field is 0. */
void test_no_snapshots(void)
{
	unsigned undefined = 0;
	struct cpu *cpu = this_cpu();

	check(((READ(id_aa64dfr0_el1) >> 16) & 15) == 0, "ID_AA64DFR0_EL1.PMSS is 0");
	for (unsigned i = 0; i < 2 * COUNT(registers); i++) {
		cpu->expecting = true;
		cpu->taken_count = 0;
		((void (*)(void))(snapshot_stubs + i * 16))();
		cpu->expecting = false;
		undefined += cpu->taken_count == 1 && TAKEN_EC(&cpu->taken[0]) == 0 &&
		             cpu->taken[0].el == machine.boot_el;
	}
	check(undefined == 2 * COUNT(registers), "the registers of snapshots are UNDEFINED");
}
