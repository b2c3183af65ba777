/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The locks that fork() must find free, because threads hold them while they are in system calls. A
 * fork takes all of them, so that the child finds their data complete.
 *
 * A thread that holds one of them takes only those after it.
 */
#ifndef LOCKS_H
#define LOCKS_H

#include <pthread.h>
#include <stdbool.h>

enum {
	LOCK_THREADS, /* the end of threads and of the process; draining another's vcpu */
	LOCK_HEAP_OBJECTS,
	LOCK_MAPPED_FILES,
	LOCK_HEAP_SYMBOLS,
	LOCK_HUGE_PAGES,
	LOCK_SIDEBAND,
	LOCK_RANGES,
	LOCKS
};
extern pthread_mutex_t locks[LOCKS];

/* True in the child of a fork until process_after_fork(). */
extern volatile bool locks_forked;

/* Call once, before the second thread begins. Return false if memory is exhausted. */
bool locks_install(void);

#endif
