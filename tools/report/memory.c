/* SPDX-License-Identifier: MIT */
#include "memory.h"
#include "heap_rows.h"
#include "../base/common.h"

#include <string.h>

const char *memory_word(enum memory_kind kind)
{
	static const char *const words[] = {[MEMORY_UNKNOWN] = "unknown",
	                                    [MEMORY_GLOBAL] = "global",
	                                    [MEMORY_STACK] = "stack",
	                                    [MEMORY_HEAP] = "heap",
	                                    [MEMORY_MAPPING] = "mapping"};

	return words[kind];
}

static bool find_symbol(struct memory *m, struct object *object, uint64_t vaddr)
{
	uint64_t start;
	const char *name = object_symbol(object, &start, vaddr, SYMBOL_DATA);

	if (!name)
		return false;
	*m = (struct memory){.kind = MEMORY_GLOBAL,
	                     .object = object,
	                     .name = name,
	                     .start = start,
	                     .size = object_symbol_end(object, vaddr, SYMBOL_DATA) - start,
	                     .offset = vaddr - start};
	return true;
}

static struct memory find(struct profile *p, const struct cache_line *line, uint64_t addr,
                          uint64_t time, const struct heap_object *heap)
{
	struct session *s = &p->samples.recordings[line->input].session;
	const struct mapping *map = timeline_mapping(s->timeline, line->pid, addr, time);
	struct memory m = {.name = "[unknown]"};
	struct object *object;
	uint64_t vaddr;

	if (place_of_data(&object, &vaddr, s, line->pid, addr, time) &&
	    find_symbol(&m, object, vaddr))
		return m;
	if (map) {
		m.object = map->object;
		m.name = object_name(map->object);
		m.kind = strncmp(m.name, "[stack", 6) ? MEMORY_MAPPING : MEMORY_STACK;
	}
	if (heap && m.kind != MEMORY_STACK) {
		const struct heap_row *row = heap_row_of(p, line->input, heap);

		m = (struct memory){.kind = MEMORY_HEAP,
		                    .name = row->name,
		                    .heap_row = row,
		                    .offset = addr - heap->start};
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

void memory_name(char *text, size_t size, const struct memory *m)
{
	if (m->offset)
		snprintf(text, size, "%s+0x%llx", m->name, (unsigned long long)m->offset);
	else
		snprintf(text, size, "%s", m->name);
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
