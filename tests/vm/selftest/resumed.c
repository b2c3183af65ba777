/* SPDX-License-Identifier: MIT */
/*
 * Profiling that the runner (tests/vm/test_machine_state.py) saves in the middle and resumes in
 * another process. The program prints a sum over all bytes of each buffer. It profiles EL1 and EL0
 * with jitter and without timestamps. With FEAT_SPE_EXC, it also prints PSTATE.PM and the number of
 * exceptions. An exception is taken at once, or PSTATE.PM masks it for half of a part.
 */
#include "profiling.h"

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

/*
 * Work at EL1. With Profiling exceptions, software causes an event in the middle. Return PSTATE.PM
 * in bit 0, the number of exceptions taken until then in bits [7:1], and the number taken after
 * PSTATE.PM is cleared in the bits above.
 */
static u64 work_masked(u64 rounds)
{
	volatile unsigned *taken = &this_cpu()->taken_count;
	u64 result;

	if (!machine.has_exceptions) {
		straight(rounds);
		return 0;
	}
	straight(rounds / 2);
	raise_el1(PMBSR_S);
	straight(rounds / 2);
	result = RD(S3_0_C4_C3_1) >> 32 | (u64)*taken << 1;
	PM_CLEAR();
	ISB();
	return result | (u64)*taken << 8;
}

void test_resumed(void)
{
	this_cpu()->profiling = profiling_clear;
	if (machine.has_exceptions) /* the reset values of the registers are UNKNOWN */
		profiling_clear(this_cpu(), 3);
	for (unsigned part = 0; part < PARTS; part++) {
		struct world world = world_of(part & 1 ? 0 : 1, NON_SECURE);
		struct setup setup = setup_of(PMSCR_E0SPE | PMSCR_E1SPE, 0);
		struct profile p;
		u64 masked = 0;

		world.pm = part >> 1 & 1;
		if (machine.has_exceptions) {
			world.mdcr3 = MDCR3_PMSEE(EE_DELEGATED);
			setup.scr1 |= PMSCR_EE(EE_ALL) | PMSCR_KE;
			setup.scr2 |= PMSCR_EE(EE_ALL) | PMSCR_KE;
		}
		setup.bytes = SIZE;
		setup.interval |= JITTER;
		world_set(&world);
		profile_start(&setup);
		/* In blocks of many operations, an operation is more often in flight when the
		 * machine stops. */
		if (part & 1)
			run_at(&world, (u64)work, ROUNDS);
		else
			masked = run_at(&world, (u64)work_masked,
			                ROUNDS * WORK_OPERATIONS / STRAIGHT_OPERATIONS);
		profile_stop(&p, &setup);
		print("part %u: %u bytes, sum %x, status %x, PM %x\n", (u64)part, p.end - p.begin,
		      sum_of(p.begin, p.end), p.status, masked);
	}
}
