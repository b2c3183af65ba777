/* SPDX-License-Identifier: MIT */
/* Whether what a process brought as call stacks are call stacks. */
#ifndef RECORDER_STACKS_H
#define RECORDER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether size bytes, which are the recorder's own copy, are SAMPLE events as
 * spemu_perf_put_sample() makes them, and nothing else. Their CPU, by which perf finds memory
 * without a check, becomes cpu. What the addresses, the thread and the time are is the program's
 * own matter.
 */
bool recorder_stacks_check(uint8_t *events, size_t size, uint32_t cpu);

#endif
