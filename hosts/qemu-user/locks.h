/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks that threads hold in system calls, and that must be free in the child of a fork. A fork
 * takes all of them, so that their data are complete in the child.
 *
 * A thread that holds one of them takes only locks after it.
 */
#ifndef LOCKS_H
#define LOCKS_H

#include <pthread.h>
#include <stdbool.h>

enum {
	LOCK_THREADS, /* the end of threads and of the process; drains of other vcpus */
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
