/* SPDX-License-Identifier: MIT */
/* See recorder_stacks.h. */
#include "recorder_stacks.h"

#include <spemu/perfdata.h>

/* Where the members of such an event are. */
enum {
	AT_TYPE = 0,
	AT_MISC = 4,
	AT_SIZE = 6,
	AT_ID = 8,
	AT_IP = 16,
	AT_CPU = 40, /* and four bytes that are 0 */
	AT_COUNT = 48,
	AT_MARKER = 56,
	AT_STACK = 64,
};

/* Little-endian, as everything in the file. */
static uint64_t load(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* The bytes of the event, or 0 if it is none of those. */
static size_t check_event(const uint8_t *event, size_t left)
{
	size_t size;
	uint64_t n;

	if (left < SPEMU_PERF_CALLCHAIN_SIZE(1))
		return 0;
	size = (size_t)load(event + AT_SIZE, 2);
	n = load(event + AT_COUNT, 8);
	if (load(event + AT_TYPE, 4) != SPEMU_PERF_SAMPLE ||
	    load(event + AT_MISC, 2) != SPEMU_PERF_MISC_USER || size > left || n < 2 ||
	    n > SPEMU_PERF_CALLCHAIN_MAX + 1 || size != SPEMU_PERF_CALLCHAIN_SIZE(n - 1) ||
	    load(event + AT_ID, 8) != SPEMU_PERF_CALLCHAIN_ID ||
	    load(event + AT_MARKER, 8) != SPEMU_PERF_CONTEXT_USER ||
	    load(event + AT_STACK, 8) != load(event + AT_IP, 8))
		return 0;
	for (uint64_t i = 0; i + 1 < n; i++) {
		if (load(event + AT_STACK + 8 * i, 8) >= SPEMU_PERF_CONTEXT_MAX)
			return 0;
	}
	return size;
}

bool recorder_stacks_check(uint8_t *events, size_t size, uint32_t cpu)
{
	while (size) {
		size_t n = check_event(events, size);

		if (!n)
			return false;
		for (unsigned i = 0; i < 8; i++)
			events[AT_CPU + i] = i < 4 ? (uint8_t)(cpu >> 8 * i) : 0;
		events += n;
		size -= n;
	}
	return true;
}
