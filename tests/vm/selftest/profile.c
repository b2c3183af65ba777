/* SPDX-License-Identifier: MIT */
/*
 * Control profiling from EL3 (or the level of boot).
 *
 * Arm ARM: DDI 0487 M.a, D17.9 (synchronization), D18.2 (packets).
 */
#include "runtime.h"

struct record records[RECORDS];

struct setup setup_of(u64 scr1, u64 scr2)
{
	struct setup setup = {
	        .base = BUFFER_BASE + this_cpu()->index * BUFFER_BYTES,
	        .bytes = BUFFER_BYTES,
	        .interval = 1 << 8,
	        .scr1 = scr1,
	        .scr2 = scr2,
	        .limitr = 1,
	};

	return setup;
}

struct setup setup_at(unsigned el, u64 interval)
{
	struct setup setup = setup_of(el == 0   ? PMSCR_E0SPE
	                              : el == 1 ? PMSCR_E1SPE
	                                        : 0,
	                              el == 2 ? PMSCR_E2SPE : 0);

	setup.interval = interval;
	return setup;
}

void profile_start(const struct setup *setup)
{
	WR(PMSCR_EL1, 0);
	if (machine.boot_el >= 2 && machine.has_el2)
		WR(PMSCR_EL2, 0);
	WR(PMBLIMITR_EL1, 0);
	ISB();
	WR(PMBSR_EL1, 0);
	WR(PMBPTR_EL1, setup->base);
	WR(PMBLIMITR_EL1, (setup->base + setup->bytes) | setup->limitr);
	WR(PMSFCR_EL1, setup->fcr);
	WR(PMSICR_EL1, 0);
	WR(PMSIRR_EL1, setup->interval);
	DSB();
	ISB();
	if (machine.boot_el >= 2 && machine.has_el2)
		WR(PMSCR_EL2, setup->scr2);
	WR(PMSCR_EL1, setup->scr1);
	ISB();
}

void profile_sync(void)
{
	ISB();
	PSB();
	DSB();
	ISB();
}

void profile_stop(struct profile *profile, const struct setup *setup)
{
	WR(PMSCR_EL1, 0);
	if (machine.boot_el >= 2 && machine.has_el2)
		WR(PMSCR_EL2, 0);
	ISB();
	PSB();
	DSB();
	WR(PMBLIMITR_EL1, 0);
	ISB();
	profile->begin = setup->base;
	profile->end = RD(PMBPTR_EL1);
	profile->status = RD(PMBSR_EL1);
	profile->count = 0;
	profile->damage = NULL;
}

void profile_decode(struct profile *profile, u64 memory)
{
	const u8 *p = (const u8 *)memory;
	const u8 *end = p + (profile->end - profile->begin);
	struct record record;

	profile->count = 0;
	profile->damage = NULL;
	while (!profile->damage) {
		profile->damage = record_read(&record, &p, end);
		if (profile->damage || !record.ended)
			return;
		if (record.unknown || record.repeated || record.wrong)
			profile->damage = "not a packet that is expected";
		else if (profile->count == RECORDS)
			profile->damage = "more records than expected";
		else
			records[profile->count++] = record;
	}
}

struct profile profile_at(const struct world *world, const struct setup *setup, u64 function,
                          u64 argument)
{
	struct profile profile;
	u64 x0;

	world_set(world);
	profile_start(setup);
	x0 = run_at(world, function, argument);
	profile_stop(&profile, setup);
	profile.x0 = x0;
	profile_decode(&profile, setup->base);
	return profile;
}
