/* SPDX-License-Identifier: MIT */
/*
 * The target of the previously taken branch, in each record that has one: in loops, for system
 * calls and exception returns, and around loads from a device.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.3.1 (FEAT_SPE_PBT).
 */
#include "runtime.h"

#define ROUNDS 20000
#define CALLS 4000
#define MANY_ROUNDS 110000   /* about 3400 samples; two runs have more than three times 2048 */
#define STRAIGHT_ROUNDS 4000 /* about 960 samples */
#define WORK_LOOP (work_begin + 20) /* its first five instructions are executed once */
#define VECTOR_BYTES 16             /* bytes of a vector up to its branch */
#define FROM_LOWER_LEVEL 0x400

static bool has_feature(void)
{
	return machine.pmsidr >> 24 & 1; /* PMSIDR_EL1.PBT */
}

static bool is(const struct record *r, const char *target, unsigned el)
{
	return r->has_previous && r->previous == (u64)target && r->previous_el == el;
}

static void test_loop(unsigned el)
{
	struct world world = world_of(el, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
	struct profile p = profile_at(&world, &setup, (u64)work, ROUNDS);
	unsigned inside = 0, right = 0, with = 0;

	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		with += r->has_previous;
		if (r->pc < (u64)WORK_LOOP || r->pc >= (u64)WORK_LOOP + 4 * WORK_OPERATIONS)
			continue;
		inside++;
		right += is(r, WORK_LOOP, el);
	}
	if (has_feature())
		check(inside > 500 && right == inside, "EL%u, a loop: its branch is the one before",
		      (u64)el);
	else
		check(p.count > 500 && !with, "EL%u: no record has the branch before", (u64)el);
	if (right != inside)
		note("%u of %u", (u64)right, (u64)inside);
}

/* Numbers of records whose previous branch is right or wrong. */
struct tally {
	unsigned right, wrong;
};

static void tally(struct tally *t, bool right)
{
	t->right += right;
	t->wrong += !right;
}

/*
 * The previous target before the SVC at EL0 is that of EL0's branch. In the handler at EL1, it is
 * the vector. After the return from the handler, it is the target of the ERET, unless EL1 is not
 * profiled.
 */
static void test_calls(u64 scr)
{
	struct world world = world_of(0, NON_SECURE);
	struct setup setup = setup_of(scr, 0);
	struct tally branch = {0}, back = {0}, vector = {0};
	const char *entry = vectors_el1 + FROM_LOWER_LEVEL;
	bool both = scr & PMSCR_E1SPE;
	struct profile p;

	this_cpu()->expecting = true;
	p = profile_at(&world, &setup, (u64)calls, CALLS);
	this_cpu()->expecting = false;
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (r->pc == (u64)calls_svc)
			tally(&branch, is(r, calls_svc, 0));
		else if (r->pc == (u64)calls_svc + 8 || r->pc == (u64)calls_svc + 12)
			tally(&back, both ? is(r, calls_svc + 8, 0) : !r->has_previous);
		else if (r->pc >= (u64)entry && r->pc < (u64)entry + VECTOR_BYTES)
			tally(&vector, is(r, entry, 1));
	}
	check(branch.right > 3 && !branch.wrong, "before an SVC: the branch of EL0");
	check(back.right > 3 && !back.wrong, both ? "after the handler's ERET: its target"
	                                          : "after an ERET that is not profiled: none");
	check(!both || (vector.right > 3 && !vector.wrong), "after an SVC: the vector");
	note("%u, %u, %u right, %u, %u, %u wrong", (u64)branch.right, (u64)back.right,
	     (u64)vector.right, (u64)branch.wrong, (u64)back.wrong, (u64)vector.wrong);
}

/*
 * After the load from the device, the branch of its loop is not taken, so the previous target is
 * the start of the round. After the indirect branch, it is the target of that branch.
 */
static void test_devices(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
	struct profile p = profile_at(&world, &setup, (u64)devices, ROUNDS);
	struct tally round = {0}, reached = {0};

	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (r->pc >= (u64)devices_round && r->pc < (u64)devices_reached)
			tally(&round, is(r, devices_round, 1));
		else if (r->pc >= (u64)devices_reached && r->pc < (u64)devices_end)
			tally(&reached, is(r, devices_reached, 1));
	}
	check(round.right > 100 && !round.wrong, "after a device's load: the branch before it");
	check(reached.right > 20 && !reached.wrong, "after a device's load: an indirect branch");
	note("%u, %u right, %u, %u wrong", (u64)round.right, (u64)reached.right, (u64)round.wrong,
	     (u64)reached.wrong);
}

/*
 * Code that takes a branch every eight operations needs little tracking. After some thousand
 * samples, the host only tracks that much. When branches then become rarer, at most two records may
 * lack a target.
 */
static void test_rarer_branches(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
	unsigned missing = 0, right = 0, inside = 0;
	struct profile p;

	for (unsigned i = 0; i < 2; i++) {
		p = profile_at(&world, &setup, (u64)work, MANY_ROUNDS);
		check(p.count > 3200 && !p.damage, "short loops: samples");
	}
	p = profile_at(&world, &setup, (u64)straight, STRAIGHT_ROUNDS);
	for (unsigned i = 1; i < p.count;
	     i++) { /* the first record follows the call of straight() */
		const struct record *r = &records[i];

		if (r->pc < (u64)straight || r->pc >= (u64)straight_end)
			continue;
		inside++;
		missing += !r->has_previous;
		right += is(r, (const char *)straight, 1);
	}
	check(inside > 900 && right + missing == inside, "longer loops: their branch, or none");
	check(missing > 0 && missing <= 2, "longer loops: none for two records at most");
	note("%u right, %u missing", (u64)right, (u64)missing);
}

void test_previous_targets(void)
{
	test_loop(1);
	test_loop(0);
	if (!has_feature())
		return;
	test_calls(PMSCR_E0SPE | PMSCR_E1SPE);
	test_calls(PMSCR_E0SPE);
	test_devices();
	test_rarer_branches();
}
