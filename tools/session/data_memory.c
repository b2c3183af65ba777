/* SPDX-License-Identifier: MIT */
/* See data_memory.h. */
#define _GNU_SOURCE
#include "data_memory.h"
#include "../base/common.h"

#include <string.h>

enum { NAME_SIZE = 4200 };

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

struct memory memory_at(struct session *s, uint32_t pid, uint64_t addr, uint64_t time,
                        const struct heap_object *heap)
{
	const struct mapping *map = timeline_mapping(s->timeline, pid, addr, time);
	struct memory m = {.name = "[unknown]"};
	struct object *object;
	uint64_t vaddr;

	if (place_of_data(&object, &vaddr, s, pid, addr, time) && find_symbol(&m, object, vaddr))
		return m;
	if (map) {
		m.object = map->object;
		m.name = object_name(map->object);
		m.kind = strncmp(m.name, "[stack", 6) ? MEMORY_MAPPING : MEMORY_STACK;
	}
	if (heap && m.kind != MEMORY_STACK)
		m = (struct memory){.kind = MEMORY_HEAP, .offset = addr - heap->start};
	return m;
}

void memory_name(char *text, size_t size, const struct memory *m)
{
	if (m->offset)
		snprintf(text, size, "%s+0x%llx", m->name, (unsigned long long)m->offset);
	else
		snprintf(text, size, "%s", m->name);
}

int allocation_line(const struct place *place, const char **file)
{
	*file = place->caller_file ? place->caller_file : place->file;
	return place->caller_file ? place->caller_line : place->line;
}

char *allocation_name(const struct place *place, const char *call)
{
	const char *file;
	char text[NAME_SIZE];
	int line = allocation_line(place, &file);

	place_name(text, sizeof(text), place, !line);
	if (line)
		return xasprintf("%s@%s:%d", call, text, line);
	return xasprintf("%s@%s", call, text);
}
