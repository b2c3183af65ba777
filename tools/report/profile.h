/* SPDX-License-Identifier: MIT */
/*
 * What is known of the samples of one or more recordings after one reading of their records: sums of those
 * that are alike.
 *
 * A place is an instruction in one task. A facet is what of a record is not a number to add up: its events,
 * its operation, where its data came from. A bin has the sums of a place and a facet, so that every column,
 * every group and every reason follows from the bins.
 */
#ifndef TOOLS_REPORT_PROFILE_H
#define TOOLS_REPORT_PROFILE_H

#include <spemu/codec.h>

#include "../base/map.h"
#include "../session/place.h"
#include "../session/session.h"

struct facet {
	uint64_t events;
	uint32_t cpu;  /* only where somebody asks for it */
	uint32_t line; /* index + 1 of the cache line if another core's cache had it; else 0 */
	uint16_t source;
	uint8_t source_name;           /* enum source_name */
	uint8_t op_class, op_subclass; /* SPEMU_CLASS_RESERVED, 0: no Operation Type packet */
	bool has_events, has_source;
};

/*
 * Cycles are those of records with a total latency: issue and translation as their counters say, execution
 * the rest.
 */
struct sums {
	uint64_t samples;
	uint64_t operations; /* that they stand for: their periods */
	uint64_t timed;      /* with a total latency */
	uint64_t latency, latency_squares;
	uint64_t issue, translation, execution;
	uint64_t issue_known; /* of the timed, with an issue latency */
};

struct bin {
	uint32_t place, facet;
	struct sums sums;
};

/* What one place did, with one facet, to one byte of a cache line. */
struct touch {
	uint32_t line;   /* index of the cache line */
	uint32_t offset; /* of the first byte, in the line */
	uint32_t memory; /* index of what is there, once it was looked up: memory.h */
	uint64_t time;   /* of the first such access: when to look it up */
	const struct heap_object *heap; /* NULL: not known to be of one */
	struct bin bin;
};

/* What one thread did to a cache line. Bits are 64ths of the line. */
struct line_thread {
	uint32_t tid;
	uint64_t read, written;
};

struct cache_line {
	uint64_t addr;
	uint32_t pid, input;
	uint64_t time; /* of the first access: when to look up its mapping */
	uint64_t samples, loads, stores, atomics, refills, snooped;
	uint64_t latency_samples, latency;
	struct line_thread *threads;
	uint32_t thread_count, thread_capacity;
};

/* How threads meet on a line, as far as the samples show. */
enum sharing {
	SHARING_NONE,  /* one thread */
	SHARING_READ,  /* nobody writes */
	SHARING_MAYBE, /* nobody was seen to write, but data came from another core's cache */
	SHARING_FALSE, /* threads write and touch different parts, never the same */
	SHARING_TRUE,  /* they meet at the same addresses */
	SHARING_MIXED, /* both */
};
enum sharing line_sharing(const struct cache_line *line);
/* In a word; NULL: one thread. */
const char *sharing_word(const struct cache_line *line);

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

struct input {
	const char *path;
	struct session session;
	uint64_t samples, left_out; /* shown, and what the filters leave out */
	uint32_t *heap_rows;        /* index of the row of each allocation site */
};

struct calls;
struct filter;
struct heat;
struct profile {
	struct input *inputs;
	unsigned input_count;
	unsigned line_size;
	bool by_cpu;           /* facets have the CPU */
	bool by_address;       /* touches are kept */
	struct filter *filter; /* NULL: none */
	struct calls *calls;   /* NULL: call stacks are not asked for */
	struct heat *heat;     /* NULL: nobody asks for accesses by time and address */
	uint64_t samples, left_out, bytes;
	struct map place_index, facet_index, bin_index, line_index, touch_index, memory_index;
	struct place *places;
	struct facet *facets;
	struct bin *bins;
	struct cache_line *lines;
	struct touch *touches;
	struct memory *memories; /* NULL until they are looked up: memory.h */
	size_t place_capacity, facet_capacity, bin_capacity, line_capacity, touch_capacity;
	size_t memory_capacity;
	struct heap_row *heap_rows; /* allocation sites of all inputs: heap_sites.h */
	size_t heap_row_count;
	struct histogram latency[LATENCY_KINDS];
	bool has_issue;
	uint64_t least_issue; /* the shortest issue latency of all records; 0 if there is none */
};

/* Opens the recordings, whose paths are set. Dies when there is nothing to read. */
void profile_open(struct profile *p);
/* Adds up all records of the recordings. */
void profile_collect(struct profile *p);
/* 0, or EXIT_DAMAGED if a part of an input could not be read. */
int profile_status(const struct profile *p);

#endif
