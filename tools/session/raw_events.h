/* SPDX-License-Identifier: MIT */
/* Events of a recording, from which the timeline and the heap are built. */
#ifndef TOOLS_RAW_EVENTS_H
#define TOOLS_RAW_EVENTS_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "copies.h"

struct raw_event {
	uint64_t time;
	size_t order; /* position in the file */
	struct spemu_perf_event event;
};

struct raw_events {
	struct raw_event *items;
	size_t count, capacity;
};

void raw_events_add(struct raw_events *raw, const struct spemu_perf_event *event);
/* Sort by time. Events of one time stay in the order of the file. */
void raw_events_sort(struct raw_events *raw);

/* Return true if the mapping is generated code, whose names are in a perf map or jitdump file. */
bool mapping_is_jit(const struct spemu_perf_mmap *m);
/* Return true if the mapping announces the process's jitdump file. */
bool mapping_is_dump(const struct spemu_perf_mmap *m);

/*
 * Add a mapping for each piece of code in the jitdump files that the events announce. The mapping
 * starts when the code was loaded or moved if the recording uses the same clock, else when the
 * jitdump file was mapped. file is the recording, and copies are its copies of files.
 */
void raw_events_add_dumps(struct raw_events *raw, const struct spemu_perf_file *file,
                          const struct copies *copies);

#endif
