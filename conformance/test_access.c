/* SPDX-License-Identifier: MIT */
/*
 * Register accesses to SPE's registers: for each, whether it is performed, UNDEFINED or trapped.
 * For a trap, also the syndrome.
 *
 * Arm ARM: DDI 0487 M.a, D24.7 (each register's accessibility), D24.2 (HDFGRTR_EL2, HDFGWTR_EL2),
 * D24.3 (MDCR_EL2).
 */
#include "image.h"
#include "tests.h"

enum ending { CARRIED_OUT, UNDEFINED, TRAPPED };

/* Check a register access at EL0. If it is UNDEFINED, the exception goes to EL1, or to EL2 under a
 * host. */
static void expect_access(const struct context *context, unsigned index, bool write,
                          enum ending ending)
{
	const struct spe_register *reg = &spe_registers[index];
	unsigned target = ending == TRAPPED                   ? 2
	                  : context->el == 0 && !context->tge ? 1
	                  : context->el                       ? context->el
	                                                      : 2;
	struct taken *taken = &exceptions.taken[0];

	access_at(context, index, write, 0);
	if (ending == CARRIED_OUT) {
		expect(!exceptions.count, "%s: %s %s is not carried out: exception to EL%u, ESR %x",
		       context->name, write ? "MSR" : "MRS", reg->name, (u64)taken->el, taken->esr);
		return;
	}
	if (!expect(exceptions.count == 1, "%s: %s %s: %u exceptions, expected one to EL%u",
	            context->name, write ? "MSR" : "MRS", reg->name, (u64)exceptions.count,
	            (u64)target))
		return;
	expect(taken->el == target && TAKEN_EC(taken) == (ending == TRAPPED ? 0x18 : 0),
	       "%s: %s %s: EL%u, ESR %x", context->name, write ? "MSR" : "MRS", reg->name,
	       (u64)taken->el, taken->esr);
	if (ending == TRAPPED)
		expect((taken->esr & 0x1ffffff) == register_syndrome(reg, write),
		       "%s: %s %s: ESR %x", context->name, write ? "MSR" : "MRS", reg->name,
		       taken->esr);
}

static bool implemented(unsigned i)
{
	return register_implemented(&spe_registers[i], &machine.ids);
}

void test_absent(void)
{
	unsigned tried = 0;

	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		for (unsigned write = 0; write < 2 && !implemented(i); write++) {
			access_here(i, write, 0);
			tried++;
			expect(exceptions.count == 1 && TAKEN_EC(&exceptions.taken[0]) == 0,
			       "%s %s is not UNDEFINED", write ? "MSR" : "MRS",
			       spe_registers[i].name);
		}
	}
	if (!tried)
		skip("all of them are there");
}

void test_access_el0(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned k = 0; k < count; k++) {
		if (list[k].el)
			continue;
		context_set(&list[k]);
		for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++)
			for (unsigned write = 0; write < 2; write++)
				expect_access(&list[k], i, write, UNDEFINED);
	}
}

void test_access_el1_only(void)
{
	context_set(context_el1());
	expect_access(context_el1(), R_PMSCR_EL2, false, UNDEFINED);
	expect_access(context_el1(), R_PMSCR_EL2, true, UNDEFINED);
	expect_access(context_el1(), R_PMSCR_EL12, false, UNDEFINED);
	expect_access(context_el1(), R_PMSCR_EL12, true, UNDEFINED);
}

/* Check the outcome of each register access at EL1. `trapped` returns true for those that a control
 * traps. */
static void check_el1(bool (*trapped)(const struct spe_register *reg, bool write))
{
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		const struct spe_register *reg = &spe_registers[i];

		for (unsigned write = 0; write < 2; write++) {
			bool there =
			        implemented(i) && reg->group < OF_EL2 && !(write && reg->readonly);

			expect_access(context_el1(), i, write,
			              !there                ? UNDEFINED
			              : trapped(reg, write) ? TRAPPED
			                                    : CARRIED_OUT);
		}
	}
}

static bool never(const struct spe_register *reg, bool write)
{
	(void)reg;
	(void)write;
	return false;
}

static bool by_e2pb(const struct spe_register *reg, bool write)
{
	(void)write;
	return reg->group == BUFFER;
}

static bool by_tpms(const struct spe_register *reg, bool write)
{
	(void)write;
	return reg->group == SAMPLING;
}

static void with_mdcr(u64 set)
{
	context_set(context_el1());
	WRITE(mdcr_el2, machine.mdcr_el2 | set);
	ISB();
}

void test_access_el1(void)
{
	with_mdcr(UINT64_C(3) << 12);
	check_el1(never);
}

void test_trap_e2pb(void)
{
	with_mdcr(UINT64_C(2) << 12);
	check_el1(by_e2pb);
	with_mdcr(0);
	check_el1(by_e2pb);
	with_mdcr(UINT64_C(3) << 12);
}

void test_trap_tpms(void)
{
	with_mdcr(BIT(14) | UINT64_C(3) << 12);
	check_el1(by_tpms);
	with_mdcr(UINT64_C(3) << 12);
}

static unsigned alone; /* the inverted bit, and its register */
static bool of_write;

static bool by_fgt(const struct spe_register *reg, bool write)
{
	return reg->fgt == alone && write == of_write;
}

/* Check that one bit at a time traps. The bit of PMSNEVFR_EL1 traps when it is 0. */
void test_trap_fgt(void)
{
	u64 open = machine.ids.pmsidr & BIT(6) ? BIT(62) : 0;

	with_mdcr(UINT64_C(3) << 12);
	for (unsigned i = 0; i < SPE_REGISTER_COUNT; i++) {
		alone = spe_registers[i].fgt;
		if (!alone || !implemented(i))
			continue;
		for (unsigned write = 0; write < 2; write++) {
			of_write = write;
			WR(HDFGRTR_EL2, write ? open : open ^ BIT(alone));
			WR(HDFGWTR_EL2,
			   write && !spe_registers[i].readonly ? open ^ BIT(alone) : open);
			ISB();
			check_el1(by_fgt);
		}
	}
	WR(HDFGRTR_EL2, open);
	WR(HDFGWTR_EL2, open);
	ISB();
}

void test_programming(void)
{
	static const u8 values[] = {0, 2, 3};

	for (unsigned i = 0; i < COUNT(values); i++) {
		u64 id;

		with_mdcr((u64)values[i] << 12);
		id = access_at(context_el1(), R_PMBIDR_EL1, false, 0);
		expect((id >> 4 & 1) == (values[i] == 0),
		       "MDCR_EL2.E2PB %u: PMBIDR_EL1 at EL1 is %x", (u64)values[i], id);
		id = RD(PMBIDR_EL1);
		expect(!(id & BIT(4)), "MDCR_EL2.E2PB %u: PMBIDR_EL1 at EL2 is %x", (u64)values[i],
		       id);
	}
}

void test_aliases(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	if (!machine.must_vhe) {
		context_set(&list[0]);
		WR(PMSCR_EL1, 0x20);
		WR(PMSCR_EL2, 0x10);
		expect(RD(PMSCR_EL1) == 0x20 && RD(PMSCR_EL2) == 0x10,
		       "PMSCR_EL1 without E2H is not itself");
		access_here(R_PMSCR_EL12, false, 0);
		expect(exceptions.count == 1 && TAKEN_EC(&exceptions.taken[0]) == 0,
		       "PMSCR_EL12 without E2H is not UNDEFINED");
	}
	for (unsigned i = 0; i < count && !list[i].e2h; i++)
		if (list[i + 1].e2h)
			context_set(&list[i + 1]);
	WR(PMSCR_EL12, 0x20);
	WR(PMSCR_EL1, 0x10);
	ISB();
	expect(RD(PMSCR_EL2) == 0x10 && RD(PMSCR_EL1) == 0x10 && RD(PMSCR_EL12) == 0x20,
	       "with E2H: PMSCR_EL1 %x PMSCR_EL2 %x PMSCR_EL12 %x", RD(PMSCR_EL1), RD(PMSCR_EL2),
	       RD(PMSCR_EL12));
	WR(PMSCR_EL12, 0);
	WR(PMSCR_EL1, 0);
}
