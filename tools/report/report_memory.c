/* SPDX-License-Identifier: MIT */
/* See report_memory.h. */
#define _GNU_SOURCE
#include "report_memory.h"
#include "../base/common.h"

#include <stdlib.h>
#include <string.h>

const char *memory_word(enum memory_kind kind)
{
	static const char *const words[] = {[MEMORY_UNKNOWN] = "unknown",
	                                    [MEMORY_GLOBAL] = "global",
	                                    [MEMORY_STACK] = "stack",
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

/* Zero-initialized data are in anonymous memory after the file's last mapping. */
static bool find_zeroed(struct memory *m, struct session *s, const struct cache_line *line,
                        uint64_t addr)
{
	const struct mapping *file = session_mapping_below(s, line->pid, addr, line->time);
	uint64_t vaddr;

	if (!file || !object_vaddr(file->object, &vaddr, file->pgoff, file->writable))
		return false;
	vaddr += addr - file->start;
	return object_holds(file->object, vaddr) && find_symbol(m, file->object, vaddr);
}

struct memory memory_find(struct profile *p, const struct cache_line *line, uint64_t addr)
{
	struct session *s = &p->inputs[line->input].session;
	const struct mapping *map = session_mapping(s, line->pid, addr, line->time);
	struct memory m = {.name = "[unknown]"};
	uint64_t vaddr;

	if (map &&
	    object_vaddr(map->object, &vaddr, addr - map->start + map->pgoff, map->writable) &&
	    find_symbol(&m, map->object, vaddr))
		return m;
	if (find_zeroed(&m, s, line, addr) || !map)
		return m;
	m.object = map->object;
	m.name = object_name(map->object);
	m.kind = strncmp(m.name, "[stack", 6) ? MEMORY_MAPPING : MEMORY_STACK;
	return m;
}

static int compare_addresses(const void *pa, const void *pb)
{
	const struct touch *a = *(const struct touch *const *)pa;
	const struct touch *b = *(const struct touch *const *)pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static uint32_t add_memory(struct profile *p, const struct memory *m)
{
	size_t before = p->memory_index.count;
	struct map_key key = {(uintptr_t)m->object, m->start, m->kind};
	size_t i = map_add(&p->memory_index, key);

	if (i == before)
		GROW(p->memories, i, p->memory_capacity)[i] = *m;
	return (uint32_t)i;
}

void memory_find_all(struct profile *p)
{
	size_t n = p->touch_index.count;
	struct touch **sorted;
	struct memory m;

	if (p->memories || !n)
		return;
	sorted = xcalloc(n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &p->touches[i];
	qsort(sorted, n, sizeof(*sorted), compare_addresses);
	for (size_t i = 0; i < n; i++) {
		const struct cache_line *line = &p->lines[sorted[i]->line];

		if (i && !compare_addresses(&sorted[i - 1], &sorted[i])) {
			sorted[i]->memory = sorted[i - 1]->memory;
			continue;
		}
		m = memory_find(p, line, line->addr + sorted[i]->offset);
		sorted[i]->memory = add_memory(p, &m);
		if (!(i & 0xfff))
			progress("looking up data", i, n);
	}
	progress_end();
	free(sorted);
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
		touched |= line->threads[i].read | line->threads[i].written;
	for (; touched; touched &= touched - 1) {
		unsigned part = (unsigned)__builtin_ctzll(touched);
		size_t len = strlen(text);
		struct memory m = memory_find(p, line, line->addr + part * p->line_size / 64);

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
