/* SPDX-License-Identifier: MIT */
/* Texts by number, each once: what formats with a table of strings have. */
#ifndef TOOLS_EXPORT_TEXT_H
#define TOOLS_EXPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct text_table {
	void *tree;
	char **texts; /* by number */
	uint32_t count;
	size_t capacity;
};

/* The number of a text, cleaned (clean.h): table->count - 1 after the call if it is new. */
uint32_t text_number(struct text_table *table, const char *text);
void text_table_free(struct text_table *table);

#endif
