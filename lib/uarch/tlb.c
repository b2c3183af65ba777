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

/* The slot of the first level that holds page, then *hit is set, or the least recently used one. */
static uint32_t first_level_slot(const struct tlb *tlb, uint64_t page, bool *hit)
{
	uint32_t oldest = 0;

	for (uint32_t i = 0; i < tlb->entries; i++) {
		if (tlb->page[i] == page + 1) {
			*hit = true;
			return i;
		}
		if (tlb->used[i] < tlb->used[oldest])
			oldest = i;
	}
	return oldest;
}

uint32_t spemu__uarch_translate(struct spemu_uarch_core *core, uint64_t page, bool *walk)
{
	const struct spemu_uarch_profile *p = core->profile;
	struct tlb *tlb = &core->tlb;
	uint8_t *hint = &tlb->hint[(page ^ page >> 8) % TLB_HINTS];
	uint32_t slot = *hint, cycles = p->dtlb.cycles;
	bool hit = tlb->page[slot] == page + 1;

	if (!hit)
		slot = first_level_slot(tlb, page, &hit);
	if (!hit) {
		if (tlb->l2_ways)
			cycles += p->l2tlb.cycles;
		if (!tlb->l2_ways || !second_level(tlb, page)) {
			cycles += p->walk_cycles;
			*walk = true;
		}
		tlb->page[slot] = page + 1;
	}
	*hint = (uint8_t)slot;
	tlb->used[slot] = ++tlb->clock;
	tlb->last = page + 1;
	return cycles;
}
