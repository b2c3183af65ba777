/* SPDX-License-Identifier: MIT */
/* What `spemu report` counts, and the sections that show it. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "../base/map.h"
#include "../session/session.h"
#include "../base/table.h"

/* Samples of one instruction in one task. */
struct place {
	const struct task *task;
	struct object *object; /* NULL: not in any mapping */
	uint64_t addr;         /* vaddr in the object, or the sampled address if there is none */
	bool kernel;
	bool resolved; /* addr is a vaddr of object */
	uint64_t samples;
	uint64_t latency_samples, latency; /* total latency, cycles */
	uint64_t branches, mispredicted, not_taken;
	uint64_t first_target; /* of a branch; valid if targets */
	uint64_t targets;      /* 0: none seen, 1: one, 2: several */
};

/* What one thread did to a cache line. Bits are 64ths of the line. */
struct line_thread {
	uint32_t tid;
	uint64_t read, written;
};

struct cache_line {
	uint64_t addr;
	uint32_t pid;
	uint64_t time; /* of the first access: when to look up its mapping */
	uint64_t samples, loads, stores, atomics, refills, snooped;
	uint64_t latency_samples, latency;
	struct line_thread *threads;
	uint32_t thread_count, thread_capacity;
};

enum latency_kind {
	LATENCY_TOTAL,
	LATENCY_ISSUE,
	LATENCY_TRANSLATION,
	LATENCY_KINDS,
};
#define LATENCY_BUCKETS 18 /* 0, 1, 2-3, 4-7, ... 65536 and above */

struct histogram {
	uint64_t bucket[LATENCY_BUCKETS];
	uint64_t samples, sum, max;
};

struct source_count {
	uint64_t samples, latency_samples, latency;
};

struct profile {
	struct session session;
	unsigned line_size;
	uint64_t samples, skipped_bytes, bytes;
	struct map place_index, line_index;
	struct place *places;
	size_t place_capacity;
	struct cache_line *lines;
	size_t line_capacity;
	uint64_t ops[4][256]; /* by CLASS and SUBCLASS; [3]: no Operation Type packet */
	uint64_t fp, simd;
	uint64_t events[64];
	uint64_t events_samples; /* records with an Events packet */
	struct histogram latency[LATENCY_KINDS];
	struct source_count *sources; /* 65536 */
	bool truncated_chunks;
};

/* Read all records of the session that is already open. */
void profile_collect(struct profile *p);

enum sort_key {
	SORT_COMM,
	SORT_PID,
	SORT_TID,
	SORT_DSO,
	SORT_SYM,
	SORT_KEYS,
};

struct report_options {
	enum sort_key sort[SORT_KEYS];
	unsigned sort_count;
	size_t limit; /* rows of a section, 0 = all */
};

/* A section: fills *t, which the caller frees. */
typedef void section_fn(struct table *t, struct profile *p, const struct report_options *opt);
section_fn section_functions, section_lines, section_operations, section_cache_lines,
        section_branches, section_latency, section_sources, section_events;

/* "symbol+0x12" or an address, in a buffer of size bytes. */
void place_name(char *text, size_t size, const struct place *place, bool with_offset);

#endif
