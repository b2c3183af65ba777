/* SPDX-License-Identifier: MIT */
/* Checks of events that processes bring. The bytes are the recorder's copy. */
#ifndef RECORDER_CHECK_H
#define RECORDER_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return true if the size bytes consist only of events that a process may bring. */
bool recorder_events_check(const uint8_t *events, size_t size);

/*
 * Return true if the size bytes consist only of SAMPLE events as spemu_perf_put_sample() makes
 * them. Set their CPU, which perf uses as an index without a check, to `cpu`. Addresses, thread and
 * time may be anything, because they describe only the program itself.
 */
bool recorder_stacks_check(uint8_t *events, size_t size, uint32_t cpu);

#endif
