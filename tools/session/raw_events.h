/* SPDX-License-Identifier: MIT */
/* The events of a recording that the timeline is made of, before they are in order. */
#ifndef TOOLS_RAW_EVENTS_H
#define TOOLS_RAW_EVENTS_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw_event {
	uint64_t time;
	size_t order; /* of the file */
	struct spemu_perf_event event;
};

struct raw_events {
	struct raw_event *items;
	size_t count, capacity;
};

void raw_events_add(struct raw_events *raw, const struct spemu_perf_event *event);
/* Sort by time. Events of one time stay in the order of the file. */
void raw_events_sort(struct raw_events *raw);

/* Whether what is mapped is code that the process made itself, and perf looks for its names
 * elsewhere. */
bool mapping_is_jit(const struct spemu_perf_mmap *m);
/* Whether it is the process's jitdump file, which it maps for the recording to know of it. */
bool mapping_is_dump(const struct spemu_perf_mmap *m);

/*
 * A mapping for each piece of code that the jitdump files of the events tell of: from when it was
 * loaded or moved, if the recording's times are of the same clock, else from when the file was
 * mapped. file has the events.
 */
void raw_events_add_dumps(struct raw_events *raw, const struct spemu_perf_file *file);

#endif
