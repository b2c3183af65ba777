/* SPDX-License-Identifier: MIT */
/* A part of the second model in test_uarch_reference.c: the larger pages, one by one. */
#ifndef SPEMU_TESTS_UARCH_REFERENCE_PAGES_H
#define SPEMU_TESTS_UARCH_REFERENCE_PAGES_H

#include "uarch_reference_level.h"

struct page_model {
	struct {
		uint64_t begin;
		unsigned shift;
	} larger[1024];
	unsigned count, shift; /* `shift` is for all other pages */
};

static bool meet(uint64_t begin, uint64_t end, uint64_t other_begin, uint64_t other_end)
{
	return begin < other_end && other_begin < end;
}

static unsigned shift_at(const struct page_model *pages, uint64_t addr)
{
	for (unsigned i = 0; i < pages->count; i++)
		if (addr >> pages->larger[i].shift ==
		    pages->larger[i].begin >> pages->larger[i].shift)
			return pages->larger[i].shift;
	return pages->shift;
}

/* Return the key of a TLB item: the number of the page, and its size in bits that no set index
 * uses. */
static uint64_t page_item(const struct page_model *pages, uint64_t addr)
{
	unsigned shift = shift_at(pages, addr);

	return addr >> shift | (uint64_t)shift << 56;
}

/* Remove the translations of a range that changes from a TLB. */
static void forget_pages(struct level *tlb, uint64_t begin, uint64_t end)
{
	for (unsigned s = 0; s < tlb->sets; s++) {
		for (unsigned i = tlb->set[s].count; i-- > 0;) {
			uint64_t number = tlb->set[s].item[i].number;
			unsigned shift = (unsigned)(number >> 56);
			uint64_t first = (number & ((UINT64_C(1) << 56) - 1)) << shift;

			if (meet(begin, end, first, first + (UINT64_C(1) << shift)))
				take_out(tlb, number);
		}
	}
}

/* Return true if the whole range has pages of this size. */
static bool all_have(const struct page_model *pages, uint64_t begin, uint64_t end, unsigned shift)
{
	for (unsigned i = 0; shift == pages->shift && i < pages->count; i++) {
		uint64_t first = pages->larger[i].begin;

		if (meet(begin, end, first, first + (UINT64_C(1) << pages->larger[i].shift)))
			return false;
	}
	for (uint64_t at = begin; shift != pages->shift && at < end; at += UINT64_C(1) << shift)
		if (shift_at(pages, at) != shift)
			return false;
	return true;
}

/* Change the page size of a range. Return false if the range has pages of this size already. */
static bool change_pages(struct page_model *pages, uint64_t begin, uint64_t end, unsigned shift)
{
	if (all_have(pages, begin, end, shift))
		return false;
	for (unsigned i = pages->count; i-- > 0;) {
		uint64_t first = pages->larger[i].begin;

		if (meet(begin, end, first, first + (UINT64_C(1) << pages->larger[i].shift)))
			pages->larger[i] = pages->larger[--pages->count];
	}
	for (uint64_t at = begin; shift != pages->shift && at < end; at += UINT64_C(1) << shift) {
		pages->larger[pages->count].begin = at;
		pages->larger[pages->count++].shift = shift;
		assert_true(pages->count < sizeof(pages->larger) / sizeof(pages->larger[0]));
	}
	return true;
}

#endif
