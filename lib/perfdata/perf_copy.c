/* SPDX-License-Identifier: MIT */
/*
 * Copies of files in a perf.data file.
 *
 * The event has the form of struct perf_record_header_event_type: an event_id of 64 bits and at
 * least 64 bytes.
 *
 * Source: tools/lib/perf/include/perf/event.h, and tools/perf/util/session.c
 * (perf_session__process_user_event()) of Linux 6.1.
 */
#include <string.h>

#include <spemu/perfdata.h>

#include "base/bits.h"
#include "perfdata/perf_format.h"

/* "spemucpy" in memory order: the event_id of these events. */
#define MARK UINT64_C(0x797063756d657073)

/* Offsets in the body, after the event's header. */
enum {
	MARK_AT = 0,
	KIND_AT = 8,
	PID_AT = 12,
	OFFSET_AT = 16,
	SIZE_AT = 24, /* followed by 4 zero bytes */
	DATA_AT = 32,
	BODY_LEAST = 8 + 64, /* perf's event_id and name */
};

int spemu_perf_put_copy(uint8_t *buf, size_t size, const struct spemu_perf_copy *copy)
{
	uint8_t *body = buf + PERF_EVENT_HEADER_SIZE;
	size_t whole;

	if (!buf || !copy || copy->size > SPEMU_PERF_COPY_MAX || (copy->size && !copy->data))
		return SPEMU_ERR_INVALID;
	whole = DATA_AT + copy->size < BODY_LEAST ? BODY_LEAST : DATA_AT + copy->size;
	whole = (size_t)perf_align(PERF_EVENT_HEADER_SIZE + whole, 8);
	if (size < whole)
		return SPEMU_ERR_NOSPACE;
	memset(buf, 0, PERF_EVENT_HEADER_SIZE + DATA_AT);
	le_store32(buf, SPEMU_PERF_HEADER_EVENT_TYPE);
	le_store16(buf + 6, (uint16_t)whole);
	le_store64(body + MARK_AT, MARK);
	le_store32(body + KIND_AT, copy->kind);
	le_store32(body + PID_AT, copy->pid);
	le_store64(body + OFFSET_AT, copy->offset);
	le_store32(body + SIZE_AT, copy->size);
	if (copy->size)
		memcpy(body + DATA_AT, copy->data, copy->size);
	memset(body + DATA_AT + copy->size, 0,
	       whole - PERF_EVENT_HEADER_SIZE - DATA_AT - copy->size);
	return (int)whole;
}

int spemu_perf_get_copy(struct spemu_perf_copy *copy, const struct spemu_perf_event *event)
{
	struct spemu_perf_copy found;
	size_t size;

	if (copy)
		*copy = (struct spemu_perf_copy){0};
	if (!copy || !event || event->type != SPEMU_PERF_HEADER_EVENT_TYPE ||
	    event->size < PERF_EVENT_HEADER_SIZE + DATA_AT ||
	    le_load64(event->body + MARK_AT) != MARK)
		return SPEMU_ERR_INVALID;
	size = event->size - (size_t)PERF_EVENT_HEADER_SIZE - DATA_AT;
	found = (struct spemu_perf_copy){.kind = le_load32(event->body + KIND_AT),
	                                 .pid = le_load32(event->body + PID_AT),
	                                 .offset = le_load64(event->body + OFFSET_AT),
	                                 .size = le_load32(event->body + SIZE_AT),
	                                 .data = event->body + DATA_AT};
	if (found.size > size)
		return SPEMU_ERR_CORRUPT;
	*copy = found;
	return SPEMU_OK;
}
