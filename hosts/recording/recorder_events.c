/* SPDX-License-Identifier: MIT */
/* See recorder_events.h. */
#include "recorder_events.h"

#include <spemu/perfdata.h>
#include <string.h>

/* Little-endian, as everything in the file. */
static uint32_t number(const uint8_t *p, unsigned size)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

/*
 * Bytes of an event that a process may bring, with its text and trailer as the reader wants them; 0
 * if it is none. AUX and AUXTRACE are made here, so that trace cannot pass for events.
 */
static size_t event_size(const uint8_t *event, size_t left)
{
	const size_t trailer = SPEMU_PERF_TRAILER_SIZE;
	size_t size, text_at = 0;

	if (left < 8)
		return 0;
	size = number(event + 6, 2);
	switch (number(event, 4)) {
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
