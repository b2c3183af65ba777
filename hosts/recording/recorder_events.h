/* SPDX-License-Identifier: MIT */
/* Whether what a process brought as events are events. */
#ifndef RECORDER_EVENTS_H
#define RECORDER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether size bytes, which are the recorder's own copy, are events that a process may bring, and
 * nothing else. */
bool recorder_events_check(const uint8_t *events, size_t size);

#endif
