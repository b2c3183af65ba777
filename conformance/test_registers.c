/* SPDX-License-Identifier: MIT */
/*
 * Values of the registers: identification registers, and registers that software can write while
 * profiling is disabled. A RES0 bit may be hardwired to zero or keep the written value. Both are
 * correct, and the report says which applies.
 *
 * Arm ARM: DDI 0487 M.a, D24.7, and the Glossary's RES0.
 */
#include "image.h"
#include "tests.h"

static u64 bits(u64 value, unsigned high, unsigned low)
{
	return value >> low & (BIT(high - low + 1) - 1);
}

static void check_pmsidr(u64 id)
{
	u64 interval = bits(id, 11, 8), size = bits(id, 15, 12), count = bits(id, 19, 16);
	u64 clock = bits(id, 31, 28);
	unsigned version = machine.ids.pmsver;

	expect(interval == 0 || (interval >= 2 && interval <= 8), "PMSIDR_EL1.Interval is %u",
	       interval);
	expect(size >= 4 && size <= 11, "PMSIDR_EL1.MaxSize is %u", size);
	expect(count == 2 || count == 3, "PMSIDR_EL1.CountSize is %u", count);
	expect(clock == 0 || clock == 1 || clock == 15, "PMSIDR_EL1.ALTCLK is %u", clock);
	expect(!bits(id, 23, 20), "PMSIDR_EL1.Format is %u", bits(id, 23, 20));
	expect(!bits(id, 63, 33), "PMSIDR_EL1[63:33] is %x", bits(id, 63, 33));
	/* For each feature, check the versions in which it may or must exist (A2.2, A2.3). */
	expect(bits(id, 6, 6) == (version >= 3), "PMSIDR_EL1.FnE is %u with PMSVer %u",
	       bits(id, 6, 6), (u64)version);
	expect(bits(id, 25, 25) == (version >= 5), "PMSIDR_EL1.CRR is %u with PMSVer %u",
	       bits(id, 25, 25), (u64)version);
	expect(!bits(id, 24, 24) || version >= 3, "PMSIDR_EL1.PBT is 1 with PMSVer %u",
	       (u64)version);
	expect(!bits(id, 7, 7) || version >= 5, "PMSIDR_EL1.FDS is 1 with PMSVer %u", (u64)version);
	expect(!bits(id, 7, 7) || bits(id, 4, 4), "PMSIDR_EL1.FDS is 1, and LDS 0");
	expect(bits(id, 7, 7) || !bits(id, 4, 4) || version < 5,
	       "PMSIDR_EL1.LDS is 1, and FDS 0 with PMSVer %u", (u64)version);
	expect(bits(id, 26, 26) == bits(id, 27, 27), "PMSIDR_EL1.{FPF, EFT} differ");
	expect(!bits(id, 32, 32) || version >= 2, "PMSIDR_EL1.SME is 1 with PMSVer %u",
	       (u64)version);
}

static void check_pmbidr(u64 id)
{
	expect(bits(id, 3, 0) <= 11, "PMBIDR_EL1.Align is %u", bits(id, 3, 0));
	expect(machine.align <= machine.max_record,
	       "PMBIDR_EL1.Align is larger than the largest record");
	expect(bits(id, 11, 8) <= 2, "PMBIDR_EL1.EA is %u", bits(id, 11, 8));
	expect(bits(id, 11, 8) || machine.ids.pmsver < 4, "PMBIDR_EL1.EA is 0 with FEAT_SPEv1p3");
	expect(bits(id, 7, 6) != 2, "PMBIDR_EL1.AddrMode is 0b10");
	expect(!bits(id, 31, 12) && !bits(id, 63, 48), "PMBIDR_EL1 is %x", id);
}

void test_identification(void)
{
	if (machine.ids.pmsver > 6) {
		skip("PMSVer %u is newer than the image", (u64)machine.ids.pmsver);
		return;
	}
	check_pmsidr(machine.ids.pmsidr);
	check_pmbidr(machine.ids.pmbidr);
	expect(RD(PMSIDR_EL1) == machine.ids.pmsidr && RD(PMBIDR_EL1) == machine.ids.pmbidr,
	       "they read otherwise the second time");
}

static bool was_undefined(void)
{
	return exceptions.count == 1 && TAKEN_EC(&exceptions.taken[0]) == 0;
}

void test_id_read_only(void)
{
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		if (!spe_registers[i].readonly)
			continue;
		access_here(i, true, ~UINT64_C(0));
		expect(was_undefined(), "MSR %s is not UNDEFINED", spe_registers[i].name);
	}
	expect(RD(PMSIDR_EL1) == machine.ids.pmsidr, "PMSIDR_EL1 has changed");
}

void test_off_at_start(void)
{
	if (RD(PMBLIMITR_EL1) & 1)
		skip("PMBLIMITR_EL1.E is 1: what ran before has enabled it");
}

/* Return true for registers of the image's own level and below that the image can write. Exclude
 * PMSCR_EL12 and PMSCR_EL2; the latter has its own test. */
static bool is_tried(unsigned i)
{
	const struct spe_register *reg = &spe_registers[i];

	return !reg->readonly && reg->group < OF_EL2 && register_implemented(reg, &machine.ids);
}

/*
 * Replace reserved values, because the manual leaves their read value open. EE keeps its value:
 * PMBSR_EL1.S may be 1 here, so EE would cause a Profiling exception that nothing ends
 * (FEAT_SPE_EXC, RYZJQX).
 */
static u64 sanitized(unsigned i, u64 value)
{
	if (spe_registers[i].group == OF_EL2 || i == R_PMSCR_EL1) {
		value &= ~PMSCR_EE(3);
		return (value >> 6 & 3) == 2 ? value & ~BIT(7) : value; /* PCT */
	}
	if (i == R_PMBSR_EL1 && value) /* EC and FSC: stage 1 or 2, Translation fault */
		return (value & (PMBSR_S | PMBSR_COLL | PMBSR_DL | PMBSR_EA)) |
		       (u64)(STAGE_1_FAULT + (value & 1)) << 26 | 4 | (value & 3);
	return value;
}

/* Write all ones, two patterns and zero, and check the read values. */
static void check_fields(unsigned i, u64 ones, u64 may)
{
	static const u64 patterns[] = {~UINT64_C(0), UINT64_C(0x5555555555555555),
	                               UINT64_C(0xaaaaaaaaaaaaaaaa), 0};
	/* Without EL2, PCT is Effectively 0b01, and may read as this value. */
	u64 stored = 0, extra = i == R_PMSCR_EL1 && !machine.has_el2 ? 0xc0 : 0;

	/* E[1] is UNKNOWN if every recorded operation is executed. */
	if (i == R_PMSEVFR_EL1 || i == R_PMSNEVFR_EL1)
		extra = BIT(1);

	for (unsigned k = 0; k < COUNT(patterns); k++) {
		u64 value = sanitized(i, patterns[k] & register_all_ones(i)), got;

		access_here(i, true, value);
		ISB();
		got = access_here(i, false, 0);
		expect((got & ones) == (value & ones), "%s: %x written, %x read, fields %x",
		       spe_registers[i].name, value, got, ones);
		expect(!(got & ~value & ~extra), "%s: %x written, %x read", spe_registers[i].name,
		       value, got);
		stored |= got & ~(ones | may | extra);
	}
	if (stored)
		observe("RES0", "%s holds bits %x", spe_registers[i].name, stored);
}

/* Return the fields that exist in any implementation. register_fields() also requires fields that
 * only the self-tests may require. */
static void fields_of(unsigned i, u64 *ones, u64 *may)
{
	u64 idr = machine.ids.pmsidr, open = 0;

	register_fields(i, &machine.ids, ones, may);
	if ((i == R_PMSEVFR_EL1 && !(idr & 1)) || (i == R_PMSLATFR_EL1 && !(idr & 4)))
		open = ~UINT64_C(0);
	else if (i == R_PMSEVFR_EL1 || i == R_PMSNEVFR_EL1)
		open = BIT(1); /* an implementation may not filter on E[1] */
	if (i == R_PMSFCR_EL1)
		open = (~idr & 7) | (idr & 2 ? 0 : 0x70000);
	if (i == R_PMBLIMITR_EL1 && machine.ids.pmsver < 3)
		open = 4; /* FM: 0b10 is reserved */
	if (i == R_PMSCR_EL1 && !machine.has_el2)
		open = 0xc0; /* PCT */
	if (i == R_PMBSR_EL1)
		open = PMBSR_DL | PMBSR_EA | 0xffc0;
	*may |= *ones & open;
	*ones &= ~open;
}

static void clear_all(void)
{
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++)
		if (is_tried(i))
			access_here(i, true, 0);
	ISB();
}

void test_fields(void)
{
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		u64 ones, may;

		if (!is_tried(i))
			continue;
		fields_of(i, &ones, &may);
		check_fields(i, ones, may);
	}
	clear_all();
}

/* While EL1 owns the buffer, E2SPE and E0HSPE are RES0, so they may keep the written value. */
void test_fields_el2(void)
{
	u64 ones, may, got;

	register_fields(R_PMSCR_EL2, &machine.ids, &ones, &may);
	check_fields(R_PMSCR_EL2, ones, may);
	context_set(context_el1());
	WR(PMSCR_EL2, 0xfb);
	got = RD(PMSCR_EL2);
	expect((got & ones & ~UINT64_C(3)) == (0xfb & ones & ~UINT64_C(3)), "where EL1 owns: %x",
	       got);
	if (got & 3)
		observe("RES0", "PMSCR_EL2 holds E2SPE and E0HSPE where EL1 owns: %x", got & 3);
	WR(PMSCR_EL2, 0);
}

static u64 distinct(unsigned i)
{
	return sanitized(i, (UINT64_C(0x9e3779b97f4a7c15) * (i + 1)) & register_all_ones(i));
}

void test_apart(void)
{
	u64 ones, may;

	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		if (is_tried(i))
			access_here(i, true, distinct(i));
	}
	ISB();
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		u64 wanted = distinct(i), got;

		if (!is_tried(i))
			continue;
		fields_of(i, &ones, &may);
		got = access_here(i, false, 0);
		expect((got & ones) == (wanted & ones), "%s: %x written, %x read",
		       spe_registers[i].name, wanted, got);
	}
	clear_all();
}
