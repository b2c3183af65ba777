/* SPDX-License-Identifier: MIT */
/* The events of a recording that the timeline and the heap are made from. */
#ifndef TOOLS_RAW_EVENTS_H
#define TOOLS_RAW_EVENTS_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Return true if the mapping is code that the process generated, whose names perf looks for
 * elsewhere. */
bool mapping_is_jit(const struct spemu_perf_mmap *m);
/* Return true if the mapping is the process's jitdump file, which it maps only to announce it. */
bool mapping_is_dump(const struct spemu_perf_mmap *m);

/*
 * Add a mapping for each piece of code in the jitdump files of the events: from when the code was
 * loaded or moved, if the recording has times of the same clock, else from when the file was
 * mapped. file has the events.
 */
void raw_events_add_dumps(struct raw_events *raw, const struct spemu_perf_file *file);

#endif
