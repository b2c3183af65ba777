/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses: translation, followed by the caches, line by line.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.4, D17.6.4.6 (alignment flag), D18.2.6 (events 2 to 5, 8, 9, 11,
 *              19 to 23)
 * Choices:     a store is complete when it is in the store buffer, but its L1, TLB and last level
 *              events are kept. Events 19 to 23 are only for loads, as in the manual. Event 21 is
 *              for snoops. Event 9 includes lines that a peer supplied. An access is not optimal if
 *              it touches more lines than its size needs.
 */
#include <string.h>

#include "core_clock.h"
#include "fill_buffer.h"
#include "source_cycles.h"
#include "store_buffer.h"
#include "base/bits.h"
#include "uarch_object.h"

/* A memory access. addr has no tag; size is 1 .. 65536. */
struct access {
	uint64_t pc; /* 0 if unknown */
	uint64_t addr;
	uint32_t size;
	unsigned flags;
};

/*
 * The cost of one line, or of all lines of an access. `source` is the cache that has the line.
 * `from` is the source of the data; a line in flight comes from farther away. `late` is the number
 * of cycles until a requested line arrives. `wait` is the number of cycles until a fill buffer is
 * free. Accesses with `trains` teach the prefetchers: misses of L1, and first uses of lines that
 * were prefetched into L1.
 */
struct outcome {
	uint64_t events;
	enum uarch_source source, from;
	uint32_t late, wait;
	bool trains;
};

/*
 * Return true for a load of a line in L1, or a store to a modified line in L1, in a page that the
 * first level of the TLB has, and record the use. The function looks at one place only, without
 * loops; lines elsewhere take the slow path.
 */
static inline bool hit(struct uarch_core *core, uint64_t line, bool store)
{
	uint64_t page = line >> core->page_lines;
	uint32_t index = core->l1_use.index[line & core->l1_use.index_mask];
	uint8_t slot = core->tlb.bucket[page % TLB_BUCKETS];

	if (core->tlb.page[slot] != page + 1 ||
	    !tag_is(tag_load(&core->l1d, index), line, store ? LINE_MODIFIED : LINE_SHARED))
		return false;
	core->uses += USE;
	core->tlb.when[slot] = core->uses | slot;
	core->l1_use.when[index] = core->uses;
	return true;
}

/* Use the line at index in L1 or L2. Return true if its state permits the access. */
static bool usable_l1(struct uarch_core *core, uint64_t line, uint32_t index, bool store)
{
	l1_used(core, line, index);
	return !store || uarch__l1_to_modified(core, index, line);
}

static bool usable_l2(struct uarch_core *core, uint64_t line, uint32_t index, bool store)
{
	uint32_t set = (uint32_t)line & core->l2.set_mask;

	core->l2_order[set] = order_touch(core->l2_order[set], index - set * core->l2.ways);
	return !store || uarch__to_modified(core, &core->l2, index, line);
}

/* Charge the wait for a line in flight. */
static void comes_late(const struct uarch_core *core, const struct access *a, struct outcome *out,
                       struct arrival arrives)
{
	if (arrives.ready <= core->clock)
		return;
	out->late = cycles_in(arrives.ready - core->clock);
	if (!(a->flags & UARCH_LOAD))
		return;
	out->from = arrives.from;
	out->events |= EV(RECENTLY_FETCHED);
}

static inline bool is_peer(enum uarch_source source)
{
	return (source & ~(unsigned)UARCH_SRC_REMOTE) == UARCH_SRC_PEER;
}

uint64_t uarch__fetch_events(const struct fetched *got, bool load)
{
	uint64_t events = EV(LLC_ACCESS);

	if (got->source != UARCH_SRC_LLC)
		events |= EV(LLC_MISS);
	if (got->source & UARCH_SRC_REMOTE)
		events |= EV(REMOTE_ACCESS);
	if (!load)
		return events;
	if (is_peer(got->source))
		events |= EV(DATA_SNOOPED);
	if (got->modified)
		events |= EV(CACHE_DATA_MODIFIED);
	return events;
}

/* Access one line, and set *out to its cost. */
static ALWAYS_INLINE void access_line(struct uarch_core *core, const struct access *a,
                                      uint64_t line, bool overlaps, struct outcome *out)
{
	bool store = a->flags & UARCH_STORE, load = a->flags & UARCH_LOAD;
	uint32_t index;
	unsigned how = store ? FETCH_EXCLUSIVE : 0;
	enum line_state in_l1 =
	        core->absent == line ? LINE_INVALID : tag_find(&core->l1d, line, &index);

	*out = (struct outcome){.source = UARCH_SRC_L1, .from = UARCH_SRC_L1};
	out->events = EV(L1D_ACCESS);
	bool first_use = in_l1 != LINE_INVALID && core->l1_use.unused[index];

	if (in_l1 != LINE_INVALID && usable_l1(core, line, index, store)) {
		if (first_use)
			comes_late(core, a, out, uarch__prefetched(core, line));
		else if (overlaps && load)
			comes_late(core, a, out, fill_buffer_arrival(core, line));
		out->trains = first_use;
		return;
	}
	if (in_l1 == LINE_INVALID) {
		out->trains = true;
		core->totals[SPEMU_PERF_TOTAL_REFILLS + !load]++;
		out->events |= EV(L1D_REFILL) | (load ? EV(L2D_ACCESS) : 0);
		enum line_state in_l2 = tag_find(&core->l2, line, &index);

		core->beyond = in_l2 == LINE_INVALID;
		if (in_l2 != LINE_INVALID && usable_l2(core, line, index, store)) {
			out->source = out->from = UARCH_SRC_L2;
			if (overlaps)
				comes_late(core, a, out, uarch__prefetched(core, line));
			uarch__fill_l1_from_l2(core, line, store ? LINE_MODIFIED : in_l2, index);
			return;
		}
		if (in_l2 == LINE_INVALID) {
			how |= FETCH_ABSENT;
			out->events |= load ? EV(L2D_MISS) : 0;
		}
	}
	/* The line missed, or a store needs a shared line, which the other cores must give up. */
	struct fetched got = uarch__fetch(core, line, how);

	core->totals[SPEMU_PERF_TOTAL_L2_MISSES + !load] += how & FETCH_ABSENT ? 1 : 0;
	core->totals[SPEMU_PERF_TOTAL_LLC_MISSES + !load] += got.source != UARCH_SRC_LLC;
	core->totals[SPEMU_PERF_TOTAL_SNOOPED + !load] += is_peer(got.source);
	out->source = out->from = got.source;
	out->events |= uarch__fetch_events(&got, load);
}

/* Return the cycles until the data arrive. */
static uint32_t outcome_cycles(const struct uarch_core *core, const struct outcome *out)
{
	uint32_t cycles = source_cycles(core->profile, out->source);

	return (out->late > cycles ? out->late : cycles) + out->wait;
}

/* Advance the clock. Return the number of cycles for which a store waits for room in the store
 * buffer. */
static ALWAYS_INLINE uint32_t pass_time(struct uarch_core *core, const struct access *a,
                                        uint32_t cycles, bool overlaps, uint32_t wait)
{
	uint32_t hit = core->profile->l1d.cycles;
	uint32_t beyond = cycles > hit ? cycles - hit : 0, stalls;

	if (!(a->flags & UARCH_LOAD)) /* an atomic counts as a load, because it waits for its
	                                 line */
		return store_buffer_enter(core, 1 + beyond, a->addr, a->size);
	stalls = !overlaps || !core->fills.entries ? beyond : wait;
	if (!overlaps || !core->profile->window_accesses)
		core->clock += (uint64_t)stalls * TICKS;
	core->clock += core->pass;
	return 0;
}

void uarch__merge(struct uarch_result *to, const struct uarch_result *part)
{
	/* The second half of a pair that missed finds the line in flight, because the first half
	 * requested it. Both halves are the same operation, so event 22 does not count. */
	uint64_t own = to->events & EV(L1D_REFILL) ? EV(RECENTLY_FETCHED) : 0;

	to->events |= part->events & ~own;
	to->accesses += part->accesses;
	if (part->source > to->source)
		to->source = part->source;
	if (part->latency > to->latency)
		to->latency = part->latency;
	if (part->store_wait > to->store_wait)
		to->store_wait = part->store_wait;
	if (part->translation_latency > to->translation_latency)
		to->translation_latency = part->translation_latency;
}

/* Translate a page: add the wait to *cycles, and return the events. before is the page of the
 * previous line, or UINT64_MAX. Both pages may be parts of a larger one. */
static uint64_t translate(struct uarch_core *core, uint64_t before, uint64_t page, uint32_t *cycles)
{
	bool walk = false;

	if (before != UINT64_MAX && pages_differ(core) &&
	    uarch__page_name(core, before) == uarch__page_name(core, page))
		return 0;
	*cycles += uarch__translate(core, page, &walk);
	return EV(TLB_ACCESS) | (walk ? EV(TLB_WALK) : 0);
}

/* Take a fill buffer for a line that did not come from L2 or is late, and train the prefetchers. */
static void after_refill(struct uarch_core *core, const struct access *a, uint64_t line,
                         struct outcome *out)
{
	uint64_t begin = line << core->line_shift;

	if (out->source != UARCH_SRC_L1 && !out->late)
		out->wait = cycles_in(line_waits(core, out->source));
	if (core->fills.entries && (out->source > UARCH_SRC_L2 || out->late))
		out->wait += fill_buffer_take(core, line, out->from, outcome_cycles(core, out));
	if (core->prefetcher.on)
		uarch__train(core, a->pc, begin > a->addr ? begin : a->addr, a->flags & UARCH_LOAD);
}

/* Access one line, and add its cost to that of the access. */
static ALWAYS_INLINE void add_line(struct uarch_core *core, const struct access *a, uint64_t line,
                                   bool overlaps, struct outcome *all)
{
	struct outcome out;

	access_line(core, a, line, overlaps, &out);
	all->events |= out.events;
	if (out.source > all->source)
		all->source = out.source;
	if (out.from > all->from)
		all->from = out.from;
	all->trains |= out.trains;
	if (!overlaps)
		return;
	if (out.trains)
		after_refill(core, a, line, &out);
	if (out.late > all->late)
		all->late = out.late;
	if (out.wait > all->wait)
		all->wait = out.wait;
}

/* Forward data from a store in the buffer, if there is one, to a sampled load that hits L1. The
 * load blocks no other operation. */
static void forward(const struct uarch_core *core, const struct access *a, struct outcome *all)
{
	const struct uarch_profile *p = core->profile;
	struct forwarding from;

	if (!p->forward_cycles || a->flags != UARCH_LOAD || all->source != UARCH_SRC_L1)
		return;
	from = store_buffer_look(core, a->addr, a->size);
	if (!from.some)
		return;
	all->late = from.all ? p->forward_cycles : from.leaves + p->l1d.cycles;
	all->from = UARCH_SRC_L1;
	all->events &= ~EV(RECENTLY_FETCHED);
}

/* Return the number of accesses so far. */
static inline uint64_t accesses(const struct uarch_core *core)
{
	return core->totals[SPEMU_PERF_TOTAL_ACCESSES] + core->uses / USE - core->other_uses;
}

void uarch_count_operations(struct uarch_core *core, uint64_t (*executed)(void *ctx), void *ctx)
{
	core->operations.executed = executed;
	core->operations.ctx = ctx;
	core->counted = executed ? executed(ctx) : 0;
	core->followed = core->clock;
	core->pass = executed ? TICKS_OF_ACCESS : TICKS;
}

void uarch_registers(struct uarch_core *core, uint32_t from, uint32_t to)
{
	core->from = from;
	core->to = to;
}

/* Access all lines. If overlaps is false, memory accesses wait for each other, and pc is
 * ignored. */
static ALWAYS_INLINE void access_lines(struct uarch_core *core, struct uarch_result *result,
                                       uint64_t pc, uint64_t addr, uint32_t size, unsigned flags,
                                       bool overlaps)
{
	const struct access a = {pc, addr, size == 0 ? 1 : size > 65536 ? 65536 : size, flags};
	uint64_t first = a.addr >> core->line_shift, page = UINT64_MAX;
	uint64_t last = (a.addr + a.size - 1) >> core->line_shift;
	uint32_t needed = ((a.size - 1) >> core->line_shift) + 1;
	bool waits = overlaps && core->profile->window_accesses && flags & UARCH_LOAD;
	uint64_t number = accesses(core);
	struct clock_state before = clock_state(core);
	struct uarch_result took = {.accesses = (uint32_t)(last - first) + 1};
	struct outcome all = {.events = took.accesses > needed ? EV(MISALIGNED) : 0};

	if (overlaps)
		clock_follow(core, number);
	if (waits)
		core->clock = clock_address_known(core);
	for (uint64_t line = first; line <= last; line++) {
		if (line >> core->page_lines != page) {
			all.events |= translate(core, page, line >> core->page_lines,
			                        &took.translation_latency);
			page = line >> core->page_lines;
		}
		add_line(core, &a, line, overlaps, &all);
	}
	uint32_t passes = outcome_cycles(core, &all);

	core->totals[SPEMU_PERF_TOTAL_ACCESSES]++;
	if (overlaps && result)
		forward(core, &a, &all);
	if (waits && all.trains)
		clock_loaded(core, number,
		             core->clock + (uint64_t)(took.translation_latency + passes) * TICKS);
	if (overlaps && !all.trains)
		clock_back(core, before);
	core->from = core->to = 0;
	took.store_wait = pass_time(core, &a, passes, overlaps, all.wait);
	if (all.trains)
		core->followed = core->clock;
	if (!result)
		return;
	took.events = all.events;
	took.source = (uint8_t)all.from;
	took.latency =
	        outcome_cycles(core, &all) + (took.accesses - 1) * core->profile->split_cycles;
	uarch__merge(result, &took);
}

/* Most accesses have no result, so they need no events and latencies. */
__attribute__((noinline)) void uarch_access(struct uarch_core *core, struct uarch_result *result,
                                            uint64_t pc, uint64_t addr, uint32_t size,
                                            unsigned flags)
{
	addr &= ADDRESS_MASK;
	if (result)
		access_lines(core, result, pc, addr, size, flags, core->overlaps);
	else if (core->overlaps)
		access_lines(core, NULL, pc, addr, size, flags, true);
	else
		access_lines(core, NULL, pc, addr, size, flags, false);
}

/* Advance the clock by an L1 hit. */
static inline void in_l1_passes(struct uarch_core *core, uint64_t addr, uint32_t size,
                                unsigned flags)
{
	if (flags & UARCH_LOAD)
		core->clock += core->pass;
	else
		store_buffer_enter(core, 1, addr, size);
}

/* Return true if L1 has the line in a suitable state, and the line was used before. Set its place.
 * A store makes an exclusive line modified. */
static inline bool in_l1(struct uarch_core *core, uint64_t line, bool store, uint32_t *index)
{
	enum line_state state = tag_find(&core->l1d, line, index);

	if (state == LINE_INVALID) {
		core->absent = line;
		/* The last miss of L1 missed L2, so this one may miss it, too. */
		if (core->beyond)
			lookups_soon(core, line);
	} else if (core->l1_use.unused[*index]) {
		return false; /* the prefetchers learn from it */
	}
	if (!store || state == LINE_MODIFIED)
		return state != LINE_INVALID;
	return state == LINE_EXCLUSIVE && uarch__l1_to_modified(core, *index, line);
}

/* The translation may take cycles, but without a result they have no effect. */
bool uarch_in_l1(struct uarch_core *core, uint64_t addr, uint32_t size, unsigned flags)
{
	bool store = flags & UARCH_STORE, walk;
	uint64_t begin = addr & ADDRESS_MASK, first = begin >> core->line_shift;
	uint64_t last = (begin + size - 1) >> core->line_shift, page = first >> core->page_lines;
	uint32_t at[2] = {0};

	if (last - first > 1 || size == 0 || !in_l1(core, first, store, &at[0]) ||
	    (last != first && !in_l1(core, last, store, &at[1])))
		return false;
	uarch__translate(core, page, &walk);
	l1_used(core, first, at[0]);
	if (last != first) {
		if (last >> core->page_lines != page)
			uarch__translate(core, last >> core->page_lines, &walk);
		l1_used(core, last, at[1]);
	}
	in_l1_passes(core, begin, size, flags);
	core->totals[SPEMU_PERF_TOTAL_ACCESSES]++;
	return true;
}

void uarch_totals(uint64_t totals[SPEMU_PERF_TOTALS], const struct uarch_core *core)
{
	uint64_t now = core->clock;

	memcpy(totals, core->totals, sizeof(core->totals));
	totals[SPEMU_PERF_TOTAL_ACCESSES] = accesses(core);
	if (core->operations.executed) {
		uint64_t executed = core->operations.executed(core->operations.ctx);
		uint64_t passed = core->followed + clock_passed(core, executed);

		now = passed > now ? passed : now;
	}
	now = now > core->in_flight.last ? now : core->in_flight.last;
	totals[SPEMU_PERF_TOTAL_CYCLES] = now / TICKS;
}

INLINE_ACROSS_FILES bool uarch_hit(struct uarch_core *core, uint64_t addr, uint32_t size,
                                   unsigned flags)
{
	uint64_t begin = addr & ADDRESS_MASK, line = begin >> core->line_shift;

	if ((begin + size - 1) >> core->line_shift != line || !hit(core, line, flags & UARCH_STORE))
		return false;
	in_l1_passes(core, begin, size, flags);
	return true;
}
