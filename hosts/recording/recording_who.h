/* SPDX-License-Identifier: MIT */
/*
 * Numbers of processes and threads in the recorder's PID namespace.
 *
 * Recorded processes may be in different PID namespaces, where getpid() may return the same number
 * for several of them. Lanes, slots and events use the recorder's numbers instead. A process in
 * another namespace that does not see the recorder's /proc cannot learn its number. It gets a
 * number that no process can have, from RECORDING_NUMBER_MADE on.
 */
#ifndef RECORDING_WHO_H
#define RECORDING_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "recording.h"

/* Linux's largest PID (PID_MAX_LIMIT), plus 1. */
#define RECORDING_NUMBER_MADE (1 << 22)

/* Return the identification of this process's /proc and of its PID namespace, as in struct
 * recording, or 0 if it is unknown. */
uint64_t recording_who_proc(void);
uint64_t recording_who_namespace(void);

/* Return true if the process or thread with this number has ended. Return false if that is
 * unknown. */
bool recording_who_is_gone(const struct recording *rec, int32_t number);

#endif
