/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the timing model share. */
#ifndef UARCH_MODEL_H
#define UARCH_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <spemu/codec.h>
#include "uarch.h"

#define EV(name) (UINT64_C(1) << SPEMU_EV_##name) /* A bit of the Events packet. */

/* The state of a line in a private cache. An exclusive line is clean, and becomes modified without
 * a request. */
enum line_state {
	LINE_INVALID = 0,
	LINE_SHARED = 1,
	LINE_EXCLUSIVE = 2,
	LINE_MODIFIED = 3,
};

/* A private, set-associative cache of tags. A tag is line << 2 | state, or 0 if invalid. Only the
 * owning core adds tags. Any core may remove or downgrade them, by compare-and-swap. */
struct tag_cache {
	_Atomic uint64_t *tags;
	uint32_t set_mask;
	uint32_t ways;
};

/*
 * The LRU order. L1, where most accesses end, keeps the time of the last use of each tag. L2 keeps
 * order[set], which lists the ways from the most to the least recently used, four bits each.
 * index[] of L1 is the place of the tag that was last found or put, for lines with equal bits in
 * index_mask. It is a guess, which the tag confirms.
 */
struct l1_use {
	uint64_t *when;
	uint8_t *unused; /* 1: the line was prefetched, and not used since */
	uint16_t *index;
	uint32_t index_mask;
};

#define TLB_ENTRIES_MAX 64
#define TLB_BUCKETS 1024
#define TLB_LANES 4   /* number of slots that are compared at once */
#define TLB_SLOTS 256 /* number of entries and aliases */
#define USE 256       /* unit of time; the bits below it contain a slot */

/*
 * A fully associative first level with true LRU, and a set-associative second level. Pages are
 * stored plus one, so that 0 means empty. The slots of the first level whose pages have the same
 * hash form a chain, which begins at bucket[] and continues by chain[]. The page that was found
 * last is first. when[] is the time of the last use of a slot, with the slot in the bits below USE.
 * Slots count from 1, so that 0 ends a chain. Slots that the profile does not have are never the
 * least recently used.
 *
 * A page larger than the profile's is one entry, under its page_name(). Slots from ALIASES on are
 * aliases. Each leads from a page of the profile's size to the entry of the larger page that
 * contains it; of[] is the slot of that entry. Uses of an alias are uses of that entry. They are
 * added when the entry is about to be replaced. next_alias is the alias that is replaced next.
 */
#define ALIASES (TLB_ENTRIES_MAX + 1)
struct tlb {
	uint64_t page[TLB_SLOTS];
	uint64_t when[TLB_SLOTS];
	uint8_t chain[TLB_SLOTS];
	uint8_t bucket[TLB_BUCKETS];
	uint8_t of[TLB_SLOTS]; /* slot of an alias's entry; 0 if unused */
	uint8_t next_alias;
	uint32_t entries;
	uint64_t *l2_page;
	uint64_t *l2_order;
	uint32_t l2_set_mask;
	uint32_t l2_ways; /* 0 if there is no second level */
};

/*
 * The last stores, as a ring: the time when each store leaves, and the place that it writes. A
 * place is an address with the size in the upper eight bits. Without forwarding, the array of
 * places is NULL.
 */
struct store_buffer {
	uint64_t *leaves, *place;
	uint64_t last; /* time when the youngest store leaves */
	uint32_t entries;
	uint32_t next; /* index of the oldest store, which the next one replaces */
};

/* The time when a line arrives, and its source. */
struct arrival {
	uint64_t ready;
	enum uarch_source from;
};

/* For each buffer: the last line that it fetched, its source, and its arrival time. */
#define FILLS_MAX 64
struct fill_buffers {
	uint64_t line[FILLS_MAX], ready[FILLS_MAX];
	uint8_t from[FILLS_MAX]; /* enum uarch_source */
	uint64_t last;           /* time when all of them have arrived */
	uint32_t entries;        /* number of buffers; 0: a load that misses blocks later
	                            operations */
};

/* Loads that may not be complete, from number `first` to before `end` of a ring: the number of the
 * access, and the time when it and all loads before it are complete. core_clock.h explains it. */
#define WINDOW_MAX 256
struct access_window {
	uint64_t number[WINDOW_MAX], retires[WINDOW_MAX];
	uint32_t first, end;
	uint64_t last; /* time when all of them are complete */
};

struct indirect_entry {
	uint64_t key; /* hash of branch and path; 0 means empty */
	uint64_t target;
};

#define RAS_MAX 64

/*
 * Two-bit counters: 2 and 3 predict "taken". by_branch has the counter of a branch and its chooser;
 * chooser values 2 and 3 select the history predictor. by_history has the counter of a history.
 * branch.c defines the bits.
 */
struct predictor {
	uint8_t *by_branch;
	uint8_t *by_history;
	struct indirect_entry *indirect;
	uint64_t history_mask, history_index, branch_index; /* masks of the used bits */
	unsigned history_fold;                              /* right shift that folds the history */
	uint64_t history; /* outcomes of conditional branches, the last in bit 0 */
	uint64_t path;    /* targets of indirect branches, folded together */
	uint64_t ras[RAS_MAX];
	uint32_t ras_top;   /* index of the next push */
	uint32_t ras_depth; /* valid entries */
};

/* The stride of an instruction. With confidence 2 and 3, its next addresses are prefetched. */
struct stride_entry {
	uint64_t pc;
	uint64_t last;  /* last address */
	int64_t stride; /* stride in bytes */
	uint8_t confidence;
	uint8_t lines;           /* number of lines of this page in a row, at most LINES_MAX */
	uint8_t ahead, ahead_l1; /* strides that are requested in advance, into L2 and L1 */
};

/* Misses in neighboring lines of a page, in one direction. */
struct stream_entry {
	uint64_t last;    /* last line */
	int8_t direction; /* 1 or -1; 0 if unknown */
	uint8_t misses, ahead;
};

/* A line that was prefetched. */
struct prefetched {
	uint64_t line;
	struct arrival arrives;
};

#define PREFETCHED_SLOTS 256
#define STREAMS_MAX 64

struct prefetcher {
	struct stride_entry *stride;             /* indexed by a hash of the instruction */
	struct prefetched *slot;                 /* indexed by line modulo PREFETCHED_SLOTS */
	struct stream_entry stream[STREAMS_MAX]; /* indexed by page */
	uint64_t stride_mask, stream_mask;
	bool strides, streams, on;
};

/* A page, identified by the low bits of its number, and the number of the first window with a
 * line of it, seen in or after that window; 0: none. */
struct seen_page {
	uint32_t page, window;
};

#define SEEN_PAGES 16384

/* Accesses that reached a level, and the number of them that went further. Shares are in parts
 * of ONE. */
struct met {
	uint64_t reached, further;
};
#define ONE 65536
#define PRIOR 4 /* weight of the mean over all instructions in an estimate, in accesses */

/* The reuse of lines in L2, counted in misses of L1 and grouped by spans; reuse.c explains it. */
#define REUSE_SPANS 64
struct reuse {
	/* In this window, by span: lines that were used again, and lines whose last use was before
	 * the window, at least this long ago. */
	uint64_t again[REUSE_SPANS], cut[REUSE_SPANS];
	/* Before this window: lines that reached the span, and lines that were used again in it. */
	struct met known[REUSE_SPANS];
	uint32_t lasts[REUSE_SPANS]; /* share of lines that reach the span, in parts of ONE */
	/* Share of lines that L2 no longer has at their next use, in parts of ONE */
	uint32_t missed;
	uint32_t warm_from; /* the first span whose L2 misses a window knows */
	uint32_t before;    /* number of misses in earlier windows */
	uint32_t owed[2];   /* fractions of L2 misses, times ONE: by the instruction's share, by
	                       that of all */
};

/* The sampling window of sampled fidelity (sampled.c). */
struct window {
	uint64_t now;      /* accesses since the window began */
	uint64_t look_at;  /* number of the access that checks warm levels again */
	uint32_t number;   /* number of windows so far */
	uint32_t misses;   /* misses of L1 in this window */
	uint32_t branches; /* branches in this window */
	uint32_t unknown;  /* misses by instructions that rarely reached L2 */
	uint32_t warm;     /* warm levels, bits of enum insn_stats_level */
	bool complete;     /* the core has seen all operations so far */
	uint32_t parts;    /* number of accesses so far of the instruction with several accesses */
	const struct insn_stats *stats;
	struct uarch_result merged; /* merged effects of these accesses */
	/* Address of the last of these accesses that missed L1, or that did not hit */
	uint64_t missed;
	/* Loads and stores that hit L1 and the first level of the TLB, and are not in seen[]
	 * yet. */
	uint64_t hits[2];
	/* All instructions together, for loads and stores: in this window, and before it. */
	struct met seen[2][UARCH_LEVELS];
	struct met known[2][UARCH_LEVELS];
	struct reuse reuse;
	struct seen_page pages[SEEN_PAGES];
};

struct uarch_core {
	struct uarch_shared *shared;
	const struct uarch_profile *profile; /* profile of shared */
	unsigned id;
	uint32_t line_shift;
	uint32_t page_shift;
	uint32_t page_lines; /* log2 of the lines in a page */
	uint32_t pages_seen; /* number of changes of larger pages that the TLB has followed */
	bool larger_pages;   /* larger pages exist or may exist */
	bool beyond;         /* the last miss of L1 missed L2 */
	uint64_t absent;     /* a line that L1 does not have, or UINT64_MAX */
	struct {
		uint64_t begin, end;
		unsigned shift;
	} pages_like; /* a range of pages of one size around the last address that was looked up */
	struct {
		unsigned (*page_log2)(void *ctx, uint64_t addr);
		void *ctx;
	} looked_up;         /* callback of the host for page sizes, or NULL */
	uint64_t clock;      /* time of dispatch in ticks, as core_clock.h defines it */
	uint32_t pass;       /* ticks that the dispatch of an access takes */
	uint64_t uses;       /* number of uses of lines and pages, times USE: the time of LRU */
	uint64_t other_uses; /* number of uses other than by uarch_hit() */
	uint64_t totals[SPEMU_PERF_TOTALS]; /* without the accesses of uarch_hit() */
	bool overlaps; /* prefetchers, line fill buffers or forwarding are enabled */
	struct {
		uint64_t (*executed)(void *ctx);
		void *ctx;
	} operations;          /* callback of the host for the number of operations, or NULL */
	uint64_t counted;      /* this number when the clock followed it last */
	uint64_t followed;     /* the clock at that time */
	uint32_t from, to;     /* registers of the next access; see uarch_registers() */
	uint64_t loaded[32];   /* time when a load into the register is complete */
	uint64_t next_line[2]; /* time when the next line may arrive: from L2, from beyond it */
	struct access_window in_flight;
	struct tag_cache l1d;
	struct l1_use l1_use;
	struct store_buffer stores;
	struct predictor predictor;
	struct tag_cache l2; /* includes l1d */
	uint64_t *l2_order;
	uint32_t *l2_used; /* time of the last use of each line in a window, in misses of L1 */
	struct tlb tlb;
	struct prefetcher prefetcher;
	struct fill_buffers fills;
	struct window window;
};

/*
 * The last level cache. It includes all private caches, so it is also their directory. The tag of a
 * line is line << 2 | owned << 1 | 1, or 0 if empty. Its sharers have bit id % 64 of each core that
 * may have it. order[set] is like order of L2, exclusive-or ORDER_INITIAL, so that the initial
 * memory may be zeroes. The parts of a set that a lookup needs are adjacent, because most time is
 * spent in the host's own cache misses here.
 */
struct directory {
	uint64_t *tags;
	uint64_t *sharers;
	uint64_t *order;
	uint32_t set_mask;
	uint32_t ways;
};

/*
 * Addresses that larger pages map, in order: from begin to before end, with log2 of the page size
 * in the low bits of begin. Adjacent ranges of one size are merged. There are two tables.
 * table[changes % 2] is in force, and a change writes the other one. changed[] has the ranges of
 * the last changes, by their number.
 */
#define RANGES_MAX 4096
#define CHANGES_KEPT 64
struct page_range {
	_Atomic uint64_t begin, end;
};
struct page_table {
	_Atomic uint32_t count;
	struct page_range range[RANGES_MAX];
};
struct larger_pages {
	atomic_uint changes;
	struct page_range changed[CHANGES_KEPT];
	struct page_table *table; /* array of two tables */
};

#define DIRECTORY_OWNED 2u /* at most one sharer has the line, exclusive or modified */

struct uarch_shared {
	struct uarch_profile profile;
	unsigned max_cores;
	atomic_uint id_limit; /* limit above the ids of all cores made so far */
	bool alone;           /* value set by uarch_alone() */
	size_t core_size;
	struct directory directory;
	struct larger_pages pages;
	atomic_uchar *locks; /* one lock per set */
	struct uarch_core *_Atomic *cores;
};

/* Prefetch the places where L2 and the directory would have the line into the host's caches. */
static inline void lookups_soon(const struct uarch_core *core, uint64_t line)
{
	const struct directory *d = &core->shared->directory;
	uint32_t l2_set = (uint32_t)line & core->l2.set_mask, set = (uint32_t)line & d->set_mask;

	__builtin_prefetch(&core->l2.tags[(size_t)l2_set * core->l2.ways]);
	__builtin_prefetch(&core->l2_order[l2_set]);
	__builtin_prefetch(&d->order[set]);
	for (uint32_t way = 0; way < d->ways; way += 8) {
		__builtin_prefetch(&d->tags[(size_t)set * d->ways + way]);
		__builtin_prefetch(&d->sharers[(size_t)set * d->ways + way]);
	}
}

/* The result of one request to the directory. */
struct fetched {
	enum uarch_source source;
	bool modified; /* a peer had modified the line */
};

/* directory.c: get line for core and put it into the core's caches. `how` has bits of enum
 * fetch_bit. */
enum fetch_bit {
	FETCH_EXCLUSIVE = 1, /* for a store */
	FETCH_L2 = 2,        /* only into L2 */
	FETCH_ABSENT = 4,    /* the core's caches do not have the line, and no other core puts it
	                        there */
};
struct fetched uarch__fetch(struct uarch_core *core, uint64_t line, unsigned how);
/* directory.c: return true if the data belong to another socket: that of the peer that had them,
 * or otherwise that of their page. */
bool uarch__is_remote(const struct uarch_core *core, uint64_t line, enum uarch_source source,
                      unsigned peer);

/* private.c: the caches of a core. absent is true if the line is not in the cache. While
 * uarch__fill_l2() and uarch__fill_l1() run for a request, the line's set in the directory is
 * locked. uarch__fill_l1() returns the place of the line. */
void uarch__fill_l2(struct uarch_core *core, uint64_t line, enum line_state state, bool absent);
uint32_t uarch__fill_l1(struct uarch_core *core, uint64_t line, enum line_state state, bool absent);
/* private.c: put a line into L1, which does not have it. L2 has it at index in_l2. */
void uarch__fill_l1_from_l2(struct uarch_core *core, uint64_t line, enum line_state state,
                            uint32_t in_l2);
enum line_state uarch__probe(struct uarch_core *core, uint64_t line, enum line_state left);
bool uarch__to_modified(const struct uarch_core *core, struct tag_cache *cache, uint32_t index,
                        uint64_t line);
/* private.c: make the line at index of L1 modified in both caches, if it is there and exclusive. */
bool uarch__l1_to_modified(struct uarch_core *core, uint32_t index, uint64_t line);

/* Make the tag of line at index of L1 the most recently used. */
static inline void l1_used(struct uarch_core *core, uint64_t line, uint32_t index)
{
	core->l1_use.when[index] = core->uses += USE;
	core->other_uses++;
	core->l1_use.unused[index] = 0;
	core->l1_use.index[line & core->l1_use.index_mask] = (uint16_t)index;
}

/* Mark the line at index of L1 as prefetched. uarch_hit() does not find it until its first use,
 * because its guess leads to another place. */
static inline void l1_prefetched(struct uarch_core *core, uint64_t line, uint32_t index)
{
	core->l1_use.unused[index] = 1;
	core->l1_use.index[line & core->l1_use.index_mask] = (uint16_t)(index ? index - 1 : 1);
}

/* prefetch.c: train the prefetchers with a miss of L1, or with the first use of a line that was
 * prefetched into L1. uarch__prefetched() returns when a line arrives that was prefetched, or 0. */
void uarch__train(struct uarch_core *core, uint64_t pc, uint64_t addr, bool load);
struct arrival uarch__prefetched(const struct uarch_core *core, uint64_t line);

/* reuse.c: sampled fidelity, the lines that L2 would have if the core had seen all operations. */

/* Begin a window: add the statistics of the previous window to the earlier ones. */
void uarch__reuse_begin(struct uarch_core *core);

/* Record that the line of addr missed L1 and is in L2 now; hit: it was in L2 before. Return true
 * if L2 would have had it in any case, because it was used before in this window, or prefetched. */
bool uarch__reuse_used(struct uarch_core *core, uint64_t addr, bool hit);

/* Return true if L2 would have missed a line for which uarch__reuse_used() returned false. The
 * share of misses is that of stats, or with NULL that of all instructions. */
bool uarch__reuse_missed(struct uarch_core *core, const struct insn_stats *stats);

/* Record that a prefetcher requested line, which L2 has now. had is true if L2 had it before.
 * is_new is true if it came from memory. */
void uarch__reuse_prefetch(struct uarch_core *core, uint64_t line, bool had, bool is_new);

/* Return true if the window is long enough to know what L2 misses: at least half of the lines in
 * L2 were used again. */
bool uarch__reuse_is_warm(struct uarch_core *core);

/* Return true if more than an eighth of the lines in L2 were not used again yet. */
bool uarch__reuse_waits(const struct uarch_core *core);

#define ADDRESS_MASK ((UINT64_C(1) << 56) - 1) /* Address bits; the top byte is ignored. */

/* access.c: add the effects of another part of an operation. */
void uarch__merge(struct uarch_result *to, const struct uarch_result *part);

/* access.c: return the events of data from beyond L2. */
uint64_t uarch__fetch_events(const struct fetched *got, bool load);

/* tlb.c: return the cycles of the translation of page, whose name is given. Set *walk if the
 * tables were walked. */
uint32_t uarch__look_up(struct uarch_core *core, uint64_t page, uint64_t name, bool *walk);

/* tlb.c: return the name of page, a number, or UINT64_MAX if the first level does not have it. */
uint64_t uarch__known_name(struct uarch_core *core, uint64_t page);

/* tlb.c: remove the translations of addresses from begin to before end from all levels. */
void uarch__invalidate(struct uarch_core *core, uint64_t begin, uint64_t end);

/* The name of a page in the TLB is its number. If the page is larger than the profile's, log2 of
 * its size is above the number. Names are unique. */
#define NAME_NUMBER ((UINT64_C(1) << 56) - 1)
static inline uint64_t page_name(uint64_t addr, unsigned shift)
{
	return addr >> shift | (uint64_t)shift << 56;
}

/* Return true if the name of a page may differ from its number. */
static inline bool pages_differ(const struct uarch_core *core)
{
	return core->larger_pages || atomic_load_explicit(&core->shared->pages.changes,
	                                                  memory_order_relaxed) != core->pages_seen;
}

/* Apply pending changes to the TLB, then return the name of page (pages.c). */
uint64_t uarch__page_name(struct uarch_core *core, uint64_t page);
/* pages.c: return the cycles of waiting for the translation of page. Set *walk if the tables were
 * walked. */
uint32_t uarch__translate(struct uarch_core *core, uint64_t page, bool *walk);

/* Return log2 of a power of two, or -1 for other values. */
static inline int uarch_log2(uint64_t value)
{
	return value && !(value & (value - 1)) ? __builtin_ctzll(value) : -1;
}

/* Return true if the tag belongs to line and has at least the state `least`, which is not
 * LINE_INVALID. States are ordered up to LINE_MODIFIED. */
static inline bool tag_is(uint64_t tag, uint64_t line, enum line_state least)
{
	return tag - (line << 2 | least) <= LINE_MODIFIED - least;
}

static inline uint64_t tag_load(const struct tag_cache *cache, uint32_t index)
{
	return atomic_load_explicit(&cache->tags[index], memory_order_relaxed);
}

/* Return the state of line in cache, and its place in *index, without a change of the order. The
 * loop tests all ways, because the host's CPU could not predict an early exit. */
static inline enum line_state tag_find(const struct tag_cache *cache, uint64_t line,
                                       uint32_t *index)
{
	uint32_t base = ((uint32_t)line & cache->set_mask) * cache->ways;
	uint64_t found = LINE_INVALID;

	*index = base;
	for (uint32_t i = base; i < base + cache->ways; i++) {
		uint64_t tag = tag_load(cache, i);
		bool same = tag_is(tag, line, LINE_SHARED);

		found = same ? tag : found;
		*index = same ? i : *index;
	}
	return (enum line_state)(found & 3);
}

/* The identity order of up to sixteen ways. */
#define ORDER_INITIAL UINT64_C(0xfedcba9876543210)

/* Return order with way moved to the front. Branch-free, because its place is hard to predict. */
static inline uint64_t order_touch(uint64_t order, uint32_t way)
{
	const uint64_t ones = UINT64_C(0x1111111111111111);
	uint64_t differs = order ^ ones * way;
	/* The lowest nibble that is zero gets its top bit set. */
	uint64_t zero = (differs - ones) & ~differs & ones << 3;
	unsigned at = (unsigned)__builtin_ctzll(zero) & ~3u;
	/* The ways before it move back by one. Those after it stay. */
	uint64_t before = order & ((UINT64_C(1) << at) - 1);
	uint64_t after = order & (~UINT64_C(15) << at);

	return after | before << 4 | way;
}

#endif
