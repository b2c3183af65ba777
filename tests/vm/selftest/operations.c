/* SPDX-License-Identifier: MIT */
/*
 * Records of particular operations: exclusives, atomics, memory accesses through remapped pages and
 * with tagged addresses, memory accesses that fault, and a buffer that is unmapped while it is in
 * use.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.4 (memory accesses), D17.6.7 (exceptions), D17.7.8 (TLB
 * maintenance), D18.2.7 (Load/store, extended), D18.2.1 (TAG).
 */
#include "runtime.h"

#define DATA_PAGE 12 /* page of the test window */
#define OTHER_PAGE 22
/* The payload of "Load/store, extended": 0b000, AR, EXCL, AT, 1, LDST */
#define EXTENDED 2
#define ATOMIC 4
#define EXCLUSIVE 8
#define STORE 1

static u64 page_address(unsigned page)
{
	return WINDOW_BASE + page * PAGE;
}

static struct profile profile(const struct world *world, u64 function, u64 argument)
{
	struct setup setup = setup_of(PMSCR_E1SPE | PMSCR_PA, PMSCR_PA);

	return profile_at(world, &setup, function, argument);
}

/* Return true if there are samples at `pc` and all of them have the given type. */
static bool all_of(const struct profile *p, const char *pc, unsigned subclass, unsigned mask)
{
	unsigned count = 0, right = 0;

	for (unsigned i = 0; i < p->count; i++) {
		if (records[i].pc != (u64)pc)
			continue;
		count++;
		right += records[i].type == 1 && (records[i].subclass & mask) == subclass;
	}
	return count > 10 && right == count;
}

static void test_types(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct profile p = profile(&world, (u64)exclusives, 10000);

	check(all_of(&p, exclusives_ldxr, EXCLUSIVE | EXTENDED, 0xff), "LDXR is an exclusive load");
	check(all_of(&p, exclusives_stxr, EXCLUSIVE | EXTENDED | STORE, 0xff),
	      "STXR is an exclusive store");
	if (!machine.has_lse)
		return;
	p = profile(&world, (u64)atomics, 10000);
	/* LDADD both loads and stores, so LDST may have either value */
	check(all_of(&p, atomics_ldadd, ATOMIC | EXTENDED, 0xfe), "LDADD is an atomic");
}

/* Check that samples of touch(address) have this virtual and this physical address. */
static bool addresses(const struct profile *p, u64 va, u64 pa)
{
	unsigned count = 0, right = 0;

	for (unsigned i = 0; i < p->count; i++) {
		if (records[i].pc != (u64)touch_ldr && records[i].pc != (u64)touch_str)
			continue;
		count++;
		right += records[i].has_va && records[i].va == va && records[i].has_pa &&
		         records[i].pa == pa;
	}
	if (right != count && p->count)
		note("VA %x PA %x instead of %x and %x", records[0].va, records[0].pa, va, pa);
	return count > 10 && right == count;
}

static void test_addresses(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 va = page_address(DATA_PAGE) + 0x128, pa = page_address(OTHER_PAGE) + 0x128;
	u64 tag = UINT64_C(0x5a) << 56, tcr = READ(tcr_el1);
	struct profile p;

	window_map(DATA_PAGE, window_page(page_address(OTHER_PAGE)));
	p = profile(&world, (u64)touch, va);
	check(addresses(&p, va, pa), "the physical address is where stage 1 leads");
	WRITE(tcr_el1, tcr | BIT(37)); /* TBI0 */
	ISB();
	p = profile(&world, (u64)touch, va | tag);
	check(addresses(&p, va | tag, pa), "with TBI the virtual address has its tag");
	WRITE(tcr_el1, tcr);
	window_map(DATA_PAGE, window_page(page_address(DATA_PAGE)));
	world.hcr = BIT(0); /* VM */
	stage2_enable(true);
	stage2_map(DATA_PAGE, stage2_page(page_address(OTHER_PAGE)));
	p = profile(&world, (u64)touch, va);
	check(addresses(&p, va, pa), "the physical address is where stage 2 leads");
	stage2_map(DATA_PAGE, stage2_page(page_address(DATA_PAGE)));
	stage2_enable(false);
}

/* Loads and stores that fault. The handler at EL1 skips them. */
static void test_faults(void)
{
	struct world world = world_of(1, NON_SECURE);
	u64 va = page_address(DATA_PAGE) + 8;
	unsigned count = 0, raised = 0, wrong = 0;
	struct setup setup = setup_of(PMSCR_E1SPE | PMSCR_PA, PMSCR_PA);
	struct profile p;

	setup.interval |= 1; /* random, because 257 might never sample the fault */
	window_map(DATA_PAGE, 0);
	this_cpu()->expecting = true;
	p = profile_at(&world, &setup, (u64)touch, va);
	this_cpu()->expecting = false;
	window_map(DATA_PAGE, window_page(page_address(DATA_PAGE)));
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];

		if (r->pc != (u64)touch_ldr && r->pc != (u64)touch_str)
			continue;
		count++;
		raised += r->events & 1; /* E[0] */
		wrong += (r->has_va && r->va != va) || r->has_pa;
	}
	check(!p.damage && count > 4 && raised == count && !wrong,
	      "a sampled load or store that faults generated an exception, and has no physical "
	      "address");
	if (p.damage || count <= 4 || raised != count || wrong)
		note("%u samples, %u with E[0], %u wrong addresses", (u64)count, (u64)raised,
		     (u64)wrong);
}

/* At EL1, unmap the page of the buffer during profiling, with EL1's TLBI, and continue to work. */
static u64 unmap_and_work(u64 page)
{
	window_set(page, 0);
	DSB();
	__asm__ volatile("tlbi vmalle1is" : : : "memory");
	DSB();
	ISB();
	return work(2000);
}

static void test_unmapped(void)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	u64 status, pointer;
	struct profile p;

	setup.base = page_address(8);
	setup.bytes = 4 * PAGE;
	world_set(&world);
	profile_start(&setup);
	run_at(&world, (u64)work, 500);
	profile_sync();
	pointer = RD(PMBPTR_EL1);
	status = RD(PMBSR_EL1);
	check(status == 0 && pointer > setup.base, "the buffer is in use");
	run_at(&world, (u64)unmap_and_work, 8);
	profile_stop(&p, &setup);
	window_map(8, window_page(page_address(8)));
	check(PMBSR_EC(p.status) == STAGE_1_FAULT && (p.status & 63) == 7,
	      "a page of the buffer that EL1 unmaps faults from its TLBI on");
	/* One or two samples may have been written before the TLBI. */
	check(p.end >= pointer && p.end <= pointer + 0x200, "PMBPTR_EL1 is where it was then");
	if (p.end < pointer || p.end > pointer + 0x200 || !p.status)
		note("PMBSR_EL1 %x PMBPTR_EL1 %x, before %x", p.status, p.end, pointer);
}

void test_operations(void)
{
	test_types();
	test_addresses();
	test_faults();
	test_unmapped();
}
