/* SPDX-License-Identifier: MIT */
/* Symbols by address: collected in any order, sorted once, then searched. */
#ifndef TOOLS_SYMBOL_LIST_H
#define TOOLS_SYMBOL_LIST_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start, end;
	const char *name;  /* as linked; valid as long as the list */
	const char *words; /* demangled, once it was needed; else NULL */
	uint32_t rank;     /* the highest rank at one address gives the name */
	uint8_t sized, binding;
};

struct symbol_list {
	struct symbol *items;
	size_t count, capacity;
};

void symbols_add(struct symbol_list *list, const struct symbol *symbol);
/* Sort, keep the best name of each address, and extend unsized symbols to the next symbol. */
void symbols_finish(struct symbol_list *list);
/* Return the symbol that contains the address, or NULL. */
struct symbol *symbols_find(const struct symbol_list *list, uint64_t address);
/* Return the same, but treat a label of assembly inside a function as that function, like
 * linkers and optimizers. */
struct symbol *symbols_find_function(const struct symbol_list *list, uint64_t address);
/* Return the demangled name. */
const char *symbol_words(struct symbol *symbol);

#endif
