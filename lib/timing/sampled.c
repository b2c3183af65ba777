/* SPDX-License-Identifier: MIT */
/*
 * Sampled fidelity: learning about instructions in sampling windows.
 *
 * Caches keep their contents from window to window, but the core did not see the operations between
 * them. So the model learns about a level only while it is warm: the window has seen enough to
 * replace its stale contents. For L2 that would take long; reuse.c knows sooner what L2 misses.
 * Each level goes through these states in a window that has seen `now` accesses:
 *
 *   uarch_window()       all levels are cold; in a complete window all are warm, for good
 *     | now >= WARM_ACCESSES x entries of L1 and of the DTLB: L1, PEER, MODIFIED, DTLB are warm
 *     | now >= WARM_ACCESSES x entries of the L2 TLB:         L2TLB is warm
 *     | BRANCHES branches:                                    BRANCH is warm
 *     | a miss of L1: uarch__reuse_is_warm() decides if L2, LLC and LATE are warm
 *     v
 *   next uarch_window()  of warm levels: known = known / 2 + seen
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4, D18.2.6 (events 2 to 5, 7 to 11, 19 to 23)
 */
#include "base/bits.h"
#include "fill_buffer.h"
#include "sampled.h"
#include "uarch_object.h"

#define AGED 16384      /* number of accesses after which the weight of earlier ones is halved */
#define BRANCHES 4096   /* branches in a window after which BRANCH is warm */
#define WARM_ACCESSES 4 /* accesses for each entry of a level after which it is warm */
#define MISSES_LEAST 64 /* least misses of L1 in a window that should go on */
#define MISSES_APART 16 /* largest number of accesses per miss in such a window */
/* largest number of accesses per miss in a window that should go on for L2 */
#define L2_APART 64
/* The difference of load cycles that counts as known: half a cycle. A third of all operations are
 * loads, and take four cycles, so this is 4 %. */
#define AS_KNOWN (ONE / 2)
#define NEAR_PAGES 32 /* pages before and after a page that show whether it was touched */
#define WAITS 512     /* weight of the mean wait, in stores or late lines */

/* Add up the hits so far. Call this before other levels become warm. */
static void count_hits(struct window *window)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		for (unsigned level = 0; level < UARCH_LEVELS; level++)
			window->seen[kind][level] = seen_at(window, kind, level);
		window->hits[kind] = 0;
	}
}

/* Add the last window's statistics over all instructions to half of the earlier ones. */
static void fold(struct window *window)
{
	for (unsigned level = 0; level < UARCH_LEVELS; level++) {
		if (!(window->warm >> level & 1))
			continue;
		for (unsigned kind = 0; kind < 2; kind++) {
			struct met *known = &window->known[kind][level];
			struct met *seen = &window->seen[kind][level];

			known->reached = known->reached / 2 + seen->reached;
			known->further = known->further / 2 + seen->further;
			*seen = (struct met){0, 0};
		}
	}
}

/* Mark levels as warm when the window has seen enough accesses to them, and set the time of the
 * next check. */
static void look(struct uarch_core *core)
{
	const struct uarch_profile *p = core->profile;
	struct window *window = &core->window;
	const struct {
		uint64_t entries;
		uint32_t levels;
	} at[] = {
	        {p->l1d.entries > p->dtlb.entries ? p->l1d.entries : p->dtlb.entries,
	         BIT(L1) | BIT(PEER) | BIT(MODIFIED) | BIT(DTLB)},
	        {p->l2tlb.entries, BIT(L2TLB)},
	};

	count_hits(window);
	window->look_at = UINT64_MAX;
	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		if (window->now >= at[i].entries * WARM_ACCESSES)
			window->warm |= at[i].levels;
		else if (at[i].entries * WARM_ACCESSES < window->look_at)
			window->look_at = at[i].entries * WARM_ACCESSES;
	}
}

void uarch_window(struct uarch_core *core, bool complete)
{
	struct window *window = &core->window;

	count_hits(window);
	fold(window);
	uarch__reuse_begin(core);
	window->now = 0;
	window->number++;
	window->warm = 0;
	window->misses = window->unknown = window->branches = 0;
	window->stats = NULL;
	window->complete = complete;
	look(core);
	if (!complete)
		return;
	window->warm = ~0u;
	window->look_at = UINT64_MAX;
}

/* Return the share of accesses that went further, in parts of ONE. */
static uint64_t part(const struct met *met)
{
	return met->further * ONE / (met->reached + 1);
}

/* Interpolate linearly between `here` and `beyond`; `further` is in fixed point (ONE is 1.0). */
static uint64_t mean(uint64_t here, uint64_t beyond, uint64_t further)
{
	return (here * (ONE - further) + beyond * further) / ONE;
}

/* Return the mean cycles of a load, in parts of ONE: as seen in the window, or as known before
 * it. */
static uint64_t load_cycles(const struct uarch_core *core, bool seen)
{
	const struct window *window = &core->window;
	const struct uarch_profile *p = core->profile;
	const uint64_t one = ONE;
	uint64_t further[UARCH_LEVELS], cycles;

	for (unsigned level = 0; level < UARCH_LEVELS; level++) {
		struct met met = window->known[0][level];

		if (seen && window->warm >> level & 1)
			met = seen_at(window, 0, level);
		further[level] = part(&met);
	}
	cycles = mean(p->llc.cycles * one, p->dram_cycles * one, further[UARCH_LEVEL_LLC]);
	cycles = mean(p->l2.cycles * one, cycles, further[UARCH_LEVEL_L2]);
	return mean(p->l1d.cycles * one, cycles, further[UARCH_LEVEL_L1]);
}

bool uarch_as_known(const struct uarch_core *core)
{
	uint64_t seen = load_cycles(core, true), known = load_cycles(core, false);

	return (seen > known ? seen - known : known - seen) <= AS_KNOWN;
}

bool uarch_wants_more(const struct uarch_core *core)
{
	const struct window *window = &core->window;

	return window->misses >= MISSES_LEAST && window->misses >= window->now / MISSES_APART &&
	       window->unknown > window->misses / 4;
}

bool uarch_wants_l2(const struct uarch_core *core)
{
	const struct window *window = &core->window;

	return window->misses >= MISSES_LEAST && window->misses >= window->now / L2_APART &&
	       uarch__reuse_waits(core);
}

/* Halve an instruction's counts at the beginning of a window, and again for each FADES windows
 * since the instruction last occurred, so that older counts weigh less. */
static __attribute__((noinline)) void renew(struct insn_stats *stats, uint32_t number)
{
	unsigned shift = (number - stats->window) / FADES + 1;

	for (unsigned level = 0; level < UARCH_LEVELS; level++) {
		stats->reached[level] >>= shift > 8 ? 8 : shift;
		stats->further[level] >>= shift > 8 ? 8 : shift;
	}
	stats->window = number;
}

static void age(struct insn_stats *stats, unsigned level)
{
	stats->reached[level] /= 2;
	stats->further[level] /= 2;
}

/* Count an access that reached `level`. Return `further` unchanged. */
static ALWAYS_INLINE bool count(const struct uarch_core *core, struct insn_stats *stats,
                                struct met *seen, unsigned level, bool further)
{
	if (core->window.warm >> level & 1) {
		if (stats->window != core->window.number)
			renew(stats, core->window.number);
		seen[level].reached++;
		seen[level].further += further;
		stats->further[level] += further;
		if (++stats->reached[level] >= AGED)
			age(stats, level);
	}
	return further;
}

/* Count an access that hit at all levels, for all levels at once. Most accesses do, and one test of
 * the warm levels is enough. */
static ALWAYS_INLINE void count_hit(struct window *window, struct insn_stats *stats, bool load)
{
	uint32_t warm = window->warm & hit_levels[!load];
	uint32_t *reached = stats->reached;

	if (!warm)
		return;
	if (stats->window != window->number)
		renew(stats, window->number);
	window->hits[!load]++;
	reached[UARCH_LEVEL_L1] += warm >> UARCH_LEVEL_L1 & 1;
	reached[UARCH_LEVEL_DTLB] += warm >> UARCH_LEVEL_DTLB & 1;
	reached[UARCH_LEVEL_LATE] += warm >> UARCH_LEVEL_LATE & 1;
	for (unsigned level = 0; level < UARCH_LEVELS; level++)
		if (hit_levels[0] >> level & 1 && reached[level] >= AGED)
			age(stats, level);
}

/* Return when lines of the neighboring pages in one direction were seen, as bits SEEN_NOW and
 * SEEN_BEFORE. */
#define SEEN_NOW 1u    /* seen in this window, or after it */
#define SEEN_BEFORE 2u /* seen before this window */
static unsigned seen_beside(struct window *window, uint32_t page, int32_t step)
{
	unsigned by = 0;

	for (int32_t i = 1; i <= NEAR_PAGES; i++) {
		const struct seen_page *seen = page_at(window, page + (uint32_t)(i * step));

		if (seen)
			by |= seen->window == window->number ? SEEN_NOW : SEEN_BEFORE;
	}
	return by;
}

/*
 * Return true if a line that was never seen is likely to have been touched between windows. This is
 * so if lines of its page were seen before this window, or if lines of pages on both sides of it
 * were seen, on one side before this window. Memory that is used in order is new at its end, and
 * nothing was seen beyond it. Memory before the end was passed over between windows.
 */
static bool touched_between(struct uarch_core *core, uint64_t addr)
{
	uint32_t page = (uint32_t)(addr >> core->page_shift);
	struct window *window = &core->window;
	const struct seen_page *seen = page_at(window, page);
	unsigned above, below;

	if (seen)
		return seen->window != window->number;
	above = seen_beside(window, page, 1);
	below = seen_beside(window, page, -1);
	if (above && below && (above | below) & SEEN_BEFORE)
		return true;
	page_seen(window, page);
	return false;
}

/* Return the cache that had the line, even if the line was still in flight to it from farther
 * away. */
static enum uarch_source holder(const struct uarch_result *did)
{
	if (!(did->events & EV(RECENTLY_FETCHED)) || did->events & EV(LLC_ACCESS))
		return did->source & (UARCH_SRC_REMOTE - 1u);
	return did->events & EV(L1D_REFILL) ? UARCH_SRC_L2 : UARCH_SRC_L1;
}

/* Move a mean towards cycles. Set it the first time. */
static void learn_mean(uint32_t *mean, uint32_t cycles)
{
	int64_t gap = (int64_t)cycles * ONE - *mean;

	*mean = (uint32_t)(*mean + (*mean ? gap / WAITS : gap));
}

/* Learn whether the line was still in flight to the cache that has it. A line that was touched
 * between windows would have come from the last level, and sooner. */
static void learn_late(struct uarch_core *core, struct insn_stats *stats,
                       const struct uarch_result *did, uint64_t addr)
{
	const struct uarch_profile *p = core->profile;
	bool late = did->events & EV(RECENTLY_FETCHED);
	uint32_t cycles = did->latency, source = did->source;

	if (late && source == UARCH_SRC_DRAM && touched_between(core, addr)) {
		uint32_t sooner = p->dram_cycles - p->llc.cycles;

		source = UARCH_SRC_LLC;
		cycles -= sooner < cycles ? sooner : cycles;
		late = cycles > p->l2.cycles;
	}
	/* L2 might have had the requested line if it had seen everything. */
	if (late && !core->window.complete)
		late = uarch__reuse_missed(core, NULL);
	if (!count(core, stats, core->window.seen[0], UARCH_LEVEL_LATE, late))
		return;
	learn_mean(&stats->late_cycles, cycles);
	stats->late_source = source;
}

static inline void learn_store_wait(struct insn_stats *stats, uint64_t cycles)
{
	stats->store_wait += (uint32_t)(((int64_t)cycles * ONE - stats->store_wait) / WAITS);
}

/* Set whether the levels that depend on the lines of L2 are warm. These are misses of L2, and
 * prefetches, which follow from the misses. */
static void set_l2_warm(struct window *window, bool is_warm)
{
	const uint32_t levels = BIT(L2) | BIT(LLC) | BIT(LATE);
	uint32_t warm = is_warm ? window->warm | levels : window->warm & ~levels;

	if (warm == window->warm)
		return;
	count_hits(window);
	window->warm = warm;
}

/* Learn from a line that missed L1 and that no peer has. */
static void learn_l2(struct uarch_core *core, struct insn_stats *stats, struct met *seen,
                     enum uarch_source source, bool between)
{
	struct window *window = &core->window;
	struct met of_new[UARCH_LEVELS] = {{0}};
	bool hit = source <= UARCH_SRC_L2;
	bool is_new = source > UARCH_SRC_LLC && !between;
	bool used = !is_new && uarch__reuse_used(core, window->missed, hit);

	if (!window->complete)
		set_l2_warm(window, uarch__reuse_is_warm(core));
	if (!(window->warm & BIT(L2)))
		return;
	if (!is_new && !used && !window->complete)
		hit = !uarch__reuse_missed(core, stats);
	/* New memory, which one instruction uses, gives no information about others. */
	if (is_new)
		seen = of_new;
	if (count(core, stats, seen, UARCH_LEVEL_L2, !hit))
		count(core, stats, seen, UARCH_LEVEL_LLC, is_new);
}

static void learn(struct uarch_core *core, struct insn_stats *stats, const struct uarch_result *did,
                  uint64_t addr, unsigned flags)
{
	struct met *seen = core->window.seen[!(flags & UARCH_LOAD)];
	enum uarch_source source = holder(did);
	bool walk = did->events & EV(TLB_WALK);
	bool between = source > UARCH_SRC_LLC && touched_between(core, addr);

	if (count(core, stats, seen, UARCH_LEVEL_L1, source > UARCH_SRC_L1)) {
		core->window.unknown += stats->reached[UARCH_LEVEL_L2] < KNOWN;
		if (count(core, stats, seen, UARCH_LEVEL_PEER, source == UARCH_SRC_PEER))
			count(core, stats, seen, UARCH_LEVEL_MODIFIED,
			      did->events & EV(CACHE_DATA_MODIFIED));
		else
			learn_l2(core, stats, seen, source, between);
		core->window.misses++;
	}
	if (flags & UARCH_LOAD && source <= UARCH_SRC_L2)
		learn_late(core, stats, did, addr);
	if (count(core, stats, seen, UARCH_LEVEL_DTLB,
	          walk || did->translation_latency > core->profile->dtlb.cycles))
		count(core, stats, seen, UARCH_LEVEL_L2TLB, walk);
	if (!(flags & UARCH_LOAD))
		learn_store_wait(stats, did->store_wait);
}

/* Begin an access of an instruction. It may be the first of several. */
static inline void begin_part(struct window *window, const struct insn_stats *stats)
{
	if (window->stats == stats)
		return;
	window->stats = stats;
	window->parts = 0;
	if (window->merged.events)
		window->merged = (struct uarch_result){0};
}

/* Return true if the instruction has made all its accesses, and all of them hit. If one missed,
 * learn from the accesses after the last one. */
static bool end_part(struct uarch_core *core, struct insn_stats *stats, uint64_t addr,
                     unsigned flags)
{
	struct window *window = &core->window;

	if (++window->parts < stats->parts)
		return false;
	window->stats = NULL;
	if (!window->merged.events)
		return true;
	learn(core, stats, &window->merged, addr, flags);
	return false;
}

static void learn_part(struct uarch_core *core, struct insn_stats *stats,
                       const struct uarch_result *did, uint64_t addr, unsigned flags)
{
	struct window *window = &core->window;

	begin_part(window, stats);
	/* A store that only has to invalidate shared copies is not a miss. */
	if (!(window->merged.events & ~did->events & EV(L1D_REFILL)))
		window->missed = addr;
	uarch__merge(&window->merged, did);
	end_part(core, stats, addr, flags);
}

static bool hit_by_parts(struct uarch_core *core, struct insn_stats *stats, uint64_t addr,
                         unsigned flags)
{
	begin_part(&core->window, stats);
	return end_part(core, stats, addr, flags);
}

static __attribute__((noinline)) void access_slowly(struct uarch_core *core,
                                                    struct insn_stats *stats,
                                                    struct uarch_result *result, uint64_t addr,
                                                    uint32_t size, unsigned flags)
{
	struct uarch_result did = {0};

	uarch_registers(core, stats->from, stats->to);
	uarch_access(core, &did, stats->pc, addr, size, flags);
	if (result)
		uarch__merge(result, &did);
	learn_part(core, stats, &did, addr, flags);
}

INLINE_ACROSS_FILES void uarch_sampled_access(struct uarch_core *core, struct insn_stats *stats,
                                              struct uarch_result *result, uint64_t addr,
                                              uint32_t size, unsigned flags)
{
	bool load = flags & UARCH_LOAD;
	uint64_t before = core->clock + TICKS; /* after a store without a wait */

	addr &= ADDRESS_MASK;
	if (++core->window.now >= core->window.look_at)
		look(core);
	if (result || fill_buffer_is_late(core, addr >> core->line_shift) ||
	    !uarch_hit(core, addr, size, flags)) {
		access_slowly(core, stats, result, addr, size, flags);
		return;
	}
	/* A load that hits never waits. A store that hits may wait for room in the buffer. */
	if (!load && (core->clock > before || stats->store_wait))
		learn_store_wait(stats, cycles_in(core->clock - before));
	if (stats->parts <= 1 || hit_by_parts(core, stats, addr, flags))
		count_hit(&core->window, stats, load);
}

bool uarch_sampled_branch(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, uint32_t flags, bool taken, uint64_t target)
{
	bool mispredicted = uarch_branch(core, result, stats->pc, flags, taken, target);

	if (++core->window.branches == BRANCHES)
		core->window.warm |= BIT(BRANCH);
	if (flags & (SPEMU_OPF_CONDITIONAL | SPEMU_OPF_INDIRECT | SPEMU_OPF_RETURN))
		count(core, stats, core->window.seen[0], UARCH_LEVEL_BRANCH, mispredicted);
	return mispredicted;
}
