/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap objects of a process, and their events in the recording.
 *
 * Each is an MMAP2 event, which perf takes for a mapping and spemu for what it is. All have as
 * pgoff the address of the call, and a name "[heap] CALL 0xADDRESS":
 *
 *   an object     start, len, time: when it was allocated; ino: its number. Recorded when a sample
 *                 accesses it
 *   its end       the same start, len and ino; the name is "[heap] free". Recorded if the object
 *                 was recorded
 *   totals        of an allocation site: start and len 0; ino: objects and ino_generation: bytes
 *                 allocated there; maj and min: the lower and the upper half of the number of
 *                 objects given back. Recorded when the process ends
 */
#ifndef HEAP_OBJECTS_H
#define HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Add an object of an allocation site: the address of the call, and the function that it calls,
 * which is compared by its address. mapped: by mmap(), so that munmap() gives it back.
 */
void heap_objects_add(uint64_t pc, const char *call, uint64_t start, uint64_t size, bool mapped);
/* Return the number of the object that begins at start; 0 if there is none. */
uint64_t heap_objects_number(uint64_t start);
/* Remove the object that begins at start, if it has this number; 0: whichever it is. */
void heap_objects_remove(uint64_t start, uint64_t number);
/* Follow munmap(): shrink or remove what mmap() mapped. */
void heap_objects_unmap(uint64_t start, uint64_t size);
/* Record the object at this address, which a sample accesses. */
void heap_objects_touched(uint64_t address);
/* Pass recorded events to the recording; the second function does so with the totals of all
 * allocation sites. */
void heap_objects_flush(void);
void heap_objects_totals(void);
/* Start over in the child of a fork, of which nothing has been recorded. */
void heap_objects_forked(void);

#endif
