/* SPDX-License-Identifier: MIT */
/*
 * Memory accesses by time and address, for the heat map of --html:
 *
 *   time_shift, address_shift   size of a cell: base-2 logarithms of its nanoseconds and its bytes
 *   first_time                  the earliest time of a cell, as a decimal string, because it may
 *                               need more than 53 bits
 *   without_time                number of memory accesses that are in no cell
 *   areas    ranges of addresses of one mapping in one process, with gaps of less than GAP bytes or
 *            GAP_CELLS cells: input, pid, start (the address), name and "cells". A cell is six
 *            numbers: distance from the start in cells, time after the earliest, samples, stores,
 *            samples with a latency, and the cycles of those
 */
#include "html.h"
#include "heat.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 1 << 20, GAP_CELLS = 16 };

static int compare_cells(const void *pa, const void *pb)
{
	const struct heat_cell *a = pa, *b = pb;

	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static const char *name_at(const struct profile *p, const struct heat *h, const struct heat_cell *c)
{
	struct session *s = &p->samples.recordings[c->input].session;
	const struct mapping *m = timeline_mapping(
	        s->timeline, c->pid, c->address << h->address_shift, c->time << h->time_shift);

	/* A cell may begin before the mapping, in address or time; then try its end. */
	if (!m)
		m = timeline_mapping(s->timeline, c->pid,
		                     ((c->address + 1) << h->address_shift) - 1,
		                     ((c->time + 1) << h->time_shift) - 1);
	return m ? object_name(m->object) : c->pid ? "[unknown]" : "[kernel]";
}

static struct json_object *area_json(const struct heat *h, const struct heat_cell *c,
                                     const char *name, struct json_object **cells)
{
	struct json_object *o = json_object_new_object();

	*cells = json_object_new_array();
	json_add_number(o, "input", c->input);
	json_add_number(o, "pid", c->pid);
	json_add_hex(o, "start", c->address << h->address_shift);
	json_add_text(o, "name", name);
	json_object_object_add(o, "cells", *cells);
	return o;
}

static bool same_area(const struct heat *h, const struct heat_cell *a, const struct heat_cell *b)
{
	uint64_t gap = (uint64_t)GAP >> h->address_shift > GAP_CELLS
	                       ? (uint64_t)GAP >> h->address_shift
	                       : GAP_CELLS;

	return a->input == b->input && a->pid == b->pid && b->address - a->address < gap;
}

static struct json_object *areas_json(const struct profile *p, const struct heat *h, uint64_t first)
{
	struct json_object *areas = json_object_new_array(), *cells = NULL;
	const char *before = "";
	uint64_t start = 0;

	for (size_t i = 0; i < h->index.count; i++) {
		const struct heat_cell *c = &h->cells[i];
		const char *name = name_at(p, h, c);
		const uint64_t numbers[] = {c->time - first, c->samples, c->stores, c->timed,
		                            c->latency};

		if (!i || !same_area(h, c - 1, c) || strcmp(before, name) != 0) {
			json_object_array_add(areas, area_json(h, c, name, &cells));
			start = c->address;
		}
		before = name;
		json_object_array_add(cells, json_object_new_uint64(c->address - start));
		for (unsigned n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
			json_object_array_add(cells, json_object_new_uint64(numbers[n]));
	}
	return areas;
}

struct json_object *html_heat(const struct profile *p)
{
	struct json_object *o = json_object_new_object();
	struct heat *h = p->heat;
	uint64_t first = UINT64_MAX;
	char text[24];

	if (h->index.count)
		qsort(h->cells, h->index.count, sizeof(*h->cells), compare_cells);
	for (size_t i = 0; i < h->index.count; i++)
		first = h->cells[i].time < first ? h->cells[i].time : first;
	first = h->index.count ? first : 0;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(first << h->time_shift));
	json_add_number(o, "time_shift", h->time_shift);
	json_add_number(o, "address_shift", h->address_shift);
	json_add_text(o, "first_time", text);
	json_add_number(o, "without_time", h->without_time);
	json_object_object_add(o, "areas", areas_json(p, h, first));
	return o;
}
