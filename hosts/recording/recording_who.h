/* SPDX-License-Identifier: MIT */
/*
 * Numbers of processes and threads as the recorder's PID namespace has them.
 *
 * Recorded processes may be in PID namespaces of their own, where getpid() returns the same number
 * for several of them. Lanes, slots and events use the recorder's numbers instead. A process that
 * cannot learn its number, because it is in another namespace and does not see the recorder's
 * /proc, gets a number that no process can have (from RECORDING_NUMBER_MADE on).
 */
#ifndef RECORDING_WHO_H
#define RECORDING_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "recording.h"

/* One more than Linux's largest PID (PID_MAX_LIMIT). */
#define RECORDING_NUMBER_MADE (1 << 22)

/* Identify this process's /proc and its PID namespace, as members of struct recording keep them; 0
 * is unknown. */
uint64_t recording_who_proc(void);
uint64_t recording_who_namespace(void);

/* Return true if that process or thread is known to have ended. */
bool recording_who_is_gone(const struct recording *rec, int32_t number);

#endif
