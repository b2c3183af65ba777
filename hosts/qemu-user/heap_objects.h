/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap objects of a process, and their events in the recording.
 *
 * Each event is an MMAP2 event. perf treats it as a mapping, and spemu recognizes it. Its pgoff is
 * the address of the call, and its name is "[heap] CALL 0xADDRESS". In a recording with call
 * stacks, the addresses of up to HEAP_CALLERS calls follow: that of the function with the
 * allocating call, that of its caller, and so on. There are three events:
 *
 *   an object     start, len; time: allocation time; ino: its number. Recorded when a sample
 *                 accesses it
 *   its end       the same start, len and ino; the name is "[heap] free". Recorded if the object
 *                 was recorded
 *   totals        of an allocation site: start and len 0; ino: objects and ino_generation: bytes
 *                 allocated there; maj and min: the lower and the upper half of the number of
 *                 freed objects. Recorded when the process ends
 */
#ifndef HEAP_OBJECTS_H
#define HEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

enum { HEAP_CALLERS = 3 };
/* An allocation site: the address of the call, and the calls that led to it, 0 if unknown. `call`
 * is the called function, a string that is compared by its address. */
struct allocation_call {
	uint64_t pc, callers[HEAP_CALLERS];
	const char *call;
};
/* Add an object of an allocation site. `mapped` means that mmap() made the object, so that munmap()
 * frees it. */
void heap_objects_add(const struct allocation_call *call, uint64_t start, uint64_t size,
                      bool mapped);
/* Return the number of the object that begins at start, or 0 if there is none. */
uint64_t heap_objects_number(uint64_t start);
/* Remove the object that begins at start if it has this number. Number 0 matches every object. */
void heap_objects_remove(uint64_t start, uint64_t number);
/* Follow munmap(): shrink or remove objects of mmap(). */
void heap_objects_unmap(uint64_t start, uint64_t size);
/* Record the object at this address, which a sample accesses. */
void heap_objects_touched(uint64_t address);
/* Append the events to the recording. The second function first adds the totals of all allocation
 * sites. */
void heap_objects_flush(void);
void heap_objects_totals(void);
/* Start over in the child of a fork, for which nothing has been recorded yet. */
void heap_objects_forked(void);

#endif
