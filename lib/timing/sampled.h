/* SPDX-License-Identifier: MIT */
/* Sampled fidelity: what learning in windows (sampled.c) and estimating between them (estimate.c)
 * share. */
#ifndef UARCH_SAMPLED_H
#define UARCH_SAMPLED_H

#include "uarch_object.h"

#define KNOWN 16 /* times that an instruction came to L2, until that says what it does */
/* Windows in which an instruction is not met, until what is known of it counts half. */
#define FADES 16
#define BIT(level) (1u << UARCH_LEVEL_##level)

/* Levels of which a hit says something; of a store it says nothing of late lines. */
static const uint32_t hit_levels[2] = {BIT(L1) | BIT(DTLB) | BIT(LATE), BIT(L1) | BIT(DTLB)};

/* What the window has seen of all instructions, with hits: they count at the levels that were
 * settled when they came. */
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

/* A line of page was seen: in a window, or by a sample after it. */
static inline void page_seen(struct window *window, uint32_t page)
{
	if (!page_at(window, page))
		window->pages[page % SEEN_PAGES] = (struct seen_page){page, window->number};
}

#endif
