/* SPDX-License-Identifier: MIT */
/* Symbols by address: collected in any order, sorted once, then searched. */
#ifndef TOOLS_SYMBOL_LIST_H
#define TOOLS_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start, end;
	const char *name;  /* as linked; lives as long as the list */
	const char *words; /* as shown, once it was; else NULL */
	uint32_t rank;     /* of those that start at one address the highest is the name */
	uint8_t sized, binding;
};

struct symbol_list {
	struct symbol *items;
	size_t count, capacity;
};

void symbols_add(struct symbol_list *list, const struct symbol *symbol);
/* Sort, keep the best name of each address, and let unsized symbols reach to the next one. */
void symbols_finish(struct symbol_list *list);
/* The symbol that contains the address, or NULL. */
struct symbol *symbols_find(const struct symbol_list *list, uint64_t address);
/* The same, but a label of assembly inside of a function is that function, as linkers and
 * optimizers see it. */
struct symbol *symbols_find_function(const struct symbol_list *list, uint64_t address);
/* Its name as the programmer wrote it. */
const char *symbol_words(struct symbol *symbol);

#endif
