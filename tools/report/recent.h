/* SPDX-License-Identifier: MIT */
/*
 * Caches of the bins, cache lines and touches of recent samples, because most samples repeat them.
 * Each cache is direct-mapped: a new entry replaces the entry with the same hash.
 */
#ifndef TOOLS_REPORT_RECENT_H
#define TOOLS_REPORT_RECENT_H

#include <stdbool.h>
#include <stdint.h>
#include <spemu/codec.h>

#include "../base/map.h"

enum {
	RECENT_LOG2 = 12,
	RECENT = 1 << RECENT_LOG2,
	/* Samples have many more cache lines than instructions. */
	RECENT_LINES_LOG2 = 15,
	RECENT_LINES = 1 << RECENT_LINES_LOG2,
};

/*
 * The part of a record that, together with the place, determines the bin. The members are whole
 * words, because loading a word that was stored in parts is slow.
 */
struct recent_facet {
	uint64_t events;
	uint64_t present; /* record.present */
	uint32_t operation;
};

struct recent_line {
	uint64_t addr;
	uint32_t pid, line; /* line is an index + 1, like bin and touch below */
};

struct recent_touch {
	uint64_t va;
	uint32_t moment, line, bin;
	const struct heap_object *heap;
	uint32_t touch, slot;
};

struct recent_bin {
	struct recent_facet facet;
	uint32_t place, bin;
};

/* The caches, valid for one recording, and bins for one CPU. All zero is empty. */
struct recent {
	struct recent_line lines[RECENT_LINES];
	struct recent_touch touches[RECENT_LINES];
	struct recent_bin bins[RECENT];
};

static inline struct recent_line *recent_line(struct recent *r, uint64_t addr, uint32_t pid)
{
	return &r->lines[hash_pair(addr, pid, RECENT_LINES_LOG2)];
}

static inline struct recent_touch *recent_touch(struct recent *r, uint64_t va, uint32_t moment)
{
	return &r->touches[hash_pair(va, moment, RECENT_LINES_LOG2)];
}

static inline struct recent_facet recent_facet(const struct spemu_record *rec)
{
	return (struct recent_facet){rec->events, rec->present,
	                             (uint32_t)rec->op_subclass << 24 |
	                                     (uint32_t)rec->op_class << 16 | rec->data_source};
}

static inline struct recent_bin *recent_bin(struct recent *r, uint32_t place,
                                            const struct recent_facet *f)
{
	return &r->bins[hash_pair(f->events ^ f->present << 20,
	                          (uint64_t)f->operation << 32 ^ place ^ f->present >> 12,
	                          RECENT_LOG2)];
}

static inline bool recent_bin_is(const struct recent_bin *b, uint32_t place,
                                 const struct recent_facet *f)
{
	return b->bin && b->place == place && b->facet.events == f->events &&
	       b->facet.present == f->present && b->facet.operation == f->operation;
}

#endif
