/* SPDX-License-Identifier: MIT */
/*
 * Heap objects of a recording and the calls that allocated them. `spemu record --heap` records them
 * as mappings named "[heap] CALL 0xADDRESS"; hosts/qemu-user/heap_objects.h describes the form. The
 * timeline ignores these mappings.
 */
#ifndef TOOLS_ALLOCATIONS_H
#define TOOLS_ALLOCATIONS_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLOCATION_CALLERS = 3 };
/* A call of an allocator in one process, between two calls of execve(). */
struct allocation_site {
	uint32_t pid;
	uint64_t pc; /* address of the call */
	/* Addresses of the calls that led to it, the innermost first; 0 if unknown. */
	uint64_t callers[ALLOCATION_CALLERS];
	const char *call; /* name of the allocator, as "malloc"; equal names are the same pointer */
	uint64_t time;    /* time of the first event about this site */
	bool totals;      /* true if the numbers below are known */
	uint64_t objects, bytes, freed;
	uint32_t image; /* index of the process image */
};

struct heap_object {
	uint32_t allocation_site; /* index of the allocation site */
	uint64_t start, len;
	uint64_t from, to; /* lifetime: from <= time < to */
};

struct heap;
struct heap *heap_new(void);
/* Take an event. Return true if the event is about the heap only. */
bool heap_add(struct heap *h, const struct spemu_perf_event *event);
void heap_finish(struct heap *h);

/* Return an allocation site by index 0, 1, ..., or NULL past the end. */
const struct allocation_site *heap_allocation_site(const struct heap *h, size_t index);
/* Return the object that contained the address at that time, or NULL. If time is UINT64_MAX,
 * unknown, return the last such object. */
const struct heap_object *heap_find(const struct heap *h, uint32_t pid, uint64_t addr,
                                    uint64_t time);

#endif
