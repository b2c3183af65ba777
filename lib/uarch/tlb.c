// SPDX-License-Identifier: MIT
/*
 * Data TLB: a fully associative first level, a set-associative second one, and a walk of fixed
 * cost.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (translation latency), D18.2.6 (events 4 and 5)
 * Limits:      one page size, no walk caches, no invalidation: the host's address space does not
 *              tell when it changes.
 */
#include "uarch_object.h"

/* The second level: whether page is there; it is afterwards. */
static bool second_level(struct tlb *tlb, uint64_t page)
{
	uint32_t set = (uint32_t)page & tlb->l2_set_mask;
	uint64_t *pages = &tlb->l2_page[(size_t)set * tlb->l2_ways];
	uint32_t way;

	for (way = 0; way < tlb->l2_ways; way++) {
		if (pages[way] == page + 1)
			break;
	}
	bool hit = way < tlb->l2_ways;

	if (!hit) {
		way = tlb->l2_order[set] >> (4 * (tlb->l2_ways - 1)) & 15;
		pages[way] = page + 1;
	}
	tlb->l2_order[set] = order_touch(tlb->l2_order[set], way);
	return hit;
}

static uint8_t *bucket_of(struct tlb *tlb, uint64_t page)
{
	return &tlb->bucket[(page ^ page >> 7 ^ page >> 14) % TLB_BUCKETS];
}

/* The slot of the first level that holds page; 0 if none does. */
static unsigned find(struct tlb *tlb, uint64_t page)
{
	unsigned slot = *bucket_of(tlb, page);

	while (slot && tlb->page[slot] != page + 1)
		slot = tlb->chain[slot];
	return slot;
}

/* The slot that was used longest ago, for page. */
static unsigned replace(struct tlb *tlb, uint64_t page)
{
	unsigned slot = tlb->newer[0];
	uint8_t *bucket = bucket_of(tlb, page);

	if (tlb->page[slot]) {
		uint8_t *link = bucket_of(tlb, tlb->page[slot] - 1);

		while (*link != slot)
			link = &tlb->chain[*link];
		*link = tlb->chain[slot];
	}
	tlb->page[slot] = page + 1;
	tlb->chain[slot] = *bucket;
	*bucket = (uint8_t)slot;
	return slot;
}

static void use(struct tlb *tlb, unsigned slot)
{
	unsigned newer = tlb->newer[slot], older = tlb->older[slot], first;

	tlb->older[newer] = (uint8_t)older;
	tlb->newer[older] = (uint8_t)newer;
	first = tlb->older[0];
	tlb->older[slot] = (uint8_t)first;
	tlb->newer[first] = (uint8_t)slot;
	tlb->newer[slot] = 0;
	tlb->older[0] = (uint8_t)slot;
}

bool spemu__uarch_first_level(struct spemu_uarch_core *core, uint64_t page)
{
	unsigned slot = find(&core->tlb, page);

	if (!slot)
		return false;
	use(&core->tlb, slot);
	core->tlb.last = page + 1;
	return true;
}

uint32_t spemu__uarch_translate(struct spemu_uarch_core *core, uint64_t page, bool *walk)
{
	const struct spemu_uarch_profile *p = core->profile;
	struct tlb *tlb = &core->tlb;
	uint32_t cycles = p->dtlb.cycles;

	if (spemu__uarch_translated(core, page))
		return cycles;
	if (tlb->l2_ways)
		cycles += p->l2tlb.cycles;
	if (!tlb->l2_ways || !second_level(tlb, page)) {
		cycles += p->walk_cycles;
		*walk = true;
	}
	use(tlb, replace(tlb, page));
	tlb->last = page + 1;
	return cycles;
}
