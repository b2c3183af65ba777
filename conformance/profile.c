/* SPDX-License-Identifier: MIT */
/*
 * Control profiling from the image's own level.
 *
 * Arm ARM: DDI 0487 M.a, D17.9 (synchronization), D24.7.
 */
#include "image.h"

struct record records[RECORDS];

/* Return true at EL2 with HCR_EL2.E2H 1, where PMSCR_EL1 is accessed as PMSCR_EL12. */
static bool as_host(const struct context *context)
{
	return machine.el == 2 && (context->e2h || machine.must_vhe);
}

u64 scr_read(const struct context *context)
{
	return as_host(context) ? RD(PMSCR_EL12) : RD(PMSCR_EL1);
}

void scr_write(const struct context *context, u64 value)
{
	if (as_host(context))
		WR(PMSCR_EL12, value);
	else
		WR(PMSCR_EL1, value);
}

struct setup setup_of(const struct context *context)
{
	struct setup setup = {
	        .base = (u64)buffer,
	        .bytes = BUFFER_PAGES * PAGE,
	        .interval = machine.interval,
	        .limitr = 1,
	};

	if (context->el == 2 || context->tge)
		setup.scr2 = context->el == 2 ? PMSCR_E2SPE : PMSCR_E0HSPE;
	else
		setup.scr = context->el == 1 ? PMSCR_E1SPE : PMSCR_E0SPE;
	return setup;
}

void profile_start(const struct context *context, const struct setup *setup)
{
	u64 idr = machine.ids.pmsidr;

	context_set(context);
	scr_write(context, 0);
	if (machine.el == 2)
		WR(PMSCR_EL2, 0);
	WR(PMBLIMITR_EL1, 0);
	profile_sync();
	WR(PMBSR_EL1, setup->status);
	WR(PMBPTR_EL1, setup->base);
	WR(PMSFCR_EL1, setup->fcr);
	WR(PMSEVFR_EL1, setup->evfr);
	if (idr & BIT(6))
		WR(PMSNEVFR_EL1, setup->nevfr);
	if (idr & BIT(7))
		WR(PMSDSFR_EL1, setup->dsfr);
	WR(PMSLATFR_EL1, setup->latfr);
	WR(PMSICR_EL1, setup->icr);
	WR(PMSIRR_EL1, setup->interval);
	WR(PMBLIMITR_EL1, (setup->base + setup->bytes) | setup->limitr);
	DSB();
	ISB();
	if (machine.el == 2)
		WR(PMSCR_EL2, setup->scr2);
	scr_write(context, setup->scr);
	ISB();
}

void profile_sync(void)
{
	ISB();
	PSB();
	DSB();
	ISB();
}

void profile_stop(const struct context *context, struct profile *profile, const struct setup *setup)
{
	scr_write(context, 0);
	if (machine.el == 2)
		WR(PMSCR_EL2, 0);
	profile_sync();
	WR(PMBLIMITR_EL1, 0);
	ISB();
	profile->begin = setup->base;
	profile->end = RD(PMBPTR_EL1);
	profile->status = RD(PMBSR_EL1);
	profile->icr = RD(PMSICR_EL1);
	profile->count = 0;
	profile->damage = NULL;
}

void profile_decode(struct profile *profile, u64 memory)
{
	const u8 *p = (const u8 *)memory;
	const u8 *end = p + (profile->end - profile->begin);

	profile->count = 0;
	profile->damage = NULL;
	if (profile->end < profile->begin || profile->end - profile->begin > BUFFER_PAGES * PAGE) {
		profile->damage = "PMBPTR_EL1 is outside the buffer";
		return;
	}
	while (profile->count < RECORDS) {
		struct record *record = &records[profile->count];

		profile->damage = record_read(record, &p, end);
		if (profile->damage || !record->ended)
			return;
		profile->count++;
	}
}

struct profile profile_at(const struct context *context, const struct setup *setup, u64 function,
                          u64 argument)
{
	struct profile profile;
	u64 x0;

	profile_start(context, setup);
	x0 = run_at(context, function, argument);
	profile_stop(context, &profile, setup);
	profile.x0 = x0;
	profile_decode(&profile, setup->base);
	return profile;
}

struct profile profile_good(const struct context *context, const struct setup *setup, u64 function,
                            u64 argument)
{
	struct profile profile = profile_at(context, setup, function, argument);

	expect(!(profile.status & ~PMBSR_COLL), "%s: PMBSR_EL1 is %x", context->name,
	       profile.status);
	expect(!profile.damage, "%s: %s", context->name, profile.damage ? profile.damage : "");
	return profile;
}

u64 rounds_for(const struct setup *setup, unsigned samples, unsigned operations)
{
	return samples * (setup->interval & ~UINT64_C(255)) / operations;
}

bool in_code(const struct record *record, const void *begin, const void *end)
{
	return record->has_pc && record->pc >= (u64)begin && record->pc < (u64)end;
}
