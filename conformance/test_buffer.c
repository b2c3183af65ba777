/* SPDX-License-Identifier: MIT */
/*
 * Management events of the Profiling Buffer. If a fault occurs inside a record, the implementation
 * determines which data are lost. It may also set DL if nothing is lost.
 *
 * Arm ARM: DDI 0487 M.a, D17.5.5 (Discard mode), D17.7.4, D17.7.6, D17.8, D24.2.40 (DFSC encodings,
 * as PMBSR_EL1.MSS has them).
 */
#include "image.h"
#include "tests.h"

#define FSC(status) ((status)&63)
#define BUFFER_FULL 1
#define PAGES 2 /* pages of the tested buffer */
#define VALID 3
#define READ_ONLY BIT(7) /* AP[2] */
#define ACCESS_FLAG BIT(10)
#define S2_WRITE BIT(7)
#define FILL 0xa5

static void each(void (*try)(const struct context *context))
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try(&list[i]);
}

/* Return a number of rounds with more samples than PAGES can hold, whatever the size of a
 * record. */
static u64 rounds(const struct setup *setup)
{
	return rounds_for(setup, 4 * PAGES * PAGE / 16, WORK_OPERATIONS);
}

static struct profile fill(const struct context *context)
{
	struct setup setup = setup_of(context);

	setup.bytes = PAGES * PAGE;
	return profile_at(context, &setup, (u64)work, rounds(&setup));
}

/* Return the bits that are compared after the first event. COLL may be set at any time, and records
 * in flight may set DL. */
static u64 plain(u64 status)
{
	return status & ~(PMBSR_COLL | PMBSR_DL);
}

/* ---- full ------------------------------------------------------------------------------------ */

static void expect_full(const struct context *context, const struct profile *p, u64 limit)
{
	expect(plain(p->status) == (PMBSR_S | BUFFER_FULL), "%s: PMBSR_EL1 %x", context->name,
	       p->status);
	expect(!(p->status & PMBSR_DL), "%s: PMBSR_EL1.DL is 1", context->name);
	expect(p->end <= limit && p->end + machine.max_record > limit,
	       "%s: PMBPTR_EL1 is %x, the limit %x", context->name, p->end, limit);
	expect(!p->damage && p->count, "%s: %u records, %s", context->name, (u64)p->count,
	       p->damage ? p->damage : "whole");
	for (unsigned i = 0; i < p->count; i++)
		if (i + 1 < p->count)
			expect(records[i].begin + records[i].bytes + machine.max_record <=
			               limit + machine.max_record,
			       "%s: a record beyond the limit", context->name);
}

static void try_full(const struct context *context)
{
	u8 *beyond = buffer + PAGES * PAGE;
	struct profile p;

	memset(beyond, FILL, PAGE);
	p = fill(context);
	expect_full(context, &p, p.begin + PAGES * PAGE);
	/* The event occurs with the record after which the largest record no longer fits, not
	 * earlier. */
	for (unsigned i = 0; i + 1 < p.count; i++)
		expect(records[i + 1].begin + machine.max_record <= p.begin + PAGES * PAGE,
		       "%s: a record where the largest would have no room", context->name);
	for (unsigned i = 0; i < PAGE; i++)
		if (!expect(beyond[i] == FILL, "%s: the memory at the limit is written",
		            context->name))
			return;
}

void test_full(void)
{
	each(try_full);
}

static void go_on(const struct context *context, const struct profile *before, u64 limit,
                  struct profile *p)
{
	struct setup setup = setup_of(context);

	context_set(context);
	WR(PMBPTR_EL1, before->end);
	WR(PMBSR_EL1, 0);
	WR(PMBLIMITR_EL1, limit | 1);
	ISB();
	if (machine.el == 2)
		WR(PMSCR_EL2, setup.scr2);
	scr_write(context, setup.scr);
	ISB();
	run_at(context, (u64)work, rounds(&setup));
	setup.base = before->begin;
	profile_stop(context, p, &setup);
	profile_decode(p, p->begin);
}

static void try_goes_on(const struct context *context)
{
	struct profile first = fill(context), p;

	go_on(context, &first, first.begin + 2 * PAGES * PAGE, &p);
	expect(!p.damage && p.count > first.count && p.end > first.end,
	       "%s: %u records, then %u, %s", context->name, (u64)first.count, (u64)p.count,
	       p.damage ? p.damage : "whole");
	expect_full(context, &p, p.begin + 2 * PAGES * PAGE);
}

void test_full_goes_on(void)
{
	each(try_goes_on);
}

static void try_again(const struct context *context)
{
	struct profile first = fill(context), p;

	memset(buffer, 0, PAGES * PAGE);
	p = first;
	p.end = p.begin;
	go_on(context, &p, p.begin + PAGES * PAGE, &p);
	expect_full(context, &p, p.begin + PAGES * PAGE);
}

void test_full_again(void)
{
	each(try_again);
}

/* ---- faults ---------------------------------------------------------------------------------- */

/* Check the event of a fault at `address`: EC and FSC, PMBPTR_EL1, and complete records if DL is
 * 0. */
static void expect_fault(const struct context *context, const char *name, const struct profile *p,
                         u64 ec, u64 fsc, u64 address)
{
	expect(PMBSR_EC(p->status) == ec && FSC(p->status) == fsc,
	       "%s, %s: PMBSR_EL1 %x instead of EC %x, FSC %x", context->name, name, p->status, ec,
	       fsc);
	expect(p->status & PMBSR_S && !(p->status & (PMBSR_EA | 0xffc0 | UINT64_C(0xffffff) << 32)),
	       "%s, %s: PMBSR_EL1 %x", context->name, name, p->status);
	/* A record that crosses into the page may fault at its own address. */
	expect(p->end <= address && p->end + machine.max_record > address,
	       "%s, %s: PMBPTR_EL1 is %x, the fault at %x", context->name, name, p->end, address);
	if (p->end != address)
		observe("fault-address", "%s: PMBPTR_EL1 is %u below the page", name,
		        address - p->end);
	expect(p->status & PMBSR_DL || !p->damage, "%s, %s: DL is 0 and %s", context->name, name,
	       p->damage ? p->damage : "");
	if (p->status & PMBSR_DL && !p->damage)
		observe("fault-data-loss", "%s: DL is 1, and the records are whole", name);
}

static const struct { /* FSC values of the last level, by name */
	const char *name;
	u64 clear, set, fsc;
} translation = {"Translation fault", VALID, 0, 7},
  access_flag = {"Access flag fault", ACCESS_FLAG, 0, 11},
  permission = {"Permission fault", 0, READ_ONLY, 15};

static struct profile with_page(const struct context *context, u64 descriptor)
{
	u64 page = (u64)buffer + PAGE;
	enum tables tables = tables_of(context);
	struct profile p;

	page_map(tables, page, descriptor);
	p = fill(context);
	page_map(tables, page, page_descriptor(page));
	return p;
}

static void try_translation(const struct context *context)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p = with_page(context, page_descriptor(page) & ~translation.clear);

	expect_fault(context, translation.name, &p, STAGE_1_FAULT, translation.fsc, page);
}

void test_fault_translation(void)
{
	each(try_translation);
}

/* Test the Access flag. TCR_ELx.HA is 0, so even an SPU with hardware management does not set
 * it. */
static void try_access_flag(const struct context *context)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p = with_page(context, page_descriptor(page) & ~access_flag.clear);

	expect_fault(context, access_flag.name, &p, STAGE_1_FAULT, access_flag.fsc, page);
}

void test_fault_access_flag(void)
{
	each(try_access_flag);
}

static void try_permission(const struct context *context)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p = with_page(context, page_descriptor(page) | permission.set);

	expect_fault(context, permission.name, &p, STAGE_1_FAULT, permission.fsc, page);
}

void test_fault_permission(void)
{
	each(try_permission);
}

/* Test an output address with more bits than TCR_ELx.IPS. */
static void try_address(const struct context *context)
{
	static const u8 sizes[] = {32, 36, 40, 42, 44, 48};
	u64 range = READ(id_aa64mmfr0_el1) & 15, page = (u64)buffer + PAGE;
	struct profile p = with_page(context, page_descriptor(page | BIT(sizes[range])));

	expect_fault(context, "Address size fault", &p, STAGE_1_FAULT, 3, page);
}

void test_fault_address(void)
{
	if ((READ(id_aa64mmfr0_el1) & 15) >= 5)
		skip("48 bits of physical address: no descriptor has more");
	else
		each(try_address);
}

/* Put the buffer into an otherwise unused part of the address space, where the walk ends at the
 * given level. */
static void try_level(const struct context *context, const char *name, unsigned level,
                      u64 descriptor, u64 fsc)
{
	struct setup setup = setup_of(context);
	enum tables tables = tables_of(context);
	struct profile p;
	u64 before;

	setup.base ^= BIT(46);
	setup.bytes = PAGES * PAGE;
	before = level_map(tables, setup.base, level, descriptor);
	profile_start(context, &setup);
	run_at(context, (u64)work, rounds_for(&setup, 10, WORK_OPERATIONS));
	profile_stop(context, &p, &setup);
	level_map(tables, setup.base, level, before);
	expect(PMBSR_EC(p.status) == STAGE_1_FAULT && FSC(p.status) == fsc,
	       "%s, %s of level %u: PMBSR_EL1 %x", context->name, name, (u64)level, p.status);
	expect(p.end == setup.base, "%s, %s of level %u: PMBPTR_EL1 is %x, the fault at %x",
	       context->name, name, (u64)level, p.end, setup.base);
}

static void try_levels(const struct context *context)
{
	static const u8 sizes[] = {32, 36, 40, 42, 44, 48};
	u64 range = READ(id_aa64mmfr0_el1) & 15, large = range < 5 ? BIT(sizes[range]) : 0;
	u64 one = block_descriptor((u64)buffer, 1), two = block_descriptor((u64)buffer, 2);

	for (unsigned level = 0; level < 4; level++)
		try_level(context, translation.name, level, 0, 4 + level);
	try_level(context, access_flag.name, 1, one & ~access_flag.clear, 9);
	try_level(context, access_flag.name, 2, two & ~access_flag.clear, 10);
	try_level(context, permission.name, 2, two | permission.set, 14);
	for (unsigned level = 0; large && level < 3; level++) /* level of the next table */
		try_level(context, "Address size fault", level, large | VALID, level);
}

void test_fault_levels(void)
{
	each(try_levels);
}

/* ---- stage 2 --------------------------------------------------------------------------------- */

static void try_stage2(const struct context *context, const char *name, u64 descriptor, u64 fsc)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p;

	page_map(STAGE_2, page, descriptor);
	p = fill(context);
	page_map(STAGE_2, page, page_stage2(page));
	expect_fault(context, name, &p, STAGE_2_FAULT, fsc, page);
}

void test_fault_stage2(void)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p;

	if (!stage2_reaches()) {
		skip("the image is at an address that stage 2 does not reach");
		return;
	}
	stage2_enable(true);
	p = fill(context_el1());
	expect_full(context_el1(), &p, p.begin + PAGES * PAGE);
	for (unsigned i = 0; i < 2; i++) {
		const struct context *context = i ? context_el0() : context_el1();

		try_stage2(context, "stage 2 Translation fault", page_stage2(page) & ~(u64)VALID,
		           7);
		try_stage2(context, "stage 2 Access flag fault", page_stage2(page) & ~ACCESS_FLAG,
		           11);
		try_stage2(context, "stage 2 Permission fault", page_stage2(page) & ~S2_WRITE, 15);
	}
	stage2_enable(false);
}

void test_stage2_leads(void)
{
	u64 page = (u64)buffer;
	struct setup setup = setup_of(context_el1());
	struct profile p;

	if (!stage2_reaches()) {
		skip("the image is at an address that stage 2 does not reach");
		return;
	}
	memset(buffer, FILL, PAGE);
	memset(elsewhere, FILL, PAGE);
	page_map(STAGE_2, page, page_stage2((u64)elsewhere));
	stage2_enable(true);
	profile_start(context_el1(), &setup);
	run_at(context_el1(), (u64)work, rounds_for(&setup, 20, WORK_OPERATIONS));
	profile_stop(context_el1(), &p, &setup);
	stage2_enable(false);
	page_map(STAGE_2, page, page_stage2(page));
	profile_decode(&p, (u64)elsewhere);
	expect(!p.status && !p.damage && p.count, "PMBSR_EL1 %x, %u records, %s", p.status,
	       (u64)p.count, p.damage ? p.damage : "whole");
	expect(buffer[0] == FILL, "records are where stage 1 alone leads");
}

/* ---- after a fault --------------------------------------------------------------------------- */

static void try_mended(const struct context *context)
{
	u64 page = (u64)buffer + PAGE;
	struct profile first = with_page(context, 0), p;

	if (first.status & PMBSR_DL) {
		observe("fault-data-loss", "%s: a record was torn, and profiling cannot go on",
		        context->name);
		return;
	}
	go_on(context, &first, first.begin + PAGES * PAGE, &p);
	expect(!p.damage && p.count > first.count && p.end > page,
	       "%s: %u records, then %u, %s; PMBSR_EL1 %x", context->name, (u64)first.count,
	       (u64)p.count, p.damage ? p.damage : "whole", p.status);
}

void test_fault_mended(void)
{
	each(try_mended);
}

static void try_repeats(const struct context *context)
{
	u64 page = (u64)buffer + PAGE;
	enum tables tables = tables_of(context);
	struct profile first, p;

	page_map(tables, page, 0);
	first = fill(context);
	if (first.status & PMBSR_DL) {
		page_map(tables, page, page_descriptor(page));
		return;
	}
	go_on(context, &first, first.begin + PAGES * PAGE, &p);
	page_map(tables, page, page_descriptor(page));
	expect(PMBSR_EC(p.status) == STAGE_1_FAULT && FSC(p.status) == 7 && p.end == first.end,
	       "%s: PMBSR_EL1 %x, PMBPTR_EL1 %x, before %x", context->name, p.status, p.end,
	       first.end);
}

void test_fault_repeats(void)
{
	each(try_repeats);
}

/* ESR and FAR of all levels must not change. An unexpected exception would end the image. */
void test_no_exception(void)
{
	const struct context *list;
	u64 far, esr;

	contexts(&list);
	if (machine.el == 2) {
		WRITE(esr_el2, 0);
		WRITE(far_el2, 0x1234);
	} else {
		WRITE(esr_el1, 0);
		WRITE(far_el1, 0x1234);
	}
	struct profile p = with_page(&list[0], 0);
	far = machine.el == 2 ? READ(far_el2) : READ(far_el1);
	esr = machine.el == 2 ? READ(esr_el2) : READ(esr_el1);
	expect(p.status & PMBSR_S, "there is no event");
	expect(far == 0x1234 && esr == 0, "ESR %x FAR %x", esr, far);
}

/* EL0 is sampled, and only EL1 can access the page of the buffer (AP[1] is 0). */
void test_privileged(void)
{
	u64 page = (u64)buffer + PAGE;
	struct profile p = with_page(context_el0(), page_descriptor(page) & ~BIT(6));

	expect(plain(p.status) == (PMBSR_S | BUFFER_FULL) && !p.damage, "PMBSR_EL1 %x", p.status);
}

/* ---- Discard mode, the interrupt ------------------------------------------------------------- */

static void try_discard(const struct context *context)
{
	struct setup setup = setup_of(context);
	struct profile p;

	memset(buffer, FILL, PAGE);
	setup.bytes = PAGE;
	setup.limitr = 2 << 1 | 1;
	profile_start(context, &setup);
	run_at(context, (u64)work, rounds(&setup));
	profile_stop(context, &p, &setup);
	expect(p.end == setup.base && !plain(p.status),
	       "%s: PMBPTR_EL1 goes from %x to %x, PMBSR_EL1 %x", context->name, setup.base, p.end,
	       p.status);
	expect((p.icr & 0xffffffff) <= setup.interval, "%s: nothing was sampled: PMSICR_EL1 %x",
	       context->name, p.icr);
	for (unsigned i = 0; i < PAGE; i++)
		if (!expect(buffer[i] == FILL, "%s: the buffer is written", context->name))
			return;
}

void test_discard(void)
{
	each(try_discard);
}

static bool level(const char *when, bool wanted)
{
	DSB();
	ISB();
	for (unsigned i = 0; i < 100000 && gic_pending() != wanted; i++)
		;
	return expect(gic_pending() == wanted, "%s: PMBIRQ is %s", when,
	              wanted ? "low" : "asserted");
}

void test_interrupt(void)
{
	context_set(context_el1());
	WR(PMBSR_EL1, 0);
	if (!gic_setup()) {
		skip("no redistributor of this PE");
		return;
	}
	level("PMBSR_EL1 0", false);
	WR(PMBSR_EL1, PMBSR_S);
	level("PMBSR_EL1.S written 1", true);
	WR(PMBSR_EL1, PMBSR_COLL);
	level("PMBSR_EL1.S written 0", false);
	WR(PMBSR_EL1, PMBSR_S | PMBSR_DL);
	level("PMBSR_EL1.S written 1 again", true);
	WR(PMBSR_EL1, 0);
	level("PMBSR_EL1 written 0", false);
}

static void try_event(const struct context *context)
{
	struct profile p;

	context_set(context);
	WR(PMBSR_EL1, 0);
	level("before the event", false);
	p = fill(context);
	expect(p.status & PMBSR_S, "%s: no event", context->name);
	level("after the event", true);
	WR(PMBSR_EL1, 0);
	level("PMBSR_EL1.S cleared", false);
}

void test_interrupt_event(void)
{
	if (!gic_setup()) {
		skip("no redistributor of this PE");
		return;
	}
	each(try_event);
}
