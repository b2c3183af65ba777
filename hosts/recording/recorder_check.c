/* SPDX-License-Identifier: MIT */
/* The parser of events; see recorder_check.h. */
#include "recorder_check.h"

#include <spemu/perfdata.h>
#include <string.h>

/* Read a little-endian number, like all numbers in the file. */
static uint64_t load(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Return the size of an event with totals, or 0 for anything else of its type. */
static size_t totals_size(const uint8_t *event, size_t size, size_t left)
{
	const struct spemu_perf_event totals = {
	        .type = SPEMU_PERF_HEADER_EVENT_TYPE, .size = (uint16_t)size, .body = event + 8};
	struct spemu_perf_totals found;

	if (size != SPEMU_PERF_TOTALS_SIZE || size > left)
		return 0;
	return spemu_perf_get_totals(&found, &totals) == SPEMU_OK ? size : 0;
}

/*
 * Return the size of an event that a process may bring, with text and trailer as the reader expects
 * them, or 0 for anything else. Only the recorder makes AUX and AUXTRACE events, so events cannot
 * contain trace.
 */
static size_t event_size(const uint8_t *event, size_t left)
{
	const size_t trailer = SPEMU_PERF_TRAILER_SIZE;
	size_t size, text_at = 0;

	if (left < 8)
		return 0;
	size = (size_t)load(event + 6, 2);
	switch (load(event, 4)) {
	case SPEMU_PERF_COMM:
		text_at = 8 + 8;
		break;
	case SPEMU_PERF_MMAP2:
		text_at = 8 + 64;
		break;
	case SPEMU_PERF_FORK:
	case SPEMU_PERF_EXIT:
		return size == 8 + 24 + trailer && size <= left ? size : 0;
	case SPEMU_PERF_ITRACE_START:
		return size == 8 + 8 + trailer && size <= left ? size : 0;
	case SPEMU_PERF_HEADER_EVENT_TYPE:
		return totals_size(event, size, left);
	default:
		return 0;
	}
	if (size > left || size % 8 || size < text_at + 8 + trailer ||
	    !memchr(event + text_at, 0, size - trailer - text_at))
		return 0;
	return size;
}

bool recorder_events_check(const uint8_t *events, size_t size)
{
	while (size) {
		size_t n = event_size(events, size);

		if (!n)
			return false;
		events += n;
		size -= n;
	}
	return true;
}

/* Offsets of the members of a SAMPLE event. */
enum {
	AT_TYPE = 0,
	AT_MISC = 4,
	AT_SIZE = 6,
	AT_ID = 8,
	AT_IP = 16,
	AT_CPU = 40, /* followed by four zero bytes */
	AT_COUNT = 48,
	AT_MARKER = 56,
	AT_STACK = 64,
	/* After the stack. */
	RAW_SIZE = 0,
	RAW_CALLER = 4,
};

/* Return the size of a SAMPLE event, or 0 for anything else. */
static size_t stack_size(const uint8_t *event, size_t left)
{
	const uint8_t *raw;
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
	raw = event + AT_STACK + 8 * (n - 1);
	if (load(raw + RAW_SIZE, 4) != SPEMU_PERF_FRAME_SIZE || load(raw + RAW_CALLER, 4) >= n - 1)
		return 0;
	return size;
}

bool recorder_stacks_check(uint8_t *events, size_t size, uint32_t cpu)
{
	while (size) {
		size_t n = stack_size(events, size);

		if (!n)
			return false;
		for (unsigned i = 0; i < 8; i++)
			events[AT_CPU + i] = i < 4 ? (uint8_t)(cpu >> 8 * i) : 0;
		events += n;
		size -= n;
	}
	return true;
}
