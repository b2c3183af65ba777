/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "raw_events.h"
#include "jitdump.h"
#include "symbols.h"
#include "../base/common.h"
#include "../base/map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define USE_CLOCKID 25 /* bit of an attr's flags */

void raw_events_add(struct raw_events *raw, const struct spemu_perf_event *event)
{
	const size_t order = raw->count;

	APPEND(raw->items, raw->count, raw->capacity) = (struct raw_event){
	        .time = event->who.valid & SPEMU_PERF_SAMPLE_TIME ? event->who.time : 0,
	        .order = order,
	        .event = *event,
	};
}

static int compare_events(const void *pa, const void *pb)
{
	const struct raw_event *a = pa, *b = pb;

	return a->time != b->time ? compare_numbers(a->time, b->time)
	                          : compare_numbers(a->order, b->order);
}

void raw_events_sort(struct raw_events *raw)
{
	if (raw->count)
		qsort(raw->items, raw->count, sizeof(*raw->items), compare_events);
}

static bool is_mapping(const struct spemu_perf_event *event)
{
	return event->type == SPEMU_PERF_MMAP || event->type == SPEMU_PERF_MMAP2;
}

bool mapping_is_jit(const struct spemu_perf_mmap *m)
{
	return !m->data && (m->prot & PROT_EXEC) &&
	       (!strncmp(m->filename, "//anon", 6) || !strncmp(m->filename, "/anon_hugepage", 14) ||
	        !strncmp(m->filename, "/memfd:", 7));
}

bool mapping_is_dump(const struct spemu_perf_mmap *m)
{
	return m->cpumode != SPEMU_PERF_MISC_KERNEL && jitdump_is_named(m->filename, m->pid);
}

/* Return true if the user chose the clock of the times, as with perf record -k 1. */
static bool has_clock(const struct spemu_perf_file *file)
{
	struct spemu_perf_attr attr;

	return spemu_perf_attr(file, &attr, 0) == SPEMU_OK && (attr.flags >> USE_CLOCKID & 1);
}

static void add_dump(struct raw_events *raw, const struct raw_event *marker,
                     const struct copies *copies, bool clock)
{
	struct raw_event made = *marker;
	struct spemu_perf_mmap *m = &made.event.u.mmap;
	struct object *dump =
	        object_find_dump(m->filename, copies_find(copies, SPEMU_PERF_COPY_DUMP, m->pid));
	const struct jit_code *codes;
	bool by_counter;
	size_t n;

	codes = object_jit_codes(dump, &n, &by_counter);
	if (object_problem(dump))
		warn("no names for generated code: %s; keep the file that the runtime writes",
		     object_problem(dump));
	clock = clock && !by_counter;
	if (n && !clock)
		warn("%s and the recording use different clocks, so an address has the name of the "
		     "code that was loaded there last; record with 'perf record -k 1'",
		     m->filename);
	for (size_t i = 0; i < n; i++) {
		uint64_t time = clock ? codes[i].time : 0, first = marker->time;

		made.time = time > first ? time : first;
		made.order = raw->count;
		m->start = codes[i].start;
		m->len = codes[i].size;
		m->pgoff = codes[i].offset;
		APPEND(raw->items, raw->count, raw->capacity) = made;
	}
}

/*
 * Move mappings of memory for generated code to the time when the jitdump file was mapped. A
 * process maps such memory, writes the record of the code, and then changes the protection of the
 * memory. That later mapping must not replace the code in the file. perf does the same.
 */
static void begin_before(struct raw_events *raw, size_t n, const struct raw_event *marker)
{
	for (size_t i = 0; i < n; i++) {
		struct raw_event *e = &raw->items[i];

		if (is_mapping(&e->event) && e->event.u.mmap.pid == marker->event.u.mmap.pid &&
		    e->time > marker->time && mapping_is_jit(&e->event.u.mmap))
			e->time = marker->time;
	}
}

void raw_events_add_dumps(struct raw_events *raw, const struct spemu_perf_file *file,
                          const struct copies *copies)
{
	const bool clock = has_clock(file);
	const size_t n = raw->count;
	struct map seen = {0};

	for (size_t i = 0; i < n; i++) {
		struct raw_event marker = raw->items[i]; /* a copy: raw->items may move */
		const struct spemu_perf_mmap *m = &marker.event.u.mmap;
		size_t before = seen.count;

		if (!is_mapping(&marker.event) || !mapping_is_dump(m) ||
		    map_add(&seen, (struct map_key){m->pid, 0, 0}) < before)
			continue;
		begin_before(raw, n, &marker);
		add_dump(raw, &marker, copies, clock);
	}
	map_free(&seen);
}
