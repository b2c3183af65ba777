/* SPDX-License-Identifier: MIT */
/*
 * Compare the memory side of the timing model with a second model, which was written from
 * docs/explanation/timing-model.md and uarch.h. In the second model, each cache, TLB set and
 * directory set is a list from the most to the least recently used entry.
 *
 * Each memory access must have the same events, latencies, source and waits in both models. One
 * test uses small random profiles, and memory accesses that compete in every level. The other test
 * uses the named profiles, and memory accesses like those of programs.
 *
 * Set SPEMU_TEST_OPERATIONS=100000000 in the environment for the long run.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "uarch_fixture.h"
#include "uarch_reference_draw.h"
#include "uarch_reference_level.h"
#include "uarch_reference_pages.h"
#include "uarch_reference_prefetch.h"
#include "uarch_reference_time.h"

enum { ACCESSES = 2500, CORES = 3, STORES_MAX = 72, PROFILES = 7 };

struct core_model {
	struct level l1d, l2, dtlb, l2tlb;
	struct {
		uint64_t leaves, begin, end;
	} store[STORES_MAX]; /* stores in the buffer, the oldest first */
	unsigned stores;
	struct core_clock clock;
	uint64_t last; /* the youngest store leaves */
	struct {
		uint64_t line, ready;
		unsigned from;
	} fill[64]; /* the last line that each line fill buffer fetched */
	struct prefetch_model prefetch;
	struct {
		/* The last prefetched line among those whose numbers are equal modulo 256. */
		uint64_t line, ready;
		unsigned from;
	} arrives[256];
	unsigned id;
};

/* The number of further accesses for which only one core is used, and that core. */
struct alone {
	unsigned accesses, core;
};

struct model {
	struct uarch_profile profile;
	struct level directory;
	struct core_model core[CORES];
	struct page_model pages;
	bool exact; /* each core has its own directory bit */
};

static uint64_t bit_of(const struct core_model *core)
{
	return UINT64_C(1) << core->id % 64;
}

/* Request a line from the other cores with these bits. Their state of the line becomes `left`.
 * Return the highest state that they had, and set *owner to the core with that state. */
static enum state ask(struct model *m, const struct core_model *self, uint64_t bits, uint64_t line,
                      enum state left, const struct core_model **owner)
{
	enum state highest = INVALID;

	for (unsigned i = 0; i < CORES; i++) {
		struct core_model *core = &m->core[i];
		struct level *levels[] = {&core->l1d, &core->l2};

		if (core == self || !(bits & bit_of(core)))
			continue;
		for (unsigned k = 0; k < 2; k++) {
			struct item *item = find(levels[k], line);

			if (!item)
				continue;
			if (item->state > highest) {
				highest = item->state;
				*owner = core;
			}
			item->state = left;
			if (left == INVALID)
				take_out(levels[k], line);
		}
	}
	return highest;
}

/* Fill L1. When a line that was modified in L1 leaves L1, L2 records it as modified. */
static void fill_l1(struct core_model *core, uint64_t line, enum state state)
{
	struct item dropped;

	to_front(&core->l1d, line, &dropped)->state = state;
	if (dropped.number != UINT64_MAX && dropped.state == MODIFIED)
		find(&core->l2, dropped.number)->state = MODIFIED;
}

/* Fill L2. L2 includes L1, and the directory records the contents of L2. */
static void fill(struct model *m, struct core_model *core, uint64_t line, enum state state, bool l1)
{
	struct item dropped, *entry;

	to_front(&core->l2, line, &dropped)->state = state;
	if (dropped.number != UINT64_MAX)
		take_out(&core->l1d, dropped.number);
	if (l1)
		fill_l1(core, line, state);
	entry = dropped.number != UINT64_MAX && m->exact ? find(&m->directory, dropped.number)
	                                                 : NULL;
	if (entry) {
		entry->sharers &= ~bit_of(core);
		entry->owned = entry->owned && entry->sharers;
	}
}

static bool same_socket(const struct uarch_profile *p, unsigned id, unsigned other)
{
	return p->sockets < 2 ||
	       (id / p->socket_cores) % p->sockets == (other / p->socket_cores) % p->sockets;
}

/* Return true if the page belongs to the socket of core `id`. Pages rotate over the sockets. */
static bool own_page(const struct uarch_profile *p, unsigned id, uint64_t line)
{
	uint64_t page = (line << p->line_shift) >> p->page_shift;

	return p->sockets < 2 || (id / p->socket_cores) % p->sockets == page % p->sockets;
}

/* Fetch a line from the last level, memory or a peer, and add the events. Without flags, fill only
 * L2. */
static enum uarch_source fetch(struct model *m, struct core_model *core, uint64_t line,
                               unsigned flags, uint64_t *events)
{
	bool known = find(&m->directory, line), store = flags & UARCH_STORE;
	enum uarch_source source = known ? UARCH_SRC_LLC : UARCH_SRC_DRAM;
	const struct core_model *owner = NULL;
	enum state peer = INVALID, state;
	struct item dropped, *entry = to_front(&m->directory, line, &dropped);
	bool near;

	if (dropped.number != UINT64_MAX)
		ask(m, NULL, dropped.sharers, dropped.number, INVALID, &owner);
	if (store || entry->owned)
		peer = ask(m, core, entry->sharers, line, store ? INVALID : SHARED, &owner);
	if (peer >= EXCLUSIVE)
		source = UARCH_SRC_PEER;
	near = source == UARCH_SRC_PEER ? same_socket(&m->profile, core->id, owner->id)
	                                : own_page(&m->profile, core->id, line);
	*events |= EV(LLC_ACCESS) | (source == UARCH_SRC_LLC && near ? 0 : EV(LLC_MISS));
	*events |= near ? 0 : EV(REMOTE_ACCESS);
	if (flags & UARCH_LOAD) {
		*events |= source == UARCH_SRC_PEER ? EV(DATA_SNOOPED) : 0;
		*events |= peer == MODIFIED ? EV(CACHE_DATA_MODIFIED) : 0;
	}
	if (store)
		state = MODIFIED;
	else if (m->exact)
		state = entry->sharers & ~bit_of(core) ? SHARED : EXCLUSIVE;
	else
		state = entry->sharers ? SHARED : EXCLUSIVE;
	entry->sharers = bit_of(core) | (store ? 0 : entry->sharers);
	entry->owned = state != SHARED;
	fill(m, core, line, state, flags);
	return source + (near ? 0 : UARCH_SRC_REMOTE);
}

/*
 * Return the line if a cache has it with sufficient rights. The line counts as used even if the
 * rights are not sufficient.
 */
static struct item *usable(struct level *level, uint64_t line, bool store)
{
	struct item dropped, *item;

	if (!find(level, line))
		return NULL;
	item = to_front(level, line, &dropped);
	item->unused = false;
	if (store && item->state == SHARED)
		return NULL;
	return item;
}

static uint32_t cycles_of(const struct uarch_profile *p, unsigned source)
{
	const uint32_t cycles[] = {p->l1d.cycles, p->l2.cycles, p->peer_cycles, p->llc.cycles,
	                           p->dram_cycles};
	const unsigned remote = UARCH_SRC_REMOTE;

	return cycles[source % remote] + (source >= remote ? p->socket_cycles : 0);
}

/* Return the cycles until a prefetched line arrives. */
static uint64_t until_there(const struct core_model *core, uint64_t line)
{
	return core->arrives[line % 256].line == line
	               ? cycles_until(&core->clock, core->arrives[line % 256].ready)
	               : 0;
}

/* A prefetched line is on its way from a source. */
static void comes_from(struct model *m, struct core_model *core, uint64_t line, unsigned from)
{
	core->arrives[line % 256].line = line;
	core->arrives[line % 256].ready = turn_of_line(&m->profile, &core->clock, from) +
	                                  CYCLE * cycles_of(&m->profile, from);
	core->arrives[line % 256].from = from;
}

/* Prefetch after a miss of L1, or after the first use of a prefetched line. */
static void prefetch(struct model *m, struct core_model *core, uint64_t pc, uint64_t addr,
                     bool load)
{
	struct wishes wishes = wishes_of(&core->prefetch, &m->profile, pc, addr, load);
	uint64_t no_events = 0;

	for (unsigned i = 0; i < wishes.l2_count; i++)
		if (!find(&core->l2, wishes.l2[i]))
			comes_from(m, core, wishes.l2[i],
			           fetch(m, core, wishes.l2[i], 0, &no_events));
	for (unsigned i = 0; i < wishes.l1_count; i++) {
		uint64_t line = wishes.l1[i];

		if (find(&core->l1d, line))
			continue;
		if (!find(&core->l2, line))
			comes_from(m, core, line, fetch(m, core, line, 0, &no_events));
		else if (!until_there(core, line))
			comes_from(m, core, line, UARCH_SRC_L2);
		fill_l1(core, line, find(&core->l2, line)->state);
		find(&core->l1d, line)->unused = true;
	}
}

/* Use the buffer that is free first for a line that L2 does not have, or does not have yet. Return
 * the cycles to wait for the buffer. */
static uint32_t begin_fill(struct model *m, struct core_model *core, uint64_t line, unsigned from,
                           uint32_t cycles)
{
	uint64_t begin;
	unsigned best = 0;

	if (m->profile.fill_entries == 0)
		return 0;
	for (unsigned i = 0; i < m->profile.fill_entries; i++)
		best = core->fill[i].ready < core->fill[best].ready ? i : best;
	begin = core->fill[best].ready > core->clock.now ? core->fill[best].ready : core->clock.now;
	core->fill[best].line = line;
	core->fill[best].ready = begin + CYCLE * cycles;
	core->fill[best].from = from;
	return (uint32_t)cycles_until(&core->clock, begin);
}

/* Return the cycles until a line that is in L1 arrives, and its source. */
static uint64_t until_filled(const struct model *m, const struct core_model *core, uint64_t line,
                             unsigned *from)
{
	uint64_t left = 0, latest = 0;

	for (unsigned i = 0; i < m->profile.fill_entries; i++) {
		if (core->fill[i].line != line ||
		    cycles_until(&core->clock, core->fill[i].ready) == 0 ||
		    core->fill[i].ready <= latest)
			continue;
		latest = core->fill[i].ready;
		left = cycles_until(&core->clock, latest);
		*from = core->fill[i].from;
	}
	return left;
}

static enum uarch_source access_line(struct model *m, struct core_model *core, uint64_t line,
                                     unsigned flags, uint64_t *events, uint64_t *late,
                                     unsigned *from)
{
	bool store = flags & UARCH_STORE, load = flags & UARCH_LOAD;
	bool in_l1 = find(&core->l1d, line), in_l2 = find(&core->l2, line);
	struct item *item = usable(&core->l1d, line, store);

	*events |= EV(L1D_ACCESS);
	if (item) {
		item->state = store ? MODIFIED : item->state;
		return UARCH_SRC_L1;
	}
	if (in_l1)
		return fetch(m, core, line, flags, events);
	*events |=
	        EV(L1D_REFILL) | (load ? EV(L2D_ACCESS) : 0) | (load && !in_l2 ? EV(L2D_MISS) : 0);
	item = usable(&core->l2, line, store);
	if (item) {
		item->state = store ? MODIFIED : item->state;
		fill_l1(core, line, item->state);
		*late = until_there(core, line);
		*from = core->arrives[line % 256].from;
		return UARCH_SRC_L2;
	}
	return fetch(m, core, line, flags, events);
}

static uint32_t translate(struct model *m, struct core_model *core, uint64_t page, uint64_t *events)
{
	const struct uarch_profile *p = &m->profile;
	bool first = find(&core->dtlb, page), second;
	struct item dropped;

	to_front(&core->dtlb, page, &dropped);
	*events |= EV(TLB_ACCESS);
	if (first)
		return p->dtlb.cycles;
	second = core->l2tlb.sets && find(&core->l2tlb, page);
	if (core->l2tlb.sets)
		to_front(&core->l2tlb, page, &dropped);
	if (!second)
		*events |= EV(TLB_WALK);
	return p->dtlb.cycles + (core->l2tlb.sets ? p->l2tlb.cycles : 0) +
	       (second ? 0 : p->walk_cycles);
}

/* Let time pass. A store that finds the buffer full waits for the oldest one. Stores leave in
 * order, one in each cycle. */
static uint32_t pass_time(struct model *m, struct core_model *core, unsigned flags, uint32_t beyond,
                          uint32_t for_buffer, uint64_t begin, uint64_t end)
{
	uint64_t wait = 0, leaves;

	core->clock.now += CYCLE;
	if (flags & UARCH_LOAD) {
		if (m->profile.window_accesses == 0)
			core->clock.now += CYCLE * (m->profile.fill_entries ? for_buffer : beyond);
		return 0;
	}
	if (core->stores == m->profile.store_entries) {
		leaves = core->store[0].leaves;
		wait = leaves > core->clock.now ? leaves - core->clock.now : 0;
		memmove(core->store, core->store + 1, --core->stores * sizeof(core->store[0]));
	}
	core->clock.now += wait;
	leaves = core->clock.now + CYCLE * (1 + beyond);
	core->last = leaves >= core->last + CYCLE ? leaves : core->last + CYCLE;
	core->store[core->stores].leaves = core->last;
	core->store[core->stores].begin = begin;
	core->store[core->stores++].end = end - begin > 255 ? begin + 255 : end;
	return (uint32_t)((wait + CYCLE - 1) / CYCLE);
}

/* Return the latency of a load whose data are in the store buffer, or 0 if no store wrote them. */
static uint64_t forwarded(const struct model *m, const struct core_model *core, uint64_t begin,
                          uint64_t end)
{
	const struct uarch_profile *p = &m->profile;

	for (unsigned i = core->stores; i-- > 0;) {
		uint64_t gone = core->store[i].leaves + CYCLE * p->retire_cycles;

		if (gone <= core->clock.now || core->store[i].begin >= end ||
		    core->store[i].end <= begin)
			continue;
		if (core->store[i].begin <= begin && core->store[i].end >= end)
			return p->forward_cycles;
		return cycles_until(&core->clock, gone) + p->l1d.cycles;
	}
	return 0;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void reference(struct model *m, struct core_model *core, struct uarch_result *r, uint64_t pc,
                      uint64_t addr, uint32_t size, unsigned flags, const uint32_t registers[2])
{
	const struct uarch_profile *p = &m->profile;
	uint64_t line_size = UINT64_C(1) << p->line_shift, page = UINT64_MAX;
	uint64_t begin = addr % (UINT64_C(1) << 56), last = begin + (size ? size : 1) - 1, late = 0,
	         events = 0;
	uint32_t lines = 0, waits = 0, latency, data, for_buffer = 0;
	unsigned farthest = UARCH_SRC_L1, farthest_data = UARCH_SRC_L1;
	bool waiting = flags & UARCH_LOAD && p->window_accesses, any_trains = false;
	uint64_t clock = core->clock.now;

	wait_for_window(p, &core->clock);
	if (waiting)
		wait_for_registers(&core->clock, registers[0]);
	for (uint64_t at = begin / line_size * line_size; at <= last; at += line_size, lines++) {
		enum uarch_source source;
		uint32_t for_turn = 0;
		bool had = find(&core->l1d, at / line_size);
		bool first_use = had && find(&core->l1d, at / line_size)->unused;
		unsigned from = UARCH_SRC_L1;
		uint64_t one_late = had && !first_use && flags & UARCH_LOAD
		                            ? until_filled(m, core, at / line_size, &from)
		                            : 0;

		if (first_use && until_there(core, at / line_size)) {
			one_late = until_there(core, at / line_size);
			from = core->arrives[at / line_size % 256].from;
		}

		if (page_item(&m->pages, at) != page) {
			page = page_item(&m->pages, at);
			waits += translate(m, core, page, &events);
		}
		source = access_line(m, core, at / line_size, flags, &events, &one_late, &from);
		if (had && source != UARCH_SRC_L1) {
			one_late = 0; /* the line was requested again, for a store */
			first_use = false;
		}
		events |= one_late && flags & UARCH_LOAD ? EV(RECENTLY_FETCHED) : 0;
		late = one_late > late ? one_late : late;
		from = one_late && flags & UARCH_LOAD ? from : source;
		farthest = source > farthest ? source : farthest;
		farthest_data = from > farthest_data ? from : farthest_data;
		if (had && !first_use)
			continue;
		any_trains = true;
		if (!one_late && source != UARCH_SRC_L1)
			for_turn = (uint32_t)cycles_until(&core->clock,
			                                  turn_of_line(p, &core->clock, source));
		if ((source != UARCH_SRC_L1 && source != UARCH_SRC_L2) || one_late)
			for_turn += begin_fill(m, core, at / line_size, from,
			                       greater(cycles_of(p, source), (uint32_t)one_late) +
			                               for_turn);
		for_buffer = greater(for_buffer, for_turn);
		prefetch(m, core, pc, lines ? at : begin, flags & UARCH_LOAD);
	}
	if (lines > (size + line_size - 1) / line_size && lines > 1)
		events |= EV(MISALIGNED);
	latency = greater(cycles_of(p, farthest), (uint32_t)late) + for_buffer;
	data = latency;
	if (p->forward_cycles && flags == UARCH_LOAD && farthest == UARCH_SRC_L1 &&
	    forwarded(m, core, begin, last + 1)) {
		data = greater(p->l1d.cycles, (uint32_t)forwarded(m, core, begin, last + 1));
		events &= ~EV(RECENTLY_FETCHED);
		farthest_data = UARCH_SRC_L1;
	}
	if (waiting && any_trains)
		open_load(&core->clock, core->clock.now + CYCLE * (uint64_t)(waits + latency),
		          registers[1]);
	if (any_trains)
		forget_complete(p, &core->clock);
	else
		core->clock.now = clock;
	core->clock.accesses++;
	r->store_wait = greater(r->store_wait,
	                        pass_time(m, core, flags,
	                                  latency > p->l1d.cycles ? latency - p->l1d.cycles : 0,
	                                  for_buffer, begin, last + 1));
	r->events |= r->events & EV(L1D_REFILL) ? events & ~EV(RECENTLY_FETCHED) : events;
	r->accesses += lines;
	r->source = (uint8_t)greater(r->source, farthest_data);
	r->latency = greater(r->latency, data + (lines - 1) * p->split_cycles);
	r->translation_latency = greater(r->translation_latency, waits);
}

static void make_model(struct model *m, const struct uarch_profile *p, const unsigned id[CORES])
{
	memset(m, 0, sizeof(*m));
	m->profile = *p;
	assert_true(p->store_entries <= STORES_MAX);
	m->exact = id[CORES - 1] < 64;
	m->pages.shift = p->page_shift;
	make_level(&m->directory, p->llc);
	for (unsigned i = 0; i < CORES; i++) {
		m->core[i].id = id[i];
		make_level(&m->core[i].l1d, p->l1d);
		make_level(&m->core[i].l2, p->l2);
		make_level(&m->core[i].dtlb, p->dtlb);
		make_level(&m->core[i].l2tlb, p->l2tlb);
	}
}

static void free_model(struct model *m)
{
	for (unsigned i = 0; i < CORES; i++) {
		free(m->core[i].l1d.set);
		free(m->core[i].l2.set);
		free(m->core[i].dtlb.set);
		free(m->core[i].l2tlb.set);
	}
	free(m->directory.set);
}

static void assert_same(const struct uarch_result *a, const struct uarch_result *b)
{
	assert_true(a->events == b->events);
	assert_int_equal(a->source, b->source);
	assert_int_equal(a->latency, b->latency);
	assert_int_equal(a->translation_latency, b->translation_latency);
	assert_int_equal(a->store_wait, b->store_wait);
	assert_int_equal(a->accesses, b->accesses);
}

/* Draw the core of the next access. Sometimes one core is used alone for a while, and the model is
 * notified. */
static unsigned draw_core(struct machine *machine, struct alone *alone, uint64_t *seed)
{
	if (alone->accesses) {
		if (--alone->accesses == 0)
			uarch_alone(machine->shared, false);
	} else if (below(seed, 300) == 0) {
		alone->core = below(seed, CORES);
		alone->accesses = 1 + below(seed, 300);
		uarch_alone(machine->shared, true);
	}
	return alone->accesses ? alone->core : below(seed, 8) ? below(seed, 2) : 2;
}

/* Make an access. If the instruction is known, take the path of hosts that know the instruction. */
static void access_by(struct uarch_core *core, struct uarch_result *result, uint64_t pc,
                      uint64_t addr, uint32_t size, unsigned flags, const uint32_t registers[2])
{

	if (!pc) {
		access_in_steps(core, result, addr, size, flags);
	} else if (result ||
	           !(uarch_hit(core, addr, size, flags) || uarch_in_l1(core, addr, size, flags))) {
		uarch_registers(core, registers[0], registers[1]);
		uarch_access(core, result, pc, addr, size, flags);
	}
}

/* Sometimes change the pages of some addresses. The first call makes the change, and each of the
 * other calls makes one more core follow at once. */
static void draw_pages(struct model *m, struct machine *machine, struct stream *s)
{
	unsigned base = m->profile.page_shift, most = base + 5 < 30 ? base + 5 : 30;
	unsigned shift = base + below(&s->seed, s->program ? 31 - base : most - base + 1);
	uint64_t size = (uint64_t)(1 + below(&s->seed, 4)) << shift, begin;

	if (below(&s->seed, 60))
		return;
	begin = s->program ? program_address(s, below(&s->seed, CORES))
	                   : draw_address(&s->seed, &m->profile);
	begin = begin >> shift << shift & ~(UINT64_C(0xff) << 56);
	if (change_pages(&m->pages, begin, begin + size, shift)) {
		for (unsigned i = 0; i < CORES; i++) {
			forget_pages(&m->core[i].dtlb, begin, begin + size);
			forget_pages(&m->core[i].l2tlb, begin, begin + size);
		}
	}
	for (unsigned i = 0; i < CORES; i++)
		assert_int_equal(uarch_pages(machine->shared, machine->core[i],
		                             begin | UINT64_C(0x7c) << 56, size, shift),
		                 SPEMU_OK);
}

/*
 * Run the accesses. Some results combine several accesses. One access in four is not sampled, so
 * its effect shows in later accesses.
 */
static void run(struct model *m, struct machine *machine, struct stream *s, uint64_t accesses)
{
	struct uarch_result is = {0}, expected = {0};
	struct alone alone = {0};
	uint64_t *seed = &s->seed;

	while (accesses--) {
		unsigned n = draw_core(machine, &alone, seed), flags = draw_flags(seed);
		uint64_t addr =
		        s->program ? program_address(s, n) : draw_address(seed, &m->profile);
		uint32_t size = s->program ? 1u << below(seed, 4) : draw_size(seed, &m->profile);
		uint64_t pc = draw_pc(seed, addr);
		bool sampled = below(seed, 4);
		struct uarch_result not_sampled = {0};
		uint32_t registers[2];

		draw_pages(m, machine, s);
		draw_registers(seed, pc, registers);
		access_by(machine->core[n], sampled ? &is : NULL, pc, addr, size, flags, registers);
		reference(m, &m->core[n], sampled ? &expected : &not_sampled, pc, addr, size, flags,
		          registers);
		assert_same(&is, &expected);
		if (below(seed, 3))
			is = expected = (struct uarch_result){0};
	}
}

static void run_machine(struct stream *s, const struct uarch_profile *p, const unsigned id[CORES],
                        uint64_t accesses)
{
	struct machine machine;
	struct model m;

	assert_int_equal(uarch_check(p, NULL), SPEMU_OK);
	machine_start_shared(&machine, p, id[CORES - 1] + 1);
	for (unsigned n = 0; n < CORES; n++)
		machine_add(&machine, n, id[n]);
	make_model(&m, p, id);
	run(&m, &machine, s, accesses);
	free_model(&m);
	machine_stop(&machine);
}

/* Return the number of operations for each of the two tests. */
static uint64_t accesses_asked_for(void)
{
	const char *text = getenv("SPEMU_TEST_OPERATIONS");

	return (text ? strtoull(text, NULL, 0) : 1000000) / 2;
}

static void caches_match_reference_for_any_profile(void **state)
{
	/* Cores whose numbers differ by 64 share a bit. If a number is 64 or more, no bit is
	 * exact. */
	static const unsigned ids[][CORES] = {{0, 1, 2},   {0, 31, 63}, {61, 62, 63},
	                                      {0, 63, 64}, {5, 64, 69}, {0, 64, 128}};
	struct stream s = {.seed = 1};
	uint64_t runs = accesses_asked_for() / ACCESSES;

	(void)state;
	for (uint64_t i = 0; i <= runs; i++) {
		struct uarch_profile p;

		draw_profile(&p, &s.seed);
		run_machine(&s, &p, ids[i % 6], ACCESSES);
	}
}

/* The last level is smaller than in the named profiles, so that it fills early. */
static void named_profiles_match_reference(void **state)
{
	static const unsigned ids[CORES] = {0, 1, 2};

	(void)state;
	for (unsigned i = 0; i < PROFILES; i++) {
		struct uarch_profile p = *uarch_profile_at(i);
		struct stream s = {.seed = i + 1, .program = true};

		p.llc.entries = 1024 * p.llc.ways;
		run_machine(&s, &p, ids, accesses_asked_for() / PROFILES);
	}
	assert_null(uarch_profile_at(PROFILES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(caches_match_reference_for_any_profile),
	        cmocka_unit_test(named_profiles_match_reference),
	};
	return cmocka_run_group_tests_name("uarch_reference", tests, NULL, NULL);
}
