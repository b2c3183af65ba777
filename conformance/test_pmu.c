/* SPDX-License-Identifier: MIT */
/*
 * SPE's PMU events, if an event counter can count them.
 *
 * Arm ARM: DDI 0487 M.a, D17.1, D17.2, D17.3.7, D14.11 (SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE,
 * SAMPLE_COLLISION).
 */
#include "image.h"
#include "tests.h"

enum { POP, FEED, FILTRATE, COLLISION, EVENTS };

/* PMCEID0_EL0[35:32]: events 0x4000 to 0x4003 */
void test_pmu_events(void)
{
	const struct context *list;
	u64 counted[EVENTS], events, counters;
	struct setup setup;
	struct profile p;

	contexts(&list);
	if (!machine.has_pmu) {
		skip("no PMU");
		return;
	}
	events = READ(pmceid0_el0) >> 32 & 15;
	counters = READ(pmcr_el0) >> 11 & 31;
	if (machine.el == 2 && counters > (READ(mdcr_el2) & 31))
		counters = READ(mdcr_el2) & 31;
	if (events != 15 || counters < 4) {
		skip("PMCEID0_EL0[35:32] is %x, %u counters", events, counters);
		return;
	}
	setup = setup_of(&list[0]);
	context_set(&list[0]);
	for (u64 n = 0; n < EVENTS; n++) {
		WRITE(pmselr_el0, n);
		ISB();
		WRITE(pmxevtyper_el0,
		      0x4000 + n + (machine.el == 2 ? BIT(27) : 0)); /* NSH: EL2 too */
		WRITE(pmxevcntr_el0, 0);
	}
	WRITE(pmcntenset_el0, 15);
	WRITE(pmcr_el0, READ(pmcr_el0) | 1);
	ISB();
	p = profile_good(&list[0], &setup, (u64)work, rounds_for(&setup, 200, WORK_OPERATIONS));
	WRITE(pmcr_el0, READ(pmcr_el0) & ~UINT64_C(1));
	ISB();
	for (u64 n = 0; n < EVENTS; n++) {
		WRITE(pmselr_el0, n);
		ISB();
		counted[n] = READ(pmxevcntr_el0);
	}
	WRITE(pmcntenclr_el0, 15);
	note("%u records; SAMPLE_POP %u FEED %u FILTRATE %u COLLISION %u", (u64)p.count,
	     counted[POP], counted[FEED], counted[FILTRATE], counted[COLLISION]);
	expect(counted[FILTRATE] == p.count, "SAMPLE_FILTRATE is %u, records %u", counted[FILTRATE],
	       (u64)p.count);
	expect(counted[FEED] >= counted[FILTRATE] && counted[FEED] <= counted[FILTRATE] * 2 + 2,
	       "SAMPLE_FEED is %u, SAMPLE_FILTRATE %u", counted[FEED], counted[FILTRATE]);
	expect(counted[POP] >= counted[FEED] * setup.interval, "SAMPLE_POP is %u, SAMPLE_FEED %u",
	       counted[POP], counted[FEED]);
	expect(!counted[COLLISION] == !(p.status & PMBSR_COLL),
	       "SAMPLE_COLLISION is %u, PMBSR_EL1 %x", counted[COLLISION], p.status);
}
