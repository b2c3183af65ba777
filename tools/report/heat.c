/* SPDX-License-Identifier: MIT */
#include "heat.h"
#include "../base/common.h"

#include <stdlib.h>

enum { TIME_SHIFT_MAX = 63, ADDRESS_SHIFT_MAX = 63 };

static void begin(struct profile *p)
{
	p->heat = xcalloc(1, sizeof(*p->heat));
	p->heat->address_shift = HEAT_ADDRESS_SHIFT;
}

static void add_cell(struct heat *h, const struct heat_cell *cell)
{
	size_t i;

	if (map_insert(&h->index,
	               (struct map_key){(uint64_t)cell->input << 32 | cell->pid, cell->time,
	                                cell->address},
	               &i)) {
		GROW(h->cells, i, h->capacity)[i] = *cell;
		return;
	}
	h->cells[i].samples += cell->samples;
	h->cells[i].stores += cell->stores;
	h->cells[i].timed += cell->timed;
	h->cells[i].latency += cell->latency;
}

static bool has_many_times(const struct heat *h)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < h->index.count; i++) {
		uint64_t time = h->cells[i].time;

		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	return last - first >= HEAT_TIMES;
}

/*
 * Merge the cells into cells with twice the time, or with twice the bytes if there are few times.
 * Return false if the cells cannot become larger.
 */
static bool coarsen(struct heat *h)
{
	unsigned time = has_many_times(h) || h->address_shift == ADDRESS_SHIFT_MAX, address = !time;
	struct heat old = *h;

	if (time && h->time_shift == TIME_SHIFT_MAX)
		return false;
	h->index = (struct map){0};
	h->cells = NULL;
	h->capacity = 0;
	h->time_shift += time;
	h->address_shift += address;
	for (size_t i = 0; i < old.index.count; i++) {
		struct heat_cell cell = old.cells[i];

		cell.time >>= time;
		cell.address >>= address;
		add_cell(h, &cell);
	}
	map_free(&old.index);
	free(old.cells);
	return true;
}

static void add(struct profile *p, const struct counted *c)
{
	struct heat *h = p->heat;
	struct heat_cell cell;

	if (!c->has_data)
		return;
	if (c->sample->time == UINT64_MAX) {
		h->without_time++;
		return;
	}
	cell = (struct heat_cell){.time = c->sample->time >> h->time_shift,
	                          .address = c->address >> h->address_shift,
	                          .input = profile_reads(p),
	                          .pid = p->lines[c->line].pid,
	                          .samples = 1,
	                          .stores = c->operation != OP_LOAD,
	                          .timed = record_has_counter(c->record, SPEMU_COUNTER_TOTAL),
	                          .latency = c->record->counter[SPEMU_COUNTER_TOTAL]};
	add_cell(h, &cell);
	while (h->index.count > HEAT_CELLS && coarsen(h))
		;
}

const struct section section_heat = {"heat", .begin = begin, .add = add, .of_lines = true};
