/* SPDX-License-Identifier: MIT */
/* Sampled fidelity: declarations for learning in windows (sampled.c) and estimating between them
 * (estimate.c). */
#ifndef UARCH_SAMPLED_H
#define UARCH_SAMPLED_H

#include "uarch_object.h"

#define KNOWN 16 /* number of accesses to L2 after which an instruction's own share counts */
/* Number of windows without an instruction after which its statistics are halved. */
#define FADES 16
#define BIT(level) (1u << UARCH_LEVEL_##level)

/* Levels whose hits are counted, for loads and for stores. Stores have no late lines. */
static const uint32_t hit_levels[2] = {BIT(L1) | BIT(DTLB) | BIT(LATE), BIT(L1) | BIT(DTLB)};

/* Return the statistics of the window for all instructions. Hits count at the levels that were
 * warm at the time of the hit. */
static inline struct met seen_at(const struct window *window, unsigned kind, unsigned level)
{
	struct met seen = window->seen[kind][level];

	if (window->warm & hit_levels[kind] & 1u << level)
		seen.reached += window->hits[kind];
	return seen;
}

static inline struct seen_page *page_at(struct window *window, uint32_t page)
{
	struct seen_page *seen = &window->pages[page % SEEN_PAGES];

	return seen->window && seen->page == page ? seen : NULL;
}

/* Record that a line of page was seen, in a window or by a sample after it. */
static inline void page_seen(struct window *window, uint32_t page)
{
	if (!page_at(window, page))
		window->pages[page % SEEN_PAGES] = (struct seen_page){page, window->number};
}

#endif
