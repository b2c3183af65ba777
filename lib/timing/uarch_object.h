/* SPDX-License-Identifier: MIT */
/* The insides of the timing model, shared by the files of this folder. */
#ifndef UARCH_MODEL_H
#define UARCH_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "uarch.h"

/* State of a line in a private cache. Exclusive is clean; it turns modified without a request. */
enum line_state {
	LINE_INVALID = 0,
	LINE_SHARED = 1,
	LINE_EXCLUSIVE = 2,
	LINE_MODIFIED = 3,
};

/*
 * A private, set-associative cache of tags. A tag is line << 2 | state, 0 if invalid. Only the core
 * adds tags; any core takes them away or downgrades them, by compare-and-swap.
 */
struct tag_cache {
	_Atomic uint64_t *tags;
	uint32_t set_mask;
	uint32_t ways;
};

/*
 * What is used longest ago gives way. Of L1, where most accesses end, that is told by when each tag
 * was used; of L2 order[set] lists the ways from the most to the least recently used, four bits
 * each. index[] of L1 says which tag was found or put last, among those of lines that agree in the
 * bits of index_mask: a guess, which the tag confirms.
 */
struct l1_use {
	uint64_t *when;
	uint16_t *index;
	uint32_t index_mask;
};

#define TLB_ENTRIES_MAX 64
#define TLB_BUCKETS 1024
#define TLB_LANES 4   /* slots that are compared at once */
#define TLB_SLOTS 256 /* with aliases */
#define USE 256       /* a slot is below it */

/*
 * A fully associative first level with true LRU, and a set-associative second level. Pages are
 * stored plus one, so that 0 is empty. The slots of the first level whose page has the same hash
 * are a chain, from bucket[] by chain[], that begins with the one found last; when[] says when each
 * was used last, with the slot in the bits below USE. Slots count from 1, so that 0 is the end of a
 * chain; those that are not there are never used longest ago.
 *
 * A page larger than the profile's is one entry, named as page_name() says. Slots from ALIASES on
 * are no entries: each leads a page of the profile's size straight to the entry of the larger one
 * that it is part of, in slot of[]; when[] of an alias counts for that, once somebody asks.
 * next_alias is the one that gives way.
 */
#define ALIASES (TLB_ENTRIES_MAX + 1)
struct tlb {
	uint64_t page[TLB_SLOTS];
	uint64_t when[TLB_SLOTS];
	uint8_t chain[TLB_SLOTS];
	uint8_t bucket[TLB_BUCKETS];
	uint8_t of[TLB_SLOTS]; /* of aliases; 0: not in use */
	uint8_t next_alias;
	uint32_t entries;
	uint64_t *l2_page;
	uint64_t *l2_order;
	uint32_t l2_set_mask;
	uint32_t l2_ways; /* 0: no second level */
};

/* When each store that entered last leaves, and what it writes: its address, and its size in the
 * eight bits above (NULL without forwarding); as a ring. */
struct store_buffer {
	uint64_t *leaves, *place;
	uint64_t last; /* when the youngest leaves */
	uint32_t entries;
	uint32_t next; /* the oldest, which the next store replaces */
};

/* When a line is there, and where it comes from. */
struct arrival {
	uint64_t ready;
	enum uarch_source from;
};

/* Of each buffer which line it fetched last, from where, and when that is there. */
#define FILLS_MAX 64
struct fill_buffers {
	uint64_t line[FILLS_MAX], ready[FILLS_MAX];
	uint8_t from[FILLS_MAX]; /* enum uarch_source */
	uint64_t last;           /* when all of them are there */
	uint32_t entries;        /* 0: a load holds up what follows */
};

struct indirect_entry {
	uint64_t key; /* hash of branch and path; 0 is empty */
	uint64_t target;
};

#define RAS_MAX 64

/*
 * Two-bit counters: 2 and 3 predict "taken". That of a branch is in a byte with its chooser, of
 * which 2 and 3 choose the history predictor, and that of a history is in another. Where in them,
 * and what an outcome makes of both, is in branch.c.
 */
struct predictor {
	uint8_t *by_branch;
	uint8_t *by_history;
	struct indirect_entry *indirect;
	uint64_t history_mask, history_index, branch_index; /* ones for what is used of each */
	unsigned history_fold;                              /* the history is folded at this bit */
	uint64_t history; /* outcomes of conditional branches, the last in bit 0 */
	uint64_t path;    /* targets of indirect branches, folded */
	uint64_t ras[RAS_MAX];
	uint32_t ras_top;   /* where the next push goes */
	uint32_t ras_depth; /* entries that are good */
};

/* What the prefetcher by stride knows of an instruction; confidence 2 and 3: its next addresses are
 * known. */
struct stride_entry {
	uint64_t pc;
	uint64_t last;  /* address */
	int64_t stride; /* bytes */
	uint8_t confidence, ahead;
};

/* Misses in neighboring lines of a page, in one direction. */
struct stream_entry {
	uint64_t last;    /* line */
	int8_t direction; /* 1, -1; 0: not known yet */
	uint8_t misses, ahead;
};

/* A line that a prefetcher asked for. */
struct prefetched {
	uint64_t line;
	struct arrival arrives;
};

#define PREFETCHED_SLOTS 256
#define STREAMS_MAX 64

struct prefetcher {
	struct stride_entry *stride;             /* by a hash of the instruction */
	struct prefetched *slot;                 /* by line modulo PREFETCHED_SLOTS */
	struct stream_entry stream[STREAMS_MAX]; /* by page */
	uint64_t stride_mask, stream_mask;
	bool strides, streams, on;
};

/* A page, in the low bits of its number, and the window in which, or after which, a line of it was
 * first seen; 0: none. */
struct seen_page {
	uint32_t page, window;
};

#define SEEN_PAGES 16384

/* How many came to a level, and got further; the share of these is in parts of ONE. */
struct met {
	uint64_t reached, further;
};
#define ONE 65536
#define PRIOR 4 /* what all instructions together say is worth so many times of one's own */

/* After how many misses of L1 lines are used again, by spans of them; reuse.c. */
#define REUSE_SPANS 64
struct reuse {
	/* In this window: lines that were, in that span, and lines whose last use was before it, at
	 * least so long ago. */
	uint64_t again[REUSE_SPANS], cut[REUSE_SPANS];
	/* Before it: lines that came to a span, and were used again in it. */
	struct met known[REUSE_SPANS];
	uint32_t lasts[REUSE_SPANS]; /* parts of ONE that come to it, */
	uint32_t missed;             /* and that come to the end: L2 does not have them any more */
	uint32_t warm_from;         /* the span from which on a window tells what L2 misses */
	uint32_t before;             /* misses of windows before */
	uint32_t owed[2];            /* misses of L2, times ONE */
};

/* Of sampled fidelity; sampled.c. */
struct window {
	uint64_t now;      /* accesses since it began */
	uint64_t look_at;  /* whether more has settled is to be looked at then */
	uint32_t number;   /* of windows so far */
	uint32_t misses;   /* of L1, in this one, */
	uint32_t branches; /* in this one */
	uint32_t unknown;  /* by instructions that have hardly ever come to L2 */
	uint32_t warm;  /* bits of enum insn_stats_level */
	bool complete;     /* it is the first */
	uint32_t parts;    /* of the instruction at stats, told so far, */
	const struct insn_stats *stats;
	struct uarch_result merged; /* and what they did, */
	uint64_t missed;            /* where: the last that missed L1, or that did not hit */
	/* Loads and stores that met nothing but L1 and the TLB's first level; not in seen yet. */
	uint64_t hits[2];
	/* All instructions together, of loads and of stores: in this window, and before. */
	struct met seen[2][UARCH_LEVELS];
	struct met known[2][UARCH_LEVELS];
	struct reuse reuse;
	struct seen_page pages[SEEN_PAGES];
};

struct uarch_core {
	struct uarch_shared *shared;
	const struct uarch_profile *profile; /* that of shared */
	unsigned id;
	uint32_t line_shift;
	uint32_t page_shift;
	uint32_t page_lines; /* log2 of the lines of a page */
	uint32_t pages_seen; /* changes of larger pages that the TLB has followed */
	bool larger_pages;   /* after them there are some, or there may be */
	bool beyond;         /* the last miss of L1 missed L2 */
	struct {
		uint64_t begin, end;
		unsigned shift;
	} pages_like; /* addresses that are mapped by pages of one size: around the one that was looked up last */
	struct {
		unsigned (*page_log2)(void *ctx, uint64_t addr);
		void *ctx;
	} looked_up;    /* by the host, unless it is NULL */
	uint64_t clock; /* cycles, as store_buffer.h counts them */
	uint64_t uses;  /* of a line or page, times USE: the time that LRU goes by */
	bool overlaps;  /* prefetchers, line fill buffers or forwarding are on */
	struct tag_cache l1d;
	struct l1_use l1_use;
	struct store_buffer stores;
	struct predictor predictor;
	struct tag_cache l2; /* includes l1d */
	uint64_t *l2_order;
	uint32_t *l2_used; /* misses of L1 in windows, until its last use in one */
	struct tlb tlb;
	struct prefetcher prefetcher;
	struct fill_buffers fills;
	struct window window;
};

/*
 * The last level cache, which includes all private caches and so is their directory. Of a line there are
 * tag: line << 2 | owned << 1 | 1, 0 if empty; and sharers: bit id % 64 of each core that may have it. order[set] is as
 * that of a tag_cache, exclusive-or ORDER_INITIAL, so that the memory starts as zeroes. What is looked for in a set
 * lies together: most of the time goes for the host's own cache misses here.
 */
struct directory {
	uint64_t *tags;
	uint64_t *sharers;
	uint64_t *order;
	uint32_t set_mask;
	uint32_t ways;
};

/*
 * Which addresses are mapped by larger pages, in order: addresses from begin to before end, with
 * log2 of the page size in the low bits of begin. Neighbors of one size are one range. Of the two
 * tables changes % 2 is in force, while a change makes the other; what the last changes were of is
 * in changed[], by number.
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
	struct page_table *table; /* two */
};

#define DIRECTORY_OWNED 2u /* one of the sharers, if there are any, has it exclusive or modified */

struct uarch_shared {
	struct uarch_profile profile;
	unsigned max_cores;
	atomic_uint id_limit; /* all cores made so far have smaller ids */
	bool alone;           /* uarch_alone() */
	size_t core_size;
	struct directory directory;
	struct larger_pages pages;
	atomic_uchar *locks; /* one a set */
	struct uarch_core *_Atomic *cores;
};

/* L2 and the directory will be asked for line, perhaps: what is looked at then is far away from the
 * host, and on its way from now on. */
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

/* What became of one request to the directory. */
struct fetched {
	enum uarch_source source;
	bool modified; /* a peer had it modified */
};

/* directory.c: get line for core and put it into the core's caches; how: bits of enum fetch_bit. */
enum fetch_bit {
	FETCH_EXCLUSIVE = 1, /* for a store */
	FETCH_L2 = 2,        /* into L2 alone */
	FETCH_ABSENT = 4,    /* the core's caches do not have it: nobody else puts it there */
};
struct fetched uarch__fetch(struct uarch_core *core, uint64_t line, unsigned how);
/* directory.c: return true if the data are another socket's: that of the peer that had them, or
 * else that of their page. */
bool uarch__is_remote(const struct uarch_core *core, uint64_t line, enum uarch_source source,
                      unsigned peer);

/* private.c: the caches of one core. absent: the line is not there. */
void uarch__fill_l2(struct uarch_core *core, uint64_t line, enum line_state state, bool absent,
                    uint64_t *dropped);
void uarch__fill_l1(struct uarch_core *core, uint64_t line, enum line_state state, bool absent);
enum line_state uarch__probe(struct uarch_core *core, uint64_t line, enum line_state left);
bool uarch__to_modified(const struct uarch_core *core, struct tag_cache *cache, uint32_t index,
                        uint64_t line);

/* The tag of L1 at index, that of line, is the one used last. */
static inline void l1_used(struct uarch_core *core, uint64_t line, uint32_t index)
{
	core->l1_use.when[index] = core->uses += USE;
	core->l1_use.index[line & core->l1_use.index_mask] = (uint16_t)index;
}

/* prefetch.c: a miss of L1 trains the prefetchers; when the line that L2 has is there: at 0 unless
 * it was prefetched. */
void uarch__train(struct uarch_core *core, uint64_t pc, uint64_t addr);
struct arrival uarch__prefetched(const struct uarch_core *core, uint64_t line);

/*
 * reuse.c: sampled fidelity, which lines L2 would have, had the core been told of everything.
 */

/* A window begins: what the one before saw is known now. */
void uarch__reuse_begin(struct uarch_core *core);

/* The line of addr missed L1 and is in L2 now; hit: it was there before. Whether L2 would have had
 * it in any case: it was used before in this window, or prefetched. */
bool uarch__reuse_used(struct uarch_core *core, uint64_t addr, bool hit);

/* Of a line that was not: whether L2 would have missed it. stats: by the instruction's share; NULL:
 * by that of all. */
bool uarch__reuse_missed(struct uarch_core *core, const struct insn_stats *stats);

/* A prefetcher asked for line, which L2 has now; had: it had it before. is_new: it came from
 * memory. */
void uarch__reuse_prefetch(struct uarch_core *core, uint64_t line, bool had, bool is_new);

/* Whether the window has become long enough to tell what L2 misses: at least half of what L2 has
 * was used again. */
bool uarch__reuse_is_warm(struct uarch_core *core);

/* Whether more than an eighth of what L2 has was not used again yet. */
bool uarch__reuse_waits(const struct uarch_core *core);

#define ADDRESS_MASK ((UINT64_C(1) << 56) - 1) /* the top byte is ignored */

/* access.c: one operation did what part says, too. */
void uarch__merge(struct uarch_result *to, const struct uarch_result *part);

/* access.c: the events of what came from beyond L2. */
uint64_t uarch__fetch_events(const struct fetched *got, bool load);

/* tlb.c: return the cycles that the translation of page, whose name is given, waits. Set *walk if
 * the tables were walked. */
uint32_t uarch__look_up(struct uarch_core *core, uint64_t page, uint64_t name, bool *walk);

/* tlb.c: the name of page, a number, as far as the first level has it; UINT64_MAX: it does not. */
uint64_t uarch__known_name(struct uarch_core *core, uint64_t page);

/* tlb.c: no level has a translation of addresses from begin to before end. */
void uarch__invalidate(struct uarch_core *core, uint64_t begin, uint64_t end);

/*
 * What TLBs call a page, which has no other page's name: its number, and above that, if it is
 * larger than the profile's, log2 of its size.
 */
#define NAME_NUMBER ((UINT64_C(1) << 56) - 1)
static inline uint64_t page_name(uint64_t addr, unsigned shift)
{
	return addr >> shift | (uint64_t)shift << 56;
}

/* Whether the number of a page may not be its name. */
static inline bool pages_differ(const struct uarch_core *core)
{
	return core->larger_pages || atomic_load_explicit(&core->shared->pages.changes,
	                                                  memory_order_relaxed) != core->pages_seen;
}

/* pages.c: return the name of page, a number, after the TLB has followed what has changed. */
uint64_t uarch__page_name(struct uarch_core *core, uint64_t page);
/* pages.c: return the cycles that the translation of page waits. Set *walk if the tables were
 * walked. */
uint32_t uarch__translate(struct uarch_core *core, uint64_t page, bool *walk);

/* log2 of a power of two, or -1. */
static inline int uarch_log2(uint64_t value)
{
	return value && !(value & (value - 1)) ? __builtin_ctzll(value) : -1;
}

/* Whether the tag is that of line in at least this state, which is not LINE_INVALID: states count
 * up to LINE_MODIFIED. */
static inline bool tag_is(uint64_t tag, uint64_t line, enum line_state least)
{
	return tag - (line << 2 | least) <= LINE_MODIFIED - least;
}

static inline uint64_t tag_load(const struct tag_cache *cache, uint32_t index)
{
	return atomic_load_explicit(&cache->tags[index], memory_order_relaxed);
}

/* The state of line in cache, without touching the order, and where it is. All ways are looked at:
 * in which of them it is cannot be predicted. */
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

/* Identity order of up to sixteen ways. */
#define ORDER_INITIAL UINT64_C(0xfedcba9876543210)

/* Move way to the front of order. Branch-free: its place is hard to predict. */
static inline uint64_t order_touch(uint64_t order, uint32_t way)
{
	const uint64_t ones = UINT64_C(0x1111111111111111);
	uint64_t differs = order ^ ones * way;
	/* the lowest nibble that is zero gets its top bit set */
	uint64_t zero = (differs - ones) & ~differs & ones << 3;
	unsigned at = (unsigned)__builtin_ctzll(zero) & ~3u;
	/* the ways before it move back by one, those after it stay */
	uint64_t before = order & ((UINT64_C(1) << at) - 1);
	uint64_t after = order & (~UINT64_C(15) << at);

	return after | before << 4 | way;
}

#endif
