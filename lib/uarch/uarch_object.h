/* SPDX-License-Identifier: MIT */
/* The insides of the timing model, shared by the files of this folder. */
#ifndef SPEMU_UARCH_MODEL_H
#define SPEMU_UARCH_MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <spemu/uarch.h>

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
 * order[set] lists the ways from the most to the least recently used, four bits each.
 */
struct tag_cache {
	_Atomic uint64_t *tags;
	uint64_t *order;
	uint32_t set_mask;
	uint32_t ways;
};

#define TLB_HINTS 256

/* A fully associative first level with true LRU, and a set-associative second level. Pages are
 * stored plus one, so that 0 is empty. */
struct tlb {
	uint64_t last; /* most recently used page */
	uint64_t clock;
	uint64_t *page; /* first level: entries */
	uint64_t *used;
	uint8_t hint[TLB_HINTS]; /* where a page was seen last; verified on use */
	uint32_t entries;
	uint64_t *l2_page;
	uint64_t *l2_order;
	uint32_t l2_set_mask;
	uint32_t l2_ways; /* 0: no second level */
};

/* When each store that entered last leaves, as a ring. */
struct store_buffer {
	uint64_t *leaves;
	uint64_t last; /* when the youngest leaves */
	uint32_t entries;
	uint32_t next; /* the oldest, which the next store replaces */
};

struct indirect_entry {
	uint64_t key; /* hash of branch and path; 0 is empty */
	uint64_t target;
};

#define RAS_MAX 64

struct predictor {
	uint8_t *bimodal; /* two-bit counters, a byte each */
	uint8_t *gshare;
	uint8_t *chooser; /* 2 and 3 choose gshare; as many as bimodal */
	struct indirect_entry *indirect;
	uint64_t history; /* outcomes of conditional branches, the last in bit 0 */
	uint64_t path;    /* targets of indirect branches, folded */
	uint64_t ras[RAS_MAX];
	uint32_t ras_top;   /* where the next push goes */
	uint32_t ras_depth; /* entries that are good */
};

struct spemu_uarch_core {
	struct spemu_uarch_shared *shared;
	const struct spemu_uarch_profile *profile; /* that of shared */
	unsigned id;
	uint32_t line_shift;
	uint32_t page_shift;
	uint64_t clock; /* cycles, as store_buffer.c counts them */
	struct store_buffer stores;
	struct tlb tlb;
	struct tag_cache l1d;
	struct tag_cache l2; /* includes l1d */
	struct predictor predictor;
};

/*
 * A line of the last level cache, which includes all private caches and so is their directory.
 * tag is line << 2 | owned << 1 | 1, 0 if empty. Bit id % 64 of sharers: that core may have it.
 * Within a set the entries are ordered from the most to the least recently used.
 */
struct directory_entry {
	uint64_t tag;
	uint64_t sharers;
};

#define DIRECTORY_OWNED 2u /* one of the sharers, if there are any, has it exclusive or modified */

struct spemu_uarch_shared {
	struct spemu_uarch_profile profile;
	unsigned max_cores;
	atomic_uint id_limit; /* all cores made so far have smaller ids */
	uint32_t set_mask;
	uint32_t ways;
	size_t core_size;
	struct directory_entry *entries;
	atomic_uchar *locks; /* one a set */
	struct spemu_uarch_core *_Atomic *cores;
};

/* What became of one request to the directory. */
struct fetched {
	enum spemu_uarch_source source;
	bool modified; /* a peer had it modified */
};

/* directory.c: get line for core, exclusive for a store, and put it into the core's caches. */
struct fetched spemu__uarch_fetch(struct spemu_uarch_core *core, uint64_t line, bool exclusive);

/* private.c: the caches of one core. */
void spemu__uarch_fill(struct spemu_uarch_core *core, uint64_t line, enum line_state state,
                       uint64_t *dropped);
void spemu__uarch_fill_l1(struct spemu_uarch_core *core, uint64_t line, enum line_state state);
enum line_state spemu__uarch_find(struct tag_cache *cache, uint64_t line, uint32_t *index);
enum line_state spemu__uarch_probe(struct spemu_uarch_core *core, uint64_t line,
                                   enum line_state left);
bool spemu__uarch_to_modified(struct tag_cache *cache, uint32_t index, uint64_t line);

/* tlb.c: cycles that the translation of page waits; sets *walk if the tables were walked. */
uint32_t spemu__uarch_translate(struct spemu_uarch_core *core, uint64_t page, bool *walk);

/* store_buffer.c: a store whose line is there after some cycles enters; how long it waits to. */
uint32_t spemu__uarch_store(struct spemu_uarch_core *core, uint32_t cycles);

/* log2 of a power of two, or -1. */
static inline int uarch_log2(uint64_t value)
{
	return value && !(value & (value - 1)) ? __builtin_ctzll(value) : -1;
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
