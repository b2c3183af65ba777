/* SPDX-License-Identifier: MIT */
/*
 * Heap objects of a recording, and who allocated them: what `spemu record --heap` adds as mappings
 * named "[heap] CALL 0xADDRESS" (hosts/qemu-user/heap_objects.h has the form). They are no mappings
 * here.
 */
#ifndef TOOLS_ALLOCATIONS_H
#define TOOLS_ALLOCATIONS_H

#include <spemu/perfdata.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call of an allocator in one process, between two of its execve(). */
struct allocation_site {
	uint32_t pid;
	uint64_t pc;      /* of the call */
	const char *call; /* "malloc"; equal words are the same pointer */
	uint64_t time;    /* of the first event about it */
	bool totals;      /* what follows was told */
	uint64_t objects, bytes, freed;
	uint32_t image;
};

struct heap_object {
	uint32_t site; /* index */
	uint64_t start, len;
	uint64_t from, to; /* its life: from <= time < to */
};

struct heap;
struct heap *heap_new(void);
/* True if the event is about the heap alone. */
bool heap_add(struct heap *h, const struct spemu_perf_event *event);
void heap_finish(struct heap *h);

/* Index 0, 1, ...; NULL past the end. */
const struct allocation_site *heap_allocation_site(const struct heap *h, size_t index);
/* What lay at the address, or NULL. time UINT64_MAX: not known, the last that did. */
const struct heap_object *heap_find(const struct heap *h, uint32_t pid, uint64_t addr,
                                    uint64_t time);

#endif
