/* SPDX-License-Identifier: MIT */
/*
 * Translation tables in the memory of a scenario, and the library's walker over them.
 *
 * Arm ARM: DDI 0487 M.a, D8.2 (the address bits that index each level), D8.3 (descriptors), D17.7.8
 * (TLB maintenance).
 */
#include "scenario_machine.h"

#include <stdlib.h>

enum {
	DESCRIPTOR_BLOCK = 1,
	DESCRIPTOR_TABLE_OR_PAGE = 3,
	DESCRIPTOR_AF = 1 << 10,
	STAGE1_READ_ONLY = 1 << 7,
	STAGE2_READ = 1 << 6,
	STAGE2_WRITE = 1 << 7,
};

static uint8_t *physical_word(const struct machine *m, const struct spemu_physical *at)
{
	struct region *r = machine_physical(m, at->address, at->pas);

	if (!r || r->map.size - (at->address - r->map.base) < 8)
		return NULL;
	return r->data + (at->address - r->map.base);
}

static uint64_t load_word(const uint8_t *p)
{
	uint64_t value = 0;

	for (int i = 7; i >= 0; i--)
		value = value << 8 | p[i];
	return value;
}

static void store_word(uint8_t *p, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static int read_word(void *ctx, uint64_t *value, const struct spemu_physical *at)
{
	const uint8_t *p = physical_word(ctx, at);

	if (!p)
		return 1;
	*value = load_word(p);
	return 0;
}

static int swap_word(void *ctx, uint64_t *old, const struct spemu_physical *at, uint64_t expected,
                     uint64_t desired)
{
	uint8_t *p = physical_word(ctx, at);

	if (!p)
		return 1;
	*old = load_word(p);
	if (*old == expected)
		store_word(p, desired);
	return 0;
}

int machine_start_walker(struct machine *m)
{
	struct spemu_mmu_memory memory = {
	        .size = sizeof(memory), .ctx = m, .read = read_word, .compare_and_swap = swap_word};

	if (m->translate != TRANSLATE_WALKER)
		return SPEMU_OK;
	m->mmu_memory = malloc(spemu_mmu_size());
	if (!m->mmu_memory)
		return SPEMU_ERR_NOSPACE;
	return spemu_mmu_init(&m->mmu, m->mmu_memory, spemu_mmu_size(), &memory);
}

/* Return the word in the first physical address space that has this address, or NULL. */
static uint8_t *any_word(const struct machine *m, uint64_t address)
{
	uint8_t *p = NULL;

	for (uint8_t pas = 0; pas < 4 && !p; pas++)
		p = physical_word(m, &(struct spemu_physical){.address = address, .pas = pas});
	return p;
}

bool machine_put_word(struct machine *m, uint64_t address, uint64_t value)
{
	uint8_t *p = any_word(m, address);

	if (p)
		store_word(p, value);
	return p != NULL;
}

bool machine_word(const struct machine *m, uint64_t address, uint64_t *value)
{
	const uint8_t *p = address & 7 ? NULL : any_word(m, address);

	*value = p ? load_word(p) : 0;
	return p != NULL;
}

bool machine_make_table(struct machine *m, const char **why, const struct table_plan *plan)
{
	struct mapping map = {.base = plan->base,
	                      .size = plan->size,
	                      .types = 1u << SPEMU_ADDRESS_PA,
	                      .writable = true,
	                      .stage2_writable = true};

	m->table = *plan;
	m->table_used = plan->base + (UINT64_C(1) << plan->granule_log2);
	return machine_map(m, why, &map);
}

/* Return the table that an entry points to, and make it if there is none. Return 0 if there is no
 * room. */
static uint64_t next_table(struct machine *m, uint64_t entry, uint64_t value)
{
	uint64_t granule = UINT64_C(1) << m->table.granule_log2, table = m->table_used;

	if (value & 1)
		return value & (UINT64_MAX >> 16 & ~(granule - 1));
	if (table + granule > m->table.base + m->table.size)
		return 0;
	m->table_used = table + granule;
	return machine_put_word(m, entry, table | DESCRIPTOR_TABLE_OR_PAGE) ? table : 0;
}

static uint64_t leaf(const struct table_plan *t, const struct page_plan *p)
{
	uint64_t d = p->physical | p->bits | (uint64_t)p->shareability << 8 |
	             (uint64_t)p->attribute << 2;

	d |= p->level == 3 ? DESCRIPTOR_TABLE_OR_PAGE : DESCRIPTOR_BLOCK;
	if (!p->no_access_flag)
		d |= DESCRIPTOR_AF;
	if (t->stage2)
		return d | STAGE2_READ | (p->read_only ? 0 : STAGE2_WRITE);
	return d | (p->read_only ? STAGE1_READ_ONLY : 0);
}

bool machine_put_page(struct machine *m, const char **why, const struct page_plan *page)
{
	const struct table_plan *t = &m->table;
	unsigned stride = t->granule_log2 - 3u, shift = t->granule_log2;
	uint64_t table = t->base, entry, value;
	int level = 3;

	*why = "'page' requires a 'table' before it";
	if (!t->size)
		return false;
	*why = "the tables do not have this level, or have no room";
	for (; shift + stride < t->address_bits; shift += stride)
		level--;
	for (;; level++, shift -= stride) {
		uint64_t index = (page->address & (UINT64_MAX >> (64 - t->address_bits))) >> shift;

		entry = table + 8 * (index & ((UINT64_C(1) << stride) - 1));
		if (!machine_word(m, entry, &value) || level > page->level)
			return false;
		if (level == page->level)
			break;
		table = next_table(m, entry, value);
		if (!table)
			return false;
	}
	*why = "the address is not aligned to the page or block";
	return !((page->address | page->physical) & ((UINT64_C(1) << shift) - 1)) &&
	       machine_put_word(m, entry, page->invalid ? 0 : leaf(t, page));
}
