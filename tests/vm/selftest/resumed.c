/* SPDX-License-Identifier: MIT */
/*
 * Profiling that the runner (tests/vm/test_machine_state.py) saves in its middle and resumes in another process: a sum of
 * all bytes of each buffer, with jitter and without timestamps, at EL1 and EL0.
 */
#include "runtime.h"

#define PARTS 80
#define ROUNDS 600000
#define SIZE 0x80000
#define JITTER 1 /* PMSIRR_EL1.RND */

static u64 sum_of(u64 from, u64 to)
{
	u64 sum = UINT64_C(0xcbf29ce484222325);

	for (; from < to; from++)
		sum = (sum ^ *(const volatile u8 *)from) * UINT64_C(0x100000001b3);
	return sum;
}

void test_resumed(void)
{
	for (unsigned part = 0; part < PARTS; part++) {
		struct world world = world_of(part & 1 ? 0 : 1, NON_SECURE);
		struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
		struct profile p;

		setup.bytes = SIZE;
		setup.interval |= JITTER;
		world_set(&world);
		profile_start(&setup);
		/* In blocks of many operations one is in flight more often when the machine stops. */
		if (part & 1)
			run_at(&world, (u64)work, ROUNDS);
		else
			run_at(&world, (u64)straight,
			       ROUNDS * WORK_OPERATIONS / STRAIGHT_OPERATIONS);
		profile_stop(&p, &setup);
		print("part %u: %u bytes, sum %x, status %x\n", (u64)part, p.end - p.begin,
		      sum_of(p.begin, p.end), p.status);
	}
}
