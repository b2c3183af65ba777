/* SPDX-License-Identifier: MIT */
/* Call stacks of a recording: SAMPLE events with a call chain, one for each record. */
#ifndef TOOLS_CALL_STACKS_H
#define TOOLS_CALL_STACKS_H

#include "session.h"

struct stacks;

/* Find the call stacks of the recording. Return NULL if it has none. */
struct stacks *stacks_read(const struct session *s);
void stacks_free(struct stacks *stacks);

/* Find the stack of a record by its thread, time and PC. Return false if there is none. */
bool stacks_find(const struct stacks *stacks, struct spemu_perf_sample *sample, uint32_t tid,
                 uint64_t time, uint64_t pc);

/*
 * Write the addresses of the calls in a stack, the outermost first, and return their number. A call
 * is the instruction before a return address. calls has room for SPEMU_PERF_CALLCHAIN_MAX
 * addresses.
 */
size_t stack_calls(const struct spemu_perf_sample *sample, uint64_t *calls);

#endif
