/* SPDX-License-Identifier: MIT */
#include "memory.h"
#include "heap_rows.h"
#include "../base/common.h"

#include <string.h>

static struct memory find(struct profile *p, const struct cache_line *line, uint64_t addr,
                          uint64_t time, const struct heap_object *heap)
{
	struct session *s = &p->samples.recordings[line->input].session;
	struct memory m = memory_at(s, line->pid, addr, time, heap);

	if (m.kind == MEMORY_HEAP) {
		m.heap_row = heap_row_of(p, line->input, heap);
		m.name = m.heap_row->name;
	}
	return m;
}

struct memory memory_of_touch(struct profile *p, const struct touch *touch)
{
	const struct cache_line *line = &p->lines[touch->line];

	return find(p, line, line->addr + touch->offset, touch->time, touch->heap);
}

struct map_key memory_key(const struct memory *m)
{
	return (struct map_key){m->heap_row ? (uintptr_t)m->heap_row : (uintptr_t)m->object,
	                        m->start, m->kind};
}

static uint32_t add_memory(struct profile *p, const struct memory *m)
{
	size_t i;

	if (map_insert(&p->memory_index, memory_key(m), &i))
		GROW(p->memories, i, p->memory_capacity)[i] = *m;
	return (uint32_t)i;
}

void memory_find_all(struct profile *p)
{
	struct memory m;

	if (p->memories)
		return;
	for (size_t i = 0; i < p->touch_count; i++) {
		m = memory_of_touch(p, &p->touches[i]);
		p->touches[i].memory = add_memory(p, &m);
		if (!(i & 0xfff))
			progress("looking up data", i, p->touch_count);
	}
	progress_end();
}

void line_names(char *text, size_t size, struct profile *p, const struct cache_line *line)
{
	uint64_t touched = 0;
	const char *last = "";
	unsigned names = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < line->thread_count; i++)
		touched |= line_thread(line, i)->read | line_thread(line, i)->written;
	for (; touched; touched &= touched - 1) {
		uint64_t addr = line->addr + (unsigned)__builtin_ctzll(touched) * p->line_size / 64;
		size_t len = strlen(text);
		const struct heap_object *heap =
		        heap_find(p->samples.recordings[line->input].session.heap, line->pid, addr,
		                  line->time);
		struct memory m = find(p, line, addr, line->time, heap);

		if (!strcmp(m.name, last))
			continue;
		if (names++ == 3) {
			snprintf(text + len, size - len, ", ...");
			return;
		}
		snprintf(text + len, size - len, "%s%s", len ? ", " : "", m.name);
		last = m.name;
	}
}
