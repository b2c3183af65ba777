/* SPDX-License-Identifier: MIT */
/* Checks of events that processes bring. The bytes are the recorder's own copy. */
#ifndef RECORDER_CHECK_H
#define RECORDER_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return true if size bytes are events that a process may bring, and nothing else. */
bool recorder_events_check(const uint8_t *events, size_t size);

/*
 * Return true if size bytes are SAMPLE events as spemu_perf_put_sample() makes them, and nothing
 * else. Set their CPU, by which perf indexes memory without a check, to `cpu`. Addresses, thread
 * and time may be anything: they describe only the program itself.
 */
bool recorder_stacks_check(uint8_t *events, size_t size, uint32_t cpu);

#endif
