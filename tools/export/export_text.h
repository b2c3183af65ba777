/* SPDX-License-Identifier: MIT */
/* A table of distinct texts, for formats that refer to texts by number. */
#ifndef TOOLS_EXPORT_TEXT_H
#define TOOLS_EXPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is empty. */
struct text_table {
	void *tree;
	char **texts; /* texts by number */
	uint32_t count;
	size_t capacity;
};

/* Return the number of a text, after cleaning it (clean.h). A new text gets the next number,
 * table->count - 1 after the call. */
uint32_t text_number(struct text_table *table, const char *text);
void text_table_free(struct text_table *table);

#endif
