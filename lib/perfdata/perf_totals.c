/* SPDX-License-Identifier: MIT */
/*
 * Totals of the timing model in a perf.data file. The event has the form of a copy's event
 * (perf_copy.c).
 */
#include <string.h>

#include <spemu/perfdata.h>

#include "base/bits.h"
#include "perfdata/perf_format.h"

/* "spemutot" in memory order: the event_id of these events. */
#define MARK UINT64_C(0x746f74756d657073)

/* Offsets in the body, after the event's header. */
enum {
	MARK_AT = 0,
	PID_AT = 8,
	TID_AT = 12,
	COUNT_AT = 16, /* number of numbers */
	NUMBERS_AT = 24,
};

int spemu_perf_put_totals(uint8_t *buf, size_t size, const struct spemu_perf_totals *totals)
{
	uint8_t *body = buf + PERF_EVENT_HEADER_SIZE;

	if (!buf || !totals)
		return SPEMU_ERR_INVALID;
	if (size < SPEMU_PERF_TOTALS_SIZE)
		return SPEMU_ERR_NOSPACE;
	le_store32(buf, SPEMU_PERF_HEADER_EVENT_TYPE);
	le_store16(buf + 4, 0);
	le_store16(buf + 6, (uint16_t)SPEMU_PERF_TOTALS_SIZE);
	le_store64(body + MARK_AT, MARK);
	le_store32(body + PID_AT, totals->pid);
	le_store32(body + TID_AT, totals->tid);
	le_store64(body + COUNT_AT, SPEMU_PERF_TOTALS);
	for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++)
		le_store64(body + NUMBERS_AT + 8 * (size_t)i, totals->of[i]);
	return (int)SPEMU_PERF_TOTALS_SIZE;
}

int spemu_perf_get_totals(struct spemu_perf_totals *totals, const struct spemu_perf_event *event)
{
	uint64_t count, room;

	if (totals)
		*totals = (struct spemu_perf_totals){0};
	if (!totals || !event || event->type != SPEMU_PERF_HEADER_EVENT_TYPE ||
	    event->size < PERF_EVENT_HEADER_SIZE + NUMBERS_AT ||
	    le_load64(event->body + MARK_AT) != MARK)
		return SPEMU_ERR_INVALID;
	count = le_load64(event->body + COUNT_AT);
	room = (event->size - (uint64_t)PERF_EVENT_HEADER_SIZE - NUMBERS_AT) / 8;
	if (count > room)
		return SPEMU_ERR_CORRUPT;
	totals->pid = le_load32(event->body + PID_AT);
	totals->tid = le_load32(event->body + TID_AT);
	for (unsigned i = 0; i < SPEMU_PERF_TOTALS && i < count; i++)
		totals->of[i] = le_load64(event->body + NUMBERS_AT + 8 * (size_t)i);
	return SPEMU_OK;
}
