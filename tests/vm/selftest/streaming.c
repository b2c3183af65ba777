/* SPDX-License-Identifier: MIT */
/*
 * Vectors inside and outside Streaming SVE mode: the event, the lengths of vectors and tiles, and
 * the clock of the unit that executes them. The expected records follow from RDVL, RDSVL and the
 * places where the mode changes.
 *
 * Arm ARM: DDI 0487 M.a, D17.6.1, D17.6.6, D18.2.6 (E[24], E[25]), D18.2.7, D24.7.14
 * (PMSIDR_EL1.SME, ALTCLK).
 */
#include "runtime.h"

#define ROUNDS 40000
#define CPTR_ESM BIT(12)
#define CPTR_EZ BIT(8)
#define CPACR_ALL ((UINT64_C(3) << 24) | (UINT64_C(3) << 20) | (UINT64_C(3) << 16))
#define EVENT_STREAMING BIT(24)
#define EVENT_SMCU BIT(25)

#define ZCR_EL3 S3_6_C1_C2_0
#define ZCR_EL2 S3_4_C1_C2_0
#define ZCR_EL1 S3_0_C1_C2_0
#define SMCR_EL3 S3_6_C1_C2_6
#define SMCR_EL2 S3_4_C1_C2_6
#define SMCR_EL1 S3_0_C1_C2_6

static bool has_sme(void)
{
	return READ(id_aa64pfr1_el1) >> 24 & 15;
}

/* Disable the traps of vectors for the lower levels, and set the permitted lengths (LEN). */
static void vectors_enable(u64 zcr, u64 smcr)
{
	WRITE(cptr_el3, CPTR_ESM | CPTR_EZ);
	WRITE(cptr_el2, 0x32ff & ~(BIT(12) | BIT(10) | BIT(8)));
	WRITE(cpacr_el1, CPACR_ALL);
	ISB();
	WR(ZCR_EL3, 15);
	WR(ZCR_EL2, 15);
	WR(ZCR_EL1, zcr);
	WR(SMCR_EL3, 15);
	WR(SMCR_EL2, 15);
	WR(SMCR_EL1, smcr);
	ISB();
}

static void vectors_disable(void)
{
	WRITE(cpacr_el1, 0);
	WRITE(cptr_el2, 0x33ff);
	WRITE(cptr_el3, 0);
	ISB();
}

/* Return the smallest encoding of EVL and ETS for a size of `bits` (D18.2.7). */
static u8 evl(u64 bits)
{
	u8 value = 0;

	while ((UINT64_C(32) << value) < bits)
		value++;
	return (u8)(value << 4);
}

static u8 ets(u64 bits)
{
	u8 value = 0;

	while ((UINT64_C(128) << value) < bits)
		value++;
	return (u8)((value >> 1 & 7) << 4 | (value & 1) << 2);
}

struct place {
	const char *at, *name;
	bool streaming;
	u8 class, subclass;
	bool of_vectors;
	unsigned seen, wrong;
};

static void tally(struct place *place, const struct record *r, bool alternate)
{
	u64 events = (place->streaming ? EVENT_STREAMING : 0) |
	             (place->streaming && place->of_vectors && alternate ? EVENT_SMCU : 0);
	bool has_alternate = r->has_counters & BIT(COUNTER_ALTERNATE_ISSUE);

	place->seen++;
	if ((r->events & (EVENT_STREAMING | EVENT_SMCU)) != events ||
	    (place->of_vectors && (r->type != place->class || r->subclass != place->subclass)) ||
	    has_alternate != (place->streaming && place->of_vectors && alternate) ||
	    (has_alternate && r->counter[COUNTER_ALTERNATE_ISSUE] != r->counter[COUNTER_ISSUE])) {
		if (!place->wrong++)
			note("%s: events %x, class %u, subclass %x instead of %x", place->name,
			     r->events, (u64)r->type, (u64)r->subclass, (u64)place->subclass);
	}
}

/* Vector lengths at EL1: 128 bits outside Streaming SVE mode, and 512 bits inside, if the PE
 * supports it. */
static void test_loop(const char *name, u64 zcr, u64 smcr)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	bool alternate = machine.pmsidr >> 28 & 15;
	struct profile p;
	u64 lengths, vl, svl;
	unsigned seen = 0, wrong = 0, few = 0;
	u8 load = machine.pmsver >= 3 ? 0x0c : 0x08; /* loads have PRED with FEAT_SPEv1p2 */

	world_set(&world);
	vectors_enable(zcr, smcr);
	lengths = run_at(&world, (u64)vector_lengths, 0);
	vl = 8 * (lengths & 0xffff);
	svl = 8 * (lengths >> 16);
	struct place places[] = {
	        {streaming_add, "ADD", false, OTHER, (u8)(0x08 | evl(vl)), true, 0, 0},
	        {streaming_load, "LD1W", false, LOAD_STORE, (u8)(load | evl(vl)), true, 0, 0},
	        {streaming_start, "SMSTART", false, OTHER, 0, false, 0, 0},
	        {streaming_add_in, "streaming ADD", true, OTHER, (u8)(0x08 | evl(svl)), true, 0, 0},
	        {streaming_load_in, "streaming LD1W", true, LOAD_STORE, (u8)(load | evl(svl)), true,
	         0, 0},
	        {streaming_outer, "FMOPA", true, OTHER, (u8)(0x8a | ets(svl * svl / 32)), true, 0,
	         0},
	        {streaming_scalar, "scalar", true, OTHER, 0, false, 0, 0},
	        {streaming_stop, "SMSTOP", true, OTHER, 0, false, 0, 0},
	        {streaming_after, "after", false, OTHER, 0, false, 0, 0},
	};

	p = profile_at(&world, &setup, (u64)streaming_loop, ROUNDS);
	for (unsigned i = 0; i < p.count; i++)
		for (unsigned k = 0; k < COUNT(places); k++)
			if (records[i].pc == (u64)places[k].at)
				tally(&places[k], &records[i], alternate);
	for (unsigned k = 0; k < COUNT(places); k++) {
		seen += places[k].seen;
		wrong += places[k].wrong;
		few += places[k].seen < 50;
	}
	check(!p.damage && !wrong && !few, "Streaming SVE mode, %s: each record is right", name);
	note("VL %u, SVL %u, %u records, %u wrong%s", vl, svl, (u64)seen, (u64)wrong,
	     few ? ", too few" : "");
	vectors_disable();
}

/* PMSEVFR_EL1.E[24] selects operations in Streaming SVE mode; PMSNEVFR_EL1 selects the others. */
static void test_filter(bool inverted)
{
	struct world world = world_of(1, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	struct profile p;
	unsigned other = 0;

	setup.fcr = inverted ? BIT(3) : BIT(0);
	world_set(&world);
	vectors_enable(0, 3);
	WR(PMSEVFR_EL1, inverted ? 0 : EVENT_STREAMING);
	if (inverted)
		WR(PMSNEVFR_EL1, EVENT_STREAMING);
	p = profile_at(&world, &setup, (u64)streaming_loop, ROUNDS);
	for (unsigned i = 0; i < p.count; i++)
		other += !(records[i].events & EVENT_STREAMING) != inverted;
	WR(PMSEVFR_EL1, 0);
	if (inverted)
		WR(PMSNEVFR_EL1, 0);
	check(!p.damage && p.count > 200 && !other, "a filter lets %s Streaming SVE mode through",
	      inverted ? "all but" : "only");
	vectors_disable();
}

void test_streaming(void)
{
	bool sme = machine.pmsidr >> 32 & 1;
	u64 clock = machine.pmsidr >> 28 & 15;

	check(!sme || has_sme(), "PMSIDR_EL1.SME is of a PE with FEAT_SME");
	check(clock == (told("smcu") ? 1 : 0), "PMSIDR_EL1.ALTCLK");
	if (!sme)
		return;
	test_loop("short vectors", 0, 3);
	test_loop("long vectors", 1, 1);
	test_filter(false);
	if (machine.pmsver >= 3)
		test_filter(true);
}
