/* SPDX-License-Identifier: MIT */
/* Translations of the machine in uarch_fixture.h, which has TLBs of 4 and 16 entries, and pages of
 * 4 KB. */
#ifndef SPEMU_TESTS_UARCH_PAGES_FIXTURE_H
#define SPEMU_TESTS_UARCH_PAGES_FIXTURE_H

#include "uarch_fixture.h"

#define HUGE (UINT64_C(1) << 21)
#define BASE (UINT64_C(1) << 32)

enum { HIT = 0, SECOND_LEVEL = 5, WALK = 45 }; /* the cycles that a translation takes */

static inline uint32_t translation(struct machine *m, unsigned core, uint64_t addr)
{
	struct uarch_result r = load(m, core, addr);

	assert_true(r.events & EV(TLB_ACCESS));
	assert_int_equal(!!(r.events & EV(TLB_WALK)), r.translation_latency == WALK);
	return r.translation_latency;
}

#endif
