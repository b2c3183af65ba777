/* SPDX-License-Identifier: MIT */
/*
 * Contents of the records of profiled code, at every level and in every Security state.
 *
 * Arm ARM: DDI 0487 M.a, D17.6 (collected data), D17.6.9 (controls of EL2), D18.2 (packets).
 */
#include "runtime.h"

#define ROUNDS 20000
#define OPERATIONS (ROUNDS * WORK_OPERATIONS)
#define EXPECTED (OPERATIONS / 257)
#define LINE 2 /* line of work_data */
#define ARGUMENT (ROUNDS | UINT64_C(LINE) << 56)
#define EVERYTHING (PMSCR_CX | PMSCR_PA | PMSCR_TS | PMSCR_PCT(1))

/* Instructions of the loop in work() */
enum { LDR, ADD, STR, EOR, ADD_2, CSEL, SUBS, B_NE };

static u64 loop_begin(void)
{
	return (u64)work_end - 10 * 4; /* the eight instructions of the loop, then MOV and RET */
}

struct findings {
	unsigned outside, no_place, not_in_order, not_in_time, wrong_type, wrong_address,
	        wrong_target, wrong_context, not_retired, latest;
	unsigned at[8];
};

static void check_operation(struct findings *f, const struct record *record, unsigned k,
                            const struct world *world)
{
	static const u8 class_of[8] = {LOAD_STORE, OTHER, LOAD_STORE, OTHER,
	                               OTHER,      OTHER, OTHER,      BRANCH};
	static const u8 subclass_of[8] = {0, 0, 1, 0, 0, 0, 0, 1}; /* LDST; COND */
	/* A conditional select may be a conditional operation or not (IMPLEMENTATION DEFINED,
	 * D17.6.5). */
	u8 free = k == CSEL;
	/* CR with FEAT_SPE_CRR: neither a call nor a return */
	u8 more = k == B_NE && (machine.pmsidr & BIT(25)) ? 3 << 3 : 0;
	u64 data = (u64)work_data[LINE];
	bool memory = k == LDR || k == STR;

	if (!record->has_type || record->type != class_of[k] ||
	    (record->subclass & ~free) != (subclass_of[k] | more))
		f->wrong_type++;
	if (record->has_va != memory || record->has_pa != memory)
		f->wrong_address++;
	else if (memory &&
	         (record->va != data || record->pa != data ||
	          record->pa_ns != (world->security & 1) || record->pa_nse != world->security >> 1))
		f->wrong_address++;
	/* The branch of the last round is not taken, and may lack a target. */
	if (k == B_NE ? record->has_target && record->target != loop_begin() &&
	                        record->target != loop_begin() + 32
	              : record->has_target)
		f->wrong_target++;
}

static struct findings examine(const struct profile *profile, const struct world *world, u64 before,
                               u64 after)
{
	struct findings f = {0};
	bool context2 = world->security != SECURE || world->eel2;
	bool context1 = world->el < 2 && !(world->tge && context2);
	u64 last = 0;

	for (unsigned i = 0; i < profile->count; i++) {
		const struct record *record = &records[i];
		u64 k = (record->pc - loop_begin()) / 4;

		if (!record->has_pc || record->pc < (u64)work_begin ||
		    record->pc >= (u64)work_end) {
			f.outside++;
			continue;
		}
		if (record->pc_el != world->el || record->pc_ns != (world->security & 1) ||
		    record->pc_nse != world->security >> 1)
			f.no_place++;
		if (!record->has_timestamp || record->timestamp < last)
			f.not_in_order++;
		last = record->timestamp;
		if (last < before || last > after)
			f.not_in_time++;
		/* Without FEAT_VHE, CONTEXTIDR_EL2 may not exist. */
		if (record->has_context1 != context1 ||
		    (machine.has_vhe && record->has_context2 != context2) ||
		    (context1 && record->context1 != 0x11111111) ||
		    (machine.has_vhe && context2 && record->context2 != 0x22222222))
			f.wrong_context++;
		if (!record->has_events || !(record->events & BIT(1))) /* E[1]: retired */
			f.not_retired++;
		if (k < 8) {
			f.at[k]++;
			check_operation(&f, record, (unsigned)k, world);
		}
	}
	return f;
}

/* Write the records to a file for the host's decoder. The runner compares its output with the line
 * printed here. */
static void dump_records(const struct profile *profile)
{
	static char name[] = "records-a.spe";
	u64 pcs = 0, addresses = 0, times = 0;

	for (unsigned i = 0; i < profile->count; i++) {
		pcs += records[i].pc;
		addresses += records[i].va;
		times ^= records[i].timestamp;
	}
	dump(name, profile->begin, profile->end - profile->begin);
	print("dump %s %u %u %u %u\n", name, (u64)profile->count, pcs, addresses, times);
	name[8]++;
}

static void test_world(const struct world *world)
{
	struct setup setup = setup_of(EVERYTHING, EVERYTHING);
	struct profile profile;
	struct findings f;
	const char *name = world_name(world);
	unsigned least = ~0U, most = 0;
	u64 before, after;

	if (world->el == 2 || (world->tge && world->el == 0))
		setup.scr2 |= world->el == 2 ? PMSCR_E2SPE : PMSCR_E0HSPE;
	else
		setup.scr1 |= world->el == 1 ? PMSCR_E1SPE : PMSCR_E0SPE;
	world_set(world);
	WRITE(contextidr_el1, 0x11111111);
	if (machine.has_vhe)
		WRITE(S3_4_C13_C0_1, 0x22222222); /* CONTEXTIDR_EL2 */
	before = READ(cntpct_el0);
	profile = profile_at(world, &setup, (u64)work, ARGUMENT);
	ISB();
	after = READ(cntpct_el0);
	dump_records(&profile);
	f = examine(&profile, world, before, after);
	check(!profile.damage && !profile.status, "%s%s: the buffer holds whole records", name,
	      world->e2h ? " with E2H" : "");
	if (profile.damage || profile.status)
		note("%s, PMBSR_EL1 %x, %u records, %x to %x",
		     profile.damage ? profile.damage : "whole", profile.status, (u64)profile.count,
		     profile.begin, profile.end);
	check(profile.count == EXPECTED, "%s: %u operations make %u samples", name, (u64)OPERATIONS,
	      (u64)EXPECTED);
	if (profile.count != EXPECTED)
		note("%u samples", (u64)profile.count);
	check(!f.outside, "%s: every PC is in the code that ran", name);
	check(!f.no_place, "%s: the PC's EL, NS and NSE", name);
	check(!f.not_in_order && !f.not_in_time,
	      "%s: timestamps ascend, between the counter before and after", name);
	check(!f.wrong_context, "%s: CONTEXTIDR_EL1 and CONTEXTIDR_EL2 where they belong", name);
	check(!f.not_retired, "%s: every operation retired", name);
	check(!f.wrong_type, "%s: operation types by instruction", name);
	check(!f.wrong_address, "%s: data addresses, virtual and physical", name);
	check(!f.wrong_target, "%s: branch targets", name);
	if (f.outside || f.no_place || f.not_in_order || f.not_in_time || f.wrong_context ||
	    f.not_retired || f.wrong_type || f.wrong_address || f.wrong_target)
		note("outside %u place %u order %u time %u context %u retired %u type %u address "
		     "%u "
		     "target %u",
		     (u64)f.outside, (u64)f.no_place, (u64)f.not_in_order, (u64)f.not_in_time,
		     (u64)f.wrong_context, (u64)f.not_retired, (u64)f.wrong_type,
		     (u64)f.wrong_address, (u64)f.wrong_target);
	/* 257 and 8 have no common divisor, so the samples cycle through the loop. */
	for (unsigned k = 0; k < 8; k++) {
		least = f.at[k] < least ? f.at[k] : least;
		most = f.at[k] > most ? f.at[k] : most;
	}
	check(most - least <= 1, "%s: every instruction of the loop is sampled as often", name);
	if (most - least > 1)
		note("%u %u %u %u %u %u %u %u", (u64)f.at[0], (u64)f.at[1], (u64)f.at[2],
		     (u64)f.at[3], (u64)f.at[4], (u64)f.at[5], (u64)f.at[6], (u64)f.at[7]);
}

/* ---- controls of EL2 ------------------------------------------------------------------------- */

static struct profile profile_with(u64 scr1, u64 scr2)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(scr1 | PMSCR_E1SPE, scr2);

	return profile_at(&world, &setup, (u64)work, 2000);
}

static unsigned with(const struct profile *profile, char what)
{
	unsigned count = 0;

	for (unsigned i = 0; i < profile->count; i++) {
		const struct record *r = &records[i];

		count += what == 'p'   ? r->has_pa
		         : what == 't' ? r->has_timestamp
		         : what == '1' ? r->has_context1
		                       : r->has_context2;
	}
	return count;
}

static void test_permission(void)
{
	struct profile p = profile_with(PMSCR_PA, 0);

	check(p.count && !with(&p, 'p'), "PMSCR_EL2.PA 0: no physical addresses for EL1");
	p = profile_with(0, PMSCR_PA);
	check(p.count && !with(&p, 'p'), "PMSCR_EL1.PA 0: no physical addresses at EL1");
	p = profile_with(PMSCR_PA, PMSCR_PA);
	check(with(&p, 'p') > 0, "PMSCR_EL1.PA and PMSCR_EL2.PA: physical addresses");
	p = profile_with(0, PMSCR_TS);
	check(p.count && !with(&p, 't'), "PMSCR_EL1.TS 0: no timestamps where EL1 owns");
	p = profile_with(PMSCR_CX, 0);
	check(p.count && with(&p, '1') == p.count && !with(&p, '2'),
	      "PMSCR_EL1.CX alone: CONTEXTIDR_EL1 alone");
	p = profile_with(0, PMSCR_CX);
	check(p.count && !with(&p, '1') && with(&p, '2') == p.count,
	      "PMSCR_EL2.CX alone: CONTEXTIDR_EL2 alone");
}

/* Timestamps are virtual if either level selects virtual time, and physical if both select physical
 * time (Table D17-3). */
static void test_time(void)
{
	const u64 offset = UINT64_C(1) << 40;

	WRITE(cntvoff_el2, offset);
	ISB();
	for (unsigned i = 0; i < 4; i++) {
		u64 pct1 = i & 1, pct2 = i >> 1, less = pct1 && pct2 ? 0 : offset;
		u64 before = READ(cntpct_el0) - less, after;
		struct profile p =
		        profile_with(PMSCR_TS | PMSCR_PCT(pct1), PMSCR_TS | PMSCR_PCT(pct2));
		bool ok = p.count > 0;

		ISB();
		after = READ(cntpct_el0) - less;
		/* Compare differences, because the virtual counter may be below 0. */
		for (unsigned k = 0; k < p.count; k++)
			ok = ok && records[k].has_timestamp &&
			     records[k].timestamp - before <= after - before;
		check(ok, "PMSCR_EL1.PCT %u, PMSCR_EL2.PCT %u: %s timestamps", pct1, pct2,
		      less ? "virtual" : "physical");
	}
	WRITE(cntvoff_el2, 0);
}

/* ---- filters --------------------------------------------------------------------------------- */

static void test_filters(void)
{
	static const struct {
		u64 fcr;
		const char *name;
		bool load, store, branch;
	} filters[] = {
	        {BIT(1) | BIT(17), "loads", true, false, false},
	        {BIT(1) | BIT(18), "stores", false, true, false},
	        {BIT(1) | BIT(16), "branches", false, false, true},
	        {BIT(1) | BIT(16) | BIT(18), "branches and stores", false, true, true},
	};
	struct world world = world_of(1, NON_SECURE);

	for (unsigned i = 0; i < COUNT(filters); i++) {
		struct setup setup = setup_of(PMSCR_E1SPE, 0);
		struct profile p;
		unsigned wrong = 0;
		unsigned kinds = (filters[i].load ? 1u : 0u) + (filters[i].store ? 1u : 0u) +
		                 (filters[i].branch ? 1u : 0u);

		setup.fcr = filters[i].fcr;
		p = profile_at(&world, &setup, (u64)work, ROUNDS);
		for (unsigned k = 0; k < p.count; k++) {
			const struct record *r = &records[k];
			bool right = r->type == BRANCH       ? filters[i].branch
			             : r->type != LOAD_STORE ? false
			             : r->subclass & 1       ? filters[i].store
			                                     : filters[i].load;

			wrong += !right;
		}
		/* Each kind is one of eight operations, and the samples cycle through the loop. */
		check(!wrong && p.count + kinds >= EXPECTED * kinds / 8 &&
		              p.count <= EXPECTED * kinds / 8 + kinds,
		      "PMSFCR_EL1.FT with %s alone", filters[i].name);
		if (wrong)
			note("%u of %u wrong", (u64)wrong, (u64)p.count);
	}
}

/* PMSIRR_EL1.RND: the mean interval is INTERVAL * 256 + 128, plus 1 with ERnd (D17.3.4). */
static void test_random(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	u64 mean = machine.pmsidr & BIT(5) ? 257 : 256 + 128;
	u64 expected = OPERATIONS / mean;
	struct profile p;

	setup.interval |= 1;
	p = profile_at(&world, &setup, (u64)work, ROUNDS);
	check(p.count > expected * 9 / 10 && p.count < expected * 11 / 10,
	      "PMSIRR_EL1.RND: a mean interval of %u", mean);
	if (p.count <= expected * 9 / 10 || p.count >= expected * 11 / 10)
		note("%u samples instead of about %u", (u64)p.count, expected);
}

void test_records(void)
{
	for (unsigned security = 0; security < 4; security++) {
		for (unsigned i = 0; i < 5; i++) {
			struct world world;

			if (security == ROOT)
				continue;
			world = world_of(i == 4 ? 0 : i == 3 ? 2 : i, security);
			if (i >= 2)
				world.e2pb = 0;
			if (i >= 3)
				world.e2h = true;
			world.tge = i == 4;
			if (world.tge && security == SECURE && !world.eel2)
				continue; /* EL2 does not exist */
			if (world_exists(&world))
				test_world(&world);
		}
	}
	test_permission();
	test_time();
	test_filters();
	test_random();
}
