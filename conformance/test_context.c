/* SPDX-License-Identifier: MIT */
/*
 * Data that EL1 and EL2 permit in records: timestamps, contexts, physical addresses.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.9 (Table D17-3), D18.2.1, D18.2.2, D24.7.8, D24.7.9.
 */
#include "image.h"
#include "tests.h"

#define CONTEXTIDR_EL2 S3_4_C13_C0_1
#define EL1_ID 0x11223344
#define EL2_ID 0x55667788

static u64 rounds(const struct setup *setup)
{
	return rounds_for(setup, 60, WORK_OPERATIONS);
}

/* Profile with these bits of PMSCR_EL1 and PMSCR_EL2, in addition to the enable bits. */
static struct profile profile_with(const struct context *context, u64 scr, u64 scr2)
{
	struct setup setup = setup_of(context);

	setup.scr |= scr;
	setup.scr2 |= scr2;
	return profile_good(context, &setup, (u64)work, rounds(&setup));
}

/* ---- timestamps ------------------------------------------------------------------------------ */

/* Check timestamps. Time at EL1 is either physical, or virtual with the offset of a hypervisor. So
 * a timestamp must be in one of two spans. */
static void try_timestamps(const struct context *context)
{
	u64 scr = context->owner == 1 ? PMSCR_TS : 0, scr2 = context->owner == 2 ? PMSCR_TS : 0;
	u64 before[2], after[2];
	struct profile p;
	unsigned virtual = 0, physical = 0;

	ISB();
	before[0] = READ(cntvct_el0);
	before[1] = READ(cntpct_el0);
	p = profile_with(context, scr | PMSCR_PCT(1), scr2 | (machine.el == 2 ? PMSCR_PCT(1) : 0));
	ISB();
	after[0] = READ(cntvct_el0);
	after[1] = READ(cntpct_el0);
	expect(p.count >= 10, "%s: %u samples", context->name, (u64)p.count);
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];
		bool is_virtual = r->timestamp - before[0] <= after[0] - before[0];
		bool is_physical = r->timestamp - before[1] <= after[1] - before[1];

		if (!expect(r->has_timestamp, "%s: a record without timestamp", context->name))
			continue;
		expect(is_physical || (machine.el == 1 && is_virtual),
		       "%s: a timestamp of %u, between %u and %u", context->name, r->timestamp,
		       before[1], after[1]);
		virtual += is_virtual;
		physical += is_physical;
	}
	if (machine.el == 1)
		observe("timestamps", "%s: %s", context->name,
		        physical == p.count  ? "physical"
		        : virtual == p.count ? "virtual"
		                             : "neither");
	/* The timestamp enable of the other level has no effect. */
	p = profile_with(context, scr ^ (machine.el == 1 ? PMSCR_TS : PMSCR_TS),
	                 machine.el == 2 ? scr2 ^ PMSCR_TS : 0);
	for (unsigned i = 0; i < p.count; i++)
		expect(!records[i].has_timestamp, "%s: a timestamp that its owner has not enabled",
		       context->name);
}

static void each(void (*try)(const struct context *context))
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try(&list[i]);
}

void test_timestamps(void)
{
	each(try_timestamps);
}

/* Check which counter the timestamps come from, and whether the virtual offset applies at the
 * level. */
static void try_time(const struct context *context)
{
	const u64 offset = UINT64_C(1) << 40;
	bool no_offset = context->e2h && (context->el == 2 || context->tge);

	for (unsigned i = 0; i < 4; i++) {
		u64 pct1 = i & 1, pct2 = i >> 1, before, after;
		bool physical = pct2 && (context->owner == 2 || pct1);
		u64 less = physical || no_offset ? 0 : offset;
		struct profile p;

		WRITE(cntvoff_el2, offset);
		ISB();
		before = READ(cntpct_el0) - less;
		p = profile_with(context, PMSCR_TS | PMSCR_PCT(pct1), PMSCR_TS | PMSCR_PCT(pct2));
		ISB();
		after = READ(cntpct_el0) - less;
		WRITE(cntvoff_el2, 0);
		/* Compare differences, because the virtual counter may be below 0. */
		for (unsigned k = 0; k < p.count; k++)
			expect(records[k].has_timestamp &&
			               records[k].timestamp - before <= after - before,
			       "%s, PMSCR_EL1.PCT %u, PMSCR_EL2.PCT %u: %x, not between %x and %x",
			       context->name, pct1, pct2, records[k].timestamp, before, after);
	}
}

void test_virtual_time(void)
{
	each(try_time);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static void check_ids(const struct context *context, const struct profile *p, bool one, bool two)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct record *r = &records[i];

		if (!in_code(r, work_begin, work_end))
			continue;
		expect(r->has_context1 == one, "%s: %s CONTEXTIDR_EL1", context->name,
		       one ? "no" : "a");
		expect(!one || !r->has_context1 || r->context1 == EL1_ID, "%s: CONTEXTIDR_EL1 %x",
		       context->name, (u64)r->context1);
		if (!machine.has_vhe && machine.el == 2)
			continue; /* CONTEXTIDR_EL2 may not exist */
		if (machine.el == 2) {
			expect(r->has_context2 == two, "%s: %s CONTEXTIDR_EL2", context->name,
			       two ? "no" : "a");
			expect(!two || !r->has_context2 || r->context2 == EL2_ID,
			       "%s: CONTEXTIDR_EL2 %x", context->name, (u64)r->context2);
		}
	}
}

static void write_ids(const struct context *context)
{
	bool host = machine.el == 2 && (context->e2h || machine.must_vhe);

	context_set(context);
	if (host)
		WRITE(S3_5_C13_C0_1, EL1_ID); /* CONTEXTIDR_EL12 */
	else
		WRITE(contextidr_el1, EL1_ID);
	if (machine.el == 2 && machine.has_vhe)
		WR(CONTEXTIDR_EL2, EL2_ID);
	ISB();
}

static void try_ids(const struct context *context)
{
	bool el1 = context->el < 2 && !context->tge;
	struct profile p;

	write_ids(context);
	p = profile_with(context, PMSCR_CX, machine.el == 2 ? PMSCR_CX : 0);
	check_ids(context, &p, el1, true);
	write_ids(context);
	p = profile_with(context, PMSCR_CX, 0);
	check_ids(context, &p, el1, false);
	write_ids(context);
	p = profile_with(context, 0, machine.el == 2 ? PMSCR_CX : 0);
	check_ids(context, &p, false, true);
	write_ids(context);
	p = profile_with(context, 0, 0);
	check_ids(context, &p, false, false);
}

void test_context_ids(void)
{
	each(try_ids);
}

/* ---- physical addresses ---------------------------------------------------------------------- */

/* Profile data accesses. `expected` is 0 for no addresses, and 1 for some. Recorded addresses must
 * be correct. */
static unsigned with_pa(const struct context *context, u64 scr, u64 scr2, u64 va, u64 pa)
{
	struct setup setup = setup_of(context);
	unsigned seen = 0;
	struct profile p;

	setup.interval |= 1; /* otherwise all samples may be of one instruction */
	setup.scr |= scr;
	setup.scr2 |= scr2;
	p = profile_good(context, &setup, (u64)touch, va);
	for (unsigned i = 0; i < p.count; i++) {
		const struct record *r = &records[i];
		bool access = r->pc == (u64)touch_ldr || r->pc == (u64)touch_str;

		if (!r->has_pc || !access || (r->events & 3) != 2)
			continue;
		expect(r->has_va && (r->va & (BIT(56) - 1)) == va,
		       "%s: the virtual address is %x, not %x", context->name, r->va, va);
		if (!r->has_pa)
			continue;
		seen++;
		/* A hypervisor above EL1 may use its own stage 2. */
		expect(machine.el == 2 ? r->pa == pa : (r->pa & (PAGE - 1)) == (pa & (PAGE - 1)),
		       "%s: the physical address of %x is %x, not %x", context->name, va, r->pa,
		       pa);
	}
	return seen != 0;
}

static void try_physical(const struct context *context)
{
	u64 va = (u64)elsewhere + 5 * PAGE + 0x128;
	unsigned seen;

	for (unsigned i = 0; i < 4; i++) {
		u64 scr = i & 1 ? PMSCR_PA : 0, scr2 = i & 2 && machine.el == 2 ? PMSCR_PA : 0;
		bool permitted = context->owner == 2 ? scr2 : scr && scr2;

		if (machine.el == 1)
			permitted = scr; /* a hypervisor controls PMSCR_EL2.PA */
		seen = with_pa(context, scr, scr2, va, va);
		expect(permitted || !seen,
		       "%s: PMSCR_EL1.PA %u PMSCR_EL2.PA %u: a physical address", context->name,
		       (u64)i & 1, (u64)i >> 1);
		if (permitted && !seen && (machine.el == 2 || !machine.has_el2))
			fail("%s: PMSCR_EL1.PA %u PMSCR_EL2.PA %u: no physical address",
			     context->name, (u64)i & 1, (u64)i >> 1);
		if (permitted && machine.el == 1)
			observe("PMSCR_EL2.PA", "%s",
			        seen ? "Effectively 1" : "Effectively 0, or nothing was sampled");
	}
}

void test_physical(void)
{
	each(try_physical);
}

/* Move a page of data, in the tables of the level that uses it. */
static void try_moved(const struct context *context)
{
	u64 page = (u64)elsewhere + 5 * PAGE, to = (u64)elsewhere + 6 * PAGE;
	enum tables tables = context->el == 2 || context->tge ? OWN : LOWER;

	page_map(tables, page, page_descriptor(to));
	with_pa(context, PMSCR_PA, machine.el == 2 ? PMSCR_PA : 0, page + 0x128, to + 0x128);
	page_map(tables, page, page_descriptor(page));
}

void test_moved(void)
{
	each(try_moved);
	if (machine.el == 1)
		return;
	if (!stage2_reaches())
		return;
	page_map(STAGE_2, (u64)elsewhere + 5 * PAGE, page_stage2((u64)elsewhere + 6 * PAGE));
	stage2_enable(true);
	with_pa(context_el1(), PMSCR_PA, PMSCR_PA, (u64)elsewhere + 5 * PAGE + 0x128,
	        (u64)elsewhere + 6 * PAGE + 0x128);
	stage2_enable(false);
	page_map(STAGE_2, (u64)elsewhere + 5 * PAGE, page_stage2((u64)elsewhere + 5 * PAGE));
}
