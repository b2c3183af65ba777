/* SPDX-License-Identifier: MIT */
/*
 * Records that pass the filters. A test only requires that records pass if the loop has many
 * matching operations.
 *
 * Arm ARM: DDI 0487 M.a, D17.5, D24.7.10 to D24.7.13, D24.7.17.
 */
#include "image.h"
#include "tests.h"

#define FE BIT(0)
#define FT BIT(1)
#define FL BIT(2)
#define FNE BIT(3)
#define FDS BIT(4)
#define B BIT(16)
#define LD BIT(17)
#define ST BIT(18)
#define FP BIT(19)
#define SIMD BIT(20)
#define MASK(type) ((type) << 32)
#define SAMPLES 400

static const struct context *own(void)
{
	const struct context *list;

	contexts(&list);
	return &list[0];
}

static struct setup random_setup(void)
{
	struct setup setup = setup_of(own());

	setup.interval |= 1;
	return setup;
}

static struct profile of(const struct setup *setup, u64 function, unsigned operations)
{
	return profile_good(own(), setup, function, rounds_for(setup, SAMPLES, operations));
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Return LD, ST and B of a record. An atomic operation that returns a value is both LD and ST. */
static u64 types_of(const struct record *r)
{
	if (r->type == BRANCH)
		return B;
	if (r->type != LOAD_STORE)
		return 0;
	return r->subclass & 1 ? ST : LD;
}

static void try_type(u64 fcr, const char *name)
{
	struct setup setup = random_setup();
	struct profile p;

	setup.fcr = FT | fcr;
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	for (unsigned i = 0; i < p.count; i++)
		if (records[i].has_type && (records[i].events & 3) == 2)
			expect(types_of(&records[i]) & fcr, "%s alone: type %u, subclass %x", name,
			       (u64)records[i].type, (u64)records[i].subclass);
	expect(p.count >= 5, "%s alone: %u records of %u samples", name, (u64)p.count,
	       (u64)SAMPLES);
}

void test_filter_type(void)
{
	try_type(LD, "loads");
	try_type(ST, "stores");
	try_type(B, "branches");
	try_type(LD | ST, "loads and stores");
	try_type(LD | B, "loads and branches");
	try_type(ST | B, "stores and branches");
	try_type(LD | ST | B, "loads, stores and branches");
}

/* Check that a filter with masks passes some of the given operations of floating(), and no
 * others. */
static void try_mask(u64 fcr, const char *name, const char *const *some, unsigned count)
{
	struct setup setup = random_setup();
	unsigned seen = 0;
	struct profile p;

	setup.fcr = FT | fcr;
	p = of(&setup, (u64)floating, 8);
	for (unsigned i = 0; i < p.count; i++) {
		bool one = false;

		if ((records[i].events & 3) != 2 || !records[i].has_pc)
			continue;
		for (unsigned k = 0; k < count; k++)
			one = one || records[i].pc == (u64)some[k];
		expect(one, "%s: a record of %x", name, records[i].pc - (u64)floating);
		seen++;
	}
	expect(!count || seen, "%s: no record", name);
}

void test_filter_mask(void)
{
	const char *const fp[] = {floating_fp}, *const simd[] = {floating_simd, floating_load};
	const char *const load[] = {floating_load}, *const no_load[] = {floating_simd};
	const char *const either[] = {floating_fp, floating_simd, floating_load};

	try_mask(FP, "FP", fp, 1);
	try_mask(SIMD, "SIMD", simd, 2);
	try_mask(FP | SIMD, "FP or SIMD", either, 3);
	try_mask(SIMD | LD | MASK(SIMD) | MASK(LD), "SIMD and LD", load, 1);
	try_mask(SIMD | MASK(SIMD) | MASK(LD), "SIMD and not LD", no_load, 1);
	try_mask(FP | MASK(FP) | MASK(SIMD), "FP and not SIMD", fp, 1);
	try_mask(LD | ST | MASK(LD) | MASK(ST), "LD and ST", NULL, 0);
}

/* A filter without a selection. Without FEAT_SPE_EFT, either all or no operations may be recorded;
 * with it, all must be recorded. */
void test_filter_nothing(void)
{
	struct setup setup = random_setup();
	struct profile p;

	setup.fcr = FT;
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	observe("filter-selects-nothing", "%s", p.count ? "filter-off" : "nothing-recorded");
	if (machine.ids.pmsidr & BIT(26))
		expect(p.count >= 50, "with FEAT_SPE_EFT: %u records of %u samples", (u64)p.count,
		       (u64)SAMPLES);
}

/* ---- events ---------------------------------------------------------------------------------- */

static u64 held(bool not )
{
	u64 value;

	if (not )
		WR(PMSNEVFR_EL1, ~UINT64_C(0));
	else
		WR(PMSEVFR_EL1, ~UINT64_C(0));
	ISB();
	value = not ? RD(PMSNEVFR_EL1) : RD(PMSEVFR_EL1);
	if (not )
		WR(PMSNEVFR_EL1, 0);
	else
		WR(PMSEVFR_EL1, 0);
	return value;
}

/* Count the records with each event, without a filter. Only events that always or never occur give
 * a definite expectation. */
static struct profile count_events(unsigned *have)
{
	struct setup setup = random_setup();
	struct profile p = of(&setup, (u64)work, WORK_OPERATIONS);

	for (unsigned n = 0; n < 64; n++)
		have[n] = 0;
	for (unsigned i = 0; i < p.count; i++)
		for (unsigned n = 0; n < 64; n++)
			have[n] += records[i].events >> n & 1;
	return p;
}

void test_filter_events(void)
{
	static unsigned have[64];
	struct profile all = count_events(have);
	u64 bits = held(false);

	note("PMSEVFR_EL1 holds %x", bits);
	for (unsigned n = 0; n < 64; n++) {
		struct setup setup = random_setup();
		struct profile p;

		if (!(bits >> n & 1))
			continue;
		setup.fcr = FE;
		setup.evfr = BIT(n);
		p = of(&setup, (u64)work, WORK_OPERATIONS);
		for (unsigned i = 0; i < p.count; i++)
			expect(records[i].events >> n & 1, "E[%u]: a record with events %x", (u64)n,
			       records[i].events);
		if (have[n] == all.count)
			expect(p.count * 4 >= all.count, "E[%u]: %u records, without filter %u",
			       (u64)n, (u64)p.count, (u64)all.count);
	}
	/* With several selected events, a record must have all of them. */
	struct setup setup = random_setup();
	setup.fcr = FE;
	setup.evfr = bits & (BIT(1) | BIT(7));
	struct profile p = of(&setup, (u64)work, WORK_OPERATIONS);
	for (unsigned i = 0; i < p.count; i++)
		expect((records[i].events & setup.evfr) == setup.evfr,
		       "E[1] and E[7]: a record with events %x", records[i].events);
	setup.evfr = 0;
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	observe("filter-selects-nothing", "PMSEVFR_EL1 0: %s",
	        p.count ? "filter-off" : "nothing-recorded");
}

void test_filter_no_events(void)
{
	static unsigned have[64];
	struct profile all = count_events(have);
	u64 bits = held(true);

	note("PMSNEVFR_EL1 holds %x", bits);
	if (have[1] == all.count)
		bits &= ~BIT(1); /* ignored if every recorded operation is executed */
	for (unsigned n = 0; n < 64; n++) {
		struct setup setup = random_setup();
		struct profile p;

		if (!(bits >> n & 1))
			continue;
		setup.fcr = FNE;
		setup.nevfr = BIT(n);
		p = of(&setup, (u64)work, WORK_OPERATIONS);
		for (unsigned i = 0; i < p.count; i++)
			expect(!(records[i].events >> n & 1), "not E[%u]: a record with events %x",
			       (u64)n, records[i].events);
		if (!have[n])
			expect(p.count * 4 >= all.count, "not E[%u]: %u records, without filter %u",
			       (u64)n, (u64)p.count, (u64)all.count);
	}
	struct setup setup = random_setup();
	setup.fcr = FNE;
	setup.nevfr = bits & (BIT(1) | BIT(7));
	struct profile p = of(&setup, (u64)work, WORK_OPERATIONS);
	for (unsigned i = 0; i < p.count; i++)
		expect(!(records[i].events & setup.nevfr),
		       "neither E[1] nor E[7]: a record with events %x", records[i].events);
}

/* ---- latency, data source -------------------------------------------------------------------- */

void test_filter_latency(void)
{
	static const u16 latencies[] = {1, 2, 5, 20, 100, 0xfff};
	struct profile p;

	for (unsigned k = 0; k < COUNT(latencies); k++) {
		struct setup setup = random_setup();

		setup.fcr = FL;
		setup.latfr = latencies[k];
		p = of(&setup, (u64)work, WORK_OPERATIONS);
		note("MINLAT %u: %u records of %u samples", (u64)latencies[k], (u64)p.count,
		     (u64)SAMPLES);
		for (unsigned i = 0; i < p.count; i++)
			expect(!(records[i].has_counters & 1) ||
			               records[i].counter[COUNTER_TOTAL] >= latencies[k],
			       "MINLAT %u: a record with a latency of %u", (u64)latencies[k],
			       (u64)records[i].counter[COUNTER_TOTAL]);
	}
}

void test_filter_source(void)
{
	struct setup setup = random_setup();
	u64 held_bits, seen = 0;
	struct profile p = of(&setup, (u64)work, WORK_OPERATIONS);

	for (unsigned i = 0; i < p.count; i++)
		if (records[i].has_source)
			seen |= BIT(records[i].source & 63);
	WR(PMSDSFR_EL1, ~UINT64_C(0));
	ISB();
	held_bits = RD(PMSDSFR_EL1);
	note("PMSDSFR_EL1 holds %x; sources seen %x", held_bits, seen);
	setup.fcr = FDS;
	setup.dsfr = ~seen;
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	for (unsigned i = 0; i < p.count; i++)
		expect(!records[i].has_source || types_of(&records[i]) != LD ||
		               !(held_bits & BIT(records[i].source & 63)) ||
		               setup.dsfr & BIT(records[i].source & 63),
		       "a load with data source %x", records[i].source);
	setup.dsfr = ~UINT64_C(0);
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	expect(p.count >= 20, "all data sources: %u records", (u64)p.count);
}

/* ---- together -------------------------------------------------------------------------------- */

void test_filter_both(void)
{
	struct setup setup = random_setup();
	struct profile p;

	setup.fcr = FT | FE | B;
	setup.evfr = BIT(1);
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	for (unsigned i = 0; i < p.count; i++)
		expect(records[i].events & 2 && (!records[i].has_type || records[i].type == BRANCH),
		       "branches that were executed: type %u, events %x", (u64)records[i].type,
		       records[i].events);
	expect(p.count >= 5, "branches that were executed: %u records", (u64)p.count);
}

static bool some(const struct profile *p, u64 types)
{
	for (unsigned i = 0; i < p->count; i++)
		if (records[i].has_type && types_of(&records[i]) == types)
			return true;
	return false;
}

void test_filter_off(void)
{
	struct setup setup = random_setup();
	struct profile p;

	setup.fcr = machine.ids.pmsidr & 2 ? B : 0;
	setup.evfr = BIT(7);
	setup.nevfr = BIT(1);
	setup.latfr = 0xfff;
	p = of(&setup, (u64)work, WORK_OPERATIONS);
	expect(p.count >= 50, "%u records of %u samples", (u64)p.count, (u64)SAMPLES);
	expect(some(&p, LD) && some(&p, ST) && some(&p, B) && some(&p, 0),
	       "not every type is there");
}
