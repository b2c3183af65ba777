/* SPDX-License-Identifier: MIT */
/*
 * The operations that are sampled. The implementation determines which operations exist in addition
 * to the instructions (micro-ops, speculation), and how many samples collide. So counts are
 * compared with each other, and with wide margins.
 *
 * Arm ARM: DDI 0487 M.a, D17.2, D17.3, D24.7.15, D24.7.16, D17.9.
 */
#include "image.h"
#include "tests.h"

#define COUNTER(value) ((value)&0xffffffff)

static u64 samples_of(const struct context *context, u64 interval, u64 rounds)
{
	struct setup setup = setup_of(context);
	struct profile p;

	setup.interval = interval;
	p = profile_good(context, &setup, (u64)work, rounds);
	return p.count;
}

static void try_interval(const struct context *context)
{
	struct setup setup = setup_of(context);
	u64 rounds = rounds_for(&setup, 400, WORK_OPERATIONS);
	u64 one = samples_of(context, setup.interval, rounds);
	u64 two = samples_of(context, 2 * setup.interval, rounds);
	u64 four = samples_of(context, 4 * setup.interval, rounds);

	note("%s: %u samples, with twice the interval %u, with four times %u", context->name, one,
	     two, four);
	expect(one >= 100, "%s: %u samples in 400 intervals", context->name, one);
	/* Collisions remove samples. Long intervals have fewer of them. */
	expect(two * 4 > one && two * 5 < one * 4,
	       "%s: twice the interval: %u samples instead of %u", context->name, two, one);
	expect(four * 8 > one && four * 5 < one * 2,
	       "%s: four times the interval: %u samples instead of %u", context->name, four, one);
}

void test_interval(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try_interval(&list[i]);
}

/* An interval that is longer than a run. */
#define LONG (UINT64_C(0x345678) << 8)

static void try_loaded(const struct context *context, u64 random)
{
	struct setup setup = setup_of(context);
	u64 most = LONG | (random && !(machine.ids.pmsidr & BIT(5)) ? 0xff : 0), count;
	struct profile p;

	setup.interval = LONG | random;
	p = profile_good(context, &setup, (u64)work, 1000);
	count = COUNTER(p.icr);
	note("%s: PMSICR_EL1 %x", context->name, p.icr);
	expect(p.end == p.begin, "%s: a sample at an interval of %u", context->name, LONG);
	/* 8000 operations, plus those of micro-ops and speculation */
	expect(count <= most - 1000 && count >= LONG - 200000,
	       "%s: RND %u: PMSICR_EL1 is %x, loaded with %x", context->name, random, p.icr, LONG);
}

/* COUNT[7:0] is loaded with 0 unless it is random. So after a few operations, the counter is below
 * INTERVAL * 256. */
static void try_loaded_exactly(const struct context *context, u64 random)
{
	struct setup setup = setup_of(context);

	setup.interval = LONG | random;
	for (unsigned i = 0; i < 8; i++) {
		struct profile p = profile_good(context, &setup, (u64)work, 1);

		expect(COUNTER(p.icr) <= LONG, "%s: RND %u: PMSICR_EL1 is %x, loaded with %x",
		       context->name, random, p.icr, LONG);
	}
}

void test_counter_loaded(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		try_loaded(&list[i], 0);
		try_loaded(&list[i], 1);
		try_loaded_exactly(&list[i], 0);
		if (machine.ids.pmsidr & BIT(5))
			try_loaded_exactly(&list[i], 1);
	}
}

/* A counter that is written directly counts down. PMSIRR_EL1 has another value, which is not
 * used. */
static void try_kept(const struct context *context)
{
	struct setup setup = setup_of(context);
	struct profile p;
	u64 count;

	setup.icr = 5000000;
	p = profile_good(context, &setup, (u64)work, 1000);
	count = COUNTER(p.icr);
	expect(p.end == p.begin, "%s: a sample long before the counter is zero", context->name);
	expect(count <= 5000000 - 1000 && count >= 5000000 - 200000,
	       "%s: PMSICR_EL1 goes from 5000000 to %u", context->name, count);
	/* The counter reaches zero during the work, which gives one sample. The next interval is
	 * that of PMSIRR_EL1, which gives none. */
	setup.icr = 2000;
	setup.interval = LONG;
	p = profile_good(context, &setup, (u64)work, 10000);
	count = COUNTER(p.icr);
	expect(p.count == 1 || (!p.count && p.status & PMBSR_COLL),
	       "%s: %u samples from a counter of 2000", context->name, (u64)p.count);
	expect(count <= LONG && count >= LONG - 2000000, "%s: PMSICR_EL1 is %x, reloaded with %x",
	       context->name, p.icr, LONG);
}

void test_counter_kept(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try_kept(&list[i]);
}

/* Run the work in two parts. The counter continues in the second part where it stopped. */
static void try_counts(const struct context *context)
{
	struct setup setup = setup_of(context);
	u64 first, second, third;
	struct profile p;

	setup.interval = LONG;
	p = profile_good(context, &setup, (u64)work, 10000);
	first = LONG - COUNTER(p.icr);
	p = profile_good(context, &setup, (u64)work, 20000);
	second = LONG - COUNTER(p.icr);
	expect(second * 2 > first * 3 && second * 2 < first * 5,
	       "%s: 10000 rounds count %u, 20000 count %u", context->name, first, second);
	setup.icr = p.icr;
	p = profile_good(context, &setup, (u64)work, 10000);
	third = LONG - COUNTER(p.icr);
	expect(third > second && third - second > first / 2,
	       "%s: the counter goes on from %u to %u", context->name, second, third);
}

void test_counter_counts(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try_counts(&list[i]);
}

/*
 * An upper bound for the operations of the image between a write of PMSCR_ELx and the following
 * ISB, at both ends of a run. The write may take effect anywhere between them (RPVRNK), so each run
 * may count any number of these operations.
 */
#define UNSYNCHRONIZED 64

/* Count the population. Speculation may add operations. The difference of two runs eliminates the
 * operations before and after the work. */
void test_population(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	if (!(machine.ids.pmsidr & BIT(3))) {
		skip("PMSIDR_EL1.ArchInst is 0: operations are micro-ops");
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		struct setup setup = setup_of(&list[i]);
		u64 first, second;
		struct profile p;

		setup.interval = LONG;
		p = profile_good(&list[i], &setup, (u64)work, 10000);
		first = LONG - COUNTER(p.icr);
		p = profile_good(&list[i], &setup, (u64)work, 20000);
		second = LONG - COUNTER(p.icr);
		expect(second - first + UNSYNCHRONIZED >= 10000 * WORK_OPERATIONS,
		       "%s: 10000 rounds of 8 instructions count %u", list[i].name, second - first);
		if (second - first <= 10000 * WORK_OPERATIONS + UNSYNCHRONIZED)
			observe("population", "instructions count exactly");
	}
}

/* Test the jitter. The length of the loop divides the interval, so without jitter all samples are
 * at one instruction. */
static void try_jitter(const struct context *context)
{
	struct setup setup = setup_of(context);
	u64 seen[2] = {0, 0}, least = ~UINT64_C(0), most = 0, fixed;
	unsigned places = 0, more = 0;
	struct profile p;

	setup.interval |= 1;
	p = profile_good(context, &setup, (u64)straight,
	                 rounds_for(&setup, 300, STRAIGHT_OPERATIONS));
	for (unsigned i = 0; i < p.count; i++) {
		u64 k = (records[i].pc - (u64)straight) / 4;

		if (in_code(&records[i], (const void *)(u64)straight, straight_end))
			seen[k >> 6 & 1] |= BIT(k & 63);
	}
	for (unsigned k = 0; k < 64; k++)
		places += seen[0] >> k & 1;
	fixed = samples_of(context, setup.interval & ~UINT64_C(255),
	                   rounds_for(&setup, 300, WORK_OPERATIONS));
	p = profile_good(context, &setup, (u64)work, rounds_for(&setup, 300, WORK_OPERATIONS));
	note("%s: %u samples with RND 1, %u without; %u places", context->name, (u64)p.count, fixed,
	     (u64)places);
	expect(places >= 16, "%s: %u places of %u in a loop", context->name, (u64)places,
	       (u64)STRAIGHT_OPERATIONS);
	/* Jitter adds 128 operations on average, or 0 with FEAT_SPE_ERnd, and never more than
	 * 255. */
	expect(p.count * 10 >= fixed * 4 && p.count * 10 <= fixed * 13,
	       "%s: %u samples, without RND %u", context->name, (u64)p.count, fixed);
	/* The loaded value is random. It is at most 255 above INTERVAL * 256, and not always the
	 * same. */
	setup.interval = LONG | 1;
	for (unsigned i = 0; i < 12; i++) {
		p = profile_good(context, &setup, (u64)work, 100);
		least = COUNTER(p.icr) < least ? COUNTER(p.icr) : least;
		most = COUNTER(p.icr) > most ? COUNTER(p.icr) : most;
		more += most != least;
	}
	if (!(machine.ids.pmsidr & BIT(5)))
		expect(most - least >= 8,
		       "%s: the counter is loaded with no random number: %x to %x", context->name,
		       least, most);
}

void test_jitter(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++)
		try_jitter(&list[i]);
}

/* A value that software reads after the barriers must not change. */
void test_synchronized(void)
{
	const struct context *list;
	unsigned count = contexts(&list);

	for (unsigned i = 0; i < count; i++) {
		struct setup setup = setup_of(&list[i]);
		u64 pointer, last;
		struct profile p;

		profile_start(&list[i], &setup);
		run_at(&list[i], (u64)work, rounds_for(&setup, 50, WORK_OPERATIONS));
		scr_write(&list[i], 0);
		if (machine.el == 2)
			WR(PMSCR_EL2, 0);
		profile_sync();
		pointer = RD(PMBPTR_EL1);
		last = *(volatile u8 *)(pointer - 1);
		p = (struct profile){.begin = setup.base, .end = pointer};
		profile_decode(&p, setup.base);
		expect(!p.damage && p.count >= 10, "%s: %u records, %s", list[i].name, (u64)p.count,
		       p.damage ? p.damage : "whole");
		run_at(&list[i], (u64)work, rounds_for(&setup, 50, WORK_OPERATIONS));
		profile_sync();
		expect(RD(PMBPTR_EL1) == pointer && *(volatile u8 *)(pointer - 1) == last,
		       "%s: PMBPTR_EL1 goes from %x to %x after the barriers", list[i].name,
		       pointer, RD(PMBPTR_EL1));
		profile_stop(&list[i], &p, &setup);
		expect(p.end == pointer,
		       "%s: PMBPTR_EL1 goes from %x to %x when the buffer is disabled",
		       list[i].name, pointer, p.end);
	}
}
