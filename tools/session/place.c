/* SPDX-License-Identifier: MIT */
#include "place.h"
#include "../base/common.h"

#include <stdio.h>
#include <string.h>

struct place place_of_record(const struct task *task, const struct spemu_record *rec)
{
	struct place place = {.task = task, .no_address = true};

	if (!(rec->present & SPEMU_RECORD_ADDR(SPEMU_ADDR_PC)))
		return place;
	place.no_address = false;
	place.addr = spemu_addr_va(rec->addr[SPEMU_ADDR_PC]);
	place.kernel = spemu_addr_el(rec->addr[SPEMU_ADDR_PC]) != 0;
	return place;
}

void place_locate(struct place *place, struct session *s, uint64_t time)
{
	const struct mapping *m;
	uint64_t vaddr;

	if (place->no_address)
		return;
	m = timeline_mapping(s->timeline, place->task->pid, place->addr, time);
	place->object = m ? m->object : NULL;
	if (m && object_vaddr(m->object, &vaddr, place->addr - m->start + m->pgoff, m->writable)) {
		place->addr = vaddr;
		place->resolved = true;
	}
}

static bool inlined_hidden;

/* Return the place of a call that led to an allocation. */
static struct place place_of_call(struct session *s, const struct allocation_site *site,
                                  uint64_t pc)
{
	const struct mapping *m = timeline_mapping(s->timeline, site->pid, pc, site->time);
	struct place place = {.addr = pc, .object = m ? m->object : NULL};

	place.resolved =
	        m && object_vaddr(m->object, &place.addr, pc - m->start + m->pgoff, m->writable);
	return place;
}

struct place place_of_allocation(struct session *s, const struct allocation_site *site)
{
	return place_of_call(s, site, site->pc);
}

struct place place_of_allocation_caller(struct session *s, const struct allocation_site *site,
                                        unsigned caller)
{
	return place_of_call(s, site, site->callers[caller]);
}

bool place_of_data(struct object **object, uint64_t *vaddr, struct session *s, uint32_t pid,
                   uint64_t addr, uint64_t time)
{
	const struct mapping *m = timeline_mapping(s->timeline, pid, addr, time);

	if (!m || !object_data_vaddr(m->object, vaddr, m->pgoff, addr - m->start, m->writable)) {
		m = timeline_mapping_below(s->timeline, pid, addr, time);
		if (!m || !object_vaddr(m->object, vaddr, m->pgoff, m->writable))
			return false;
		*vaddr += addr - m->start;
		if (!object_holds(m->object, *vaddr))
			return false;
	}
	*object = m->object;
	return true;
}

void places_hide_inlined(void)
{
	inlined_hidden = true;
}

size_t place_frames(const struct place *place, struct frame *frames, size_t max)
{
	if (inlined_hidden || !place->resolved)
		return 0;
	return object_frames(place->object, frames, max, place->addr);
}

void place_find_symbol(struct place *place)
{
	if (place->named)
		return;
	place->named = true;
	if (!place->resolved)
		return;
	place->symbol = object_symbol(place->object, &place->start, place->addr, SYMBOL_CODE);
	if (!inlined_hidden)
		place->inlined = object_inlined(place->object, place->addr);
}

int place_compare_functions(const struct place *a, const struct place *b, bool by_name)
{
	const char *x = a->inlined ? a->inlined : a->symbol,
	           *y = b->inlined ? b->inlined : b->symbol;

	if (!by_name && !a->inlined != !b->inlined)
		return a->inlined ? 1 : -1;
	if (!x || !y)
		return (x != NULL) - (y != NULL);
	return by_name || a->inlined ? strcmp(x, y) : compare_numbers(a->start, b->start);
}

static void find_caller(struct place *place)
{
	enum { FRAMES_MAX = 64 };
	struct frame frames[FRAMES_MAX];
	size_t n = object_frames(place->object, frames, FRAMES_MAX, place->addr);

	if (n < 2)
		return;
	place->caller_file = frames[n - 1].file;
	place->caller_line = frames[n - 1].line;
}

void place_find_line(struct place *place)
{
	if (place->lined)
		return;
	place->lined = true;
	if (!place->resolved ||
	    !object_line(place->object, &place->file, &place->line, place->addr)) {
		place->file = NULL;
		place->line = 0;
		return;
	}
	find_caller(place);
}

void place_name(char *text, size_t size, const struct place *place, bool with_offset)
{
	const char *object = place_object(place);

	if (place->inlined && !with_offset)
		snprintf(text, size, "%s", place->inlined);
	else if (!place->symbol && with_offset)
		snprintf(text, size, "0x%016llx", (unsigned long long)place->addr);
	else if (!place->symbol)
		snprintf(text, size, *object == '[' ? "%s" : "[%s]", object);
	else if (with_offset)
		snprintf(text, size, "%s+0x%llx", place->symbol,
		         (unsigned long long)(place->addr - place->start));
	else
		snprintf(text, size, "%s", place->symbol);
}

const char *place_object(const struct place *place)
{
	if (place->object)
		return object_name(place->object);
	return place->kernel ? "[kernel]" : "[unknown]";
}

bool place_is_unnamed(const struct place *place)
{
	unsigned long long start;
	int end = 0;

	return place->symbol && !place->inlined &&
	       sscanf(place->symbol, "fn_%llx%n", &start, &end) == 1 && !place->symbol[end] &&
	       start == place->start;
}
