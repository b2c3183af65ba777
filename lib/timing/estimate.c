/* SPDX-License-Identifier: MIT */
/*
 * Sampled fidelity: estimates of samples between sampling windows. A sample misses as often as its
 * instruction did in windows. The fractions of an instruction's misses add up, so the ratios over
 * many samples are right, and a run repeats exactly.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4, D18.2.6 (events 2 to 5, 7 to 11, 19 to 23)
 */
#include "sampled.h"
#include "source_cycles.h"
#include "uarch_object.h"

/* Set the initial fraction. The fractions are evenly spread, so that the ratios over many
 * instructions with one sample each are right. */
static void begin_owing(struct insn_stats *stats)
{
	uint64_t hash = (stats->pc | 1) * UINT64_C(0x9e3779b97f4a7c15);

	for (unsigned level = 0; level < UARCH_LEVELS; level++) {
		hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
		stats->owed[level] = (int32_t)(hash >> 48) - ONE * 3 / 4 + 1;
	}
}

/* Return true if a sample that reached level goes further. said is the answer that the contents of
 * the caches give. */
static bool decide(const struct uarch_core *core, struct insn_stats *stats, bool load,
                   unsigned level, bool said)
{
	const struct met *known = &core->window.known[!load][level];
	const struct met seen = seen_at(&core->window, !load, level);
	unsigned shift = (core->window.number - stats->window) / FADES;
	uint64_t reached = stats->reached[level] >> (shift > 31 ? 31 : shift);
	uint64_t further = stats->further[level] >> (shift > 31 ? 31 : shift);
	int32_t threshold = said ? ONE / 4 : ONE * 3 / 4;
	uint64_t usual;

	usual = (known->further + seen.further) * ONE / (known->reached + seen.reached + 1);
	stats->owed[level] += (int32_t)((further * ONE + PRIOR * usual) / (reached + PRIOR));
	if (stats->owed[level] > 2 * ONE)
		stats->owed[level] = 2 * ONE;
	if (stats->owed[level] < threshold)
		return false;
	stats->owed[level] -= ONE;
	return true;
}

/* Return the cache that has the line, as far as the caches show. */
static enum uarch_source look_up(struct uarch_core *core, uint64_t line)
{
	const struct directory *d = &core->shared->directory;
	const uint64_t *tags = &d->tags[(size_t)((uint32_t)line & d->set_mask) * d->ways];
	uint32_t index;

	if (tag_find(&core->l1d, line, &index))
		return UARCH_SRC_L1;
	if (tag_find(&core->l2, line, &index))
		return UARCH_SRC_L2;
	for (uint32_t way = 0; way < d->ways; way++)
		if (tags[way] >> 2 == line)
			return UARCH_SRC_LLC;
	return UARCH_SRC_DRAM;
}

static struct fetched estimate_source(struct uarch_core *core, struct insn_stats *stats,
                                      uint64_t line, bool load)
{
	enum uarch_source said = look_up(core, line);
	struct fetched got = {UARCH_SRC_L1, false};

	if (!decide(core, stats, load, UARCH_LEVEL_L1, said > UARCH_SRC_L1))
		return got;
	got.source = UARCH_SRC_PEER;
	if (decide(core, stats, load, UARCH_LEVEL_PEER, true)) {
		got.modified = decide(core, stats, load, UARCH_LEVEL_MODIFIED, true);
		return got;
	}
	got.source = UARCH_SRC_L2;
	if (!decide(core, stats, load, UARCH_LEVEL_L2, said > UARCH_SRC_L2))
		return got;
	got.source = UARCH_SRC_LLC;
	if (decide(core, stats, load, UARCH_LEVEL_LLC, said > UARCH_SRC_LLC))
		got.source = UARCH_SRC_DRAM;
	if (uarch__is_remote(core, line, got.source, 0))
		got.source |= UARCH_SRC_REMOTE;
	return got;
}

static uint64_t source_events(const struct fetched *got, bool load)
{
	uint64_t events = EV(L1D_ACCESS) | EV(TLB_ACCESS);

	if (got->source != UARCH_SRC_L1)
		events |= EV(L1D_REFILL) | (load ? EV(L2D_ACCESS) : 0);
	if (got->source > UARCH_SRC_L2)
		events |= uarch__fetch_events(got, load) | (load ? EV(L2D_MISS) : 0);
	return events;
}

static void estimate_translation(struct uarch_core *core, struct insn_stats *stats,
                                 struct uarch_result *result, bool load)
{
	const struct uarch_profile *p = core->profile;
	uint32_t cycles = p->dtlb.cycles;

	if (decide(core, stats, load, UARCH_LEVEL_DTLB, true)) {
		cycles += p->l2tlb.entries ? p->l2tlb.cycles : 0;
		if (!p->l2tlb.entries || decide(core, stats, load, UARCH_LEVEL_L2TLB, true)) {
			cycles += p->walk_cycles;
			result->events |= EV(TLB_WALK);
		}
	}
	result->translation_latency = cycles;
}

/* Set the source and the latency of the data. A line in L1 or L2 may still be in flight. */
static void estimate_data(struct uarch_core *core, struct insn_stats *stats,
                          struct uarch_result *result, enum uarch_source source, bool load)
{
	result->source = (uint8_t)source;
	result->latency = source_cycles(core->profile, source) +
	                  (result->accesses - 1) * core->profile->split_cycles;
	if (!load || source > UARCH_SRC_L2 || !stats->late_cycles ||
	    !decide(core, stats, true, UARCH_LEVEL_LATE, source == UARCH_SRC_L2))
		return;
	result->source = (uint8_t)stats->late_source;
	result->latency = (stats->late_cycles + ONE / 2) / ONE;
	result->events |= EV(RECENTLY_FETCHED);
}

bool uarch_estimate(struct uarch_core *core, struct insn_stats *stats, struct uarch_result *result,
                    uint64_t addr, uint32_t size, unsigned flags)
{
	bool load = flags & UARCH_LOAD;
	unsigned least = flags ? UARCH_LEVEL_L1 : UARCH_LEVEL_BRANCH;
	bool known = stats->reached[least] >= KNOWN;
	struct uarch_result one = {0};
	uint64_t first, last;
	struct fetched got;

	if (!stats->owed[0] && !stats->owed[1])
		begin_owing(stats);
	if (!flags) {
		if (decide(core, stats, true, UARCH_LEVEL_BRANCH, true))
			result->events |= EV(MISPREDICTED);
		return known;
	}
	addr &= ADDRESS_MASK;
	size = size ? size : 1;
	first = addr >> core->line_shift;
	last = (addr + size - 1) >> core->line_shift;
	page_seen(&core->window, (uint32_t)(addr >> core->page_shift));
	got = estimate_source(core, stats, first, load);
	one.accesses = (uint32_t)(last - first) + 1;
	one.events = source_events(&got, load);
	if (one.accesses > ((size - 1) >> core->line_shift) + 1)
		one.events |= EV(MISALIGNED);
	estimate_data(core, stats, &one, got.source, load);
	if (!load)
		one.store_wait = (stats->store_wait + ONE / 2) / ONE;
	estimate_translation(core, stats, &one, load);
	uarch__merge(result, &one);
	return known;
}
