/* SPDX-License-Identifier: MIT */
/* Threads, processes and mappings over the time of a recording. */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include <spemu/perfdata.h>
#include "symbols.h"

/* A thread under one name. It lives as long as the session; equal tasks are the same object. */
struct task {
	uint32_t pid, tid;
	char *comm;
};

struct mapping {
	uint64_t start, len, pgoff;
	struct object *object;
	bool writable;
};

/*
 * A thread in a period in which it keeps its name and process, and neither that process nor the
 * kernel maps anything. So the result of a look-up of an address holds for the whole period.
 */
struct moment {
	const struct task *task;
	uint64_t first, last; /* the period, both ends included */
	uint32_t tid;
	uint32_t number; /* from 0 on; moments of equal number differ only in time */
};

static inline bool moment_has(const struct moment *m, uint32_t tid, uint64_t time)
{
	return m->tid == tid && time >= m->first && time <= m->last;
}

struct timeline;
struct timeline *timeline_new(void);
/* Take COMM, FORK, MMAP and MMAP2 events, in any order. Ignore others. */
void timeline_add(struct timeline *t, const struct spemu_perf_event *event);
/* Sort, after the last event. file has the table of build-ids. */
void timeline_finish(struct timeline *t, const struct spemu_perf_file *file);

/* Return the task of thread tid at time, never NULL. If tid is (uint32_t)-1, unknown, that is
 * the only process of the file if there is one. */
const struct task *timeline_task(struct timeline *t, uint32_t tid, uint64_t time);
/* Return the moment of the thread. It is valid until the next call. */
const struct moment *timeline_moment(struct timeline *t, uint32_t tid, uint64_t time);
/* Return the mapping that held addr in process pid (or the kernel) at time, or NULL. */
const struct mapping *timeline_mapping(struct timeline *t, uint32_t pid, uint64_t addr,
                                       uint64_t time);
/* Return the nearest mapping of a file below addr: its zero-filled data may extend to addr. */
const struct mapping *timeline_mapping_below(struct timeline *t, uint32_t pid, uint64_t addr,
                                             uint64_t time);
size_t timeline_process_count(const struct timeline *t);
size_t timeline_thread_count(const struct timeline *t);

#endif
