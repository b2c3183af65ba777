/* SPDX-License-Identifier: MIT */
/*
 * The conditions under which operations are sampled, and the translation regime of the buffer.
 *
 * Arm ARM: DDI 0487 M.a, D17.4 (RTWFRY, RWXXFL, Table D17-1), D17.3.5, D17.7.5, D17.9.
 */
#include "image.h"
#include "tests.h"

#define SAMPLES 100
#define FEW 10

static unsigned inside_work(const struct profile *profile)
{
	unsigned count = 0;

	for (unsigned i = 0; i < profile->count; i++)
		count += in_code(&records[i], work_begin, work_end);
	return count;
}

static u64 rounds(const struct setup *setup)
{
	return rounds_for(setup, SAMPLES, WORK_OPERATIONS);
}

static void try_enabled(const struct context *context)
{
	struct setup setup = setup_of(context);
	struct profile p = profile_good(context, &setup, (u64)work, rounds(&setup));
	unsigned inside = inside_work(&p);

	expect(inside >= FEW, "%s: %u samples, in %u intervals", context->name, (u64)inside,
	       (u64)SAMPLES);
	for (unsigned i = 0; i < p.count; i++)
		expect(!records[i].has_pc || records[i].pc_el == context->el,
		       "%s: a sample of EL%u", context->name, (u64)records[i].pc_el);
	/* Enable only the other level, by exchanging the two enable bits. */
	setup.scr ^= 3;
	if (machine.el == 2)
		setup.scr2 ^= 3;
	p = profile_good(context, &setup, (u64)work, rounds(&setup));
	inside = inside_work(&p);
	expect(!inside, "%s: %u samples without its bit", context->name, (u64)inside);
	setup.scr = setup.scr2 = 0;
	p = profile_good(context, &setup, (u64)work, rounds(&setup));
	expect(p.end == p.begin, "%s: samples without any bit", context->name);
}

void test_enabled(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try_enabled(&list[i]);
}

void test_disabled_above(void)
{
	struct context context = {"EL2, owned by EL1", 2, 1, false, false};
	struct setup setup = setup_of(&context);
	struct profile p;

	setup.scr = setup.scr2 = 3;
	p = profile_good(&context, &setup, (u64)work, rounds(&setup));
	expect(p.end == p.begin, "EL2 is sampled where EL1 owns");
}

/* Check that memory, pointer, status and counter do not change. */
static void try_nothing(const struct context *context, const struct setup *setup, const char *why)
{
	u64 status;
	struct profile p;

	memset(buffer, 0xa5, 4096);
	p = profile_at(context, setup, (u64)work, rounds(setup));
	status = p.status & ~PMBSR_COLL;
	expect(p.end == p.begin, "%s, %s: PMBPTR_EL1 goes from %x to %x", context->name, why,
	       p.begin, p.end);
	expect(status == setup->status, "%s, %s: PMBSR_EL1 %x", context->name, why, p.status);
	expect(p.icr == setup->icr, "%s, %s: PMSICR_EL1 goes from %x to %x", context->name, why,
	       setup->icr, p.icr);
	for (unsigned i = 0; i < 4096; i++)
		if (!expect(buffer[i] == 0xa5, "%s, %s: the buffer is written", context->name, why))
			return;
}

void test_buffer_disabled(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		struct setup setup = setup_of(&list[i]);

		setup.limitr = 0;
		setup.icr = 1000;
		try_nothing(&list[i], &setup, "PMBLIMITR_EL1.E 0");
	}
}

void test_stopped(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		struct setup setup = setup_of(&list[i]);

		setup.status = PMBSR_S;
		setup.icr = 1000;
		try_nothing(&list[i], &setup, "PMBSR_EL1.S 1");
	}
}

void test_level_disabled(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		struct setup setup = setup_of(&list[i]);

		setup.scr = setup.scr2 = 0;
		setup.icr = 1000;
		try_nothing(&list[i], &setup, "no bit of PMSCR_ELx");
	}
}

/* ---- the tables of the owner ----------------------------------------------------------------- */

static bool clean(const u8 *memory)
{
	for (unsigned i = 0; i < PAGE; i++)
		if (memory[i] != 0xa5)
			return false;
	return true;
}

/* Check the owner. EL1&0 maps the page of the buffer to one page of elsewhere[], and EL2 maps it to
 * another one. */
static void try_owner(const struct context *context)
{
	struct setup setup = setup_of(context);
	u8 *mine = elsewhere + (context->owner == 2 ? PAGE : 0),
	   *other = elsewhere + (context->owner == 2 ? 0 : PAGE);
	struct profile p;

	memset(elsewhere, 0xa5, 2 * PAGE);
	memset(buffer, 0xa5, PAGE);
	profile_start(context, &setup);
	run_at(context, (u64)work, rounds_for(&setup, 20, WORK_OPERATIONS));
	profile_stop(context, &p, &setup);
	profile_decode(&p, (u64)mine);
	expect(!p.status && !p.damage && p.count, "%s: PMBSR_EL1 %x, %u records, %s", context->name,
	       p.status, (u64)p.count, p.damage ? p.damage : "whole");
	expect(clean(other), "%s: records are where the other regime leads", context->name);
}

void test_owner_tables(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		u64 page = (u64)buffer;

		/* EL2's own tables also serve EL2&0. */
		page_map(LOWER, page, page_descriptor((u64)elsewhere));
		page_map(OWN, page, page_descriptor((u64)elsewhere + PAGE));
		try_owner(&list[i]);
		page_map(LOWER, page, page_descriptor(page));
		page_map(OWN, page, page_descriptor(page));
	}
}
