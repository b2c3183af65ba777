/* SPDX-License-Identifier: MIT */
/* Call stacks, sorted by time and thread. Memory has only the offset of each event; the events stay
 * in the mapped file. */
#include "call_stacks.h"
#include "../base/common.h"

#include <stdlib.h>

#define NEEDED                                                                   \
	(SPEMU_PERF_SAMPLE_IP | SPEMU_PERF_SAMPLE_TID | SPEMU_PERF_SAMPLE_TIME | \
	 SPEMU_PERF_SAMPLE_CALLCHAIN)

struct stack_entry {
	uint64_t time, offset; /* time of the event, and its offset in the file */
	uint32_t tid;
};

struct stacks {
	struct spemu_perf_file *file;
	struct stack_entry *entries;
	size_t count, capacity;
};

static bool has_stacks(const struct spemu_perf_file *file)
{
	struct spemu_perf_attr attr;

	for (uint32_t i = 0; spemu_perf_attr(file, &attr, i) == SPEMU_OK; i++) {
		if ((attr.sample_type & NEEDED) == NEEDED)
			return true;
	}
	return false;
}

static int compare_entries(const void *pa, const void *pb)
{
	const struct stack_entry *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void add(struct stacks *stacks, const struct spemu_perf_event *event)
{
	struct spemu_perf_sample sample;

	if (event->type != SPEMU_PERF_SAMPLE ||
	    spemu_perf_sample(stacks->file, &sample, event) != SPEMU_OK ||
	    (sample.valid & NEEDED) != NEEDED)
		return;
	APPEND(stacks->entries, stacks->count, stacks->capacity) =
	        (struct stack_entry){sample.time, event->file_offset, sample.tid};
}

struct stacks *stacks_read(const struct session *s)
{
	struct spemu_perf_cursor cursor = {0};
	struct spemu_perf_event event;
	struct stacks *stacks;

	if (!has_stacks(s->file))
		return NULL;
	stacks = xcalloc(1, sizeof(*stacks));
	stacks->file = s->file;
	while (spemu_perf_next(s->file, &event, &cursor) == SPEMU_OK)
		add(stacks, &event);
	if (stacks->count)
		qsort(stacks->entries, stacks->count, sizeof(*stacks->entries), compare_entries);
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->entries);
	free(stacks);
}

bool stacks_find(const struct stacks *stacks, struct spemu_perf_sample *sample, uint32_t tid,
                 uint64_t time, uint64_t pc)
{
	const struct stack_entry key = {.time = time, .tid = tid};
	size_t first;

	COUNT_LEADING(first, stacks->count, i, compare_entries(&stacks->entries[i], &key) < 0);
	/* Time and thread identify nearly every record. Bound the search: a hostile file may have
	 * many events with the same time and thread. */
	for (size_t i = first; i < stacks->count && i - first < 64; i++) {
		const struct stack_entry *e = &stacks->entries[i];
		struct spemu_perf_cursor cursor = {.offset = e->offset};
		struct spemu_perf_event event;

		if (e->time != time || e->tid != tid)
			break;
		if (spemu_perf_next(stacks->file, &event, &cursor) == SPEMU_OK &&
		    spemu_perf_sample(stacks->file, sample, &event) == SPEMU_OK && sample->ip == pc)
			return true;
	}
	return false;
}

size_t stack_calls(const struct spemu_perf_sample *sample, uint64_t *calls)
{
	size_t n = 0;

	/* The first two entries are the context and the sampled instruction. */
	for (uint32_t i = sample->n_chain; i-- > 2 && n < SPEMU_PERF_CALLCHAIN_MAX;) {
		uint64_t address = spemu_perf_sample_chain(sample, i);

		if (address < SPEMU_PERF_CONTEXT_MAX)
			calls[n++] = address - 4;
	}
	return n;
}
