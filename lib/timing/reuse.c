/* SPDX-License-Identifier: MIT */
/*
 * Sampled fidelity: the lines that L2 would have if the core had seen everything.
 *
 * The core did not see the operations before a sampling window, and most of the lines in L2 were
 * replaced meanwhile. So the first use of a line in a window gives no information, whether the
 * stale L2 has the line or not. The model learns from how soon lines are used again, counted in
 * misses of L1 and grouped in spans. The result is a life table (the estimate of Kaplan and Meier
 * for observations that were cut short):
 *
 * - again[span]: lines that were used again, or requested by a prefetcher, in that span, while L2
 *   still had them.
 * - cut[span]: lines whose last use was before the window. They lasted for at least as many misses
 *   as the window had so far. So short windows show short spans, and long windows all spans.
 * - reached(span) = again(span) + cut(span) / 2 + again and cut of all later spans: lines that
 *   reached the span. again(span) / reached(span) of them end there.
 * - lasts[span]: the share of lines that reaches the span. missed: the share that is left after the
 *   last span, which is what L2 misses.
 *
 * An example is an L2 of 32 lines, and one window with observations in three spans:
 *
 *   span  misses    again  cut  reached                   ends in it    lasts
 *      6   8 - 11     600    0  600 + 0 + 600 = 1200      600 / 1200    1
 *      8  16 - 23     200  200  200 + 100 + 200 = 500     200 / 500     1/2
 *     10  32 - 47     100  100  100 + 50 = 150            100 / 150     1/2 x 3/5 = 3/10
 *   end                                                                 3/10 x 1/3 = 1/10 = missed
 *
 * So a tenth of all uses of lines comes so late that L2 misses. Of the lines that L2 has (1 -
 * missed = 9/10), the share that is used again only after span 6 is (1/2 - 1/10) / (9/10) = 4/9.
 * That is at most half, so a window knows what L2 misses from span 7 on (warm_from).
 *
 * Spans up to the size of L2 for which no window was long enough are assumed to be like the last
 * observed ones.
 */
#include <string.h>
#include "base/bits.h"
#include "uarch_object.h"

#define ENOUGH 64    /* number of uses from which on a span is known */
#define RENEWED 1024 /* uses in a window that replace all earlier uses in a span */
/*
 * A window knows nothing of L2 until it has had as many misses as L2's entries divided by
 * LOOK_PART. From then on it adds its uses to the table whenever the number of misses reaches a
 * power of two.
 */
#define LOOK_PART 64

#define PREFETCHED (UINT32_C(1) << 31) /* flag in the time of a use: it was a prefetch */

/* Return the span of a number of misses. There are two spans for each power of two. */
static unsigned span_of(uint32_t misses)
{
	unsigned log2 = 31u - (unsigned)__builtin_clz(misses | 1);

	return log2 * 2 + (log2 ? misses >> (log2 - 1) & 1 : 0);
}

/* Add the uses of this window to those of the earlier spans. */
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

/* Return the fraction, in parts of ONE, of the lines that reach a span and are used again in it. A
 * span with too few observations behaves like the last known ones. */
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

/* Return the share, in parts of ONE, of the lines of L2 that are used again in span or later. */
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
	reuse->warm_from = 0;
	while (reuse->warm_from < REUSE_SPANS - 1 &&
	       still_to_come(reuse, reuse->warm_from) > ONE / 2)
		reuse->warm_from++;
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
	/* The result is never 0, which is the time of a line that was never used */
	reuse->before += core->window.misses + 1;
}

/* Count a use that ends in this window and happened `ago` misses of L1 before. The use was cut
 * short if L2 no longer had the line or if the core did not see the use. */
static void end_use(struct window *window, bool hit, uint32_t ago)
{
	struct reuse *reuse = &window->reuse;

	if (hit && ago <= window->misses)
		reuse->again[span_of(ago)]++;
	else if (!window->complete)
		reuse->cut[span_of(window->misses)]++;
	else if (!hit) /* the core saw the previous use */
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

bool uarch__reuse_missed(struct uarch_core *core, const struct insn_stats *stats)
{
	struct reuse *reuse = &core->window.reuse;
	uint32_t *owed = &reuse->owed[!stats];
	uint64_t missed = reuse->missed, had;

	if (stats)
		missed = (stats->further[UARCH_LEVEL_L2] * (uint64_t)ONE + PRIOR * missed) /
		         (stats->reached[UARCH_LEVEL_L2] + PRIOR);
	if (missed > ONE) /* races with other threads may make missed too large */
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

bool uarch__reuse_is_warm(struct uarch_core *core)
{
	const struct window *window = &core->window;
	struct met known[REUSE_SPANS];

	if (window->misses < core->profile->l2.entries / LOOK_PART)
		return false;
	if (!(window->misses & (window->misses - 1))) {
		with_window(&window->reuse, known);
		make_table(core, known);
	}
	return span_of(window->misses) >= window->reuse.warm_from;
}

bool uarch__reuse_waits(const struct uarch_core *core)
{
	const struct window *window = &core->window;

	return still_to_come(&window->reuse, span_of(window->misses)) > ONE / 8;
}
