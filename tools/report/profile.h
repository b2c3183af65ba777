/* SPDX-License-Identifier: MIT */
/*
 * The profile: sums of the samples of one or more recordings, from a single pass over the records.
 *
 * A place is an instruction in one task. A facet is the part of a record that cannot be added up:
 * its events, its operation and its data source. A bin has the sums of a place and a facet. Every
 * column, group and reason is computed from the bins.
 */
#ifndef TOOLS_REPORT_PROFILE_H
#define TOOLS_REPORT_PROFILE_H

#include <spemu/codec.h>

#include "../base/map.h"
#include "../base/optext.h"
#include "sums.h"

struct facet {
	uint64_t events;
	uint32_t cpu; /* CPU of the sample if by_cpu is set, else 0 */
	uint16_t source;
	uint8_t source_name;           /* enum source_name */
	uint8_t op_class, op_subclass; /* SPEMU_CLASS_RESERVED, 0 without Operation Type packet */
	bool has_events, has_source;
};

static inline enum op_group facet_operation(const struct facet *f)
{
	return op_group(f->op_class, f->op_subclass);
}

struct bin {
	uint32_t place, facet;
	uint32_t contended; /* index + 1 of its contention (contention.h), or 0 */
	struct sums sums;
};

/* The memory accesses of one place, with one facet, to one address, or to one cache line if
 * by_address is false. */
struct touch {
	uint32_t line;   /* index of the cache line */
	uint32_t offset; /* offset of the first byte in the line */
	uint32_t memory; /* index in p->memories, after memory_find_all() */
	uint32_t next;   /* index + 1 of the next touch in the list of the line, or 0: touches.c */
	uint32_t slot;   /* slot of the samples (struct sample) */
	uint64_t time;   /* time of the first such memory access, for looking up memory */
	const struct heap_object *heap; /* heap object at the address, or NULL */
	struct bin bin;
};

/* The memory accesses of one thread to a cache line. Bits are 64ths of the line. */
struct line_thread {
	uint32_t tid, samples;
	uint64_t first, last; /* times of the first and the last of them */
	uint64_t read, written;
};

struct cache_line {
	uint64_t addr;
	uint32_t pid, input;
	uint64_t time; /* time of the first memory access, for looking up mappings */
	uint64_t samples, loads, stores, atomics, refills;
	uint64_t snooped; /* samples whose data came from another core's cache */
	uint64_t latency_samples, latency;
	bool contended, estimated; /* see contention.h */
	uint32_t touch;            /* index + 1 of the first touch in its list, or 0: touches.c */
	uint32_t thread_count, other_capacity;
	struct line_thread first, *others; /* line_thread() */
};

/* Return the memory accesses of a thread by its number, from 0 to thread_count - 1. */
static inline const struct line_thread *line_thread(const struct cache_line *line, uint32_t number)
{
	return number ? &line->others[number - 1] : &line->first;
}

/* The kinds of sharing of a cache line between threads, according to the samples. */
enum sharing {
	SHARING_NONE,  /* accessed by one thread */
	SHARING_READ,  /* never written */
	SHARING_MAYBE, /* no sampled write, but data came from another core's cache */
	SHARING_FALSE, /* written; no written part is accessed by two threads */
	SHARING_TRUE,  /* written; threads share the written parts */
	SHARING_MIXED, /* written in parts of one thread and in parts that threads share */
};
enum sharing line_sharing(const struct cache_line *line);
/* Return a word for the sharing, or NULL if one thread accesses the line. */
const char *sharing_word(const struct cache_line *line);

/* A sample with its bin and, if it accessed data, its cache line. */
struct counted {
	const struct sample *sample;
	const struct spemu_record *record; /* record of the sample */
	uint32_t bin;                      /* index of the bin */
	enum source_name source;
	bool has_data; /* true if the members below are known */
	enum op_group operation;
	uint64_t address; /* data address without its tag */
	uint32_t line;    /* index of the cache line */
};

enum { SECTIONS_MAX = 32 };
struct section;
struct profile {
	struct samples samples;
	const struct recording *recording; /* recording that is being read */
	uint32_t cpu;                      /* CPU of the current samples if by_cpu */
	unsigned line_size;
	bool by_cpu; /* true if facets have the CPU */
	/* Data that sections need: cache lines, and touches by address. If a process has several
	 * threads, contention needs cache lines, and touches by cache line at least. */
	bool by_line, by_address, by_thread;
	/* Sections that get every sample. */
	const struct section *wanted[SECTIONS_MAX];
	unsigned wanted_count;
	struct calls *calls;         /* sums by call stack, or NULL if no section wants them */
	struct call_bins *call_bins; /* sums by call stack and bin, or NULL */
	struct heat *heat;           /* cells of the heat map, or NULL */
	struct histogram *latencies; /* histogram of each kind of latency: latency.c */
	struct recent *recent;       /* caches for the recording that is being read */
	struct sums all;             /* sums of all samples */
	struct map facet_index, bin_index, line_index, touch_index, memory_index, data_type_index;
	struct facet *facets;
	struct bin *bins;
	struct cache_line *lines;
	struct touch *touches;
	const char *data_type; /* name of the only type that sections about types show, or NULL */
	struct touch_type *touch_types; /* types of the touches, NULL before data_types_find() */
	struct data_type *data_types;
	struct data_member *data_members;
	struct map data_member_index;
	size_t data_type_capacity, data_member_capacity;
	struct advices *advices; /* advice about layouts, NULL before advices_find() */
	uint32_t *unlisted;      /* touches that are not in the list of their line: touches.c */
	struct memory *memories; /* memories of the touches, NULL before memory_find_all() */
	size_t facet_capacity, bin_capacity, line_capacity, memory_capacity;
	size_t touch_count, touch_capacity, unlisted_capacity;
	struct heap_row *heap_rows; /* allocation sites of all recordings: heap_rows.h */
	size_t heap_row_count;
	uint32_t **heap_row_of; /* index in heap_rows, by recording and allocation site */
	/* Shortest issue latency of all records, and shortest execution of a store, or 0. */
	uint64_t least_issue, least_store;
	bool shows_vectors;           /* true if a record has a format of SVE */
	uint64_t vector_accesses;     /* SVE loads and stores with an active element */
	uint64_t unaddressed_vectors; /* those without a data address */
	struct contended *contended;  /* contention of bins and touches */
	size_t contended_count, contended_capacity;
};

/* Return the index of the recording that is being read. */
static inline uint32_t profile_reads(const struct profile *p)
{
	return (uint32_t)(p->recording - p->samples.recordings);
}

/* Return the issue cycles beyond the shortest issue latency of the recordings. */
uint64_t issue_wait(const struct profile *p, const struct sums *sums);

/* ---- bins.c ---- */

/* Add a sample to its bin. Return the bin's index. */
uint32_t bins_add(struct profile *p, const struct counted *c);

/* ---- cache_lines.c ---- */

/* Add a memory access to its cache line. Return the line's index. */
uint32_t cache_lines_add(struct profile *p, const struct counted *c);
/* Return the address of the line's first byte. */
static inline uint64_t cache_line_start(const struct profile *p, uint64_t address)
{
	return address & ~(uint64_t)(p->line_size - 1);
}

/* ---- touches.c ---- */

/* Add a memory access to its touch, if touches are kept. */
void touches_add(struct profile *p, const struct counted *c);

/* ---- collector.c ---- */

/* Pass every sample to this section, too. */
void profile_want(struct profile *p, const struct section *section);
/* Add up all samples of the recordings, which must be open. */
void profile_collect(struct profile *p);

#endif
