/* SPDX-License-Identifier: MIT */
/*
 * Table D17-1: the states in which profiling is enabled, and the bit that enables it.
 *
 * Arm ARM: DDI 0487 M.a, D17.4 (Table D17-1), D17.3.4 (the interval is INTERVAL * 256 + 1).
 *
 * Every row is tested with every combination of the controls that it leaves open, and with both
 * values of HCR_EL2.E2H. If a cell names a bit, this bit alone must enable profiling, and all other
 * bits together must not. If a cell says "disabled", all bits together must not enable it.
 */
#include "tables.h"
#include "enabling_rows.h"

#define ROUNDS 300
#define OPERATIONS (ROUNDS * WORK_OPERATIONS)
/* Samples at an interval of 257. The few operations of entry and exit do not cause another one. */
#define EXPECTED (OPERATIONS / 257)
#define ALL 3 /* E0SPE and E1SPE; E0HSPE and E2SPE */

extern u64 work_user32(u64 rounds);
extern u64 work_supervisor32(u64 rounds);

bool world_of_combination(struct world *world, unsigned combination, unsigned el)
{
	static const enum security states[4] = {SECURE, NON_SECURE, ROOT, REALM};

	*world = world_of(el, states[combination & 3]); /* {NSE, NS} */
	world->nspbe = (combination >> 2) & 1;
	world->nspb = (combination >> 3) & 3;
	world->e2pb = (combination >> 5) & 3;
	world->eel2 = (combination >> 7) & 1;
	world->tge = (combination >> 8) & 1;
	world->e2h = (combination >> 9) & 1;
	if (world->security == ROOT || world->e2pb == 1)
		return false; /* reserved */
	if (world->nspbe && !machine.has_rme)
		return false; /* RES0 */
	if ((world->eel2 || world->security == REALM) && !machine.has_sel2)
		return false;
	return true;
}

static bool row_has(const struct enabling_row *row, const struct world *world)
{
	return control_is(row->nse, world->security >> 1) &&
	       control_is(row->ns, world->security & 1) && control_is(row->nspbe, world->nspbe) &&
	       control_is(row->nspb, world->nspb) && control_is(row->e2pb, world->e2pb) &&
	       control_is(row->eel2, world->eel2) && control_is(row->tge, world->tge);
}

/* Return a setup with only the bit of a cell in PMSCR_EL1 and PMSCR_EL2, or with all other bits. */
static struct setup setup_of_bit(enum cell cell, bool named)
{
	u64 scr1 = cell == CELL_E0SPE ? PMSCR_E0SPE : cell == CELL_E1SPE ? PMSCR_E1SPE : 0;
	u64 scr2 = cell == CELL_E0HSPE ? PMSCR_E0HSPE : cell == CELL_E2SPE ? PMSCR_E2SPE : 0;

	return named ? setup_of(scr1, scr2) : setup_of(scr1 ^ ALL, scr2 ^ ALL);
}

/* Return the number of samples of work() in the world, or ~0 if the records are wrong. */
static u64 samples(const struct world *world, const struct setup *setup)
{
	struct profile profile = {0};
	unsigned inside = 0;

	if (world->el == 3) {
		world_set(world);
		profile_start(setup);
		profile.x0 = work(ROUNDS);
		profile_stop(&profile, setup);
		profile_decode(&profile, setup->base);
	} else {
		profile = profile_at(world, setup, (u64)work, ROUNDS);
	}
	if (profile.damage || profile.status)
		return ~UINT64_C(0);
	for (unsigned i = 0; i < profile.count; i++) {
		struct record *record = &records[i];

		if (!record->has_pc || record->pc < (u64)work_begin || record->pc >= (u64)work_end)
			continue; /* in the handler of an SVC, one level above */
		inside++;
		if (record->pc_el != world->el || record->pc_ns != (world->security & 1) ||
		    record->pc_nse != world->security >> 1)
			return ~UINT64_C(0);
	}
	/* The handlers may add at most one record. */
	return profile.count - inside > 1 ? ~UINT64_C(0) : inside;
}

struct verdict {
	unsigned tried, wrong;
	struct world first;
	u64 expected, got;
};

static void judge(struct verdict *verdict, const struct world *world, u64 expected, u64 got)
{
	verdict->tried++;
	if (expected == got)
		return;
	if (!verdict->wrong++) {
		verdict->first = *world;
		verdict->expected = expected;
		verdict->got = got;
	}
}

static void try_cell(struct verdict *verdict, const struct world *world, enum cell cell)
{
	struct setup setup = setup_of(ALL, ALL);

	if (cell == CELL_DISABLED) {
		judge(verdict, world, 0, samples(world, &setup));
		return;
	}
	setup = setup_of_bit(cell, true);
	judge(verdict, world, EXPECTED, samples(world, &setup));
	setup = setup_of_bit(cell, false);
	judge(verdict, world, 0, samples(world, &setup));
}

static void try_row(const struct enabling_row *row, unsigned number, unsigned el)
{
	static const char *const cells[] = {"disabled", "n/a", "E0SPE", "E1SPE", "E2SPE", "E0HSPE"};
	struct verdict verdict = {0};
	struct world world;

	if (row->cell[el] == CELL_NOT_APPLICABLE)
		return;
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		if (!world_of_combination(&world, i, el) || !row_has(row, &world) ||
		    !world_exists(&world))
			continue;
		try_cell(&verdict, &world, row->cell[el]);
	}
	if (!verdict.tried) {
		note("Table D17-1 row %u at EL%u: not without FEAT_RME or FEAT_SEL2", (u64)number,
		     (u64)el);
		return;
	}
	check(!verdict.wrong, "Table D17-1 row %u (%s) at EL%u: %s", (u64)number, row->source,
	      (u64)el, cells[row->cell[el]]);
	if (verdict.wrong)
		note("%u of %u wrong; first: %s NSPBE %u NSPB %u E2PB %u EEL2 %u TGE %u E2H %u: %u "
		     "samples instead of %u",
		     (u64)verdict.wrong, (u64)verdict.tried, world_name(&verdict.first),
		     (u64)verdict.first.nspbe, (u64)verdict.first.nspb, (u64)verdict.first.e2pb,
		     (u64)verdict.first.eel2, (u64)verdict.first.tge, (u64)verdict.first.e2h,
		     verdict.got, verdict.expected);
}

/* Profiling is disabled in AArch32 state, whatever the bits are (D17.4). */
static void test_aarch32(void)
{
	struct setup setup = setup_of(ALL, ALL);
	struct world world = world_of(0, NON_SECURE);
	struct profile profile;

	world.aarch32 = true;
	if (world_exists(&world)) {
		/* EL1 executes few operations itself: those that handle the SVC. */
		setup.scr1 = PMSCR_E0SPE;
		profile = profile_at(&world, &setup, (u64)work_user32, 4000);
		check(profile.count == 0 && profile.x0 == 0, "no samples of EL0 in AArch32 state");
	}
	world.el = 1;
	if (world_exists(&world)) {
		u64 sctlr = READ(sctlr_el1);

		setup.scr1 = ALL;
		WRITE(sctlr_el1, sctlr & ~BIT(0)); /* the translation tables are for AArch64 */
		ISB();
		profile = profile_at(&world, &setup, (u64)work_supervisor32, 4000);
		WRITE(sctlr_el1, sctlr);
		ISB();
		check(profile.count == 0 && profile.x0 == 0, "no samples of EL1 in AArch32 state");
	}
}

/* With PMBLIMITR_EL1.E clear, profiling is disabled. With PMBSR_EL1.S set, it is stopped
 * (D17.4). */
static void test_stopped(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(ALL, ALL);
	struct profile profile;

	world_set(&world);
	setup.limitr = 0;
	profile_start(&setup);
	run_at(&world, (u64)work, ROUNDS);
	profile_stop(&profile, &setup);
	check(profile.end == setup.base, "no samples with PMBLIMITR_EL1.E clear");
	setup.limitr = 1;
	profile_start(&setup);
	WR(PMBSR_EL1, PMBSR_S);
	ISB();
	run_at(&world, (u64)work, ROUNDS);
	profile_sync();
	check(RD(PMSICR_EL1) == 0, "PMSICR_EL1 does not count while profiling is stopped");
	profile_stop(&profile, &setup);
	check(profile.end == setup.base, "no samples with PMBSR_EL1.S set");
}

void test_enabling(void)
{
	for (unsigned i = 0; i < COUNT(enabling_rows); i++)
		for (unsigned el = 0; el < 4; el++)
			try_row(&enabling_rows[i], i + 1, el);
	test_aarch32();
	test_stopped();
}
