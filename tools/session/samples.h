/* SPDX-License-Identifier: MIT */
/*
 * Samples: the records of recordings that pass the filters, one by one. Each has its thread, the
 * place of its instruction and, if stacks are wanted, its callers.
 */
#ifndef TOOLS_SAMPLES_H
#define TOOLS_SAMPLES_H

#include "../base/map.h"
#include "data_source.h"
#include "place.h"
#include "sample_filter.h"

struct recording {
	const char *path, *host; /* host: "" if the recording does not have it */
	struct session session;
	const struct source_encoding *sources; /* NULL: the core's encoding is unknown */
	uint64_t samples, left_out;            /* that pass the filters, and that do not */
};

/* A call stack: an instruction, and the stack of its caller. Number 0 is the empty stack. */
struct call {
	uint32_t caller, place;
};

struct sample {
	const struct recording *recording;
	const struct chunk *chunk;
	const struct spemu_record *record;
	const struct moment *moment; /* the moment of its thread */
	const struct task *task;
	uint64_t time;  /* in ns; UINT64_MAX: none */
	uint32_t place; /* index */
	uint32_t stack; /* the stack that ends in the instruction; 0: stacks are not wanted */
};

typedef void take_sample_fn(void *to, const struct sample *sample);
/* Look at records before they are handed on as samples. now: the moment of the last record, or
 * NULL. */
typedef void look_ahead_fn(void *to, const struct recording *recording, const struct moment *now,
                           const struct spemu_record *records, size_t count);

struct samples {
	struct recording *recordings;
	unsigned recording_count;
	struct filter *filter;
	bool want_stacks;
	bool has_stacks; /* a recording has call stacks */
	uint64_t without_stack,
	        cut_stack;        /* samples without one, and with as many addresses as fit */
	uint64_t count, left_out; /* that pass the filters, and that do not */
	uint64_t timed;           /* that have a total latency */
	uint64_t bytes;           /* of trace so far */
	struct map place_index, call_index;
	struct place *places;
	struct call *calls;
	size_t place_capacity, call_capacity;
};

/* Open the recordings. Die when there is nothing to read. */
void samples_open(struct samples *s, const char *const *paths, size_t count, struct filter *filter);
/* Hand on each sample. ahead may be NULL. */
void samples_read(struct samples *s, take_sample_fn *take, look_ahead_fn *ahead, void *to);
/* Return 0, or EXIT_DAMAGED if a part of a recording could not be read. */
int samples_status(const struct samples *s);
/* Warn of damaged records, of objects without symbols, and if nothing passes the filters. */
void samples_warn(struct samples *s);

static inline bool record_has_counter(const struct spemu_record *rec, unsigned index)
{
	return rec->present / SPEMU_RECORD_COUNTER(index) & 1;
}

#endif
