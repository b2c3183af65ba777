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

/* Where the chain of page's hash says which slot of the first level has page, or is at its end. */
static uint8_t *link_to(struct tlb *tlb, uint64_t page)
{
	uint8_t *link = &tlb->bucket[page % TLB_BUCKETS];

	while (*link && tlb->page[*link] != page + 1)
		link = &tlb->chain[*link];
	return link;
}

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* In lanes that do not wait for each other. */
static unsigned used_longest_ago(const struct tlb *tlb)
{
	uint64_t a = UINT64_MAX, b = UINT64_MAX, c = UINT64_MAX, d = UINT64_MAX;

	for (unsigned slot = 1; slot <= tlb->entries; slot += TLB_LANES) {
		const uint64_t *when = &tlb->when[slot];

		a = least_of(a, when[0]);
		b = least_of(b, when[1]);
		c = least_of(c, when[2]);
		d = least_of(d, when[3]);
	}
	return least_of(least_of(a, b), least_of(c, d)) % USE;
}

/* The slot that was used longest ago; it is out of its chain. */
static unsigned give_up(struct tlb *tlb)
{
	unsigned oldest = used_longest_ago(tlb);

	if (tlb->page[oldest])
		*link_to(tlb, tlb->page[oldest] - 1) = tlb->chain[oldest];
	return oldest;
}

/* Whether the first level has page; it does afterwards, as what was used last. */
static bool first_level(struct spemu_uarch_core *core, uint64_t page)
{
	struct tlb *tlb = &core->tlb;
	uint8_t *bucket = &tlb->bucket[page % TLB_BUCKETS], *link = link_to(tlb, page);
	unsigned slot = *link;
	bool had = slot;

	if (had)
		*link = tlb->chain[slot];
	else
		slot = give_up(tlb);
	tlb->page[slot] = page + 1;
	tlb->chain[slot] = *bucket;
	*bucket = (uint8_t)slot;
	core->uses += USE;
	tlb->when[slot] = core->uses | slot;
	return had;
}

uint32_t spemu__uarch_translate(struct spemu_uarch_core *core, uint64_t page, bool *walk)
{
	const struct spemu_uarch_profile *p = core->profile;
	struct tlb *tlb = &core->tlb;
	uint32_t cycles = p->dtlb.cycles;

	if (first_level(core, page))
		return cycles;
	if (tlb->l2_ways)
		cycles += p->l2tlb.cycles;
	if (!tlb->l2_ways || !second_level(tlb, page)) {
		cycles += p->walk_cycles;
		*walk = true;
	}
	return cycles;
}
