/* SPDX-License-Identifier: MIT */
/*
 * Lists of symbols. If several symbols have the same address, one is chosen as in perf: sized
 * before unsized, strong before weak, global before local, fewer leading underscores, longer name.
 */
#include "symbol_list.h"
#include "demangle.h"
#include "../base/common.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

void symbols_add(struct symbol_list *list, const struct symbol *symbol)
{
	APPEND(list->items, list->count, list->capacity) = *symbol;
}

static unsigned underscores(const char *s)
{
	return (unsigned)strspn(s, "_");
}

/* Compare symbols with the same address, the better name first. */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return a->binding == STB_WEAK ? 1 : -1;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name) ? -1 : 1;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) > strlen(b->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_symbols(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_names(a, b);
}

void symbols_finish(struct symbol_list *list)
{
	size_t n = 0;

	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare_symbols);
	for (size_t i = 1; i < list->count; i++) {
		if (list->items[i].start != list->items[n].start)
			list->items[++n] = list->items[i];
	}
	list->count = n + 1;
	for (size_t i = 0; i < list->count; i++) {
		struct symbol *s = &list->items[i];

		if (!s->sized && i + 1 < list->count)
			s->end = list->items[i + 1].start;
		else if (!s->sized)
			s->end = (s->start | 4095) + 1;
	}
}

/* Return the number of symbols that begin at or before the address. */
static size_t symbols_up_to(const struct symbol_list *list, uint64_t address)
{
	size_t count;

	COUNT_LEADING(count, list->count, i, list->items[i].start <= address);
	return count;
}

struct symbol *symbols_find(const struct symbol_list *list, uint64_t address)
{
	size_t low = symbols_up_to(list, address);

	/* Ranges rarely nest, so look only a few symbols back. */
	for (size_t i = low; i > 0 && low - i < 8; i--) {
		if (address < list->items[i - 1].end)
			return &list->items[i - 1];
	}
	return NULL;
}

struct symbol *symbols_find_function(const struct symbol_list *list, uint64_t address)
{
	size_t low = symbols_up_to(list, address), i = low;

	/* Between an address and the start of its function are only a few labels. */
	while (i > 0 && low - i < 64 && !list->items[i - 1].sized)
		i--;
	return i > 0 && list->items[i - 1].sized && address < list->items[i - 1].end
	               ? &list->items[i - 1]
	               : symbols_find(list, address);
}

const char *symbol_words(struct symbol *symbol)
{
	if (!symbol->words)
		symbol->words = demangle_kept(symbol->name);
	if (!symbol->words)
		symbol->words = symbol->name;
	return symbol->words;
}
