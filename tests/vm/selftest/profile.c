/* SPDX-License-Identifier: MIT */
/*
 * Profiling from EL3 (or the level of boot), and a reader of its own for the records.
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

static u64 payload(const u8 *from, unsigned bytes)
{
	u64 value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (u64)from[i] << (8 * i);
	return value;
}

static void take_address(struct record *record, unsigned index, u64 value)
{
	u64 address = value & (BIT(56) - 1);

	switch (index) {
	case 0:
		record->has_pc = true;
		/* bits 63:56 of a virtual address are a copy of bit 55 here: no tags */
		record->pc = address | (address & BIT(55) ? UINT64_C(0xff) << 56 : 0);
		record->pc_ns = (u8)(value >> 63);
		record->pc_el = (value >> 61) & 3;
		record->pc_nse = (value >> 60) & 1;
		break;
	case 1:
		record->has_target = true;
		record->target = address;
		record->target_el = (value >> 61) & 3;
		break;
	case 2:
		record->has_va = true;
		record->va = value;
		break;
	case 3:
		record->has_pa = true;
		record->pa = address;
		record->pa_ns = (u8)(value >> 63);
		record->pa_nse = (value >> 60) & 1;
		break;
	case 4:
		record->has_previous = true;
		record->previous = address;
		record->previous_el = (value >> 61) & 3;
		break;
	default:
		break;
	}
}

static void take_counter(struct record *record, unsigned index, u64 value)
{
	if (index == 1)
		record->issue = value;
	record->has_alternate |= index == 4;
	if (index == 4)
		record->alternate = value;
}

/* One packet with a payload into the record; false: not one that D18.2 describes. */
static bool take(struct record *record, u8 header, unsigned high_index, const u8 *from,
                 unsigned bytes)
{
	u64 value = payload(from, bytes);

	if ((header & 0xf8) == 0xb0) {
		take_address(record, high_index << 3 | (header & 7), value);
	} else if ((header & 0xf8) == 0x98) {
		take_counter(record, high_index << 3 | (header & 7), value);
		return value < (1 << 16);
	} else if ((header & 0xcf) == 0x42) {
		record->has_events = true;
		record->events = value;
	} else if ((header & 0xcf) == 0x43) {
		return true; /* data source */
	} else if ((header & 0xfc) == 0x48) {
		record->has_type = true;
		record->type = header & 3;
		record->subclass = (u8)value;
	} else if (header == 0x64) {
		record->has_context1 = true;
		record->context1 = (u32)value;
	} else if (header == 0x65) {
		record->has_context2 = true;
		record->context2 = (u32)value;
	} else {
		return false;
	}
	return true;
}

void profile_decode(struct profile *profile, u64 memory)
{
	const u8 *p = (const u8 *)memory;
	const u8 *end = p + (profile->end - profile->begin);
	struct record record = {0};
	bool inside = false;

	profile->count = 0;
	while (p < end) {
		unsigned high = 0, bytes;
		u8 header = *p++;

		if (header == 0 && !inside)
			continue;                       /* padding */
		if (header == 0x01 || header == 0x71) { /* End, Timestamp: the last of a record */
			if (header == 0x71) {
				record.has_timestamp = true;
				record.timestamp = payload(p, 8);
				p += 8;
			}
			if (p > end || profile->count == RECORDS) {
				profile->damage =
				        p > end ? "cut off" : "more records than expected";
				return;
			}
			records[profile->count++] = record;
			memset(&record, 0, sizeof(record));
			inside = false;
			continue;
		}
		if (header == 0 && inside)
			continue;
		inside = true;
		if ((header & 0xfc) == 0x20 && p < end) { /* the extended format */
			high = header & 3;
			header = *p++;
		}
		if (!(header & 0x40) == !(header & 0x80)) {
			profile->damage = "no packet";
			return;
		}
		bytes = 1U << ((header >> 4) & 3);
		if (p + bytes > end || !take(&record, header, high, p, bytes)) {
			profile->damage = "unknown packet";
			return;
		}
		p += bytes;
	}
	if (inside)
		profile->damage = "ends inside a record";
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
