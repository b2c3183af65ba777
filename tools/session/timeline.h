/* SPDX-License-Identifier: MIT */
/* Timeline: threads, processes and mappings over the time of a recording. */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include <spemu/perfdata.h>
#include "symbols.h"

/* A thread with one name. It lives as long as the session. Equal tasks are the same object. */
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
 * A period of a thread. Its name and process stay the same, and neither the process nor the kernel
 * changes its mappings, so looking up an address has one result for the whole period.
 */
struct moment {
	const struct task *task;
	uint64_t first, last; /* first and last time of the period */
	uint32_t tid;
	uint32_t number; /* number, from 0; moments with the same number differ only in time */
};

static inline bool moment_has(const struct moment *m, uint32_t tid, uint64_t time)
{
	return m->tid == tid && time >= m->first && time <= m->last;
}

struct timeline;
struct timeline *timeline_new(void);
/* Take COMM, FORK, MMAP and MMAP2 events and copies of files, in any order. Ignore others. */
void timeline_add(struct timeline *t, const struct spemu_perf_event *event);
/* Build the timeline. Call this after the last event. file has the table of build-ids. */
void timeline_finish(struct timeline *t, const struct spemu_perf_file *file);

/* Return the task of thread tid at time, never NULL. If tid is unknown, UINT32_MAX, return a task
 * of the file's only process, or an unknown task if there are several. */
const struct task *timeline_task(struct timeline *t, uint32_t tid, uint64_t time);
/* Return the moment of the thread. It is valid until the next call. */
const struct moment *timeline_moment(struct timeline *t, uint32_t tid, uint64_t time);
/* Return the mapping that contained addr in process pid or the kernel at time, or NULL. */
const struct mapping *timeline_mapping(struct timeline *t, uint32_t pid, uint64_t addr,
                                       uint64_t time);
/* Return the nearest mapping of a file below addr: its zero-filled data may extend to addr. */
const struct mapping *timeline_mapping_below(struct timeline *t, uint32_t pid, uint64_t addr,
                                             uint64_t time);
/* Return exact numbers of the timing model for all threads, by enum spemu_perf_total, or NULL if
 * the recording has none. */
const uint64_t *timeline_totals(const struct timeline *t);
size_t timeline_process_count(const struct timeline *t);
size_t timeline_thread_count(const struct timeline *t);

#endif
