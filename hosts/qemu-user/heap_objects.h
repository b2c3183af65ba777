/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap objects of a process, and what the recording is told of them.
 *
 * Each is an MMAP2 event, which perf takes for a mapping and spemu for what it is. All have pgoff, the address of
 * the call, and a name "[heap] CALL 0xADDRESS":
 *   an object     start, len, time: when it was allocated; ino its number. Told when a sample is of it
 *   its end       the same start, len and ino, the name "[heap] free". Told if the object was
 *   a site        start and len 0; ino objects and ino_generation bytes allocated there, maj and min the lower and
 *                 the upper half of the number of objects given back. Told when the process ends
 */
#ifndef HEAP_OBJECTS_H
#define HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* Where memory is allocated: the address of the call, and which function it calls. */
struct heap_where {
	uint64_t pc;
	const char *call; /* compared by its address */
};

/* mapped: by mmap(), and given back by munmap(). */
void heap_objects_add(const struct heap_where *where, uint64_t start, uint64_t size, bool mapped);
/* The number of the object that begins at start, 0: none. */
uint64_t heap_objects_number(uint64_t start);
/* The object that begins there is given back; number 0: whichever it is. */
void heap_objects_remove(uint64_t start, uint64_t number);
/* munmap(): what was mapped by mmap() becomes smaller, or nothing. */
void heap_objects_unmap(uint64_t start, uint64_t size);
/* A sample is of this address. */
void heap_objects_touched(uint64_t address);
/* What was told is in the recording on return; and then the totals of all sites. */
void heap_objects_flush(void);
void heap_objects_totals(void);
/* In the child, where nothing has been told. */
void heap_objects_forked(void);

#endif
