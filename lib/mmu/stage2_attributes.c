/* SPDX-License-Identifier: MIT */
/*
 * Memory attributes of stage 2, and of both stages combined.
 *
 * Arm ARM:     DDI 0487 M.a, D8.6.3, D8.6.5, D8.6.6, D8.6.7, D17.7.3
 * Implements:  RDQTTB
 * Pseudocode:  S2DecodeMemAttrs(), S2CombineS1MemAttrs(), AArch64.S2ApplyFWBMemAttrs(),
 *              AArch64.S2TreatAsNormalNC(), EffectiveShareability()
 * Choices:     reserved-stage2-memattr. The shareability that stage 1 puts into stage 2 is the
 *              effective one (RNSCNC)
 */
#include "mmu/mmu.h"

enum { MEMATTR_NON_CACHEABLE = 5, MEMATTR_WRITE_BACK = 15 };
enum { FWB_NON_CACHEABLE = 5, FWB_WRITE_BACK = 6, FWB_STAGE1 = 7 };

struct spemu_memory spemu__normal_non_cacheable(const struct spemu_pe *pe, bool xs)
{
	return (struct spemu_memory){.type = SPEMU_MEMORY_NORMAL,
	                             .shareability = SPEMU_OUTER_SHAREABLE,
	                             .xs = xs || !pe_has(pe, SPEMU_FEAT_XS)};
}

/* Make Device and Non-cacheable memory Outer Shareable, and XS 1 without FEAT_XS. */
static void normalize(const struct spemu_pe *pe, struct spemu_memory *m)
{
	if (m->type != SPEMU_MEMORY_NORMAL ||
	    (m->inner == SPEMU_NON_CACHEABLE && m->outer == SPEMU_NON_CACHEABLE))
		m->shareability = SPEMU_OUTER_SHAREABLE;
	if (!pe_has(pe, SPEMU_FEAT_XS))
		m->xs = true;
}

/* Return MemAttr, with the choice for reserved values applied. With FWB it has only bits [2:0]. */
static unsigned mem_attr(const struct request *r, const struct stage2 *p, uint64_t desc)
{
	static const uint8_t taken[] = {
	        [SPEMU_RESERVED_STAGE2_MEMATTR_DEVICE] = 0,
	        [SPEMU_RESERVED_STAGE2_MEMATTR_NON_CACHEABLE] = 1,
	        [SPEMU_RESERVED_STAGE2_MEMATTR_WRITE_BACK] = 2,
	};
	static const uint8_t plain[] = {0, MEMATTR_NON_CACHEABLE, MEMATTR_WRITE_BACK};
	static const uint8_t forced[] = {0, FWB_NON_CACHEABLE, FWB_STAGE1};
	unsigned attr = (unsigned)bits_get(desc, 5, 2);
	unsigned choice = taken[pe_choice(r->pe, SPEMU_CHOICE_RESERVED_STAGE2_MEMATTR)];

	if (p->force_write_back)
		return (attr & 7) == 4 ? forced[choice] : attr & 7;
	return attr && (attr & 3) == 0 ? plain[choice] : attr;
}

bool spemu__stage2_is_device(const struct request *r, const struct stage2 *p, uint64_t desc)
{
	return mem_attr(r, p, desc) < 4;
}

static uint8_t stage2_shareability(const struct request *r, const struct stage2 *p, uint64_t desc)
{
	unsigned sh = p->format.ds ? p->sh : (unsigned)bits_get(desc, 9, 8);

	return spemu__pe_shareability(r->pe, sh);
}

struct spemu_memory spemu__stage2_alone(const struct request *r, const struct stage2 *p,
                                        uint64_t desc)
{
	static const uint8_t cacheability[4] = {SPEMU_NON_CACHEABLE, SPEMU_NON_CACHEABLE,
	                                        SPEMU_WRITE_THROUGH, SPEMU_WRITE_BACK};
	unsigned attr = mem_attr(r, p, desc);
	struct spemu_memory m = {.shareability = stage2_shareability(r, p, desc),
	                         .xs = !bit_is_set(desc, 11)};

	if (attr < 4) {
		m.type = (uint8_t)attr;
	} else {
		m.type = SPEMU_MEMORY_NORMAL;
		if (p->force_write_back)
			attr = attr == FWB_NON_CACHEABLE ? MEMATTR_NON_CACHEABLE
			                                 : MEMATTR_WRITE_BACK;
		m.outer = cacheability[attr >> 2];
		m.inner = cacheability[attr & 3];
	}
	normalize(r->pe, &m);
	return m;
}

static uint8_t combined_shareability(unsigned a, unsigned b)
{
	if (a == SPEMU_OUTER_SHAREABLE || b == SPEMU_OUTER_SHAREABLE)
		return SPEMU_OUTER_SHAREABLE;
	return a == SPEMU_INNER_SHAREABLE || b == SPEMU_INNER_SHAREABLE ? SPEMU_INNER_SHAREABLE
	                                                                : SPEMU_NON_SHAREABLE;
}

static struct spemu_memory device(unsigned type, bool xs)
{
	return (struct spemu_memory){.type = (uint8_t)type, .xs = xs};
}

static bool is_taggable(const struct spemu_memory *m)
{
	const uint8_t rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;

	return m->type == SPEMU_MEMORY_NORMAL && m->inner == SPEMU_WRITE_BACK &&
	       m->outer == SPEMU_WRITE_BACK && m->inner_hints == rwa && m->outer_hints == rwa;
}

/* Combine attributes with FWB (Table D8-101, RTHYXB, RTBQKG). */
static struct spemu_memory forced(const struct spemu_pe *pe, const struct spemu_memory *s1,
                                  unsigned attr)
{
	const uint8_t rwa = SPEMU_HINT_READ_ALLOCATE | SPEMU_HINT_WRITE_ALLOCATE;
	struct spemu_memory m = *s1;

	if (attr < 4)
		return device(attr < s1->type ? attr : s1->type, s1->xs);
	switch (attr) {
	case FWB_STAGE1:
		return m;
	case FWB_WRITE_BACK:
		m.type = SPEMU_MEMORY_NORMAL;
		if (m.inner == SPEMU_NON_CACHEABLE)
			m.inner_hints = rwa;
		if (m.outer == SPEMU_NON_CACHEABLE)
			m.outer_hints = rwa;
		m.inner = m.outer = SPEMU_WRITE_BACK;
		m.xs = false;
		return m;
	default:
		return s1->type != SPEMU_MEMORY_NORMAL ? m
		                                       : spemu__normal_non_cacheable(pe, s1->xs);
	}
}

/* Combine attributes without FWB (Tables D8-97, D8-98). The cacheability with the smaller number
 * prevails. */
static struct spemu_memory both(const struct spemu_memory *s1, const struct spemu_memory *s2)
{
	struct spemu_memory m = *s1;

	m.xs = s1->xs && s2->xs;
	if (s1->type != SPEMU_MEMORY_NORMAL || s2->type != SPEMU_MEMORY_NORMAL)
		return device(s1->type < s2->type ? s1->type : s2->type, m.xs);
	m.inner = s1->inner < s2->inner ? s1->inner : s2->inner;
	m.outer = s1->outer < s2->outer ? s1->outer : s2->outer;
	if (m.inner == SPEMU_NON_CACHEABLE)
		m.inner_hints = 0;
	if (m.outer == SPEMU_NON_CACHEABLE)
		m.outer_hints = 0;
	if (m.inner == SPEMU_WRITE_BACK && m.outer == SPEMU_WRITE_BACK)
		m.xs = false;
	return m;
}

struct spemu_memory spemu__stage2_combine(const struct request *r, const struct stage2 *p,
                                          const struct spemu_memory *s1, uint64_t desc)
{
	struct spemu_memory alone = spemu__stage2_alone(r, p, desc), m;
	unsigned sh2 = stage2_shareability(r, p, desc);

	if (p->force_write_back) {
		m = forced(r->pe, s1, mem_attr(r, p, desc));
		if (bit_is_set(desc, 11))
			m.xs = false;
		if (!p->cacheable && m.type == SPEMU_MEMORY_NORMAL)
			m = spemu__normal_non_cacheable(r->pe, m.xs);
	} else {
		if (!p->cacheable && alone.type == SPEMU_MEMORY_NORMAL)
			alone = spemu__normal_non_cacheable(r->pe, alone.xs);
		m = both(s1, &alone);
	}
	m.shareability = combined_shareability(s1->shareability, sh2);
	m.tagged = s1->tagged && is_taggable(&m);
	normalize(r->pe, &m);
	return m;
}
