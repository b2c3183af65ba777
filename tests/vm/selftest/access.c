/* SPDX-License-Identifier: MIT */
/*
 * Register accesses to SPE's registers: for each, whether it succeeds, is UNDEFINED or is trapped,
 * and with which syndrome.
 *
 * Arm ARM: DDI 0487 M.a, D24.7 (each register's accessibility), D24.2 (HDFGRTR_EL2, HDFGWTR_EL2),
 * D24.3 (MDCR_EL2, MDCR_EL3), D24.2.40 (ESR_ELx: ISS of MSR and MRS), D8.11 (FEAT_NV2).
 *
 * expect() computes the expected outcome independently from these sections. Each SPU register is
 * accessed with every combination of the controls.
 */
#include "runtime.h"

struct outcome {
	u8 el; /* target of the exception, or 0 if there is none */
	u8 ec; /* 0: UNDEFINED, 0x18: trapped */
};

static struct spe_ids ids(void)
{
	struct spe_ids ids = {machine.pmsver, machine.has_vhe, machine.has_ecv, machine.pmsidr,
	                      machine.pmbidr};

	return ids;
}

static bool implemented(const struct spe_register *reg)
{
	struct spe_ids of = ids();

	return register_implemented(reg, &of);
}

/* Return true unless MDCR_EL3.{NSPBE, NSPB} gives the registers to this Security state and NSPB[0]
 * disables the trap. */
static bool trapped_to_el3(const struct world *world)
{
	return !(world->nspb & 1) || (world->nspb >> 1) != (world->security & 1) ||
	       (machine.has_rme && world->nspbe != world->security >> 1);
}

static bool trapped_to_el2(const struct spe_register *reg, bool write, const struct world *world)
{
	u64 fgt = write ? world->hdfgwtr : world->hdfgrtr;

	if (world->security == SECURE && !world->eel2)
		return false;
	/* Registers without a bit in HDFGxTR_EL2 have one with FEAT_FGT2, which no QEMU
	 * implements. */
	if (machine.has_fgt && reg->fgt && !!(fgt & BIT(reg->fgt)) != !!reg->enable)
		return true;
	if (reg->group == SAMPLING)
		return world->tpms;
	return reg->group == BUFFER && world->e2pb != 3;
}

static struct outcome expect(const struct spe_register *reg, bool write, const struct world *world)
{
	bool el2 = world->security != SECURE || world->eel2;
	struct outcome undefined = {world->el ? world->el : world->tge && el2 ? 2 : 1, 0};
	struct outcome carried_out = {0, 0}, to_el2 = {2, 0x18}, to_el3 = {3, 0x18};

	if (world->el == 0 || !implemented(reg) || (write && reg->readonly))
		return undefined;
	if (world->el == 1) {
		if (reg->group == OF_EL2 || reg->group == OF_EL12)
			return undefined;
		if (trapped_to_el2(reg, write, world))
			return to_el2;
	} else if (reg->group == OF_EL12 && !(world->e2h && el2)) { /* ELIsInHost(EL2) */
		return undefined;
	}
	if (world->el < 3 && reg->group != BUFFER_ID &&
	    (trapped_to_el3(world) || (reg->enable & world->without)))
		return to_el3;
	return carried_out;
}

static u64 access(const struct world *world, unsigned index, bool write, u64 value)
{
	u64 stub = (u64)access_stubs + index * 32 + write * 16;
	struct cpu *cpu = this_cpu();
	u64 result;

	if (world->el < 3) {
		cpu->expecting = true;
		result = run_at(world, stub, value);
		cpu->expecting = false;
		return result;
	}
	world_set(world);
	cpu->taken_count = 0;
	cpu->expecting = true;
	result = ((u64(*)(u64))stub)(value);
	cpu->expecting = false;
	return result;
}

static bool as_expected(const struct spe_register *reg, bool write, const struct world *world,
                        struct outcome expected)
{
	struct cpu *cpu = this_cpu();
	struct taken *taken = &cpu->taken[0];

	if (!expected.el)
		return cpu->taken_count == 0;
	if (cpu->taken_count != 1 || taken->el != expected.el || TAKEN_EC(taken) != expected.ec ||
	    !(taken->esr & BIT(25)))
		return false;
	/* SPSR.M has the level of the access. The return address is that of the instruction. */
	if (((taken->spsr >> 2) & 3) != world->el)
		return false;
	return (taken->esr & 0x1ffffff) == (expected.ec ? register_syndrome(reg, write) : 0);
}

/* Set the controls from the digits of one number. Return false if the combination does not
 * exist. */
static bool world_of_number(struct world *world, unsigned el, unsigned n)
{
	static const u8 e2pb[] = {3, 2, 0, 3};
	static const enum security states[4] = {SECURE, NON_SECURE, ROOT, REALM};

	*world = world_of(el, states[n & 3]);
	world->eel2 = (n >> 2) & 1;
	world->nspb = (n >> 3) & 3;
	world->nspbe = (n >> 5) & 1;
	world->e2pb = e2pb[(n >> 6) & 3];
	world->tpms = ((n >> 6) & 3) == 3;
	world->e2h = (n >> 8) & 1;
	world->tge = el == 0 && ((n >> 9) & 1);
	world->hdfgrtr = (n >> 9) & 1 ? 0 : BIT(62);
	world->hdfgwtr = (n >> 10) & 1 ? 0 : BIT(62);
	world->without = (n >> 8) & (n >> 6) & 1 ? ENPMSN | ENPMS3 | ENPMS4 : 0;
	if (world->nspbe && !machine.has_rme)
		return false;
	if ((el == 0 || el == 3) && ((n >> 6) & 3)) /* MDCR_EL2 has no effect at these levels */
		return false;
	return world->security != ROOT && world_exists(world);
}
#define WORLDS (1U << 11)

static void try_register(unsigned index, unsigned el)
{
	const struct spe_register *reg = &spe_registers[index];
	unsigned tried = 0, wrong = 0;
	struct world world;

	for (unsigned n = 0; n < WORLDS; n++) {
		if (!world_of_number(&world, el, n))
			continue;
		for (unsigned write = 0; write < 2; write++) {
			struct world with = world;
			struct outcome expected;

			/* Leave the register's own fine-grained trap as set, and invert all
			 * others. */
			if (world.hdfgrtr == 0 && reg->fgt)
				with.hdfgrtr = (n >> 7) & 1 ? BIT(reg->fgt) ^ BIT(62)
				                            : ~BIT(reg->fgt) ^ BIT(62);
			if (world.hdfgwtr == 0 && reg->fgt && !reg->readonly)
				with.hdfgwtr = (n >> 7) & 1 ? BIT(reg->fgt) ^ BIT(62)
				                            : ~BIT(reg->fgt) ^ BIT(62);
			expected = expect(reg, write, &with);
			access(&with, index, write, 0);
			tried++;
			if (as_expected(reg, write, &with, expected) || wrong++)
				continue;
			note("%s %s at %s EEL2 %u NSPBE %u NSPB %u E2PB %u TPMS %u E2H %u TGE %u "
			     "FGT "
			     "%x %x",
			     write ? "MSR" : "MRS", reg->name, world_name(&with), (u64)with.eel2,
			     (u64)with.nspbe, (u64)with.nspb, (u64)with.e2pb, (u64)with.tpms,
			     (u64)with.e2h, (u64)with.tge, with.hdfgrtr, with.hdfgwtr);
			note("expected EL%u EC %x; %u exceptions, the first to EL%u ESR %x",
			     (u64)expected.el, (u64)expected.ec, (u64)this_cpu()->taken_count,
			     (u64)this_cpu()->taken[0].el, this_cpu()->taken[0].esr);
		}
	}
	check(!wrong, "%s at EL%u: every access ends as the controls say", reg->name, (u64)el);
	if (wrong)
		note("%u of %u accesses wrong", (u64)wrong, (u64)tried);
}

/* ---- values of the registers ----------------------------------------------------------------- */

static void test_values(void)
{
	struct spe_ids of = ids();
	struct world worlds[4];
	unsigned count = 0;

	worlds[count++] = world_of(3, NON_SECURE);
	worlds[count++] = world_of(2, NON_SECURE);
	worlds[count++] = world_of(1, NON_SECURE);
	worlds[count++] = world_of(1, SECURE);
	for (unsigned i = 0; i < COUNT(spe_registers); i++) {
		bool ok = true;

		if (spe_registers[i].readonly || !implemented(&spe_registers[i]))
			continue;
		for (unsigned w = 0; w < count; w++) {
			struct world world = worlds[w];
			u64 ones, may, high, low;

			if (world.el == 1 && spe_registers[i].group >= OF_EL2)
				continue;
			world.e2h = spe_registers[i].group == OF_EL12;
			if (spe_registers[i].group == OF_EL2)
				world.e2pb = 0; /* otherwise E2SPE and E0HSPE are RES0 */
			world.hdfgrtr = world.hdfgwtr = BIT(62);
			register_fields(i, &of, &ones, &may);
			access(&world, i, true, register_all_ones(i));
			high = access(&world, i, false, 0);
			access(&world, i, true, 0);
			low = access(&world, i, false, 0);
			if ((high & ~may) == (ones & ~may) && (high & ones) == ones && low == 0)
				continue;
			ok = false;
			note("%s at %s: all ones read %x, expected %x, possible %x; zero reads %x",
			     spe_registers[i].name, world_name(&world), high, ones, may, low);
		}
		check(ok, "%s holds what its fields can", spe_registers[i].name);
	}
	worlds[0].e2pb = 3;
	access(&worlds[0], 14, true, 3);
	check(access(&worlds[0], 14, false, 0) == 0,
	      "PMSCR_EL2.{E2SPE, E0HSPE} are RES0 where EL1 owns");
}

/* At EL2 with HCR_EL2.E2H, names of EL1 mean registers of EL2, and names of EL12 mean registers of
 * EL1 (D24.7, accessors of the registers). */
static void test_aliases(void)
{
	struct world host = world_of(2, NON_SECURE), plain = host, el3 = world_of(3, NON_SECURE);

	host.e2h = true;
	host.e2pb = plain.e2pb = el3.e2pb = 0;
	world_set(&el3);
	WR(PMSCR_EL1, 1);
	WR(PMSCR_EL2, 2);
	check(access(&plain, 0, false, 0) == 1, "PMSCR_EL1 at EL2 without E2H is itself");
	if (!machine.has_vhe)
		return;
	check(access(&host, 0, false, 0) == 2, "PMSCR_EL1 at EL2 with E2H is PMSCR_EL2");
	check(access(&host, 15, false, 0) == 1, "PMSCR_EL12 at EL2 with E2H is PMSCR_EL1");
	access(&host, 0, true, 8);
	access(&host, 15, true, 16);
	el3.e2h = true;
	check(access(&el3, 0, false, 0) == 16 && access(&el3, 14, false, 0) == 8,
	      "writes by those names arrive, and EL3 has no alias");
	WR(PMSCR_EL1, 0);
	WR(PMSCR_EL2, 0);
}

/* Nested virtualization (FEAT_NV, FEAT_NV2): HCR_EL2.NV is bit 42, NV1 is 43, and NV2 is 45. */
static void test_nested(void)
{
	static const struct {
		u8 index;
		u32 offset;
	} redirected[] = {{0, 0x828}, {2, 0x838}, {3, 0x840}, {5, 0x830},
	                  {6, 0x848}, {8, 0x800}, {9, 0x810}, {10, 0x820}};
	static u64 page[512] __attribute__((aligned(4096)));
	struct world world = world_of(1, NON_SECURE);

	if (!machine.has_nv2) {
		skip("nested virtualization", "no FEAT_NV2");
		return;
	}
	world.hcr = BIT(42);
	access(&world, 14, false, 0);
	check(this_cpu()->taken_count == 1 && this_cpu()->taken[0].el == 2 &&
	              TAKEN_EC(&this_cpu()->taken[0]) == 0x18 &&
	              (this_cpu()->taken[0].esr & 0x1ffffff) ==
	                      register_syndrome(&spe_registers[14], false),
	      "PMSCR_EL2 at EL1 with HCR_EL2.NV traps to EL2");
	WRITE(S3_4_C2_C2_0, (u64)page); /* VNCR_EL2 */
	for (unsigned i = 0; i < COUNT(redirected); i++) {
		const struct spe_register *reg = &spe_registers[redirected[i].index];
		volatile u64 *cell = &page[redirected[i].offset / 8];
		u64 got;

		world.hcr = BIT(42) | BIT(43) | BIT(45);
		*cell = 0x1234000;
		got = access(&world, redirected[i].index, false, 0);
		access(&world, redirected[i].index, true, 0x5678000);
		check(got == 0x1234000 && *cell == 0x5678000 && this_cpu()->taken_count == 0,
		      "%s with HCR_EL2.{NV2, NV1, NV} 0b111 is memory at %x", reg->name,
		      (u64)redirected[i].offset);
	}
}

/* ---- identification -------------------------------------------------------------------------- */

/* PMBIDR_EL1.P, bit 4: a higher level or another Security state owns the buffer (D24.7). */
static void test_programming(void)
{
	struct world world;

	for (unsigned el = 1; el < 4; el++) {
		unsigned wrong = 0, tried = 0;

		for (unsigned n = 0; n < WORLDS; n++) {
			bool el2, p;

			if (!world_of_number(&world, el, n) || (world.nspbe && world.nspb < 2))
				continue; /* reserved */
			world.hdfgrtr = world.hdfgwtr = BIT(62);
			el2 = world.security != SECURE || world.eel2;
			p = world.nspb >> 1 != (world.security & 1) ||
			    world.nspbe != world.security >> 1 ||
			    (el == 1 && el2 && world.e2pb == 0);
			if (el == 3)
				p = false;
			tried++;
			if (!!(access(&world, 13, false, 0) & BIT(4)) == p || wrong++)
				continue;
			note("%s EEL2 %u NSPBE %u NSPB %u E2PB %u: P should be %u",
			     world_name(&world), (u64)world.eel2, (u64)world.nspbe, (u64)world.nspb,
			     (u64)world.e2pb, (u64)p);
		}
		check(!wrong && tried, "PMBIDR_EL1.P at EL%u says whether programming is allowed",
		      (u64)el);
	}
}

void test_identification(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 interval = (machine.pmsidr >> 8) & 15, size = (machine.pmsidr >> 12) & 15;
	u64 count = (machine.pmsidr >> 16) & 15;

	check(machine.pmsver >= 1 && machine.pmsver <= 6, "ID_AA64DFR0_EL1.PMSVer is %u",
	      (u64)machine.pmsver);
	if (!machine.pmsver)
		die("no SPE: nothing more to test");
	note("PMSIDR_EL1 %x PMBIDR_EL1 %x", machine.pmsidr, machine.pmbidr);
	check(interval == 0 || (interval >= 2 && interval <= 8), "PMSIDR_EL1.Interval is defined");
	check(size >= 4 && size <= 11, "PMSIDR_EL1.MaxSize is defined");
	check(count == 2 || count == 3, "PMSIDR_EL1.CountSize is defined");
	check(!(machine.pmsidr & BIT(6)) || machine.pmsver >= 3,
	      "PMSIDR_EL1.FnE is with FEAT_SPEv1p2 alone");
	world.hdfgrtr = world.hdfgwtr = BIT(62);
	check(access(&world, 7, false, 0) == machine.pmsidr, "PMSIDR_EL1 at EL1 as at EL3");
	test_programming();
}

void test_access(void)
{
	for (unsigned i = 0; i < COUNT(spe_registers); i++)
		for (unsigned el = 0; el < 4; el++)
			try_register(i, el);
	test_values();
	test_aliases();
	test_nested();
}
