/* SPDX-License-Identifier: MIT */
/* The call stacks of a recording, by the records that they are of: SAMPLE events with a call
 * stack. */
#ifndef TOOLS_CALL_STACKS_H
#define TOOLS_CALL_STACKS_H

#include "session.h"

struct stacks;

/* Reads where they are; NULL if the recording has none. */
struct stacks *stacks_read(const struct session *s);
void stacks_free(struct stacks *stacks);

/* The stack of a record of this thread, time and PC. False if there is none. */
bool stacks_find(const struct stacks *stacks, struct spemu_perf_sample *sample, uint32_t tid,
                 uint64_t time, uint64_t pc);

/*
 * The addresses of the calls of a stack, the outermost first: the instructions before the return
 * addresses. calls has room for SPEMU_PERF_CALLCHAIN_MAX. Returns their number.
 */
size_t stack_calls(const struct spemu_perf_sample *sample, uint64_t *calls);

#endif
