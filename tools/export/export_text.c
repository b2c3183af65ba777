/* SPDX-License-Identifier: MIT */
/* See export_text.h. */
#define _GNU_SOURCE
#include "export_text.h"
#include "../base/clean.h"
#include "../base/common.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct text_entry {
	char *text;
	uint32_t number;
};

static int compare(const void *pa, const void *pb)
{
	const struct text_entry *a = pa, *b = pb;

	return strcmp(a->text, b->text);
}

uint32_t text_number(struct text_table *table, const char *text)
{
	struct text_entry *entry = xcalloc(1, sizeof(*entry));
	struct text_entry *const *known;

	entry->text = clean_text(xstrdup(text));
	known = tfind(entry, &table->tree, compare);
	if (known) {
		free(entry->text);
		free(entry);
		return (*known)->number;
	}
	entry->number = table->count;
	tree_add(&table->tree, entry, compare);
	GROW(table->texts, table->count, table->capacity)[table->count] = entry->text;
	return table->count++;
}

void text_table_free(struct text_table *table)
{
	tdestroy(table->tree, free);
	for (uint32_t i = 0; i < table->count; i++)
		free(table->texts[i]);
	free(table->texts);
}
