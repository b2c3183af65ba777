// SPDX-License-Identifier: MIT
/*
 * Sampled fidelity: which lines L2 would have, had the core been told of everything.
 *
 * What went on before a window was not seen, and most of what L2 had then was replaced meanwhile. So a line that a window uses for the
 * first time says nothing by itself, whether the stale L2 has it or not. What says something is how soon lines are used again, counted in
 * misses of L1: of those that L2 would have most were used again when a window is long. That is a life table, by spans of
 * misses. A line's use ends in the span in which it is used again, or asked for by a prefetcher, while L2 still has it; one whose last use lies before the window
 * lasted for as many misses as the window had so far, at least. So short windows tell of short spans and long ones of all, and
 * what is left after the last span is the share that L2 misses (the estimate of Kaplan and Meier for observations that
 * were cut short). Spans that no window was long enough for, up to the size of L2, are taken to be like the last that were met.
 */
#include <string.h>
#include "base/bits.h"
#include "reuse.h"

#define ENOUGH 64    /* uses, for what they say of a span */
#define RENEWED 1024 /* after so many of a window nothing counts of what was known of a span */
/* A window tells nothing before so many misses, as a part of L2's entries, and then counts itself at each power of two of them. */
#define LOOK_PART 64

#define PREFETCHED (UINT32_C(1) << 31) /* of the time of a use: it is that of a prefetch */

/* Two for each power of two. */
static unsigned span_of(uint32_t misses)
{
	unsigned log2 = 31u - (unsigned)__builtin_clz(misses | 1);

	return log2 * 2 + (log2 ? misses >> (log2 - 1) & 1 : 0);
}

/* What is known of spans, with this window. */
static void with_window(const struct reuse *reuse, struct met *known)
{
	uint64_t later = 0;

	for (unsigned span = REUSE_SPANS; span-- > 0;) {
		uint64_t again = reuse->again[span], cut = reuse->cut[span];
		uint64_t reached = later + again + cut / 2;
		uint64_t keep = reached < RENEWED ? RENEWED - reached : 0;

		later += again + cut;
		known[span].reached = reuse->known[span].reached * keep / RENEWED + reached;
		known[span].further = reuse->known[span].further * keep / RENEWED + again;
	}
}

/* Parts of ONE of the lines that come to a span that are used again in it. span: above 0 if too little is known of it. */
static uint64_t ends_in(const struct met *known, unsigned span, unsigned l2_spans)
{
	if (known[span].reached >= ENOUGH)
		return known[span].further * ONE / (known[span].reached + 1);
	if (span >= l2_spans)
		return 0;
	while (span > 1 && known[span - 1].reached < ENOUGH)
		span--;
	if (span < 2)
		return 0;
	return (known[span - 1].further + known[span - 2].further) * ONE /
	       (known[span - 1].reached + known[span - 2].reached + 1);
}

/* Parts of ONE of what L2 has that are not used again before span. */
static uint64_t still_to_come(const struct reuse *reuse, unsigned span)
{
	return (reuse->lasts[span] - reuse->missed) * (uint64_t)ONE / (ONE - reuse->missed + 1);
}

static void make_table(struct uarch_core *core, const struct met *known)
{
	struct reuse *reuse = &core->window.reuse;
	unsigned l2_spans = span_of(core->profile->l2.entries);
	uint64_t lasts = ONE;

	for (unsigned span = 0; span < REUSE_SPANS; span++) {
		reuse->lasts[span] = (uint32_t)lasts;
		lasts -= lasts * ends_in(known, span, l2_spans) / ONE;
	}
	reuse->missed = (uint32_t)lasts;
	reuse->tells_from = 0;
	while (reuse->tells_from < REUSE_SPANS - 1 &&
	       still_to_come(reuse, reuse->tells_from) > ONE / 2)
		reuse->tells_from++;
}

void uarch__reuse_begin(struct uarch_core *core)
{
	struct reuse *reuse = &core->window.reuse;
	struct met known[REUSE_SPANS];

	with_window(reuse, known);
	make_table(core, known);
	memcpy(reuse->known, known, sizeof(known));
	memset(reuse->again, 0, sizeof(reuse->again));
	memset(reuse->cut, 0, sizeof(reuse->cut));
	reuse->before += core->window.misses + 1; /* never 0, as for a line that was never used */
}

/* A use that ends in this window: misses ago; or, if L2 had it no more or none was seen, one that was cut short. */
static void end_use(struct window *window, bool hit, uint32_t ago)
{
	struct reuse *reuse = &window->reuse;

	if (hit && ago <= window->misses)
		reuse->again[span_of(ago)]++;
	else if (!window->complete)
		reuse->cut[span_of(window->misses)]++;
	else if (!hit) /* it has seen the use before */
		reuse->cut[REUSE_SPANS - 1]++;
}

static uint32_t now(const struct window *window)
{
	return (window->reuse.before + window->misses) & ~PREFETCHED;
}

static uint32_t ago_of(const struct window *window, uint32_t used)
{
	return (now(window) - used) & ~PREFETCHED;
}

bool uarch__reuse_used(struct uarch_core *core, uint64_t addr, bool hit)
{
	struct window *window = &core->window;
	uint32_t index, used, ago;

	if (tag_find(&core->l2, addr >> core->line_shift, &index) == LINE_INVALID)
		return false;
	used = core->l2_used[index];
	ago = ago_of(window, used);
	core->l2_used[index] = now(window);
	if (hit && used & PREFETCHED && ago <= window->misses)
		return true;
	end_use(window, hit, ago);
	return hit && ago <= window->misses;
}

bool uarch__reuse_missed(struct uarch_core *core, const struct uarch_site *site)
{
	struct reuse *reuse = &core->window.reuse;
	uint32_t *owed = &reuse->owed[!site];
	uint64_t missed = reuse->missed, had;

	if (site)
		missed = (site->further[UARCH_SITE_L2] * (uint64_t)ONE + PRIOR * missed) /
		         (site->reached[UARCH_SITE_L2] + PRIOR);
	if (missed > ONE) /* other threads count for the site, too */
		missed = ONE;
	had = (ONE - missed) * still_to_come(reuse, span_of(core->window.misses)) / ONE;
	*owed += (uint32_t)(missed * ONE / (missed + had + 1));
	if (*owed < ONE)
		return false;
	*owed -= ONE;
	return true;
}

void uarch__reuse_prefetch(struct uarch_core *core, uint64_t line, bool had, bool is_new)
{
	struct window *window = &core->window;
	uint32_t index, used;

	if (!window->number || tag_find(&core->l2, line, &index) == LINE_INVALID)
		return;
	used = core->l2_used[index];
	if (!had)
		core->l2_used[index] = now(window) | PREFETCHED;
	if ((is_new && window->complete) || (had && used & PREFETCHED))
		return;
	end_use(window, had, ago_of(window, used));
}

bool uarch__reuse_tells(struct uarch_core *core)
{
	const struct window *window = &core->window;
	struct met known[REUSE_SPANS];

	if (window->misses < core->profile->l2.entries / LOOK_PART)
		return false;
	if (!(window->misses & (window->misses - 1))) {
		with_window(&window->reuse, known);
		make_table(core, known);
	}
	return span_of(window->misses) >= window->reuse.tells_from;
}

bool uarch__reuse_waits(const struct uarch_core *core)
{
	const struct window *window = &core->window;

	return still_to_come(&window->reuse, span_of(window->misses)) > ONE / 8;
}
