/* SPDX-License-Identifier: MIT */
/*
 * Data TLB: a fully associative first level, a set-associative second level, and a walk of fixed
 * cost.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4 (translation latency), D18.2.6 (events 4 and 5)
 * Choices:     a page of any size is one entry in both levels, and a walk takes as long for each.
 * Limits:      no walk caches. Translations of unmapped pages are dropped only if page sizes change
 *              (pages.c, which also defines the name of a page).
 */
#include "uarch_object.h"

/* Return true if the second level has page, and add it if not. */
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

/* Return the link in the chain of page's hash that leads to its slot in the first level, or the end
 * of the chain. */
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

/* Return the least recently used slot. The comparison runs in parallel lanes, so that none waits
 * for another. */
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

static bool is_larger(uint64_t name)
{
	return name & ~NAME_NUMBER;
}

/* Add the last use of an alias to its entry. */
static void note_alias_use(struct tlb *tlb, unsigned alias)
{
	unsigned slot = tlb->of[alias];

	if (tlb->when[alias] > tlb->when[slot])
		tlb->when[slot] = tlb->when[alias] / USE * USE | slot;
}

/* Add the last uses of aliases to the larger page in slot. Return true if one was later than the
 * last use of the entry. */
static bool used_by_alias(struct tlb *tlb, unsigned slot)
{
	uint64_t known = tlb->when[slot];

	for (unsigned alias = ALIASES; alias < TLB_SLOTS; alias++) {
		if (tlb->of[alias] == slot)
			note_alias_use(tlb, alias);
	}
	return tlb->when[slot] != known;
}

static void take_out(struct tlb *tlb, unsigned slot)
{
	if (tlb->page[slot])
		*link_to(tlb, tlb->page[slot] - 1) = tlb->chain[slot];
	tlb->page[slot] = 0;
}

/* Empty the slot of an entry, and its aliases. */
static void empty(struct tlb *tlb, unsigned slot)
{
	bool larger = tlb->page[slot] && is_larger(tlb->page[slot] - 1);

	take_out(tlb, slot);
	for (unsigned alias = ALIASES; larger && alias < TLB_SLOTS; alias++) {
		if (tlb->of[alias] == slot) {
			take_out(tlb, alias);
			tlb->of[alias] = 0;
		}
	}
}

/* Empty the least recently used slot, after adding the uses of aliases to larger pages. */
static __attribute__((noinline)) unsigned give_up_larger(struct tlb *tlb, unsigned oldest)
{
	while (is_larger(tlb->page[oldest]) && used_by_alias(tlb, oldest))
		oldest = used_longest_ago(tlb);
	empty(tlb, oldest);
	return oldest;
}

/* Remove the least recently used slot from its chain, and return it. */
static unsigned give_up(struct tlb *tlb)
{
	unsigned oldest = used_longest_ago(tlb);

	if (__builtin_expect(is_larger(tlb->page[oldest]), 0))
		return give_up_larger(tlb, oldest);
	take_out(tlb, oldest);
	return oldest;
}

/* Put page in front of the chain of its hash. */
static void put(struct tlb *tlb, unsigned slot, uint64_t page, uint64_t when)
{
	uint8_t *bucket = &tlb->bucket[page % TLB_BUCKETS];

	tlb->page[slot] = page + 1;
	tlb->chain[slot] = *bucket;
	*bucket = (uint8_t)slot;
	tlb->when[slot] = when | slot;
}

/* Return true if the first level has page. Add it if not, and make it the most recently used. */
static bool first_level(struct uarch_core *core, uint64_t page)
{
	struct tlb *tlb = &core->tlb;
	uint8_t *link = link_to(tlb, page);
	unsigned slot = *link;
	bool had = slot;

	if (had)
		*link = tlb->chain[slot];
	else
		slot = give_up(tlb);
	core->uses += USE;
	core->other_uses++;
	put(tlb, slot, page, core->uses);
	return had;
}

/* Make an alias from a page number to the larger page with this name, which is the most recently
 * used one. The next access finds it by the fast path. */
static __attribute__((noinline)) void put_alias(struct uarch_core *core, uint64_t page,
                                                uint64_t name)
{
	struct tlb *tlb = &core->tlb;
	uint8_t *link = link_to(tlb, page);
	unsigned alias = *link;

	if (alias) {
		*link = tlb->chain[alias];
	} else {
		alias = tlb->next_alias;
		tlb->next_alias = (uint8_t)(alias + 1 < TLB_SLOTS ? alias + 1 : ALIASES);
		if (tlb->of[alias])
			note_alias_use(tlb, alias);
		take_out(tlb, alias);
	}
	tlb->of[alias] = tlb->bucket[name % TLB_BUCKETS];
	put(tlb, alias, page, core->uses);
}

uint64_t uarch__known_name(struct uarch_core *core, uint64_t page)
{
	struct tlb *tlb = &core->tlb;
	unsigned slot = *link_to(tlb, page);

	if (!slot)
		return UINT64_MAX;
	return slot < ALIASES ? page : tlb->page[tlb->of[slot]] - 1;
}

uint32_t uarch__look_up(struct uarch_core *core, uint64_t page, uint64_t name, bool *walk)
{
	const struct uarch_profile *p = core->profile;
	struct tlb *tlb = &core->tlb;
	uint32_t cycles = p->dtlb.cycles;
	bool had = first_level(core, name);

	if (name != page)
		put_alias(core, page, name);
	if (had)
		return cycles;
	if (tlb->l2_ways)
		cycles += p->l2tlb.cycles;
	if (!tlb->l2_ways || !second_level(tlb, name)) {
		cycles += p->walk_cycles;
		core->totals[SPEMU_PERF_TOTAL_WALKS]++;
		*walk = true;
	}
	return cycles;
}

static bool overlaps(const struct uarch_core *core, uint64_t name, uint64_t begin, uint64_t end)
{
	unsigned shift = is_larger(name) ? (unsigned)(name >> 56) : core->page_shift;
	uint64_t addr = (name & NAME_NUMBER) << shift;

	return addr < end && begin < addr + (UINT64_C(1) << shift);
}

/* Empty a way of a set of the second level, and make it the next to be used. */
static void empty_way(struct tlb *tlb, size_t set, uint32_t way)
{
	uint64_t order = tlb->l2_order[set];

	tlb->l2_page[set * tlb->l2_ways + way] = 0;
	for (uint32_t at = 0; at < tlb->l2_ways - 1; at++) {
		uint64_t both = order >> 4 * at & 0xff;

		/* From its position on, the way trades places with the next one. */
		if ((both & 15) == way)
			order ^= (both ^ (both >> 4 | (both & 15) << 4)) << 4 * at;
	}
	tlb->l2_order[set] = order;
}

void uarch__invalidate(struct uarch_core *core, uint64_t begin, uint64_t end)
{
	struct tlb *tlb = &core->tlb;
	size_t sets = tlb->l2_ways ? (size_t)tlb->l2_set_mask + 1 : 0;

	for (unsigned slot = 1; slot <= tlb->entries; slot++) {
		if (!tlb->page[slot] || !overlaps(core, tlb->page[slot] - 1, begin, end))
			continue;
		empty(tlb, slot);
		tlb->when[slot] = slot;
	}
	for (size_t i = 0; i < sets * tlb->l2_ways; i++) {
		if (tlb->l2_page[i] && overlaps(core, tlb->l2_page[i] - 1, begin, end))
			empty_way(tlb, i / tlb->l2_ways, (uint32_t)(i % tlb->l2_ways));
	}
}
