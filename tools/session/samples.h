/* SPDX-License-Identifier: MIT */
/*
 * Samples: the records that pass the filters, one by one. Each sample has its thread, the place of
 * its instruction and, if stacks are wanted, its call stack.
 */
#ifndef TOOLS_SAMPLES_H
#define TOOLS_SAMPLES_H

#include "../base/map.h"
#include "data_source.h"
#include "place.h"
#include "sample_filter.h"

struct recording {
	const char *path, *host; /* path of the file, and name of the host or "" */
	struct session session;
	const struct source_encoding *sources; /* encoding of the data sources, or NULL */
	uint64_t samples, left_out;            /* records that pass the filters, and the others */
};

/* Return exact numbers of the timing model, by enum spemu_perf_total. Return NULL if the recording
 * has none, or none for some of its samples: filters leave out samples, and the last samples of a
 * killed process come without numbers. */
const uint64_t *sample_totals(const struct recording *recording);

/* A call stack: an instruction and the stack of its caller. Number 0 is the empty stack. */
struct call {
	uint32_t caller, place;
};

/* A place in the stack frame of a caller. */
struct frame_slot {
	uint32_t place; /* index of the place of the caller's call */
	int64_t offset; /* offset from the canonical frame address */
};

struct sample {
	const struct recording *recording;
	const struct chunk *chunk;
	const struct spemu_record *record;
	const struct moment *moment; /* moment of the thread */
	const struct task *task;
	uint64_t time;  /* nanoseconds, or UINT64_MAX if unknown */
	uint32_t place; /* index of the place */
	uint32_t stack; /* stack that ends in the instruction, or 0 if stacks are not wanted */
	uint32_t slot;  /* index + 1 of the slot with the data, or 0 if stacks do not tell it */
};

typedef void take_sample_fn(void *to, const struct sample *sample);
/* Look at a batch of records before they become samples. now is the moment of the last record, or
 * NULL. */
typedef void look_ahead_fn(void *to, const struct recording *recording, const struct moment *now,
                           const struct spemu_record *records, size_t count);

struct samples {
	struct recording *recordings;
	unsigned recording_count;
	struct filter *filter;
	/* A further filter of complete samples, or NULL; see tools/types/type_filter.h. */
	bool (*wants)(void *of, const struct sample *sample);
	void *wants_of;
	bool want_stacks;
	bool has_stacks; /* true if a recording has call stacks */
	uint64_t without_stack,
	        cut_stack;        /* samples without a stack, and with a stack that may be cut */
	uint64_t count, left_out; /* records that pass the filters, and the others */
	uint64_t timed;           /* samples with a total latency */
	uint64_t bytes;           /* bytes of trace read so far */
	struct map place_index, call_index, slot_index;
	struct place *places;
	struct call *calls;
	struct frame_slot *slots;
	size_t place_capacity, call_capacity, slot_capacity;
};

/* Open the recordings. Die when there is nothing to read. */
void samples_open(struct samples *s, const char *const *paths, size_t count, struct filter *filter);
/* Pass each sample to take(). ahead may be NULL. */
void samples_read(struct samples *s, take_sample_fn *take, look_ahead_fn *ahead, void *to);
/* Forget the counts of samples_read(), so that it can read the samples once more. */
void samples_rewind(struct samples *s);
/* Return 0, or EXIT_DAMAGED if a part of a recording could not be read. */
int samples_status(const struct samples *s);
/* Warn of damaged records, of objects without symbols, and of filters that no sample passes. */
void samples_warn(struct samples *s);

static inline bool record_has_counter(const struct spemu_record *rec, unsigned index)
{
	return rec->present / SPEMU_RECORD_COUNTER(index) & 1;
}

#endif
