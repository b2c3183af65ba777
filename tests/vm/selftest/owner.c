/* SPDX-License-Identifier: MIT */
/*
 * Table D17-4: the owning translation regime.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.5 (Table D17-4, RWWFKZ, RTDHBH, RKRVDC).
 *
 * The memory to which records are written reveals the regime of a row. EL1&0 and EL2 translate the
 * page of the buffer to different memory. Only EL2&0 has an upper half. Only a Secure regime has
 * Secure memory.
 */
#include "tables.h"
#include "owner_rows.h"

#define ROUNDS 300
#define EXPECTED (ROUNDS * WORK_OPERATIONS / 257)
#define PAGE_SPLIT 0  /* page of the test window: EL1&0 maps it to ONE, EL2 to TWO */
#define PAGE_SECURE 1 /* page that maps Secure memory */
#define ONE (BUFFER_BASE + 0x100000)
#define TWO (BUFFER_BASE + 0x110000)

static bool row_has(const struct owner_row *row, const struct world *world, unsigned e)
{
	return control_is(row->e, e) && control_is(row->nse, world->security >> 1) &&
	       control_is(row->ns, world->security & 1) && control_is(row->nspbe, world->nspbe) &&
	       control_is(row->nspb, world->nspb) && control_is(row->e2pb, world->e2pb) &&
	       control_is(row->eel2, world->eel2) && control_is(row->e2h, world->e2h);
}

static void clear(u64 page)
{
	for (unsigned i = 0; i < PAGE / 8; i++)
		((volatile u64 *)page)[i] = 0;
}

/* Return true if a record was written to the page of the buffer. The first byte of a record is
 * never 0. */
static bool written(u64 page)
{
	return *(volatile u8 *)page != 0;
}

static struct profile profile_page(const struct world *world, u64 base, unsigned e)
{
	struct setup setup = setup_of(3, 3);
	struct profile profile;

	setup.base = base;
	setup.bytes = PAGE;
	clear(ONE);
	clear(TWO);
	clear(SECURE_MEMORY);
	clear(BUFFER_BASE);
	setup.limitr = e;
	world_set(world);
	profile_start(&setup);
	profile.x0 = run_at(world, (u64)work, ROUNDS);
	profile_stop(&profile, &setup);
	return profile;
}

/* Check that the records are in the memory that only this regime reaches. Return NULL or the
 * error. */
static const char *try_split(const struct owner_row *row, const struct world *world, unsigned e)
{
	struct profile profile = profile_page(world, WINDOW_BASE + PAGE_SPLIT * PAGE, e);
	u64 memory = row->el == 2 ? TWO : ONE;

	if (!row->enabled)
		return written(ONE) || written(TWO) || profile.status ? "a record" : NULL;
	if (profile.status)
		return "a management event";
	if (written(row->el == 2 ? ONE : TWO))
		return "records where the other Exception level's tables lead";
	profile_decode(&profile, memory);
	if (profile.damage || profile.count < EXPECTED || profile.count > EXPECTED + 1)
		return "not the records expected";
	return NULL;
}

/* Use a buffer in the upper half: EL2&0 gets records, and EL2 a level 0 Translation fault. */
static const char *try_upper(const struct owner_row *row, const struct world *world, unsigned e)
{
	struct profile profile;

	if (!row->enabled || row->el != 2)
		return NULL;
	upper_half_enable(true);
	profile = profile_page(world, UPPER_BASE, e);
	upper_half_enable(false);
	if (row->el2_and_0) {
		if (profile.status || profile.end == profile.begin)
			return "no records through TTBR1_EL2";
		profile_decode(&profile, BUFFER_BASE);
		return profile.damage ? "records are not where TTBR1_EL2 leads" : NULL;
	}
	if (PMBSR_EC(profile.status) != STAGE_1_FAULT || (profile.status & 63) != 4)
		return "no Translation fault in an upper half that the regime has not";
	return NULL;
}

static const char *try_secure(const struct owner_row *row, const struct world *world, unsigned e)
{
	struct profile profile = profile_page(world, WINDOW_BASE + PAGE_SECURE * PAGE, e);
	bool secure = row->enabled && world->security == SECURE;

	if (written(SECURE_MEMORY) != secure)
		return secure ? "no records in Secure memory" : "records in Secure memory";
	return secure && profile.status ? "a management event" : NULL;
}

static void try_row(const struct owner_row *row, unsigned number)
{
	unsigned tried = 0, wrong = 0;
	const char *first = NULL;
	struct world world, at = {0};

	for (unsigned i = 0; i < 2 * COMBINATIONS; i++) {
		unsigned e = i / COMBINATIONS;
		const char *error;

		if (!world_of_combination(&world, i % COMBINATIONS, row->el ? row->el : 1) ||
		    world.tge || !row_has(row, &world, e) || !world_exists(&world))
			continue;
		tried++;
		error = try_split(row, &world, e);
		if (!error)
			error = try_upper(row, &world, e);
		if (!error)
			error = try_secure(row, &world, e);
		if (error && !wrong++) {
			first = error;
			at = world;
		}
	}
	if (!tried) {
		note("Table D17-4 row %u (%s): not without FEAT_RME, FEAT_SEL2 or FEAT_VHE",
		     (u64)number, row->name);
		return;
	}
	check(!wrong, "Table D17-4 row %u: %s", (u64)number, row->name);
	if (wrong)
		note("%u of %u wrong; first: %s NSPBE %u NSPB %u E2PB %u EEL2 %u E2H %u: %s",
		     (u64)wrong, (u64)tried, world_name(&at), (u64)at.nspbe, (u64)at.nspb,
		     (u64)at.e2pb, (u64)at.eel2, (u64)at.e2h, first);
}

void test_owner(void)
{
	window_map(PAGE_SPLIT, window_page(ONE));
	window_map_el2(PAGE_SPLIT, window_page(TWO));
	window_map(PAGE_SECURE, window_page(SECURE_MEMORY));
	for (unsigned i = 0; i < COUNT(owner_rows); i++)
		try_row(&owner_rows[i], i + 1);
	window_map(PAGE_SPLIT, window_page(WINDOW_BASE + PAGE_SPLIT * PAGE));
	window_map(PAGE_SECURE, window_page(WINDOW_BASE + PAGE_SECURE * PAGE));
}
