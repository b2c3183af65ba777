/* SPDX-License-Identifier: MIT */
/* Who was which thread, and what was mapped where, at each time of a recording. */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include <spemu/perfdata.h>
#include "symbols.h"

/* A thread under one name. Lives as long as the session; equal tasks are the same object. */
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
 * A thread during a time in which it keeps its name and process, and neither that nor the kernel
 * maps anything: what is found for an address then holds all the time.
 */
struct moment {
	const struct task *task;
	uint64_t first, last; /* the time, both ends included */
	uint32_t tid;
	uint32_t number; /* from 0 on; moments of equal number differ in nothing but time */
};

static inline bool moment_has(const struct moment *m, uint32_t tid, uint64_t time)
{
	return m->tid == tid && time >= m->first && time <= m->last;
}

struct timeline;
struct timeline *timeline_new(void);
/* COMM, FORK, MMAP, MMAP2; others are ignored. In any order. */
void timeline_add(struct timeline *t, const struct spemu_perf_event *event);
/* After the last event: sort. file gives the build-ids of its table. */
void timeline_finish(struct timeline *t, const struct spemu_perf_file *file);

/* The thread tid at time, never NULL; (uint32_t)-1, unknown: the only process of the file if there
 * is one. */
const struct task *timeline_task(struct timeline *t, uint32_t tid, uint64_t time);
/* The same with all that goes with it, for as long as nobody asks for a moment again. */
const struct moment *timeline_moment(struct timeline *t, uint32_t tid, uint64_t time);
/* The mapping that held addr in process pid (or the kernel) at time, or NULL. */
const struct mapping *timeline_mapping(struct timeline *t, uint32_t pid, uint64_t addr,
                                       uint64_t time);
/* The nearest mapping of a file below addr: its zero-filled data may reach there. */
const struct mapping *timeline_mapping_below(struct timeline *t, uint32_t pid, uint64_t addr,
                                             uint64_t time);
size_t timeline_process_count(const struct timeline *t);
size_t timeline_thread_count(const struct timeline *t);

#endif
