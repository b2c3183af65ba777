/* SPDX-License-Identifier: MIT */
/*
 * Profiling Buffer management events, without their interrupt.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.4 (RHXSYK), D17.7.6 (Discard mode), D17.8 (RMYXZK, RYZJQX), D17.8.2
 * (buffer full), D17.8.3 (faults), D24.2.40 (DFSC encodings, as PMBSR_EL1.MSS has them).
 */
#include "runtime.h"

#define ROUNDS 20000 /* 622 samples, more than fit into any buffer here */
#define FSC(status) ((status)&63)
enum { TRANSLATION_3 = 7, ACCESS_FLAG_3 = 11, PERMISSION_3 = 15, BUFFER_FULL = 1 };
#define VALID 3
#define READ_ONLY BIT(7) /* AP[2] */
#define ACCESS_FLAG BIT(10)
#define S2_WRITE BIT(7)

static u64 max_record(void)
{
	return UINT64_C(1) << ((machine.pmsidr >> 12) & 15);
}

static u64 page_address(unsigned page)
{
	return WINDOW_BASE + page * PAGE;
}

/* Fill two pages of the test window, from `page` on, in the translation regime of the world. */
static struct profile fill(const struct world *world, unsigned page)
{
	struct setup setup = world->el == 2 ? setup_of(0, PMSCR_E2SPE) : setup_of(PMSCR_E1SPE, 0);

	setup.base = page_address(page);
	setup.bytes = 2 * PAGE;
	return profile_at(world, &setup, (u64)work, ROUNDS);
}

static void test_full(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct profile p = fill(&world, 0);
	u64 limit = p.begin + 2 * PAGE, counter = RD(PMSICR_EL1);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	u64 first;

	check(p.status == (PMBSR_S | BUFFER_FULL), "a full buffer: PMBSR_EL1 S, BSC 1, no DL");
	if (p.status != (PMBSR_S | BUFFER_FULL))
		note("PMBSR_EL1 %x PMBPTR_EL1 %x", p.status, p.end);
	check(p.end <= limit && p.end + max_record() > limit,
	      "a full buffer: PMBPTR_EL1 is less than a record below the limit");
	check(!p.damage && p.count > 0, "a full buffer holds whole records");
	first = p.count;
	world_set(&world);
	run_at(&world, (u64)work, 1000);
	profile_sync();
	check(RD(PMSICR_EL1) == counter && RD(PMBPTR_EL1) == p.end,
	      "while PMBSR_EL1.S is set nothing counts");
	/* Continue at the same pointer with more room (D17.7.4). */
	WR(PMBSR_EL1, 0);
	WR(PMBLIMITR_EL1, (limit + 2 * PAGE) | 1);
	WR(PMSCR_EL1, PMSCR_E1SPE);
	ISB();
	run_at(&world, (u64)work, ROUNDS);
	setup.base = page_address(0);
	profile_stop(&p, &setup);
	profile_decode(&p, p.begin);
	check(!p.damage && p.count > first && p.status == (PMBSR_S | BUFFER_FULL),
	      "a full buffer goes on where it was with a higher limit");
}

/* Check the state after the fault: EC and FSC are right, PMBPTR_EL1 is at the fault, and DL is set
 * if a record is torn. */
static void expect_fault(const char *regime, const char *name, const struct profile *p, unsigned ec,
                         unsigned fsc, u64 address)
{
	bool lost = p->status & PMBSR_DL;
	bool where = p->end == address;

	check(PMBSR_EC(p->status) == ec && FSC(p->status) == fsc &&
	              (p->status & ~(PMBSR_DL | UINT64_C(0x3f))) == ((u64)ec << 26 | PMBSR_S),
	      "%s, %s: EC %x, FSC %x", regime, name, (u64)ec, (u64)fsc);
	check(where, "%s, %s: PMBPTR_EL1 is the address that faulted", regime, name);
	/* DL must be set exactly if the decoder finds a torn record. */
	check(lost == !!p->damage, "%s, %s: DL if and only if a record is not whole", regime, name);
	if (!where || PMBSR_EC(p->status) != ec || FSC(p->status) != fsc || lost != !!p->damage)
		note("PMBSR_EL1 %x PMBPTR_EL1 %x, %u records, %s", p->status, p->end, (u64)p->count,
		     p->damage ? p->damage : "whole");
}

static void test_stage1(const struct world *world, const char *regime)
{
	static const struct {
		const char *name;
		u64 clear, set;
		unsigned fsc;
	} faults[] = {
	        {"Translation fault", VALID, 0, TRANSLATION_3},
	        {"Access flag fault", ACCESS_FLAG, 0, ACCESS_FLAG_3},
	        {"Permission fault", 0, READ_ONLY, PERMISSION_3},
	};

	for (unsigned i = 0; i < COUNT(faults); i++) {
		u64 usual = window_page(page_address(9));
		struct profile p;

		window_map(9, (usual & ~faults[i].clear) | faults[i].set);
		p = fill(world, 8);
		expect_fault(regime, faults[i].name, &p, STAGE_1_FAULT, faults[i].fsc,
		             page_address(9));
		window_map(9, usual);
	}
}

static void test_stage2(enum security security)
{
	struct world world = world_of(1, security);
	struct profile p;

	world.hcr = BIT(0); /* VM */
	stage2_enable(true);
	p = fill(&world, 8);
	check(p.status == (PMBSR_S | BUFFER_FULL) && !p.damage, "%s with stage 2: a full buffer",
	      world_name(&world));
	stage2_map(9, 0);
	p = fill(&world, 8);
	expect_fault(world_name(&world), "stage 2 Translation fault", &p, STAGE_2_FAULT,
	             TRANSLATION_3, page_address(9));
	stage2_map(9, stage2_page(page_address(9)) & ~S2_WRITE);
	p = fill(&world, 8);
	expect_fault(world_name(&world), "stage 2 Permission fault", &p, STAGE_2_FAULT,
	             PERMISSION_3, page_address(9));
	stage2_map(9, stage2_page(page_address(9)));
	/* Stage 2 moves the records to other memory. */
	stage2_map(8, stage2_page(page_address(20)));
	stage2_map(9, stage2_page(page_address(21)));
	p = fill(&world, 8);
	profile_decode(&p, page_address(20));
	check(p.count > 20 && !p.damage, "%s with stage 2: records are where stage 2 leads",
	      world_name(&world));
	stage2_map(8, stage2_page(page_address(8)));
	stage2_map(9, stage2_page(page_address(9)));
	stage2_enable(false);
}

/* After an MMU fault without loss, profiling continues at PMBPTR_EL1 (D17.7.4). */
static void test_resume(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	struct profile p;
	unsigned before;

	window_map(9, 0);
	p = fill(&world, 8);
	window_map(9, window_page(page_address(9)));
	if (p.status & PMBSR_DL) {
		note("a record was torn: profiling cannot go on where it was");
		return;
	}
	before = p.count;
	world_set(&world);
	WR(PMBSR_EL1, 0);
	WR(PMBLIMITR_EL1, (p.begin + 2 * PAGE) | 1);
	WR(PMSCR_EL1, PMSCR_E1SPE);
	ISB();
	run_at(&world, (u64)work, 2000);
	setup.base = p.begin;
	profile_stop(&p, &setup);
	profile_decode(&p, p.begin);
	check(!p.status && !p.damage && p.count > before,
	      "profiling goes on at PMBPTR_EL1 after a fault that is mended");
}

static void test_discard(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	struct profile p;

	if (machine.pmsver < 3) {
		skip("Discard mode", "no FEAT_SPEv1p2");
		return;
	}
	setup.base = page_address(0);
	*(volatile u64 *)setup.base = 0x1234;
	world_set(&world);
	setup.bytes = PAGE;
	setup.limitr = 2 << 1 | 1;
	profile_start(&setup);
	run_at(&world, (u64)work, ROUNDS);
	profile_stop(&p, &setup);
	check(p.end == setup.base && p.status == 0 && *(volatile u64 *)setup.base == 0x1234,
	      "Discard mode writes nothing and makes no event");
}

void test_buffer(void)
{
	struct world el1 = world_of(1, NON_SECURE), el2 = world_of(2, NON_SECURE), host;
	struct world secure = world_of(1, SECURE);

	el2.e2pb = 0;
	host = el2;
	host.e2h = true;
	secure.eel2 = false;
	test_full();
	test_stage1(&el1, "Non-secure EL1&0");
	test_stage1(&el2, "Non-secure EL2");
	if (machine.has_vhe)
		test_stage1(&host, "Non-secure EL2&0");
	test_stage1(&secure, "Secure EL1&0");
	if (machine.has_rme) {
		struct world realm = world_of(1, REALM);

		test_stage1(&realm, "Realm EL1&0");
		test_stage2(REALM);
	}
	test_stage2(NON_SECURE);
	test_resume();
	test_discard();
}
