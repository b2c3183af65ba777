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

struct timeline;
struct timeline *timeline_new(void);
/* COMM, FORK, MMAP, MMAP2; others are ignored. In any order. */
void timeline_add(struct timeline *t, const struct spemu_perf_event *event);
/* After the last event: sort. file gives the build-ids of its table. */
void timeline_finish(struct timeline *t, const struct spemu_perf_file *file);

/* The thread tid at time; (uint32_t)-1, unknown: the only process of the file if there is one. */
const struct task *timeline_task(struct timeline *t, uint32_t tid, uint64_t time);
const struct mapping *timeline_mapping(struct timeline *t, uint32_t pid, uint64_t addr,
                                       uint64_t time);
const struct mapping *timeline_mapping_below(struct timeline *t, uint32_t pid, uint64_t addr,
                                             uint64_t time);
size_t timeline_process_count(const struct timeline *t);
size_t timeline_thread_count(const struct timeline *t);

#endif
