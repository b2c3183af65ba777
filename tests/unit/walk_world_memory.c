/* SPDX-License-Identifier: MIT */
/* The contents of the memory of a random world. */
#include "walk_world.h"

#include <string.h>

/* Bits [20:16] of an address: the code of the contents there. */
#define CODE_DATA 0u
static unsigned code_of_table(unsigned which, int level)
{
	return 1 + which * 5 + (unsigned)(level + 1);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

uint64_t world_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return mix(*state);
}

static bool chance(uint64_t *state, unsigned of_65536)
{
	return (world_random(state) & 0xffff) < of_65536;
}

static uint64_t put_address(const struct world_tables *t, uint64_t address, unsigned low)
{
	uint64_t field = address & UINT64_C(0xffffffffffff) & ~((UINT64_C(1) << low) - 1);
	uint64_t high = address >> 48 & 15;

	if (t->high_in_15_12)
		field |= high << 12;
	else if (t->ds)
		field |= (high >> 2) << 8 | (high & 3) << 48;
	return field;
}

static uint64_t with_code(uint64_t address, unsigned code)
{
	return (address & ~UINT64_C(0x1f0000)) | (uint64_t)code << 16;
}

static unsigned low_bit(unsigned granule, int level)
{
	unsigned low = granule + (granule - 3) * (unsigned)(3 - level);

	return low > 47 ? 47 : low; /* the level does not exist */
}

static uint64_t table_descriptor(const struct world *w, unsigned which, int level, uint64_t *r)
{
	const struct world_tables *t = &w->tables[which];
	uint64_t address = world_random(r), d;

	address &= chance(r, w->too_big) ? UINT64_C(0xfffffffffffff) : t->mask;
	address = with_code(address, code_of_table(which, level + 1));
	d = world_random(r) &
	    (UINT64_C(0x1f8) << 49 | 0x8fc); /* bits [58:52], [11] and [7:2] are IGNORED */
	d |= (uint64_t)(world_random(r) & 1) << 10;
	d |= 3 | put_address(t, address, t->granule);
	if (which <= WORLD_TTBR1) {
		d |= (world_random(r) & 7) << 59 & ~(UINT64_C(1) << 62);
		if (chance(r, w->ap_table))
			d |= UINT64_C(1) << 62;
		if (chance(r, 4000))
			d |= UINT64_C(1) << 63;
	}
	return d;
}

static uint64_t leaf_descriptor(const struct world *w, unsigned which, int level, uint64_t at,
                                uint64_t *r)
{
	const struct world_tables *t = &w->tables[which];
	unsigned low = low_bit(t->granule, level);
	uint64_t address = world_random(r), d;

	address &= chance(r, w->too_big) ? UINT64_C(0xfffffffffffff) : t->mask;
	/* The code must not change. The index of the table contains IA[20:16]. */
	if (which >= WORLD_VTTBR) {
		if (level == 3 && !chance(r, 200))
			address = with_code(address, (unsigned)(at >> 3 >> (16 - t->granule)) & 31);
	} else {
		address = with_code(address, chance(r, 2000) ? world_random(r) & 31 : CODE_DATA);
	}
	d = world_random(r) & (UINT64_C(0xfff7) << 48 | 0x8fc);
	if (!t->ds)
		d |= world_random(r) & 0x300;
	d &= ~(UINT64_C(3) << 48 | UINT64_C(1) << 51);
	d |= put_address(t, address, low) | 1 | (level == 3 ? 2 : 0);
	if (chance(r, w->dbm))
		d |= UINT64_C(1) << 51;
	if (!chance(r, w->no_af))
		d |= 1 << 10;
	if (which <= WORLD_TTBR1) {
		d &= ~UINT64_C(0x80);
		if (chance(r, w->read_only))
			d |= 0x80;
	} else {
		d |= 0xc0;
		if (chance(r, w->read_only))
			d &= ~((uint64_t)(1 + (world_random(r) & 1)) << 6);
		d &= ~(UINT64_C(1) << 58 | UINT64_C(1) << 55);
		if (chance(r, 1500)) /* AssuredOnly; in Realm state, NS */
			d |= (uint64_t)(1 + (world_random(r) & 1) * 7) << 55;
	}
	return d;
}

static uint64_t descriptor(const struct world *w, unsigned which, int level, uint64_t at,
                           uint64_t *r)
{
	const struct world_tables *t = &w->tables[which];
	uint64_t d;

	if (chance(r, w->invalid))
		return world_random(r) & ~UINT64_C(1);
	if (chance(r, w->junk))
		return world_random(r);
	if (level < 3 && !chance(r, w->block))
		return table_descriptor(w, which, level, r);
	d = leaf_descriptor(w, which, level, at, r);
	if (level == 3 && chance(r, w->invalid))
		d &= ~UINT64_C(2);                           /* reserved at level 3 */
	if (!t->ds && (d >> 8 & 3) == 1 && !chance(r, 5000)) /* rarely leave the reserved SH */
		d |= 3 << 8;
	return d;
}

static unsigned random_gpi(const struct world *w, uint64_t *r)
{
	static const uint8_t valid[6] = {0, 8, 9, 0xa, 0xb, 0xf};

	if (!chance(r, w->bad_gpi))
		return 0xf;
	if (chance(r, 3000))
		return world_random(r) & 15;
	return valid[world_random(r) % 6];
}

static uint64_t gpt_entry(const struct world *w, uint64_t at, uint64_t *r)
{
	uint64_t entry = 0;

	if (chance(r, w->junk / 4))
		return world_random(r);
	if (at >= w->l0_base && at < w->l0_base + w->l0_size) {
		uint64_t table = world_random(r);

		if (chance(r, w->block_gpt))
			return random_gpi(w, r) << 4 | 1;
		table &= chance(r, w->too_big) ? UINT64_C(0xfffffffffffff) : w->root_mask;
		if (!chance(r, w->junk / 4))
			table &= ~((UINT64_C(1) << (w->l0_bits - w->pgs_bits - 1)) - 1);
		return (table & ~UINT64_C(0xfff)) | 3;
	}
	if (chance(r, w->contiguous_gpt))
		return (world_random(r) % 50 ? 1 + world_random(r) % 3 : 0) << 8 |
		       random_gpi(w, r) << 4 | 1;
	for (unsigned i = 0; i < 16; i++)
		entry |= (uint64_t)random_gpi(w, r) << (4 * i);
	return entry;
}

static uint64_t swapped(uint64_t v)
{
	v = (v & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (v >> 8 & UINT64_C(0x00ff00ff00ff00ff));
	v = (v & UINT64_C(0x0000ffff0000ffff)) << 16 | (v >> 16 & UINT64_C(0x0000ffff0000ffff));
	return v << 32 | v >> 32;
}

static uint64_t original(const struct world *w, const struct spemu_physical *at)
{
	uint64_t r = mix(w->seed ^ mix(at->address + UINT64_C(0x100000001b3) * at->pas) ^
	                 (uint64_t)at->mecid << 40);
	unsigned code = at->address >> 16 & 31, which, big;
	int level;

	if (at->pas == REF_ROOT)
		return gpt_entry(w, at->address, &r);
	if (code >= 1 && code <= 20) {
		which = (code - 1) / 5;
		level = (int)((code - 1) % 5) - 1;
	} else {
		which = WORLD_TTBR0;
		level = 3;
	}
	for (unsigned i = WORLD_VTTBR; i < WORLD_TABLES; i++)
		if (at->address - w->tables[i].base < w->tables[i].size) {
			which = i;
			level = w->tables[i].level;
		}
	big = which <= WORLD_TTBR1 && w->el == 1 ? w->reg.sctlr_el1 >> 25 & 1
	                                         : w->reg.sctlr_el2 >> 25 & 1;
	if (big)
		return swapped(descriptor(w, which, level, at->address, &r));
	return descriptor(w, which, level, at->address, &r);
}

static bool same(const struct spemu_physical *a, const struct spemu_physical *b)
{
	return a->address == b->address && a->pas == b->pas && a->mecid == b->mecid;
}

static bool aborts(const struct world *w, const struct spemu_physical *at, uint64_t salt)
{
	uint64_t r = mix(w->seed ^ salt ^ mix(at->address * 3 + at->pas));

	return chance(&r, w->aborts);
}

/* Return the slot of a location: the slot in use for it, or else a free slot. */
static unsigned slot_of(const struct world_memory *memory, const struct spemu_physical *at)
{
	unsigned i = (unsigned)mix(at->address ^ at->pas) % WORLD_OVERLAY;

	while (memory->used[i] && !same(&memory->word[i].at, at))
		i = (i + 1) % WORLD_OVERLAY;
	return i;
}

void world_memory_clear(struct world_memory *memory, const struct world *w)
{
	memory->world = w;
	memory->written = 0;
	memset(memory->used, 0, sizeof(memory->used));
}

bool world_memory_same(const struct world_memory *a, const struct world_memory *b)
{
	if (a->written != b->written)
		return false;
	for (unsigned i = 0; a->written && i < WORLD_OVERLAY; i++) {
		unsigned j;

		if (!a->used[i])
			continue;
		j = slot_of(b, &a->word[i].at);
		if (!b->used[j] || a->word[i].value != b->word[j].value)
			return false;
	}
	return true;
}

int world_read(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	struct world_memory *memory = ctx;

	if (at->address % 8 || aborts(memory->world, at, 1))
		return 1;
	if (memory->written) {
		unsigned i = slot_of(memory, at);

		if (memory->used[i]) {
			*value = memory->word[i].value;
			return 0;
		}
	}
	*value = original(memory->world, at);
	return 0;
}

int world_compare_and_swap(void *ctx, uint64_t *old, const struct spemu_physical *at,
                           uint64_t expected, uint64_t desired)
{
	struct world_memory *memory = ctx;
	unsigned i;

	if (world_read(ctx, old, at) || aborts(memory->world, at, 2))
		return 1;
	if (*old != expected)
		return 0;
	i = slot_of(memory, at);
	if (!memory->used[i]) {
		if (memory->written == WORLD_OVERLAY - 1)
			return 1; /* an External abort, which occurs in both memories */
		memory->written++;
	}
	memory->used[i] = 1;
	memory->word[i].at = *at;
	memory->word[i].value = desired;
	return 0;
}
